package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-dev/holdfast/adapters/mcp"
	"github.com/holdfast-dev/holdfast/core/id"
)

func bridge(url string) *mcp.Bridge {
	return &mcp.Bridge{
		URL:          url,
		Client:       http.DefaultClient,
		Correlations: &id.Counting{},
		Log:          slog.New(slog.DiscardHandler),
		BodyLimit:    bodyLimit,
	}
}

// through sends lines through a bridge and returns the lines of the answer.
func through(t *testing.T, b *mcp.Bridge, input string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := b.Run(t.Context(), strings.NewReader(input), &out); err != nil {
		t.Fatal(err)
	}
	if out.Len() == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// base is the service's address without the path.
func (s *surface) base() string { return strings.TrimSuffix(s.url, mcp.Path) }

const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`

// A line that is no sound message is answered with an error, and the next one
// is served.
func TestBadLinesLeaveTheConnectionUsable(t *testing.T) {
	s := newSurface(t)
	for name, c := range map[string]struct {
		line string
		code int
		id   string
	}{
		"no JSON":           {secret, -32700, "null"},
		"cut off":           {ping[:20], -32700, "null"},
		"two values":        {ping + ping, -32700, "null"},
		"a batch":           {"[" + ping + "]", -32700, "null"},
		"a duplicate":       {`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, -32700, "null"},
		"U+0000":            {`{"jsonrpc":"2.0","id":1,"method":"\u0000"}`, -32700, "null"},
		"invalid UTF-8":     {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", -32700, "null"},
		"a lone surrogate":  {`{"jsonrpc":"2.0","id":1,"method":"\udc00"}`, -32700, "null"},
		"too deep":          {call("get_scene", strings.Repeat("[", 65)+strings.Repeat("]", 65)), -32700, "null"},
		"too long":          {call("get_scene", `"`+strings.Repeat("x", bodyLimit+64<<10)+`"`), -32700, "null"},
		"far too long":      {strings.Repeat("x", 3<<20), -32700, "null"},
		"an id beyond 2^53": {`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, -32600, "null"},
		"another version":   {`{"jsonrpc":"1.0","id":3,"method":"ping"}`, -32600, "3"},
		"an unknown method": {`{"jsonrpc":"2.0","id":3,"method":"` + secret + `"}`, -32601, "3"},
		"an unknown tool":   {call(secret, `{}`), -32602, "1"},
		"a wrong _meta":     {`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get_scene","_meta":5}}`, -32602, "3"},
		"no params":         {`{"jsonrpc":"2.0","id":3,"method":"tools/call"}`, -32600, "3"},
	} {
		t.Run(name, func(t *testing.T) {
			got := through(t, bridge(s.base()), c.line+"\n"+ping+"\r\n")
			if len(got) != 2 {
				t.Fatalf("%d answers: %.300q", len(got), got)
			}
			refused := s.decode(reply{body: got[0]})
			if refused.Error == nil || refused.Error.Code != c.code || string(refused.ID) != c.id && !(c.id == "null" && refused.ID == nil) {
				t.Fatalf("%s, want error %d for %s", got[0], c.code, c.id)
			}
			code, correlation := refused.Error.Data["code"], refused.Error.Data["correlation"]
			if text, ok := correlation.(string); !ok || len(text) != 32 || (code != "malformed_payload" && code != "unknown_operation") {
				t.Errorf("data are %v", refused.Error.Data)
			}
			if strings.Contains(got[0], secret) {
				t.Errorf("what was sent is repeated: %s", got[0])
			}
			if next := s.decode(reply{body: got[1]}); string(next.ID) != "7" || next.Error != nil {
				t.Errorf("the next line: %s", got[1])
			}
		})
	}
	if len(s.asked) != 0 {
		t.Errorf("operations were asked: %v", s.asked)
	}
}

// Answers come in the order of the calls; notifications and blank lines have
// none; the last line needs no end.
func TestLines(t *testing.T) {
	s := newSurface(t)
	s.answer = func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{\"raw\":\"\u2028<é\"}") }
	got := through(t, bridge(s.base()+"/"), "\n \r\n"+
		call("get_scene", `{ "n" : 9007199254740993 }`)+"\n"+
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`+"\n"+
		ping)
	if len(got) != 2 {
		t.Fatalf("%q", got)
	}
	if r := s.decode(reply{body: got[0]}).Result; r == nil || r.Content[0].Text != "{\"raw\":\"\u2028<é\"}" {
		t.Errorf("%s", got[0])
	}
	if asked := s.last(); asked.body != `{ "n" : 9007199254740993 }` || asked.audience != "ai" {
		t.Errorf("the operation was asked %s for %s", asked.body, asked.audience)
	}
	if s.decode(reply{body: got[1]}); !strings.Contains(got[1], `"id":7`) {
		t.Errorf("%s", got[1])
	}
	if got := through(t, bridge(s.base()), ""); got != nil {
		t.Errorf("nothing was answered with %q", got)
	}
}

// What answers in place of the service is said to be no service; a call never
// stays without an answer.
func TestBridgeWithoutAService(t *testing.T) {
	s := newSurface(t)
	closed := httptest.NewServer(nil)
	closed.Close()
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		code    string
	}{
		"nobody":           {nil, "edge_upstream_unreachable"},
		"a web page":       {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }, "edge_upstream_unreachable"},
		"another JSON":     {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `[{"a":1}]`) }, "edge_upstream_unreachable"},
		"an empty 202":     {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(202) }, "edge_upstream_unreachable"},
		"a cut connection": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "edge_upstream_unreachable"},
		"an error envelope": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(503)
			_, _ = io.WriteString(w, `{"code":"storage_failure","correlation":"c"}`)
		}, "storage_failure"},
		"a hostile envelope": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"code":"\"}"}`) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			url := closed.URL
			if c.handler != nil {
				server := httptest.NewServer(c.handler)
				defer server.Close()
				url = server.URL
			}
			got := through(t, bridge(url), `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+ping+"\n")
			if len(got) != 1 {
				t.Fatalf("%q", got)
			}
			r := s.decode(reply{body: got[0]})
			if string(r.ID) != "7" || r.Error == nil || r.Error.Code != -32603 || (c.code != "" && r.Error.Data["code"] != c.code) {
				t.Errorf("%s, want %s", got[0], c.code)
			}
		})
	}
}

// An answer that spans lines is carried on one.
func TestBridgeKeepsAnAnswerOnOneLine(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "{\n \"jsonrpc\": \"2.0\",\n \"id\": 7, \"result\": {\"n\": 9007199254740993, \"f\": 1.50}\n}\n")
	}))
	defer server.Close()
	got := through(t, bridge(server.URL), ping)
	if len(got) != 1 || got[0] != `{"jsonrpc":"2.0","id":7,"result":{"n":9007199254740993,"f":1.50}}` {
		t.Errorf("%q", got)
	}
}

// The version that was agreed upon goes along with what follows; a message
// that names its own goes under that.
func TestBridgeSaysTheProtocolVersion(t *testing.T) {
	var versions, names []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		versions = append(versions, r.Header.Get("Mcp-Protocol-Version"))
		names = append(names, r.Header.Get("Mcp-Method")+" "+r.Header.Get("Mcp-Name"))
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":7,"result":{"protocolVersion":"2025-06-18"}}`)
	}))
	defer server.Close()
	through(t, bridge(server.URL), ping+"\n"+
		`{"jsonrpc":"2.0","id":7,"method":"initialize"}`+"\n"+
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"choose","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`+"\n"+
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a\nb","_meta":{"io.modelcontextprotocol/protocolVersion":"2026\n"}}}`+"\n")
	if got := strings.Join(versions, ","); got != ",,2025-06-18,2026-07-28," {
		t.Errorf("versions %q", got)
	}
	if got := strings.Join(names, ","); got != " , , ,tools/call choose,tools/call " {
		t.Errorf("names %q", got)
	}
}

// The end of the context ends a bridge that waits for input.
func TestBridgeEndsWithItsContext(t *testing.T) {
	in, _ := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- bridge("http://127.0.0.1:1").Run(ctx, in, io.Discard) }()
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it does not end")
	}
	broken := errors.New("broken")
	if err := bridge("http://127.0.0.1:1").Run(t.Context(), bufio.NewReader(failing{broken}), io.Discard); !errors.Is(err, broken) {
		t.Errorf("a broken input: %v", err)
	}
	if err := bridge("http://127.0.0.1:1").Run(t.Context(), strings.NewReader("x\n"), failing{broken}); !errors.Is(err, broken) {
		t.Errorf("a broken output: %v", err)
	}
}

type failing struct{ error }

func (f failing) Read([]byte) (int, error)  { return 0, f.error }
func (f failing) Write([]byte) (int, error) { return 0, f.error }
