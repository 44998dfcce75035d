package edge_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdfast-dev/holdfast/adapters/edge"
	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/id"
	"github.com/holdfast-dev/holdfast/core/wire"
)

// patience is far beyond what anything here takes.
const patience = time.Minute

const bodyLimit = 1 << 20

// upstream is a service on a real socket.
type upstream struct {
	*httptest.Server
	hits atomic.Int64
}

func newUpstream(t testing.TB, handler http.HandlerFunc) *upstream {
	t.Helper()
	u := &upstream{}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u.hits.Add(1)
		handler(w, r)
	}))
	t.Cleanup(u.Close)
	return u
}

// proxy is an edge on a real socket.
type proxy struct {
	testing.TB
	*edge.Edge
	*httptest.Server
}

func newProxy(t testing.TB, o edge.Options, addresses ...string) *proxy {
	t.Helper()
	for _, a := range addresses {
		u, err := url.Parse(a)
		must(t, err)
		o.Upstreams = append(o.Upstreams, u)
	}
	if o.Timeout == 0 {
		o.Timeout = patience
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.BodyLimit, o.IDs = bodyLimit, &id.Counting{}
	p := &proxy{TB: t, Edge: edge.New(o)}
	p.Server = httptest.NewServer(p.Edge)
	t.Cleanup(func() {
		p.Edge.Close()
		p.Server.Close()
	})
	return p
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// dial is a connection on which the test words every byte.
func dial(t testing.TB, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	must(t, conn.SetDeadline(time.Now().Add(patience)))
	return conn
}

// raw sends a request and returns all that comes back until the other side
// closes.
func raw(t testing.TB, address, request string) []byte {
	t.Helper()
	conn := dial(t, address)
	go func() { _, _ = io.WriteString(conn, request) }() // what is not taken may fail
	all, err := io.ReadAll(conn)
	must(t, err)
	return all
}

// parse reads one answer, to a POST where no other method is given.
func parse(t testing.TB, answer []byte, method ...string) (*http.Response, string) {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(answer)), &http.Request{Method: append(method, http.MethodPost)[0]})
	must(t, err)
	body, err := io.ReadAll(resp.Body)
	must(t, err)
	return resp, string(body)
}

// do sends a request through the edge, on a connection that may be reused.
func (p *proxy) do(method, path, body string, headers ...string) (*http.Response, string, error) {
	p.Helper()
	req, err := http.NewRequestWithContext(p.Context(), method, p.URL+path, strings.NewReader(body))
	must(p, err)
	for n := 0; n < len(headers); n += 2 {
		req.Header.Add(headers[n], headers[n+1])
	}
	resp, err := p.Client().Do(req)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(resp.Body)
	return resp, string(got), err
}

// want sends a request that must get an error of the edge's own.
func (p *proxy) want(code fault.Code, method, path, body string, headers ...string) *http.Response {
	p.Helper()
	resp, got, err := p.do(method, path, body, headers...)
	must(p, err)
	p.isFault(code, resp, got)
	return resp
}

// isFault holds an answer to the shape of errors.
func (p *proxy) isFault(code fault.Code, resp *http.Response, body string) {
	p.Helper()
	correlation := resp.Header.Get("X-Correlation-Id")
	if want := string(wire.AppendError(nil, code, correlation)); body != want || resp.StatusCode != fault.Status(code) || len(correlation) != 32 {
		p.Errorf("%d %v %s, want %d %s", resp.StatusCode, resp.Header, body, fault.Status(code), want)
	}
	if got, want := resp.Header.Get("Retry-After") != "", resp.StatusCode == http.StatusServiceUnavailable; got != want {
		p.Errorf("%s with Retry-After: %v", code, got)
	}
	if got := resp.Header.Get("Content-Type"); got != "application/json; charset=utf-8" {
		p.Errorf("content type %q", got)
	}
}

func TestRoundRobin(t *testing.T) {
	var addresses []string
	for n := range 3 {
		addresses = append(addresses, newUpstream(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, n) }).URL)
	}
	p := newProxy(t, edge.Options{}, addresses...)
	order := ""
	for range 7 {
		_, body, err := p.do("POST", "/v1/get-scene", "{}")
		must(t, err)
		order += body
	}
	if want := "0120120"; order != want {
		t.Errorf("served by %s, want %s", order, want)
	}
}

// What is no route does not reach an upstream.
func TestRoutes(t *testing.T) {
	u := newUpstream(t, func(http.ResponseWriter, *http.Request) {})
	p := newProxy(t, edge.Options{}, u.URL)
	const unknown, version, passed = fault.UnknownOperation, fault.UnsupportedVersion, fault.Code("")
	for _, c := range []struct {
		method, path string
		code         fault.Code
	}{
		{"POST", "/v1/list-campaigns", passed},
		{"POST", "/v1/create-session", passed},
		{"POST", "/v1/get-scene", passed},
		{"POST", "/v1/get-view", passed},
		{"POST", "/v1/get-strings", passed},
		{"POST", "/v1/preview-action", passed},
		{"POST", "/v1/submit-action", passed},
		{"POST", "/v1/resume-session", passed},
		{"POST", "/v1/save-game", passed},
		{"POST", "/v1/load-game", passed},
		{"POST", "/v1/get%2Dscene", passed},
		{"POST", "/mcp", passed},
		{"GET", "/mcp", passed},
		{"DELETE", "/mcp", passed},
		{"GET", "/v1/realtime", passed},
		{"GET", "/docs", passed},
		{"HEAD", "/docs", passed},
		{"GET", "/docs/swagger-ui.css", passed},
		{"GET", "/openapi.yaml", passed},
		{"GET", "/v1/get-scene", unknown},
		{"HEAD", "/v1/get-scene", unknown},
		{"OPTIONS", "/v1/get-scene", unknown},
		{"POST", "/v1/get-scene/", unknown},
		{"POST", "/V1/get-scene", unknown},
		{"POST", "//v1/get-scene", unknown},
		{"POST", "/v1/x/../get-scene", unknown},
		{"POST", "/v1/internal/audit", unknown},
		{"GET", "/metrics", unknown},
		{"POST", "/docs", unknown},
		{"GET", "/docs/", unknown},
		{"GET", "/docs/a/b", unknown},
		{"GET", "/docs/../v1/internal/audit", unknown},
		{"POST", "/mcp/", unknown},
		{"CONNECT", "/mcp", unknown},
		{"POST", "/livez", unknown},
		{"POST", "/readyz", unknown},
		{"GET", "/", unknown},
		{"POST", "/v2/get-scene", version},
		{"GET", "/v0", version},
	} {
		t.Run(c.method+" "+c.path, func(t *testing.T) {
			before := u.hits.Load()
			resp, body := parse(t, raw(t, p.URL, c.method+" "+c.path+" HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"), c.method)
			if hit := u.hits.Load() != before; hit != (c.code == passed) {
				t.Errorf("reached the upstream: %v", hit)
			}
			if c.code == passed {
				return
			}
			if c.method == "HEAD" {
				if resp.StatusCode != fault.Status(c.code) {
					t.Errorf("status %d", resp.StatusCode)
				}
				return
			}
			(&proxy{TB: t}).isFault(c.code, resp, body)
		})
	}
}
