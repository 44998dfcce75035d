package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/id"
	"github.com/holdfast-dev/holdfast/core/wire"
)

// Path is where the surface lies on the public listener, and what a [Bridge]
// adds to a service's address.
const Path = "/mcp"

// Options are the parts of the surface.
type Options struct {
	// Operations is the HTTP surface of the public operations.
	Operations http.Handler
	// Correlations mints the correlation of requests that bring none.
	Correlations id.Source
	Log          *slog.Logger
	// BodyLimit is the most bytes of a tool's arguments.
	BodyLimit int
	// Listen is the address that the listener was asked for. Its host is
	// allowed by default.
	Listen string
	// Hosts are the hosts, as HOST or HOST:PORT, by which clients may call
	// the service, in place of the listener's own.
	Hosts []string
	// Version is the version of the binary, which clients are told.
	Version string
}

// New returns the handler of [Path].
func New(o Options) (http.Handler, error) {
	hosts, err := newHosts(o.Hosts, o.Listen)
	if err != nil {
		return nil, err
	}
	server, tools, err := newServer(o)
	if err != nil {
		return nil, err
	}
	h := &handler{Options: o, hosts: hosts, tools: tools}
	h.sdk = sdk.NewStreamableHTTPHandler(
		func(*http.Request) *sdk.Server { return server },
		&sdk.StreamableHTTPOptions{
			Stateless:    true,
			JSONResponse: true,
			// Both are held to tighter bounds here.
			DisableLocalhostProtection: true,
			MaxRequestBodyBytes:        -1,
		})
	return h, nil
}

type handler struct {
	Options
	hosts hosts
	tools map[string]bool
	sdk   http.Handler
}

// exchange is one request with its answer.
type exchange struct {
	*handler
	answer
	correlation string
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{handler: h, answer: newAnswer()}
	// Without a valid traceparent in the header, the message may have one.
	x.correlation = wire.Correlation(traceparent(r.Header), none)
	func() {
		defer func() {
			// What was panicked with may quote a payload.
			if p := recover(); p != nil {
				x.answer = newAnswer()
				x.fail(r.Context(), fault.New(fault.InternalFailure, fmt.Errorf("panic (%T)", p)))
			}
		}()
		x.serve(w, r)
	}()
	for name, values := range x.header {
		w.Header()[name] = values
	}
	w.Header().Set("X-Correlation-Id", x.correlated())
	w.Header().Set("Content-Length", strconv.Itoa(len(x.body)))
	w.WriteHeader(x.status)
	_, _ = w.Write(x.body) // a caller that is gone is told nothing
}

func (x *exchange) serve(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	switch {
	case !x.hosts.allow(r):
		x.fail(ctx, fault.New(fault.Forbidden, errors.New("a Host or Origin that is not allowed (setting mcp-hosts)")))
		return
	case r.Method != http.MethodPost:
		// The transport's standard wants this status where no stream is
		// offered, whatever the table says of the code.
		x.header.Set("Allow", http.MethodPost)
		x.fail(ctx, fault.New(fault.UnknownOperation, nil))
		x.status = http.StatusMethodNotAllowed
		return
	}
	body, err := read(w, r, x.BodyLimit)
	if err != nil {
		x.fail(ctx, err)
		return
	}
	m, err := parse(body)
	if x.correlation == "" {
		x.correlation = wire.Correlation(m.traceparent, x.Correlations.Next)
	}
	switch {
	case err != nil:
		x.fail(ctx, err)
	case m.id == nil:
		// Nothing is kept that a notification could change.
		x.status = http.StatusAccepted
	case !methods[m.method]:
		x.refuse(ctx, m, codeMethodNotFound, nil)
		if r.Header.Get(protocolVersionHeader) >= statusVersion {
			x.status = http.StatusNotFound
		}
	default:
		x.ask(ctx, r, m, body)
	}
}

// ask has the SDK answer a call.
func (x *exchange) ask(ctx context.Context, r *http.Request, m message, body []byte) {
	r = r.Clone(wire.WithCorrelation(ctx, x.correlation))
	r.Body = newBody(body)
	r.ContentLength = int64(len(body))
	if wire.Correlation(traceparent(r.Header), none) == "" {
		r.Header.Del("Traceparent")
		if m.traceparent != "" {
			r.Header.Set("Traceparent", m.traceparent)
		}
	}
	x.sdk.ServeHTTP(&x.answer, r)
	x.amend(ctx, m)
}

// correlated is the request's correlation, minted now if nothing gave one.
func (x *exchange) correlated() string {
	if x.correlation == "" {
		x.correlation = x.Correlations.Next()
	}
	return x.correlation
}

// traceparent is the one header of that name, or "".
func traceparent(h http.Header) string {
	if values := h["Traceparent"]; len(values) == 1 {
		return values[0]
	}
	return ""
}

func none() string { return "" }
