package httpapi

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/wire"
)

// keep is the largest buffer that a pool keeps: a few large requests must not
// hold their memory for ever.
const keep = 64 << 10

// response collects a response, so that it leaves complete, with its length,
// or not at all.
type response struct {
	http.ResponseWriter
	status int
	body   []byte
}

var responses = sync.Pool{New: func() any { return &response{body: make([]byte, 0, 8<<10)} }}

func newResponse(w http.ResponseWriter) *response {
	r := responses.Get().(*response)
	r.ResponseWriter = w
	return r
}

func (r *response) WriteHeader(status int) { r.status = status }

func (r *response) Write(p []byte) (int, error) {
	r.body = append(r.body, p...)
	return len(p), nil
}

// reset forgets what was collected.
func (r *response) reset() {
	clear(r.Header())
	r.status, r.body = 0, r.body[:0]
}

// send lets the response go. Its connection may be gone; there is nobody left
// to tell then.
func (r *response) send() {
	header := r.Header()
	// The generated server speaks of CORS, which nothing here grants.
	header.Del("Access-Control-Expose-Headers")
	header.Set("Content-Length", strconv.Itoa(len(r.body)))
	if r.status != 0 {
		r.ResponseWriter.WriteHeader(r.status)
	}
	_, _ = r.ResponseWriter.Write(r.body)
}

func (r *response) release() {
	r.ResponseWriter, r.status, r.body = nil, 0, r.body[:0]
	if cap(r.body) <= keep {
		responses.Put(r)
	}
}

// body is a request's body that passed the raw checks.
type body struct {
	bytes []byte
	next  int
}

var bodies = sync.Pool{New: func() any { return &body{bytes: make([]byte, 0, 1<<10)} }}

func (b *body) Read(p []byte) (int, error) {
	if b.next == len(b.bytes) {
		return 0, io.EOF
	}
	n := copy(p, b.bytes[b.next:])
	b.next += n
	return n, nil
}

func (b *body) Close() error { return nil }

func (b *body) release() {
	b.bytes, b.next = b.bytes[:0], 0
	if cap(b.bytes) <= keep {
		bodies.Put(b)
	}
}

// body reads a request's body and holds the request to what must be so before
// anything is decoded (spec 10, The wire). An empty body reads as {}.
func (h *handler) body(w *response, r *http.Request) (*body, error) {
	if r.URL.RawQuery != "" {
		return nil, fault.Malformed("", wire.ReasonQuery)
	}
	if r.ContentLength > int64(h.BodyLimit) {
		return nil, fault.Malformed("", wire.ReasonSize)
	}
	b := bodies.Get().(*body)
	// The server's own writer has to hear of a body that is too large: else
	// the answer waits for more of it.
	if err := b.fill(http.MaxBytesReader(w.ResponseWriter, r.Body, int64(h.BodyLimit))); err != nil {
		b.release()
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			return nil, fault.Malformed("", wire.ReasonSize)
		}
		return nil, fault.Malformed("", wire.ReasonSyntax)
	}
	if err := b.check(r.Header, h.BodyLimit); err != nil {
		b.release()
		return nil, err
	}
	return b, nil
}

func (b *body) fill(from io.Reader) error {
	for {
		if len(b.bytes) == cap(b.bytes) {
			b.bytes = append(b.bytes, 0)[:len(b.bytes)]
		}
		n, err := from.Read(b.bytes[len(b.bytes):cap(b.bytes)])
		b.bytes = b.bytes[:len(b.bytes)+n]
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (b *body) check(header http.Header, limit int) error {
	types := header["Content-Type"]
	if len(types) > 1 || (len(types) == 1 && !isJSON(types[0])) || (len(types) == 0 && len(b.bytes) > 0) {
		return fault.Malformed("", wire.ReasonContentType)
	}
	if len(b.bytes) == 0 {
		b.bytes = append(b.bytes, '{', '}')
	}
	return wire.Check(b.bytes, wire.Limits{Size: limit, Object: true})
}

// isJSON accepts application/json, in UTF-8 where a charset is named.
func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || media != "application/json" {
		return false
	}
	charset, named := params["charset"]
	return !named || strings.EqualFold(charset, "utf-8")
}
