package mcp_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// secret stands for what a caller sends; no refusal and no log repeats it.
const secret = "hunter2hunter2"

// What is malformed as a whole is a 400 with the error envelope and the
// place, before the SDK sees it, whatever method it is for.
func TestMalformedMessages(t *testing.T) {
	s := newSurface(t)
	deep := strings.Repeat("[", 65) + strings.Repeat("]", 65)
	for name, c := range map[string]struct {
		message, at string
	}{
		"no JSON":              {secret, "syntax"},
		"empty":                {"", "syntax"},
		"cut off":              {call("get_scene", `{"sessionId":"`+secret), "/params/arguments/sessionId syntax"},
		"two values":           {call("get_scene", `{}`) + call("get_scene", `{}`), "trailing"},
		"a duplicate":          {call("get_scene", `{"sessionId":"`+secret+`","sessionId":"b"}`), "/params/arguments/sessionId duplicate"},
		"a duplicate method":   {`{"jsonrpc":"2.0","id":1,"method":"ping","m\u0065thod":"tools/call"}`, "/method duplicate"},
		"invalid UTF-8":        {call("get_scene", "{\"sessionId\":\"\xff\"}"), "/params/arguments/sessionId utf8"},
		"U+0000":               {call("get_scene", `{"sessionId":"\u0000"}`), "/params/arguments/sessionId nul"},
		"a lone surrogate":     {call("get_scene", `{"sessionId":"\ud800"}`), "/params/arguments/sessionId surrogate"},
		"beyond a double":      {call("get_scene", `{"sessionId":1e999}`), "/params/arguments/sessionId number"},
		"65 levels":            {call("get_scene", deep), "/params/arguments" + strings.Repeat("/0", 64) + " depth"},
		"too large":            {call("get_scene", `{"sessionId":"`+strings.Repeat("x", bodyLimit+64<<10)+`"}`), "size"},
		"a batch":              {"[" + call("get_scene", "{}") + "]", "type"},
		"a text":               {`"` + secret + `"`, "type"},
		"another version":      {`{"jsonrpc":"` + secret + `","id":1,"method":"ping"}`, "/jsonrpc value"},
		"no version":           {`{"id":1,"method":"ping"}`, "/jsonrpc value"},
		"no method":            {`{"jsonrpc":"2.0","id":1}`, "/method missing"},
		"a response":           {`{"jsonrpc":"2.0","id":1,"result":{}}`, "/method missing"},
		"a method in capitals": {`{"jsonrpc":"2.0","id":1,"METHOD":"ping"}`, "/method missing"},
		"a method of numbers":  {`{"jsonrpc":"2.0","id":1,"method":5}`, "/method type"},
		"a call without an id": {`{"jsonrpc":"2.0","method":"tools/call"}`, "/id missing"},
		"a null id":            {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, "/id type"},
		"an id of an object":   {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, "/id type"},
		"an id beyond 2^53":    {`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, "/id number"},
		"an id below -2^53":    {`{"jsonrpc":"2.0","id":-9007199254740993,"method":"ping"}`, "/id number"},
		"a fractional id":      {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "/id number"},
		"a huge id":            {`{"jsonrpc":"2.0","id":1e300,"method":"ping"}`, "/id number"},
	} {
		for _, chunked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/chunked=%v", name, chunked), func(t *testing.T) {
				var body io.Reader = strings.NewReader(c.message)
				if chunked {
					body = struct{ io.Reader }{body} // of no known length
				}
				s.refused(t, s.send(http.MethodPost, s.url, body), 400, "malformed_payload", c.at)
			})
		}
	}
	if len(s.asked) != 0 {
		t.Errorf("operations were asked: %v", s.asked)
	}
}

// refused holds an answer to the error envelope.
func (s *surface) refused(t *testing.T, r reply, status int, code, at string) {
	t.Helper()
	want := `{"code":"` + code + `","correlation":"` + r.header.Get("X-Correlation-Id") + `"}`
	if r.status != status || r.body != want || r.header.Get("X-Error-At") != at {
		t.Errorf("%d %s at %q, want %d %s at %q", r.status, r.body, r.header.Get("X-Error-At"), status, want, at)
	}
	if strings.Contains(s.log.String(), secret) {
		t.Error("the log repeats what was sent")
	}
}

// What is not of the transport is refused before the body is looked at.
func TestRequestsThatAreNotOfTheTransport(t *testing.T) {
	s := newSurface(t)
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, method := range []string{"GET", "DELETE", "PUT", "PATCH", "OPTIONS"} {
		r := s.send(method, s.url, nil)
		s.refused(t, r, 405, "unknown_operation", "")
		if r.header.Get("Allow") != "POST" {
			t.Errorf("%s: Allow is %q", method, r.header.Get("Allow"))
		}
	}
	if r := s.send("HEAD", s.url, nil); r.status != 405 || r.body != "" {
		t.Errorf("HEAD: %d %s", r.status, r.body)
	}
	s.refused(t, s.send("POST", s.url+"?a=1", strings.NewReader(ping)), 400, "malformed_payload", "query")
	for _, contentType := range []string{"", "text/plain", "application/json; charset=latin1", "application/x-www-form-urlencoded"} {
		s.refused(t, s.post(ping, "Content-Type", "", "Content-Type", contentType), 400, "malformed_payload", "content-type")
	}
	for name, header := range map[string][]string{
		"an Accept without JSON":   {"Accept", "", "Accept", "text/html"},
		"an unknown version":       {"Mcp-Protocol-Version", "2000-01-01"},
		"a stream to be continued": {"Last-Event-ID", "1"},
	} {
		t.Run(name, func(t *testing.T) { s.refused(t, s.post(ping, header...), 400, "malformed_payload", "value") })
	}
	if r := s.post(ping, "Content-Type", "", "Content-Type", "application/json; charset=UTF-8", "Accept", "", "Accept", "*/*"); r.status != 200 {
		t.Errorf("a ping: %d %s", r.status, r.body)
	}
}

// A sound message that cannot be answered is a JSON-RPC error with code and
// correlation, which does not repeat what was sent.
func TestJSONRPCErrors(t *testing.T) {
	s := newSurface(t)
	for name, c := range map[string]struct {
		message string
		code    int
		ours    string
	}{
		"an unknown method":  {`{"jsonrpc":"2.0","id":"i","method":"` + secret + `"}`, -32601, "unknown_operation"},
		"resources":          {`{"jsonrpc":"2.0","id":"i","method":"resources/list"}`, -32601, "unknown_operation"},
		"prompts":            {`{"jsonrpc":"2.0","id":"i","method":"prompts/list"}`, -32601, "unknown_operation"},
		"a subscription":     {`{"jsonrpc":"2.0","id":"i","method":"subscriptions/listen","params":{"notifications":{}}}`, -32601, "unknown_operation"},
		"an unknown tool":    {`{"jsonrpc":"2.0","id":"i","method":"tools/call","params":{"name":"` + secret + `"}}`, -32602, "unknown_operation"},
		"no tool":            {`{"jsonrpc":"2.0","id":"i","method":"tools/call","params":{}}`, -32602, "unknown_operation"},
		"no params":          {`{"jsonrpc":"2.0","id":"i","method":"tools/call"}`, 0, ""},
		"params of a text":   {`{"jsonrpc":"2.0","id":"i","method":"tools/call","params":"` + secret + `"}`, -32602, "unknown_operation"},
		"_meta of a text":    {`{"jsonrpc":"2.0","id":"i","method":"tools/call","params":{"name":"get_scene","_meta":"` + secret + `"}}`, -32602, "malformed_payload"},
		"a wrong cursor":     {`{"jsonrpc":"2.0","id":"i","method":"tools/list","params":{"cursor":"` + secret + `"}}`, -32602, "malformed_payload"},
		"a protocol to come": {`{"jsonrpc":"2.0","id":"i","method":"ping"}`, -32602, "malformed_payload"},
		"a wrong handshake":  {`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":{"a":"` + secret + `"}}}`, -32602, "malformed_payload"},
	} {
		t.Run(name, func(t *testing.T) {
			var headers []string
			if name == "a protocol to come" {
				headers = []string{"Mcp-Protocol-Version", "9" + secret}
			}
			r := s.post(c.message, headers...)
			if c.code == 0 { // refused by the SDK as a whole
				s.refused(t, r, 400, "malformed_payload", "value")
				return
			}
			got := s.decode(r)
			if (r.status != 200 && headers == nil) || string(got.ID) != `"i"` || got.Error == nil || got.Error.Code != c.code {
				t.Fatalf("%d %s, want error %d", r.status, r.body, c.code)
			}
			if got.Error.Data["code"] != c.ours || got.Error.Data["correlation"] != r.header.Get("X-Correlation-Id") {
				t.Errorf("data are %v, want %s", got.Error.Data, c.ours)
			}
			if strings.Contains(r.body, secret) || strings.Contains(s.log.String(), secret) {
				t.Errorf("what was sent is repeated: %s", r.body)
			}
		})
	}
	if len(s.asked) != 0 {
		t.Errorf("operations were asked: %v", s.asked)
	}
}

func TestNotificationsChangeNothing(t *testing.T) {
	s := newSurface(t)
	for _, method := range []string{"initialized", "cancelled", "progress", "roots/list_changed", "anything"} {
		if r := s.post(`{"jsonrpc":"2.0","method":"notifications/` + method + `","params":"x"}`); r.status != 202 || r.body != "" {
			t.Errorf("%s: %d %s", method, r.status, r.body)
		}
	}
}

// An id comes back as it was sent.
func TestIDs(t *testing.T) {
	s := newSurface(t)
	for _, id := range []string{`0`, `-1`, `9007199254740992`, `-9007199254740992`, `"a"`, `""`, `"<é\"𝄞"`} {
		for _, method := range []string{"ping", "unknown"} {
			got := s.decode(s.post(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"}`))
			if !sameJSON(t, got.ID, []byte(id)) {
				t.Errorf("%s %s came back as %s", method, id, got.ID)
			}
		}
	}
}

// A page in a browser that was led here by another name is refused.
func TestHosts(t *testing.T) {
	own, set := newSurface(t), newSurface(t, "play.test", "[::1]:9000", "Other.test:443")
	port := own.url[strings.LastIndex(own.url, ":")+1 : len(own.url)-len("/mcp")]
	for _, c := range []struct {
		s            *surface
		host, origin string
		allowed      bool
	}{
		{own, "localhost:" + port, "", true},
		{own, "LOCALHOST:" + port, "", true},
		{own, "127.0.0.1:" + port, "http://127.0.0.1:" + port, true},
		{own, "[::1]:" + port, "http://localhost:" + port, true},
		{own, "game.test:" + port, "", true},
		{own, "game.test:1", "", false},
		{own, "localhost", "", false},
		{own, "evil.test:" + port, "", false},
		{own, "localhost.evil.test:" + port, "", false},
		{own, "user@localhost:" + port, "", false},
		{own, "127.0.0.1:" + port, "http://evil.test:" + port, false},
		{own, "127.0.0.1:" + port, "http://evil.test", false},
		{own, "127.0.0.1:" + port, "null", false},
		{own, "127.0.0.1:" + port, "file://127.0.0.1:" + port, false},
		{own, "127.0.0.1:" + port, "http://127.0.0.1:" + port + "/path", false},
		{set, "play.test", "", true},
		{set, "play.test:1234", "https://play.test", true},
		{set, "other.test:443", "https://other.test", true},
		{set, "other.test:443", "http://other.test", false},
		{set, "[::1]:9000", "", true},
		{set, "[::1]:9001", "", false},
		{set, "127.0.0.1:" + port, "", false},
	} {
		t.Run(c.host+" from "+c.origin, func(t *testing.T) {
			r := c.s.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Host", c.host, "Origin", c.origin)
			if c.allowed && r.status != 200 {
				t.Errorf("%d %s", r.status, r.body)
			}
			if !c.allowed {
				c.s.refused(t, r, 403, "forbidden", "")
			}
		})
	}
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	two := own.post(ping, "Origin", "http://127.0.0.1:"+port, "Origin", "http://127.0.0.1:"+port)
	own.refused(t, two, 403, "forbidden", "")
}
