package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"time"

	"github.com/holdfast-dev/holdfast/core/fault"
)

// maxAnswer is the longest answer that is taken.
const maxAnswer = 1 << 20

// line is one keep-alive connection of a player to an instance, made again
// whenever it breaks. It is not net/http's client, which closes the connection
// of a request that is given up: nobody could tell then when the instance is
// done with it.
type line struct {
	instance *instance
	address  string // where conn leads
	conn     *net.TCPConn
	in       *bufio.Reader
}

// answer is what came back.
type answer struct {
	status int
	etag   string
	code   fault.Code // of an error
}

// errUnreachable reports a request that was never sent.
var errUnreachable = errors.New("unreachable")

// malformed is an answer that the contract does not have.
type malformed struct{ why string }

func (m *malformed) Error() string { return "malformed answer: " + m.why }

// call asks an operation and reads the answer of a 200 into out. Its error is
// errUnreachable, *malformed, or that of a connection or a time-out.
func (l *line) call(ctx context.Context, operation string, in any, ifMatch string, out any) (answer, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return answer{}, err
	}
	if err := l.dial(ctx); err != nil {
		return answer{}, errors.Join(errUnreachable, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+l.address+"/v1/"+operation, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	if ifMatch != "" {
		req.Header.Set("If-Match", ifMatch)
	}
	status, header, raw, err := l.exchange(ctx, req)
	if err != nil {
		l.hangUp(err)
		return answer{}, err
	}
	a := answer{status: status, etag: header.Get("ETag")}
	if a.code, err = checkAnswer(status, header, raw); err != nil {
		return a, err
	}
	if a.status == http.StatusOK {
		if err := strictly(raw, out); err != nil {
			return a, &malformed{err.Error()}
		}
	}
	return a, nil
}

func (l *line) dial(ctx context.Context) error {
	address := l.instance.address()
	if address == "" {
		return errors.New("it does not listen")
	}
	if l.conn != nil && l.address == address {
		return nil
	}
	l.close()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	l.conn, l.address, l.in = conn.(*net.TCPConn), address, bufio.NewReader(conn)
	return nil
}

func (l *line) exchange(ctx context.Context, req *http.Request) (status int, header http.Header, body []byte, err error) {
	deadline, _ := ctx.Deadline()
	if err := l.conn.SetDeadline(deadline); err != nil {
		return 0, nil, nil, err
	}
	if err := req.Write(l.conn); err != nil {
		return 0, nil, nil, err
	}
	resp, err := http.ReadResponse(l.in, req)
	if err != nil {
		return 0, nil, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return resp.StatusCode, resp.Header, body, err
}

// hangUp ends a connection whose request failed. Where the player gave up, the
// instance is told in the way in which a closed connection tells it, but the
// connection stays until the instance has closed its side, which it does when
// it is done with the request.
func (l *line) hangUp(err error) {
	conn := l.conn
	l.conn = nil
	if !errors.Is(err, os.ErrDeadlineExceeded) || conn.SetDeadline(time.Time{}) != nil || conn.CloseWrite() != nil {
		_ = conn.Close()
		return
	}
	w := l.instance.world
	w.abandoned.Add(1)
	go func() {
		defer w.abandoned.Add(-1)
		_, _ = io.Copy(io.Discard, conn)
		_ = conn.Close()
	}()
}

func (l *line) close() {
	if l.conn != nil {
		_ = l.conn.Close()
		l.conn = nil
	}
}

var correlation = regexp.MustCompile(`^[0-9a-f]{32}$`)

// checkAnswer holds an answer to what all answers have and returns the code
// of an error.
func checkAnswer(status int, header http.Header, body []byte) (fault.Code, error) {
	id := header.Get("X-Correlation-Id")
	switch {
	case !correlation.MatchString(id):
		return "", &malformed{"no correlation"}
	case header.Get("Content-Type") != "application/json; charset=utf-8":
		return "", &malformed{"not declared as JSON"}
	case status == http.StatusOK:
		return "", nil
	}
	var e struct {
		Code        fault.Code `json:"code"`
		Correlation string     `json:"correlation"`
	}
	switch err := strictly(body, &e); {
	case err != nil:
		return "", &malformed{err.Error()}
	case e.Correlation != id:
		return "", &malformed{"two correlations"}
	case (status == http.StatusServiceUnavailable) != (header.Get("Retry-After") != ""):
		return "", &malformed{fmt.Sprintf("status %d and Retry-After %q", status, header.Get("Retry-After"))}
	}
	return e.Code, nil
}

// strictly reads JSON that holds what the type has and nothing else.
func strictly(body []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something behind the JSON")
	}
	return nil
}
