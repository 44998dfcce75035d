package cli_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/holdfast-dev/holdfast/app"
	"github.com/holdfast-dev/holdfast/app/config"
	"github.com/holdfast-dev/holdfast/core/session"
)

// instance is a running service without a database.
type instance struct {
	*testing.T
	fx    *fx.App
	url   string
	store session.Store
}

func newInstance(t *testing.T, settings ...func(*config.Serve)) *instance {
	t.Helper()
	s := &config.Serve{
		Listen:         "127.0.0.1:0",
		InternalListen: "127.0.0.1:0",
		Storage:        "in-memory",
		RequestTimeout: 30 * time.Second,
		Limits:         config.Limits{BodyLimit: 1 << 20, ShutdownTimeout: time.Minute},
		PlaySessionTTL: time.Hour,
		SaveTTL:        time.Hour,
		Retention:      time.Hour,
	}
	for _, set := range settings {
		set(s)
	}
	i := &instance{T: t}
	var public *app.Public
	i.fx = app.New(s, slog.New(slog.DiscardHandler), fx.Populate(&public, &i.store))
	if err := i.fx.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	i.url = "http://" + public.Address()
	return i
}

// stopped stops the instance at the end of the test, without the time that is
// given to whoever routes to it.
func (i *instance) stopped() *instance {
	i.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		http.DefaultClient.CloseIdleConnections()
		if err := i.fx.Stop(ctx); err != nil {
			i.Error(err)
		}
	})
	return i
}

func brief(s *config.Serve) { s.ShutdownTimeout = 50 * time.Millisecond }

// post asks over HTTP.
func (i *instance) post(path, body string) string {
	i.Helper()
	req, err := http.NewRequestWithContext(i.Context(), http.MethodPost, i.url+path, strings.NewReader(body))
	if err != nil {
		i.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		i.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		i.Fatal(err)
	}
	return string(got)
}

// audience is that of a stored session.
func (i *instance) audience(sessionID string) session.Audience {
	i.Helper()
	layer := i.store.Layer()
	defer layer.Close()
	record, _, err := layer.Sessions().Get(i.Context(), sessionID)
	if err != nil {
		i.Fatal(err)
	}
	return record.Audience
}
