package app_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/holdfast-dev/holdfast/app"
	"github.com/holdfast-dev/holdfast/app/config"
)

// start starts a part and stops it at the end of the test.
func start(t *testing.T, part *fx.App) {
	t.Helper()
	if err := part.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// What is idle by then may be cut off.
		_ = part.Stop(context.Background())
	})
}

// serve starts an instance without a database and returns its address.
func serve(t *testing.T, change ...func(*config.Serve)) string {
	t.Helper()
	s := &config.Serve{
		Listen:         "127.0.0.1:0",
		InternalListen: "127.0.0.1:0",
		Storage:        "in-memory",
		RequestTimeout: time.Minute,
		Limits:         config.Limits{BodyLimit: 1 << 20, ShutdownTimeout: 10 * time.Millisecond},
		PlaySessionTTL: time.Hour,
		SaveTTL:        time.Hour,
		Retention:      time.Hour,
	}
	for _, c := range change {
		c(s)
	}
	var public *app.Public
	start(t, app.New(s, slog.New(slog.DiscardHandler), fx.Populate(&public)))
	return public.Address()
}

// front starts an edge in front of instances and returns its address.
func front(t *testing.T, instances ...string) string {
	t.Helper()
	s := &config.Edge{
		EdgeListen:  "127.0.0.1:0",
		EdgeTimeout: time.Minute,
		Limits:      config.Limits{BodyLimit: 1 << 20, ShutdownTimeout: 10 * time.Millisecond},
	}
	for _, address := range instances {
		s.EdgeUpstreams = append(s.EdgeUpstreams, "http://"+address)
	}
	var edge *app.Edge
	start(t, app.NewEdge(s, slog.New(slog.DiscardHandler), fx.Populate(&edge)))
	return edge.Address()
}

// exchange sends a request as it is worded and returns the answer: its head
// without the date, and its body.
func exchange(t *testing.T, address, request string) (head, body string) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	resp.Header.Del("Date")
	var h bytes.Buffer
	_ = resp.Header.Write(&h)
	return fmt.Sprintf("%d %d\n%s", resp.StatusCode, resp.ContentLength, h.String()), string(content)
}

const trace = "4bf92f3577b34da6a3ce929d0e0e4736"

// The edge's answers are the service's, byte for byte: its results, its
// errors, its documentation, and MCP; and for what it does not pass on, the
// edge answers what the service would.
func TestEdgeAnswersAsTheService(t *testing.T) {
	direct := serve(t, func(s *config.Serve) { s.MCPHosts = []string{"play.example"} })
	edge := front(t, direct)
	post := func(path, body string, headers ...string) string {
		return strings.Join(append([]string{
			"POST " + path + " HTTP/1.1", "Host: play.example", "Content-Type: application/json", "traceparent: 00-" + trace + "-00f067aa0ba902b7-01",
			fmt.Sprint("Content-Length: ", len(body)), "Accept: application/json, text/event-stream",
		}, headers...), "\r\n") + "\r\n\r\n" + body
	}
	get := func(method, path string) string {
		return method + " " + path + " HTTP/1.1\r\nHost: play.example\r\nAccept-Encoding: gzip\r\ntraceparent: 00-" + trace + "-00f067aa0ba902b7-01\r\n\r\n"
	}
	for name, c := range map[string]struct{ request, want string }{
		"a result":              {post("/v1/list-campaigns", "{}"), "200 "},
		"no body":               {post("/v1/list-campaigns", ""), "200 "},
		"an unknown session":    {post("/v1/get-scene", `{"sessionId":"x"}`), "404 "},
		"an unknown campaign":   {post("/v1/create-session", `{"campaignId":"x"}`), "404 "},
		"malformed":             {post("/v1/get-scene", `{"sessionId":"x","a":1}`), "400 "},
		"a query":               {post("/v1/get-scene?a", "{}"), "400 "},
		"a broken If-Match":     {post("/v1/save-game", `{"sessionId":"x"}`, "If-Match: x"), "400 "},
		"too large":             {strings.Replace(post("/v1/get-scene", ""), "Length: 0", "Length: 1048577", 1), "400 "},
		"another version":       {post("/v2/get-scene", "{}"), "404 "},
		"no operation":          {post("/v1/gets-scene", "{}"), "404 "},
		"another method":        {get("GET", "/v1/get-scene"), "404 "},
		"HEAD":                  {get("HEAD", "/v1/get-scene"), "404 "},
		"liveness":              {get("GET", "/livez"), "200 "},
		"readiness":             {get("GET", "/readyz"), "200 "},
		"the contract":          {get("GET", "/openapi.yaml"), "200 "},
		"the contract's head":   {get("HEAD", "/openapi.yaml"), "200 "},
		"the page":              {get("GET", "/docs"), "200 "},
		"an asset of the page":  {get("GET", "/docs/swagger-ui.css"), "200 "},
		"no asset of the page":  {get("GET", "/docs/x"), "404 "},
		"an MCP call":           {post("/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_campaigns","arguments":{}}}`), "200 "},
		"an MCP notification":   {post("/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`), "202 "},
		"MCP by GET":            {get("GET", "/mcp"), "405 "},
		"MCP by another's page": {post("/mcp", `{}`, "Origin: http://evil.example"), "403 "},
	} {
		t.Run(name, func(t *testing.T) {
			head, body := exchange(t, direct, c.request)
			if !strings.HasPrefix(head, c.want) {
				t.Errorf("the service answers %s%.200s, want %s", head, body, c.want)
			}
			if h, b := exchange(t, edge, c.request); h != head || b != body {
				t.Errorf("through the edge\n%s%.300s\nwithout it\n%s%.300s", h, b, head, body)
			}
			if !strings.Contains(head, "X-Correlation-Id: "+trace) {
				t.Errorf("without the correlation: %s", head)
			}
		})
	}
}

// Of several instances each serves what comes to it, and the edge is ready
// while one is.
func TestEdgeOverTwoInstances(t *testing.T) {
	away, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = away.Close()
	edge := front(t, away.Addr().String(), serve(t))
	const request = "POST /v1/list-campaigns HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"
	for n, want := range []string{"503 ", "200 ", "503 ", "200 "} {
		if head, body := exchange(t, edge, request); !strings.HasPrefix(head, want) {
			t.Errorf("%d: %s%s, want %s", n, head, body, want)
		}
	}
	if head, body := exchange(t, edge, "GET /readyz HTTP/1.1\r\nHost: h\r\n\r\n"); !strings.HasPrefix(head, "200 ") {
		t.Errorf("%s%s", head, body)
	}
}
