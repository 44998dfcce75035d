package replay

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

//go:embed testdata/fixture.txt
var fixture string

// request is a line of the fixture.
type request struct{ operation, body string }

func requests(t *testing.T) []request {
	t.Helper()
	var all []request
	for line := range strings.Lines(fixture) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		operation, body, ok := strings.Cut(line, " ")
		if !ok {
			t.Fatalf("fixture: %q is no operation and body", line)
		}
		all = append(all, request{operation, body})
	}
	return all
}

// transcript sends the requests in turn, each with a trace of its own number,
// and writes down the requests and the bodies of the answers.
func transcript(t *testing.T, all []request, send func(*http.Request) *http.Response) []byte {
	t.Helper()
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	for i, r := range all {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/"+r.operation, strings.NewReader(r.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Traceparent", fmt.Sprintf("00-%032x-%016x-01", i+1, i+1))
		resp := send(req)
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatalf("%s: %v", r.operation, err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
		_, _ = fmt.Fprintf(w, "%s %s\n%s\n", r.operation, r.body, body)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// difference shows the first line in which two transcripts differ.
func difference(got, want []byte) string {
	g, w := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range max(len(g), len(w)) {
		var a, b []byte
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if !bytes.Equal(a, b) {
			return fmt.Sprintf("line %d\n got  %s\n want %s", i+1, a, b)
		}
	}
	return ""
}
