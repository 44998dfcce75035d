package edge

import (
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/holdfast-dev/holdfast/core/wire"
)

const jsonType = "application/json; charset=utf-8"

// answer is an answer of the edge itself.
func (x *exchange) answer(status int, contentType string, body []byte) {
	header := x.w.Header()
	header.Set("Content-Type", contentType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set("X-Correlation-Id", x.correlation)
	x.w.WriteHeader(status)
	_, _ = x.w.Write(body) // a caller that is gone is told nothing
}

// fail answers an error in the shape that the service's have.
func (x *exchange) fail(err error) {
	r := wire.Refuse(err)
	r.SetHeaders(x.w.Header())
	x.answer(r.Status, jsonType, wire.AppendError(nil, r.Code, x.correlation))
	level := slog.LevelDebug
	if r.Status >= http.StatusInternalServerError {
		level = slog.LevelError
	}
	x.Log.Log(x.r.Context(), level, "request failed", "code", string(r.Code), "status", r.Status, "error", err)
}

// writer is the way to the caller.
type writer struct {
	http.ResponseWriter
	// paced is how long one piece of a stream may take to be written; 0 where
	// the server's own time for the whole answer holds.
	paced time.Duration
}

func (w *writer) Write(p []byte) (int, error) {
	if w.paced > 0 {
		_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.paced))
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap lets [http.ResponseController] reach the server's writer.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
