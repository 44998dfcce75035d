package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"

	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/id"
	"github.com/holdfast-dev/holdfast/core/wire"
)

// Bridge is MCP on standard input and output: it carries each line, a
// JSON-RPC message, to the surface of a running service and the answer back.
// The service does everything else, so that both transports are one surface.
//
// Messages are carried one after another, in the order of the input: an agent
// that sends two actions at once gets them taken in that order. A line that is
// malformed is answered with an error, and the next one is read.
type Bridge struct {
	// URL is the service's address, without Path.
	URL string
	// Client carries the messages; its Timeout bounds each.
	Client *http.Client
	// Correlations mints the correlation of errors that never reached the
	// service.
	Correlations id.Source
	Log          *slog.Logger
	// BodyLimit is the most bytes of a tool's arguments.
	BodyLimit int

	// negotiated is the protocol version of the last initialize.
	negotiated string
}

// Run serves until the input ends or the context does, which is no error;
// one is that of reading the input or of writing the output.
func (b *Bridge) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := make(chan line)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go b.read(ctx, in, lines)
	for {
		var next line
		select {
		case <-ctx.Done():
			return nil
		case next = <-lines:
		}
		switch {
		case errors.Is(next.err, io.EOF):
			return nil
		case next.err != nil:
			return next.err
		}
		reply := b.reply(ctx, next)
		if reply == nil {
			continue
		}
		if _, err := out.Write(append(reply, '\n')); err != nil {
			return err
		}
	}
}

// line is a line of the input without its end, or why there is none.
type line struct {
	text []byte
	// long says that the line has more bytes than a message may have.
	long bool
	err  error
}

// read reads lines until the input ends. It may be left reading when the
// context ends, since a read of standard input cannot be interrupted.
func (b *Bridge) read(ctx context.Context, in io.Reader, lines chan<- line) {
	input := bufio.NewReaderSize(in, 64<<10)
	for {
		next := readLine(input, limits(b.BodyLimit).Size)
		select {
		case lines <- next:
		case <-ctx.Done():
			return
		}
		if next.err != nil {
			return
		}
	}
}

// readLine reads one line of at most limit bytes; what is beyond is read and
// dropped.
func readLine(input *bufio.Reader, limit int) line {
	var l line
	for {
		part, err := input.ReadSlice('\n')
		if l.long = l.long || len(l.text)+len(part) > limit+len("\r\n"); l.long {
			l.text = nil
		} else {
			l.text = append(l.text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && (len(l.text) > 0 || l.long):
			return l // the last line has no end
		}
		l.text = bytes.TrimRight(l.text, "\r\n")
		l.err = err
		return l
	}
}

// reply is what a line is answered with; nil for nothing.
func (b *Bridge) reply(ctx context.Context, l line) []byte {
	if len(bytes.TrimSpace(l.text)) == 0 && !l.long {
		return nil
	}
	err := wire.Check(l.text, limits(b.BodyLimit))
	if l.long {
		err = fault.Malformed("", wire.ReasonSize)
	}
	if err != nil {
		return b.failed(message{}, codeParseError, err)
	}
	m, err := parse(l.text)
	if err != nil {
		return b.failed(m, codeInvalidRequest, err)
	}
	reply, err := b.carry(ctx, m, l.text)
	if err != nil {
		code := int64(codeInternalError)
		if fault.CodeOf(err) == fault.MalformedPayload {
			code = codeInvalidRequest
		}
		reply = b.failed(m, code, err)
	}
	if m.id == nil {
		return nil
	}
	return reply
}

// failed is the answer to a message that did not get through.
func (b *Bridge) failed(m message, code int64, err error) []byte {
	correlation := wire.Correlation(m.traceparent, b.Correlations.Next)
	if refused, ok := errors.AsType[*refusal](err); ok && refused.correlation != "" {
		correlation = refused.correlation
	}
	b.Log.Warn("an MCP message failed", "code", string(fault.CodeOf(err)), "correlation", correlation, "error", err)
	return encodeError(m.id, code, wire.AppendError(nil, fault.CodeOf(err), correlation), nil)
}
