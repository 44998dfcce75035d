// Package httpapi is the HTTP surface of the public operations and of the
// probes: the generated server of openapi.yaml over the dispatcher of
// core/session.
//
// [New] wraps the generated server, because a contract cannot say everything:
// the wrapper answers paths and methods that the contract does not have,
// holds the raw body to core/wire before anything else looks at it, gives
// every response its correlation, and turns a panic into internal_failure. A
// response leaves in one piece, when it is complete.
package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/holdfast-dev/holdfast/api/contract"
	"github.com/holdfast-dev/holdfast/api/public"
	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/health"
	"github.com/holdfast-dev/holdfast/core/id"
	"github.com/holdfast-dev/holdfast/core/session"
	"github.com/holdfast-dev/holdfast/core/wire"
)

// Options are the parts of the surface.
type Options struct {
	Sessions *session.Service
	Health   *health.Probe
	// Correlations mints the correlation of requests that bring none.
	Correlations id.Source
	Log          *slog.Logger
	// Observe is told of every answer: the operation ("" for a path that is
	// none), the status and the time that it took.
	Observe func(operation string, status int, took time.Duration)
	// BodyLimit is the most bytes of a request's body.
	BodyLimit int
	// Timeout is the longest that an operation may take.
	Timeout time.Duration
}

// New returns the handler of the public listener.
func New(o Options) (http.Handler, error) {
	h := &handler{Options: o, operations: map[string]string{}}
	for _, route := range contract.Public {
		_, path, _ := strings.Cut(route, " ")
		h.operations[path] = strings.TrimPrefix(path, "/v1/")
	}
	server, err := public.NewServer(operations{sessions: o.Sessions, health: o.Health, record: h.record},
		public.WithErrorHandler(h.undecodable),
		public.WithNotFound(func(w http.ResponseWriter, r *http.Request) {
			h.fail(r.Context(), w, fault.New(fault.UnknownOperation, nil))
		}),
		public.WithMethodNotAllowed(func(w http.ResponseWriter, r *http.Request, _ string) {
			h.fail(r.Context(), w, fault.New(fault.UnknownOperation, nil))
		}),
	)
	if err != nil {
		return nil, err
	}
	h.server = server
	return h, nil
}

type handler struct {
	Options
	server *public.Server
	// operations are the names of the operations by path.
	operations map[string]string
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	// A surface that hands a request on has given it its correlation already.
	correlation := wire.CorrelationOf(r.Context())
	if correlation == "" {
		correlation = wire.Correlation(traceparent(r.Header), h.Correlations.Next)
	}
	ctx, cancel := context.WithTimeout(wire.WithCorrelation(r.Context(), correlation), h.Timeout)
	defer cancel()

	out := newResponse(w)
	defer out.release()
	func() {
		defer func() {
			// What was panicked with may quote a payload: only its type is
			// logged, with the place.
			if p := recover(); p != nil {
				out.reset()
				h.fail(ctx, out, fault.New(fault.InternalFailure, fmt.Errorf("panic (%T) at %s", p, panicked())))
			}
		}()
		h.serve(ctx, out, r)
	}()
	w.Header().Set("X-Correlation-Id", correlation)
	out.send()
	h.Observe(h.operations[r.URL.Path], out.status, time.Since(began))
}

func (h *handler) serve(ctx context.Context, w *response, r *http.Request) {
	if h.operations[r.URL.Path] == "" {
		if h.probe(r) {
			h.server.ServeHTTP(w, r.WithContext(ctx))
			return
		}
		h.fail(ctx, w, fault.New(wire.Unrouted(r.URL.Path), nil))
		return
	}
	if r.Method != http.MethodPost {
		h.fail(ctx, w, fault.New(fault.UnknownOperation, nil))
		return
	}
	body, err := h.body(w, r)
	if err != nil {
		h.fail(ctx, w, err)
		return
	}
	defer body.release()
	r = r.WithContext(ctx)
	r.Body = body
	r.ContentLength = int64(len(body.bytes))
	r.Header["Content-Type"] = jsonType
	if lines := r.Header["If-Match"]; len(lines) > 1 {
		// The lines of a list are one list; the generated server takes the first.
		r.Header["If-Match"] = []string{strings.Join(lines, ",")}
	}
	h.server.ServeHTTP(w, r)
}

// traceparent is the header of that name; of several lines none is valid.
func traceparent(h http.Header) string {
	if lines := h["Traceparent"]; len(lines) == 1 {
		return lines[0]
	}
	return ""
}

// jsonType is the content type that the generated server is told once the
// caller's own was checked; an empty body needs none.
var jsonType = []string{"application/json"}

func (h *handler) probe(r *http.Request) bool {
	return r.URL.Path == "/livez" || r.URL.Path == "/readyz"
}

// undecodable answers what the generated server could not decode.
func (h *handler) undecodable(ctx context.Context, w http.ResponseWriter, _ *http.Request, err error) {
	h.fail(ctx, w, malformed(err))
}

// fail answers an error that did not come from an operation.
func (h *handler) fail(ctx context.Context, w http.ResponseWriter, err error) {
	a := wire.Refuse(err)
	a.SetHeaders(w.Header())
	w.WriteHeader(a.Status)
	// The response is a buffer: writing to it does not fail.
	_, _ = w.Write(wire.AppendError(nil, a.Code, wire.CorrelationOf(ctx)))
	h.record(ctx, a, err)
}

// record logs an error at the level of what it means to an operator: a
// caller's mistake is nothing to wake up for.
func (h *handler) record(ctx context.Context, a wire.Refusal, err error) {
	level := slog.LevelDebug
	switch {
	case errors.Is(err, context.Canceled):
	case a.Status >= http.StatusInternalServerError:
		level = slog.LevelError
	}
	h.Log.Log(ctx, level, "request failed", "code", string(a.Code), "status", a.Status, "error", err)
}
