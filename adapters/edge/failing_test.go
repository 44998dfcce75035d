package edge_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-dev/holdfast/adapters/edge"
	"github.com/holdfast-dev/holdfast/core/fault"
)

// nobody is an address where nothing listens.
func nobody(t testing.TB) string {
	t.Helper()
	s := httptest.NewServer(nil)
	s.Close()
	return s.URL
}

// hang answers nothing until the edge gives up, and tells that it did.
func hang(gone chan<- struct{}) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		gone <- struct{}{}
	}
}

func await(t testing.TB, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatal("never: ", what)
	}
}

func TestUnreachable(t *testing.T) {
	p := newProxy(t, edge.Options{}, nobody(t))
	resp := p.want(fault.EdgeUpstreamUnreachable, "POST", "/v1/get-scene", "{}", "traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	if got := resp.Header.Get("X-Correlation-Id"); got != "4bf92f3577b34da6a3ce929d0e0e4736" {
		t.Errorf("correlation %s", got)
	}
}

// One of two upstreams is away: every second request is told so, and none
// goes to the other one for it.
func TestOneUnreachable(t *testing.T) {
	u := newUpstream(t, func(http.ResponseWriter, *http.Request) {})
	p := newProxy(t, edge.Options{}, nobody(t), u.URL)
	for range 3 {
		p.want(fault.EdgeUpstreamUnreachable, "POST", "/v1/get-scene", "{}")
		if resp, _, err := p.do("POST", "/v1/get-scene", "{}"); err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("%v, %v", resp, err)
		}
	}
	if n := u.hits.Load(); n != 3 {
		t.Errorf("%d requests reached the other one", n)
	}
}

func TestTimeout(t *testing.T) {
	gone := make(chan struct{}, 1)
	p := newProxy(t, edge.Options{Timeout: 20 * time.Millisecond}, newUpstream(t, hang(gone)).URL)
	p.want(fault.EdgeUpstreamTimeout, "POST", "/v1/submit-action", "{}")
	await(t, "the upstream is let go", gone)
}

func TestCallerGone(t *testing.T) {
	gone := make(chan struct{}, 1)
	arrived := make(chan struct{}, 1)
	wait := hang(gone)
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		wait(w, r)
	})
	p := newProxy(t, edge.Options{}, u.URL)
	conn := dial(t, p.URL)
	_, err := io.WriteString(conn, "POST /v1/get-scene HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}")
	must(t, err)
	await(t, "the request arrives", arrived)
	must(t, conn.Close())
	await(t, "the upstream is let go", gone)
}

// cut closes the connection of a request, after sending some bytes.
func cut(t testing.TB, w http.ResponseWriter, bytes string) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	_, _ = io.WriteString(conn, bytes)
	_ = conn.Close()
}

// An answer that ends in the middle does not look complete to the caller.
func TestUpstreamDiesInTheMiddle(t *testing.T) {
	big := strings.Repeat("x", 100_000)
	for name, bytes := range map[string]string{
		"of a body with a length":  "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789",
		"of a large body":          "HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n" + big,
		"of a chunked body":        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nA\r\n0123456789\r\n",
		"of a chunk":               "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFF\r\n0123456789",
		"of a body without chunks": "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request) { cut(t, w, bytes) })
			p := newProxy(t, edge.Options{}, u.URL)
			if resp, body, err := p.do("POST", "/v1/get-scene", "{}"); err == nil {
				t.Errorf("looks complete: %d %.40q", resp.StatusCode, body)
			}
			if n := u.hits.Load(); n != 1 {
				t.Errorf("sent %d times", n)
			}
		})
	}
}

// A whole answer counts from its first byte to its last.
func TestTimeoutInTheMiddle(t *testing.T) {
	gone := make(chan struct{}, 1)
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "0123456789")
		must(t, http.NewResponseController(w).Flush())
		hang(gone)(w, r)
	})
	p := newProxy(t, edge.Options{Timeout: 50 * time.Millisecond}, u.URL)
	// Where the head of the answer takes too long already, it is a 504.
	if resp, body, err := p.do("POST", "/v1/get-scene", "{}"); err == nil && resp.StatusCode != http.StatusGatewayTimeout {
		t.Errorf("looks complete: %d %q", resp.StatusCode, body)
	}
	await(t, "the upstream is let go", gone)
}

// Nothing usable comes back: the request is not sent again, also where its
// method or a header says that this would do no harm, and the connection had
// been in use for long.
func TestNothingIsSentTwice(t *testing.T) {
	deaths := map[string]string{
		"closed":  "",
		"garbage": "plugh\r\n\r\n",
		"half":    "HTTP/1.1 200 OK\r\nContent-",
	}
	for name, bytes := range deaths {
		t.Run(name, func(t *testing.T) {
			u := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Die") != "" {
					cut(t, w, bytes)
				}
			})
			p := newProxy(t, edge.Options{}, u.URL)
			for _, c := range []struct{ method, path, body string }{
				{"POST", "/v1/submit-action", `{"sessionId":"s"}`},
				{"POST", "/v1/submit-action", ""},
				{"GET", "/docs", ""},
				{"HEAD", "/docs", ""},
				{"GET", "/v1/realtime", ""},
				{"OPTIONS", "/mcp", ""},
				{"OPTIONS", "/mcp", "{}"},
			} {
				if resp, _, err := p.do("POST", "/v1/get-scene", ""); err != nil || resp.StatusCode != http.StatusOK {
					t.Fatalf("%v, %v", resp, err)
				}
				before := u.hits.Load()
				resp, body, err := p.do(c.method, c.path, c.body, "Die", "yes", "Idempotency-Key", "k", "X-Idempotency-Key", "k")
				must(t, err)
				if c.method != "HEAD" {
					p.isFault(fault.EdgeUpstreamUnreachable, resp, body)
				}
				if n := u.hits.Load() - before; n != 1 {
					t.Errorf("%s %s with %q was sent %d times", c.method, c.path, c.body, n)
				}
			}
		})
	}
}

// What the caller does not send completely, or too large, reaches no
// upstream.
func TestIncompleteRequests(t *testing.T) {
	u := newUpstream(t, func(http.ResponseWriter, *http.Request) {})
	p := newProxy(t, edge.Options{}, u.URL)
	const post = "POST /v1/get-scene HTTP/1.1\r\nHost: h\r\n"
	mebibyte := strings.Repeat(" ", bodyLimit)
	for name, c := range map[string]struct {
		bytes string
		cut   bool // the caller sends no more
		at    string
	}{
		"too long a Content-Length, before the body": {post + "Content-Length: 1048577\r\n\r\n", false, "size"},
		"too long without a Content-Length":          {post + "Transfer-Encoding: chunked\r\n\r\n100001\r\n" + mebibyte + " \r\n0\r\n\r\n", false, "size"},
		"without end":                                {post + "Transfer-Encoding: chunked\r\n\r\n100001\r\n" + mebibyte + " \r\n", false, "size"},
		"a broken chunk":                             {post + "Transfer-Encoding: chunked\r\n\r\nplugh\r\n{}\r\n0\r\n\r\n", false, "syntax"},
		"shorter than said":                          {post + "Content-Length: 10\r\n\r\n{}", true, "syntax"},
		"a chunk shorter than said":                  {post + "Transfer-Encoding: chunked\r\n\r\n10\r\n{}", true, "syntax"},
	} {
		t.Run(name, func(t *testing.T) {
			conn := dial(t, p.URL)
			sent := make(chan struct{})
			go func() {
				defer close(sent)
				_, err := io.WriteString(conn, c.bytes)
				if c.cut && err == nil {
					_ = conn.(*net.TCPConn).CloseWrite()
				}
			}()
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			must(t, err)
			body, err := io.ReadAll(resp.Body)
			must(t, err)
			(&proxy{TB: t}).isFault(fault.MalformedPayload, resp, string(body))
			if at := resp.Header.Get("X-Error-At"); at != c.at {
				t.Errorf("at %q, want %q", at, c.at)
			}
			_ = conn.Close()
			await(t, "the request is sent", sent)
		})
	}
	if n := u.hits.Load(); n != 0 {
		t.Errorf("%d requests reached the upstream", n)
	}
}

// A caller that takes its time with the request holds no upstream.
func TestSlowRequest(t *testing.T) {
	arrived := make(chan struct{}, 1)
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%s %v", body, err)
		arrived <- struct{}{}
	})
	p := newProxy(t, edge.Options{}, u.URL)
	conn := dial(t, p.URL)
	// The server asks for the body when the edge reads it: it does by now.
	_, err := io.WriteString(conn, "POST /v1/get-scene HTTP/1.1\r\nHost: h\r\nContent-Length: 7\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n")
	must(t, err)
	from := bufio.NewReader(conn)
	line, err := from.ReadString('\n')
	must(t, err)
	if line != "HTTP/1.1 100 Continue\r\n" || u.hits.Load() != 0 {
		t.Fatalf("%q, %d requests", line, u.hits.Load())
	}
	_, err = io.WriteString(conn, `{"a"`)
	must(t, err)
	// Another one, meanwhile.
	if _, got, err := p.do("POST", "/v1/get-view", "{}"); got != "{} <nil>" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	await(t, "the other request arrives", arrived)
	if n := u.hits.Load(); n != 1 {
		t.Errorf("%d requests before the slow one was complete", n)
	}
	_, err = io.WriteString(conn, `:1}`)
	must(t, err)
	await(t, "the slow request arrives", arrived)
	_, err = from.ReadString('\n') // the end of the head of the 100
	must(t, err)
	rest, err := io.ReadAll(from)
	must(t, err)
	if _, got := parse(t, rest); got != `{"a":1} <nil>` {
		t.Errorf("the upstream got %s", got)
	}
}

// A caller that does not read its answer lets go of the upstream in time.
func TestSlowReader(t *testing.T) {
	gone := make(chan struct{}, 1)
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		piece := make([]byte, 1<<20)
		for {
			if _, err := w.Write(piece); err != nil {
				gone <- struct{}{}
				return
			}
		}
	})
	p := newProxy(t, edge.Options{Timeout: 50 * time.Millisecond}, u.URL)
	conn := dial(t, p.URL)
	_, err := io.WriteString(conn, "POST /v1/get-scene HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}")
	must(t, err)
	await(t, "the upstream is let go", gone)
	_ = conn.Close()
}

// A log says what happened, and nothing of what was sent.
func TestLogsNoPayload(t *testing.T) {
	log := &lines{}
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		cut(t, w, "secret-answer\r\n\r\n")
	})
	p := newProxy(t, edge.Options{Log: log.logger()}, u.URL)
	p.want(fault.EdgeUpstreamUnreachable, "POST", "/v1/get-scene?secret-query", `"secret-body"`)
	p.want(fault.UnknownOperation, "POST", "/secret-path", "")
	text := log.String()
	if !strings.Contains(text, "edge_upstream_unreachable") || strings.Contains(text, "secret") {
		t.Error(text)
	}
}
