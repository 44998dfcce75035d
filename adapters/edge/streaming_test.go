package edge_test

import (
	"bufio"
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-dev/holdfast/adapters/edge"
	"github.com/holdfast-dev/holdfast/core/fault"
)

// lines is a log.
type lines struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.String()
}

func (l *lines) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// events sends server-sent events for as long as somebody wants them.
func events(gone chan<- struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		defer func() { gone <- struct{}{} }()
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, "data: piece\n")
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
			case <-time.After(time.Millisecond):
			}
		}
	}
}

// attempts are how often a stream is opened: its head may come too late for
// the short time-outs here.
const attempts = 100

// A stream comes through piece by piece, for longer than the time-out, and
// ends when the edge closes.
func TestEvents(t *testing.T) {
	const timeout = 20 * time.Millisecond
	gone := make(chan struct{}, attempts)
	p := newProxy(t, edge.Options{Timeout: timeout}, newUpstream(t, events(gone)).URL)
	for range attempts {
		began := time.Now()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+"/mcp", nil)
		must(t, err)
		resp, err := p.Client().Do(req)
		must(t, err)
		if resp.StatusCode == http.StatusGatewayTimeout {
			_ = resp.Body.Close()
			continue
		}
		from := bufio.NewReader(resp.Body)
		for time.Since(began) < 3*timeout {
			if line, err := from.ReadString('\n'); line != "data: piece\n" || err != nil {
				t.Fatalf("%q, %v", line, err)
			}
		}
		p.Edge.Close()
		if _, err := io.ReadAll(from); err == nil {
			t.Error("a stream that was cut off looks complete")
		}
		_ = resp.Body.Close()
		await(t, "the upstream is let go", gone)
		return
	}
	t.Fatal("no stream opened in time")
}

const upgrade = "GET /v1/realtime HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

// echo switches protocols and sends back what it gets.
func echo(t testing.TB, gone chan<- struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "websocket" {
			return
		}
		conn, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		_, _ = io.Copy(conn, rw)
		_ = conn.Close()
		gone <- struct{}{}
	}
}

// A WebSocket is a tunnel, for longer than the time-out, until one side goes
// or the edge closes.
func TestWebSocket(t *testing.T) {
	for name, end := range map[string]func(*proxy, io.Closer){
		"the caller goes": func(_ *proxy, c io.Closer) { _ = c.Close() },
		"the edge closes": func(p *proxy, _ io.Closer) { p.Edge.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			const timeout = 50 * time.Millisecond
			gone := make(chan struct{}, attempts)
			p := newProxy(t, edge.Options{Timeout: timeout}, newUpstream(t, echo(t, gone)).URL)
			for range attempts {
				began := time.Now()
				conn := dial(t, p.URL)
				_, err := io.WriteString(conn, upgrade)
				must(t, err)
				from := bufio.NewReader(conn)
				resp, err := http.ReadResponse(from, nil)
				must(t, err)
				if resp.StatusCode == http.StatusGatewayTimeout {
					continue
				}
				if resp.StatusCode != http.StatusSwitchingProtocols || resp.Header.Get("X-Correlation-Id") == "" {
					t.Fatalf("%d %v", resp.StatusCode, resp.Header)
				}
				for time.Since(began) < 2*timeout {
					_, err := io.WriteString(conn, "ping\n")
					must(t, err)
					if line, err := from.ReadString('\n'); line != "ping\n" || err != nil {
						t.Fatalf("%q, %v", line, err)
					}
				}
				end(p, conn)
				await(t, "the upstream is let go", gone)
				return
			}
			t.Fatal("no tunnel opened in time")
		})
	}
}

// Another protocol has no way through, and neither has an upgrade elsewhere.
func TestNoOtherUpgrade(t *testing.T) {
	u := newUpstream(t, echo(t, make(chan struct{}, 1)))
	p := newProxy(t, edge.Options{}, u.URL)
	for _, request := range []string{
		strings.Replace(upgrade, "websocket", "h2c", 1),
		strings.Replace(upgrade, "websocket", "web\x01socket", 1),
		strings.Replace(upgrade, "/v1/realtime", "/mcp", 1),
	} {
		conn := dial(t, p.URL)
		_, err := io.WriteString(conn, request)
		must(t, err)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		must(t, err)
		if resp.StatusCode == http.StatusSwitchingProtocols {
			t.Errorf("%q came through", request)
		}
	}
}

// An upstream that changes protocols unasked is not followed.
func TestUnaskedUpgrade(t *testing.T) {
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request) {
		cut(t, w, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	})
	newProxy(t, edge.Options{}, u.URL).want(fault.EdgeUpstreamUnreachable, "POST", "/v1/get-scene", "{}")
}
