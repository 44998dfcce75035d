package mcp_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-dev/holdfast/core/session"
)

// tools are the tools and operations of spec 10, The wire.
var tools = map[string]string{
	"list_campaigns": "/v1/list-campaigns",
	"start_game":     "/v1/create-session",
	"get_scene":      "/v1/get-scene",
	"get_state":      "/v1/get-view",
	"get_strings":    "/v1/get-strings",
	"preview_action": "/v1/preview-action",
	"choose":         "/v1/submit-action",
	"continue_game":  "/v1/resume-session",
	"save_game":      "/v1/save-game",
	"load_game":      "/v1/load-game",
}

// What a tool is given reaches the operation byte for byte, whether it is
// sound for it or not.
func TestArgumentsReachTheOperationAsTheyCame(t *testing.T) {
	s := newSurface(t)
	for tool, path := range tools {
		for _, arguments := range []string{
			`{}`,
			`{ "actionId" : "fill" ,"params":{"n":9007199254740993, "m":-9223372036854775809, "f":1.50, "e":1e2} }`,
			`{"text":"<&>\u2028\ud834\udd1e \/ \"\\","unknown":[1,{"a":null}]}`,
			`[1]`,
			`null`,
			`"text"`,
		} {
			s.post(call(tool, arguments))
			if got := s.last(); got.body != arguments || got.path != path || got.audience != session.AI {
				t.Errorf("%s %s: %s was asked %s for %q", tool, arguments, got.path, got.body, got.audience)
			}
		}
		s.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `"}}`)
		if got := s.last(); got.body != "" || got.path != path {
			t.Errorf("%s without arguments: %s was asked %q", tool, got.path, got.body)
		}
	}
}

// A tool's text is the body of the HTTP answer, byte for byte, and
// structuredContent is the same JSON.
func TestResultsAreTheHTTPBody(t *testing.T) {
	s := newSurface(t)
	for _, c := range []struct {
		status           int
		body, structured string
	}{
		{200, `{"text":"<b>&\u2028𝄞 \"q\" \\ \n","n":9007199254740993,"f":1.50,"z":0,"a":0}`, ""},
		{200, "{\"raw\":\"\u2028\u2029é<\"}", ""},
		{200, `[{"campaignId":"tiny"}]`, `{"result":[{"campaignId":"tiny"}]}`},
		{200, `[]`, `{"result":[]}`},
		{404, `{"code":"unknown_session","correlation":"00000000000000000000000000000001"}`, ""},
		{503, `{"code":"storage_failure","correlation":"00000000000000000000000000000001"}`, ""},
	} {
		s.answer = func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}
		r := s.post(call("get_scene", `{}`))
		if r.status != 200 || !strings.HasPrefix(r.header.Get("Content-Type"), "application/json") {
			t.Fatalf("%s: %d %v", c.body, r.status, r.header)
		}
		got := s.decode(r).Result
		if got == nil || len(got.Content) != 1 || got.Content[0].Type != "text" || got.Content[0].Text != c.body {
			t.Fatalf("text is not the body %s:\n%s", c.body, r.body)
		}
		if got.IsError != (c.status != 200) {
			t.Errorf("%s: isError is %v", c.body, got.IsError)
		}
		want := c.structured
		if want == "" {
			want = c.body
		}
		if !sameJSON(t, got.StructuredContent, []byte(want)) {
			t.Errorf("structured content %s, want %s", got.StructuredContent, want)
		}
	}
}

// sameJSON compares values with their numbers as they are written.
func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	canonical := func(raw []byte) string {
		d := json.NewDecoder(strings.NewReader(string(raw)))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		out, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	return canonical(a) == canonical(b)
}

// The headers of the HTTP surface have their place in _meta.
func TestHeadersStandInMeta(t *testing.T) {
	s := newSurface(t)
	s.answer = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", `"a-1"`)
		w.Header().Set("X-Error-At", "/seed type")
		w.Header().Set("Retry-After", "1")
		w.Header().Set("X-Other", "no")
		_, _ = io.WriteString(w, `{}`)
	}
	got := s.decode(s.post(call("get_scene", `{}`))).Result.Meta
	if len(got) != 3 || got["holdfast/etag"] != `"a-1"` || got["holdfast/error-at"] != "/seed type" || got["holdfast/retry-after"] != "1" {
		t.Errorf("_meta is %v", got)
	}
	const act = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"choose","arguments":{},"_meta":{"holdfast/if-match":%s}}}`
	s.post(strings.Replace(act, "%s", `"\"a-1\""`, 1))
	if h := s.last().header.Get("If-Match"); h != `"a-1"` {
		t.Errorf("If-Match is %q", h)
	}
	for _, other := range []string{"5", "null", `["\"a-1\""]`} {
		before := len(s.asked)
		got := s.decode(s.post(strings.Replace(act, "%s", other, 1))).Result
		if len(s.asked) != before || !got.IsError || !strings.HasPrefix(got.Content[0].Text, `{"code":"malformed_payload","correlation":"`) {
			t.Errorf("an If-Match of %s: %+v", other, got)
		}
	}
}

// The correlation is the trace id of the request, in the header or in _meta,
// and the same everywhere.
func TestCorrelation(t *testing.T) {
	const (
		header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
		meta   = "00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	)
	withMeta := func(traceparent string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_scene","_meta":{"traceparent":"` + traceparent + `"}}}`
	}
	s := newSurface(t)
	for name, c := range map[string]struct {
		message string
		headers []string
		want    string // "" is a fresh one
	}{
		"in the header":      {call("get_scene", "{}"), []string{"Traceparent", header}, header[3:35]},
		"in _meta":           {withMeta(meta), nil, meta[3:35]},
		"in both":            {withMeta(meta), []string{"Traceparent", header}, header[3:35]},
		"in neither":         {call("get_scene", "{}"), nil, ""},
		"an invalid header":  {withMeta(meta), []string{"Traceparent", "00-0-0-0"}, meta[3:35]},
		"two headers":        {call("get_scene", "{}"), []string{"Traceparent", header, "Traceparent", header}, ""},
		"an invalid in meta": {withMeta("x"), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.post(c.message, c.headers...).header.Get("X-Correlation-Id")
			asked := s.last()
			if asked.correlation != got || (c.want != "" && got != c.want) || (c.want == "" && !strings.HasPrefix(got, "0000")) {
				t.Errorf("header %q, operation %q, want %q", got, asked.correlation, c.want)
			}
			if passed := asked.header.Get("Traceparent"); c.want != "" && !strings.Contains(passed, c.want) {
				t.Errorf("traceparent %q was passed on", passed)
			}
		})
	}
}
