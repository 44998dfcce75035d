package blackbox

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/holdfast-dev/holdfast/core/fault"
)

// answer is what came back over the wire.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// code is the error code of the answer, or "".
func (a answer) code() fault.Code {
	var e struct{ Code fault.Code }
	if a.status == http.StatusOK || json.Unmarshal(a.body, &e) != nil {
		return ""
	}
	return e.Code
}

func (a answer) at() string   { return a.header.Get("X-Error-At") }
func (a answer) etag() string { return a.header.Get("ETag") }

// checked is a way to the service that holds every answer to what all answers
// have: a correlation, compact JSON of the contract's shape, a status that
// fits its code. It collects the ids and texts that pass, which no log may
// hold.
type checked struct {
	world *world
	base  http.RoundTripper
}

func (c checked) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.GetBody != nil {
		if body, err := req.GetBody(); err == nil {
			sent, _ := io.ReadAll(body)
			c.world.secret(texts(sent)...)
		}
	}
	resp, err := c.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if req.Method != http.MethodHead {
		c.world.checkAnswer(req.Method, req.URL.Path, answer{resp.StatusCode, resp.Header, body})
	}
	return resp, nil
}

func (w *world) checkAnswer(method, path string, a answer) {
	w.Helper()
	wrong := func(what string) {
		w.Helper()
		w.Errorf("%s %s: %s: %d %v %s", method, path, what, a.status, a.header, a.body)
	}
	id := a.header.Get("X-Correlation-Id")
	if !correlation.MatchString(id) {
		wrong("no correlation")
	}
	media, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		wrong("not declared as JSON")
	}
	var compact bytes.Buffer
	if json.Compact(&compact, a.body) != nil || !bytes.Equal(compact.Bytes(), a.body) {
		wrong("not compact JSON")
		return
	}
	contract, err := theContract()
	must(w, err)
	if err := contract.check(method, path, a.status, a.body); err != nil {
		wrong("not as the contract has it: " + err.Error())
	}
	if probe := path == "/livez" || path == "/readyz"; probe && a.code() == "" {
		return
	}
	if (a.header.Get("Retry-After") != "") != (a.status == http.StatusServiceUnavailable) {
		wrong("Retry-After belongs to a 503, and to nothing else")
	}
	if (a.at() != "") != (a.status == http.StatusBadRequest) {
		wrong("x-error-at belongs to a 400, and to nothing else")
	}
	if a.status == http.StatusOK {
		if err := strictly(a.body, shapes[path]()); err != nil {
			wrong("not of the client's type: " + err.Error())
		}
		var named struct{ SessionID, SaveID string }
		_ = json.Unmarshal(a.body, &named) // a list has neither
		w.secret(named.SessionID, named.SaveID)
		return
	}
	if want := `{"code":"` + string(a.code()) + `","correlation":"` + id + `"}`; string(a.body) != want {
		wrong("an error is its code and correlation, no more")
	}
	if a.status != fault.Status(a.code()) {
		wrong("the status is not that of the code")
	}
	if at := a.at(); at != "" && !errorAt.MatchString(at) {
		wrong("x-error-at is no pointer and reason")
	}
	w.saw(a.code())
}

var errorAt = regexp.MustCompile(`^((/[!-~]*)+ )?[a-z0-9-]+$`)

// texts are the strings in a JSON text that is sound.
func texts(body []byte) (found []string) {
	var value any
	if json.Unmarshal(body, &value) != nil {
		return nil
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			found = append(found, v)
		case map[string]any:
			for _, child := range v {
				walk(child)
			}
		}
	}
	walk(value)
	return found
}

// send is one request as the test words it.
func (i *instance) send(method, path, body string, headers ...string) answer {
	i.world.Helper()
	req, err := http.NewRequestWithContext(i.world.Context(), method, i.url+path, strings.NewReader(body))
	must(i.world, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for n := 0; n < len(headers); n += 2 {
		req.Header[http.CanonicalHeaderKey(headers[n])] = nil
		if headers[n+1] != "" {
			req.Header.Set(headers[n], headers[n+1])
		}
	}
	resp, err := i.http.Do(req)
	must(i.world, err)
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(resp.Body)
	must(i.world, err)
	return answer{resp.StatusCode, resp.Header, got}
}

// post calls an operation with raw bytes.
func (i *instance) post(operation, body string, headers ...string) answer {
	i.world.Helper()
	return i.send(http.MethodPost, "/v1/"+operation, body, headers...)
}

// want calls an operation that must answer with a code; "" is 200.
func (i *instance) want(code fault.Code, operation, body string, headers ...string) answer {
	i.world.Helper()
	a := i.post(operation, body, headers...)
	if a.code() != code || (code == "" && a.status != http.StatusOK) {
		i.world.Fatalf("%s %.200s: got %d %s, want code %q", operation, body, a.status, a.body, code)
	}
	return a
}

// decode reads an answer.
func decode[T any](t testing.TB, a answer) (v T) {
	t.Helper()
	if err := json.Unmarshal(a.body, &v); err != nil {
		t.Fatalf("%s: %v", a.body, err)
	}
	return v
}
