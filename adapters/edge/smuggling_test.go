package edge_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-dev/holdfast/adapters/edge"
)

// A request is one request: whatever its framing and its headers pretend, the
// upstream gets it as the edge has understood it, and nothing else.
func TestSmuggling(t *testing.T) {
	const (
		post    = "POST /v1/get-scene HTTP/1.1\r\nHost: h\r\n"
		smuggle = "POST /v1/internal/audit HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"
	)
	for name, c := range map[string]struct {
		bytes string
		want  []string // the bodies that the upstream gets
	}{
		"a length and chunks": {
			post + "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggle, []string{""},
		},
		"chunks and a length":        {post + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n2\r\n{}\r\n0\r\n\r\n", []string{"{}"}},
		"two lengths":                {post + "Content-Length: 2\r\nContent-Length: 80\r\n\r\n{}" + smuggle, nil},
		"two lengths in a line":      {post + "Content-Length: 2, 80\r\n\r\n{}" + smuggle, nil},
		"the same length twice":      {post + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", []string{"{}"}},
		"a length with a sign":       {post + "Content-Length: +2\r\n\r\n{}" + smuggle, nil},
		"a negative length":          {post + "Content-Length: -1\r\n\r\n{}" + smuggle, nil},
		"chunks under another name":  {post + "Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n\r\n{}" + smuggle, nil},
		"chunks twice":               {post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + smuggle, nil},
		"chunks, and in capitals":    {post + "Transfer-Encoding: Chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", []string{"{}"}},
		"a space before the colon":   {post + "Content-Length : 2\r\n\r\n{}" + smuggle, nil},
		"a space before the name":    {post + " Content-Length: 80\r\nContent-Length: 2\r\n\r\n{}", nil},
		"a folded line":              {post + "Content-Length: 2\r\nX: a\r\n Transfer-Encoding: chunked\r\n\r\n{}", []string{"{}"}},
		"a bare line feed":           {post + "Content-Length: 2\nTransfer-Encoding: identity\r\n\r\n{}" + smuggle, nil},
		"a line feed in a header":    {post + "X: a\rTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}", nil},
		"a chunk of too many digits": {post + "Transfer-Encoding: chunked\r\n\r\n00000000000000000002\r\n{}\r\n0\r\n\r\n" + smuggle, nil},
		"a length named as a hop":    {post + "Connection: content-length\r\nContent-Length: 2\r\n\r\n{}", []string{"{}"}},
		"two hosts":                  {post + "Host: other\r\nContent-Length: 2\r\n\r\n{}", nil},
		"no host":                    {"POST /v1/get-scene HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", nil},
		"an upgrade to HTTP/2":       {post + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nContent-Length: 2\r\n\r\n{}", []string{"{}"}},
		"the preface of HTTP/2":      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			u := newUpstream(t, func(_ http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				got = append(got, string(body))
				if r.URL.Path != "/v1/get-scene" || r.Header.Get("Upgrade") != "" || r.Header.Get("Connection") != "" {
					t.Errorf("the upstream got %s with %v", r.URL.Path, r.Header)
				}
			})
			p := newProxy(t, edge.Options{}, u.URL)
			conn := dial(t, p.URL)
			_, err := io.WriteString(conn, c.bytes)
			must(t, err)
			// A caller that has sent all seems gone: not before the first answer.
			from := bufio.NewReader(conn)
			if resp, err := http.ReadResponse(from, nil); err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
			}
			_ = conn.(*net.TCPConn).CloseWrite() // the server may have closed it
			_, _ = io.Copy(io.Discard, from)
			u.Close()
			if !slices.Equal(got, c.want) {
				t.Errorf("the upstream got %q, want %q", got, c.want)
			}
		})
	}
}

// Nothing of how a request came is believed.
func TestHeadersOfTheWay(t *testing.T) {
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-User", "X-Real-Ip", "Keep-Alive", "Proxy-Authorization", "Te", "X-Hop", "Connection", "Accept-Encoding"} {
			if values, ok := r.Header[name]; ok {
				_, _ = fmt.Fprintf(w, "%s=%q ", name, values)
			}
		}
		_, _ = fmt.Fprintf(w, "traced=%v", r.Header.Get("Traceparent") != "")
	})
	p := newProxy(t, edge.Options{}, u.URL)
	_, got := parse(t, raw(t, p.URL, strings.Join([]string{
		"POST /v1/get-scene HTTP/1.1", "Host: play.example", "Content-Length: 0",
		"Connection: close, X-Hop, X-Forwarded-For, Traceparent", "X-Hop: 1", "Keep-Alive: timeout=5", "Proxy-Authorization: basic x",
		"Forwarded: for=10.0.0.1", "X-Forwarded-For: 10.0.0.1", "X-Forwarded-For: 10.0.0.2", "X-Forwarded-Host: bank.example",
		"X-Forwarded-Proto: https", "X-Forwarded-User: root", "X-Real-IP: 10.0.0.1", "", "",
	}, "\r\n")))
	if want := `X-Forwarded-For=["127.0.0.1"] X-Forwarded-Host=["play.example"] X-Forwarded-Proto=["http"] traced=true`; got != want {
		t.Errorf("the upstream got\n%s\nwant\n%s", got, want)
	}
}
