package edge_test

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast-dev/holdfast/adapters/edge"
)

// BenchmarkGetScene is one get-scene through the edge beside one through a
// bare reverse proxy of the standard library (spec 60, Performance): over
// real sockets, by 16 clients that keep their connections.
func BenchmarkGetScene(b *testing.B) {
	scene := bytes.Repeat([]byte("0123456789abcdef"), 50)
	u := newUpstream(b, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(scene)))
		w.Header().Set("X-Correlation-Id", "4bf92f3577b34da6a3ce929d0e0e4736")
		_, _ = w.Write(scene)
	})
	target, err := url.Parse(u.URL)
	must(b, err)
	bare := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		// The default keeps two connections, which 16 clients would outrun.
		Transport: &http.Transport{MaxIdleConnsPerHost: 1024},
	}
	bareServer := httptest.NewServer(bare)
	b.Cleanup(bareServer.Close)
	b.Run("bare", func(b *testing.B) { load(b, bareServer.URL) })
	b.Run("edge", func(b *testing.B) { load(b, newProxy(b, edge.Options{}, u.URL).URL) })
}

func load(b *testing.B, address string) {
	request := []byte("POST /v1/get-scene HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 48\r\n" +
		"traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n\r\n" + `{"sessionId":"4bf92f3577b34da6a3ce929d0e0e4736"}`)
	b.SetParallelism(8) // 16 clients on two cores
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
		if err != nil {
			b.Error(err)
			return
		}
		defer func() { _ = conn.Close() }()
		from := bufio.NewReader(conn)
		for pb.Next() {
			if _, err := conn.Write(request); err != nil {
				b.Error(err)
				return
			}
			resp, err := http.ReadResponse(from, nil)
			if err != nil || resp.StatusCode != http.StatusOK {
				b.Error(resp, err)
				return
			}
			_, _ = io.Copy(io.Discard, resp.Body)
		}
	})
}
