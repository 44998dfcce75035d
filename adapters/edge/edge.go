// Package edge is the reverse proxy in front of instances of the service
// (spec 10, The edge), and nothing else: it passes on the routes of the
// contract and answers the rest itself, as the service would. It keeps no
// state of a session and no copy of an answer, and sends a request to one
// upstream once, whatever becomes of it.
//
// What it trusts: nothing that a caller sent about how it came
// (X-Forwarded-For and its like are replaced) or about the connection (a body
// is read to its end first and framed anew, so that caller and upstream cannot
// disagree on where a request ends). What it changes: those headers,
// hop-by-hop headers, and traceparent, of which it passes on a child.
//
// A caller that got one of its own errors, or no whole answer, knows no more
// than that: the request may have been carried out.
package edge

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/holdfast-dev/holdfast/api/contract"
	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/id"
	"github.com/holdfast-dev/holdfast/core/wire"
)

// Options are the parts of an edge.
type Options struct {
	// Upstreams are the addresses of the service, which take turns: scheme
	// and host alone. There is at least one.
	Upstreams []*url.URL
	// Timeout is how long an upstream has for its complete answer, or for the
	// head of one that is a stream; the time in which the caller sends the
	// request does not count.
	Timeout time.Duration
	// BodyLimit is the most bytes of a request's body.
	BodyLimit int
	// IDs mints the correlation of requests that bring none, and spans.
	IDs id.Source
	Log *slog.Logger
}

// Edge is the handler of the edge's listener.
type Edge struct {
	Options
	routes    routes
	transport *http.Transport
	turn      atomic.Uint64
	draining  atomic.Bool
	streams   streams
}

// New returns an edge. Close ends what it holds open.
func New(o Options) *Edge {
	return &Edge{
		Options:   o,
		routes:    newRoutes(contract.Edge),
		transport: newTransport(),
		streams:   streams{open: map[*forwarding]context.CancelCauseFunc{}},
	}
}

// Drain makes the edge not ready from now on; it still serves.
func (e *Edge) Drain() { e.draining.Store(true) }

// Close ends the open streams and refuses new ones. Other requests go on.
func (e *Edge) Close() {
	e.streams.close()
	e.transport.CloseIdleConnections()
}

// exchange is one request with its answer.
type exchange struct {
	*Edge
	w *writer
	r *http.Request
	// correlation names the request; inherited is true if the caller's
	// traceparent gave it.
	correlation string
	inherited   bool
}

func (e *Edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{Edge: e, w: &writer{ResponseWriter: w}}
	x.correlation = wire.Correlation(traceparent(r.Header), none)
	x.inherited = x.correlation != ""
	if !x.inherited {
		x.correlation = e.IDs.Next()
	}
	x.r = r.WithContext(wire.WithCorrelation(r.Context(), x.correlation))
	switch {
	case e.routes.has(r.Method, r.URL.Path):
		x.forward()
	case r.Method == http.MethodGet && r.URL.Path == "/livez":
		x.answer(http.StatusOK, jsonType, []byte(`{"status":"live"}`))
	case r.Method == http.MethodGet && r.URL.Path == "/readyz":
		x.readyz()
	default:
		x.fail(fault.New(wire.Unrouted(r.URL.Path), nil))
	}
}

// upstream is the one whose turn it is.
func (e *Edge) upstream() *url.URL {
	return e.Upstreams[(e.turn.Add(1)-1)%uint64(len(e.Upstreams))]
}

// child is the traceparent for a call to an upstream.
func (x *exchange) child() string {
	return wire.Child(traceparent(x.r.Header), x.correlation, x.IDs.Next()[16:])
}

// traceparent is the header of that name; of several lines none is valid.
func traceparent(h http.Header) string {
	if lines := h["Traceparent"]; len(lines) == 1 {
		return lines[0]
	}
	return ""
}

func none() string { return "" }
