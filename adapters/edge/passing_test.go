package edge_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-dev/holdfast/adapters/edge"
)

// Answers come through byte for byte: the same request gets the same bytes
// from the upstream and from the edge.
func TestAnswersByteForByte(t *testing.T) {
	answers := map[string]http.HandlerFunc{
		"JSON": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			w.Header().Set("ETag", `"1k2j3-4"`)
			_, _ = io.WriteString(w, `{"a":"<&>\u00e9","n":12345678901234567890}`)
		},
		"an error": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, `{"code":"storage_failure"}`)
		},
		"no content type": func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, "<html>")
		},
		"nothing": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) },
		"no body": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"a redirect": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/v2/elsewhere")
			w.WriteHeader(http.StatusTemporaryRedirect)
		},
		"lines of one header": func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Vary"] = []string{"Origin", "Accept"}
			w.Header()["Set-Cookie"] = []string{"a=1", "b=2"}
			_, _ = w.Write([]byte{0, 255, 254, '\r', '\n'})
		},
		"compressed already": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/javascript")
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write([]byte{0x1f, 0x8b, 8, 0, 1, 2, 3})
		},
		"1 MiB": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/octet-stream")
			w.Header().Set("Content-Length", "1048576")
			_, _ = w.Write(bytes.Repeat([]byte("0123456789abcdef"), 1<<16))
		},
	}
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", "Thu, 01 Jan 2026 00:00:00 GMT")
		w.Header().Set("X-Correlation-Id", "4bf92f3577b34da6a3ce929d0e0e4736")
		answers[r.Header.Get("Answer")](w, r)
	})
	p := newProxy(t, edge.Options{}, u.URL)
	for name := range answers {
		t.Run(name, func(t *testing.T) {
			request := "POST /v1/get-scene HTTP/1.1\r\nHost: play.example\r\nAccept-Encoding: gzip\r\nAnswer: " + name + "\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
			if direct, through := sorted(raw(t, u.URL, request)), sorted(raw(t, p.URL, request)); direct != through {
				t.Errorf("through the edge\n%.600q\nwithout it\n%.600q", through, direct)
			}
		})
	}
}

// sorted is an answer with its header lines in order: a server writes those
// that it sets itself last.
func sorted(answer []byte) string {
	head, body, _ := strings.Cut(string(answer), "\r\n\r\n")
	lines := strings.Split(head, "\r\n")
	slices.SortStableFunc(lines[1:], func(a, b string) int {
		return strings.Compare(strings.SplitN(a, ":", 2)[0], strings.SplitN(b, ":", 2)[0])
	})
	return strings.Join(append(lines, "", body), "\r\n")
}

// Requests come through with their method, target, host, headers and body.
func TestRequestsUnaltered(t *testing.T) {
	mebibyte := strings.Repeat("0123456789abcdef", 1<<16)
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		_, _ = fmt.Fprintf(w, "%s %s %s %q %q %q %d %v\n%s", r.Method, r.RequestURI, r.Host,
			r.Header["User-Agent"], r.Header["If-Match"], r.Header["Content-Type"], r.ContentLength, r.TransferEncoding, body)
	})
	p := newProxy(t, edge.Options{}, u.URL)
	for name, c := range map[string]struct{ target, headers, body, want string }{
		"a body":         {"/v1/get-scene", "Content-Length: 2\r\nIf-Match: \"a\"\r\nIf-Match: \"b\"\r\n", "{}", `POST /v1/get-scene h [] ["\"a\"" "\"b\""] [] 2 []` + "\n{}"},
		"an odd query":   {"/v1/get-scene?a=1;b=%zz&&c=+%20?", "Content-Length: 2\r\nContent-Type: a\r\nContent-Type: b\r\n", "{}", `POST /v1/get-scene?a=1;b=%zz&&c=+%20? h [] [] ["a" "b"] 2 []` + "\n{}"},
		"an empty query": {"/v1/get-scene?", "Content-Length: 2\r\nUser-Agent: x\r\n", "{}", `POST /v1/get-scene? h ["x"] [] [] 2 []` + "\n{}"},
		"an escape":      {"/v1/get%2Dscene", "Content-Length: 2\r\n", "{}", `POST /v1/get%2Dscene h [] [] [] 2 []` + "\n{}"},
		"an absolute target": {
			"http://user:password@other/v1/get-scene", "Content-Length: 2\r\n", "{}", `POST /v1/get-scene other [] [] [] 2 []` + "\n{}",
		},
		"chunks": {
			"/v1/get-scene", "Transfer-Encoding: chunked\r\nTrailer: X\r\n", "3\r\n{\"a\r\n4;x=y\r\n\":1}\r\n0\r\nX: y\r\n\r\n", `POST /v1/get-scene h [] [] [] 7 []` + "\n" + `{"a":1}`,
		},
		"to be continued": {"/v1/get-scene", "Content-Length: 2\r\nExpect: 100-continue\r\n", "{}", `POST /v1/get-scene h [] [] [] 2 []` + "\n{}"},
		"1 MiB":           {"/v1/get-scene", "Content-Length: 1048576\r\n", mebibyte, `POST /v1/get-scene h [] [] [] 1048576 []` + "\n" + mebibyte},
		"1 MiB, in a chunk": {
			"/v1/get-scene", "Transfer-Encoding: chunked\r\n", "100000\r\n" + mebibyte + "\r\n0\r\n\r\n", `POST /v1/get-scene h [] [] [] 1048576 []` + "\n" + mebibyte,
		},
	} {
		t.Run(name, func(t *testing.T) {
			answer := raw(t, p.URL, "POST "+c.target+" HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"+c.headers+"\r\n"+c.body)
			// Whoever reads the body says so, once.
			const proceed = "HTTP/1.1 100 Continue\r\n\r\n"
			rest := bytes.TrimPrefix(answer, []byte(proceed))
			if continued := len(rest) < len(answer); continued != strings.Contains(c.headers, "100-continue") {
				t.Errorf("told to continue: %v", continued)
			}
			if _, got := parse(t, rest); got != c.want {
				t.Errorf("the upstream got\n%.300s\nwant\n%.300s", got, c.want)
			}
		})
	}
}

// An empty body stays empty, in whatever frame.
func TestEmptyBody(t *testing.T) {
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%q %v", body, err)
	})
	p := newProxy(t, edge.Options{}, u.URL)
	for _, method := range []string{"POST", "GET", "DELETE"} {
		if _, got, err := p.do(method, "/mcp", ""); got != `"" <nil>` || err != nil {
			t.Errorf("%s: the upstream got %s, %v", method, got, err)
		}
	}
}

// The caller's trace goes on under a span of the edge's own; without one the
// edge begins a trace, so that its correlation is the service's.
func TestTraces(t *testing.T) {
	const (
		trace = "4bf92f3577b34da6a3ce929d0e0e4736"
		valid = "00-" + trace + "-00f067aa0ba902b7-01"
	)
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "%q %q", r.Header["Traceparent"], r.Header["Tracestate"])
	})
	for name, c := range map[string]struct {
		path    string
		headers []string
		want    string // what the upstream gets; ids count from 1
		answer  string // the answer's correlation
	}{
		"inherited": {
			"/v1/get-scene", []string{"traceparent", valid, "tracestate", "a=b"},
			`["00-` + trace + `-0000000000000001-01"] ["a=b"]`, trace,
		},
		"none": {
			"/v1/get-scene", nil,
			`["00-00000000000000000000000000000001-0000000000000002-00"] []`, "00000000000000000000000000000001",
		},
		"invalid": {
			"/v1/get-scene", []string{"traceparent", strings.ToUpper(valid), "tracestate", "a=b"},
			`["00-00000000000000000000000000000001-0000000000000002-00"] []`, "00000000000000000000000000000001",
		},
		"two": {
			"/v1/get-scene", []string{"traceparent", valid, "traceparent", valid},
			`["00-00000000000000000000000000000001-0000000000000002-00"] []`, "00000000000000000000000000000001",
		},
		"a message's own": {"/mcp", nil, `[] []`, "00000000000000000000000000000001"},
		"a message's, and the header": {
			"/mcp", []string{"traceparent", valid},
			`["00-` + trace + `-0000000000000001-01"] []`, trace,
		},
	} {
		t.Run(name, func(t *testing.T) {
			resp, got, err := newProxy(t, edge.Options{}, u.URL).do("POST", c.path, "{}", c.headers...)
			must(t, err)
			if got != c.want {
				t.Errorf("the upstream got %s, want %s", got, c.want)
			}
			if got := resp.Header.Get("X-Correlation-Id"); got != c.answer {
				t.Errorf("correlation %s, want %s", got, c.answer)
			}
		})
	}
}
