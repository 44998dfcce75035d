package mcp_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-dev/holdfast/adapters/mcp"
	"github.com/holdfast-dev/holdfast/core/id"
	"github.com/holdfast-dev/holdfast/core/session"
	"github.com/holdfast-dev/holdfast/core/wire"
)

// bodyLimit is small, so that its bound is cheap to reach.
const bodyLimit = 4 << 10

// operations stands where the HTTP surface is: it notes what it is asked and
// answers what the test says.
type operations struct {
	mu     sync.Mutex
	asked  []asked
	answer func(w http.ResponseWriter, r *http.Request)
}

type asked struct {
	path, body, correlation string
	audience                session.Audience
	header                  http.Header
}

func (o *operations) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	o.mu.Lock()
	o.asked = append(o.asked, asked{r.URL.Path, string(body), wire.CorrelationOf(r.Context()), session.AudienceOf(r.Context()), r.Header.Clone()})
	o.mu.Unlock()
	if r.Method != http.MethodPost || o.answer == nil {
		_, _ = io.WriteString(w, `{}`)
		return
	}
	o.answer(w, r)
}

// surface is the handler on a listener of its own.
type surface struct {
	*testing.T
	*operations
	url string
	log *bytes.Buffer
}

func newSurface(t *testing.T, hosts ...string) *surface {
	t.Helper()
	s := &surface{T: t, operations: &operations{}, log: &bytes.Buffer{}}
	var mu sync.Mutex
	handler, err := mcp.New(mcp.Options{
		Operations:   s.operations,
		Correlations: &id.Counting{},
		Log:          slog.New(slog.NewTextHandler(locked{&mu, s.log}, &slog.HandlerOptions{Level: slog.LevelDebug})),
		BodyLimit:    bodyLimit,
		Listen:       "game.test:8080",
		Hosts:        hosts,
		Version:      "test",
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	s.url = server.URL + mcp.Path
	return s
}

type locked struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// reply is an answer over the wire.
type reply struct {
	status int
	header http.Header
	body   string
}

// send is one request; headers come as name and value, an empty value takes
// the header away.
func (s *surface) send(method, url string, body io.Reader, headers ...string) reply {
	s.Helper()
	req, err := http.NewRequestWithContext(s.Context(), method, url, body)
	if err != nil {
		s.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		switch name, value := headers[i], headers[i+1]; {
		case name == "Host":
			req.Host = value
		case value == "":
			req.Header.Del(name)
		default:
			req.Header.Add(name, value)
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		s.Fatal(err)
	}
	r := reply{resp.StatusCode, resp.Header, string(got)}
	if len(r.header.Get("X-Correlation-Id")) != 32 {
		s.Errorf("%s %s: no correlation: %v", method, url, r.header)
	}
	return r
}

func (s *surface) post(message string, headers ...string) reply {
	s.Helper()
	return s.send(http.MethodPost, s.url, strings.NewReader(message), headers...)
}

// call is a tools/call with arguments as they are.
func call(tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
}

// response is a JSON-RPC response as a client sees it.
type response struct {
	ID     json.RawMessage
	Result *struct {
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
		IsError           bool
		Meta              map[string]any `json:"_meta"`
	}
	Error *struct {
		Code    int
		Message string
		Data    map[string]any
	}
}

func (s *surface) decode(r reply) response {
	s.Helper()
	var got response
	if err := json.Unmarshal([]byte(r.body), &got); err != nil {
		s.Fatalf("%d %s: %v", r.status, r.body, err)
	}
	return got
}

// last is what the operations were asked last.
func (s *surface) last() asked {
	s.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.asked) == 0 {
		s.Fatal("no operation was asked")
	}
	return s.asked[len(s.asked)-1]
}
