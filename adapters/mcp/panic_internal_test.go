package mcp

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/holdfast-dev/holdfast/core/id"
)

// A panic of the library is an answer with a correlation, and neither it nor
// the log repeats what was sent.
func TestPanicsAreAnswered(t *testing.T) {
	var log bytes.Buffer
	h, err := New(Options{
		Operations:   http.NotFoundHandler(),
		Correlations: &id.Counting{},
		Log:          slog.New(slog.NewTextHandler(&log, nil)),
		BodyLimit:    1 << 10,
		Hosts:        []string{"example.com"},
	})
	if err != nil {
		t.Fatal(err)
	}
	h.(*handler).sdk = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Half", "yes")
		_, _ = w.Write([]byte("half an answer"))
		panic("hunter2")
	})
	r := httptest.NewRequest(http.MethodPost, Path, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	want := `{"code":"internal_failure","correlation":"` + w.Header().Get("X-Correlation-Id") + `"}`
	if w.Code != http.StatusInternalServerError || w.Body.String() != want || w.Header().Get("X-Half") != "" {
		t.Errorf("%d %v %s, want 500 %s", w.Code, w.Header(), w.Body, want)
	}
	if !strings.Contains(log.String(), "level=ERROR") || strings.Contains(log.String(), "hunter2") {
		t.Errorf("the log is %s", log.String())
	}
}
