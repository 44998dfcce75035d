package blackbox

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// dial is a connection on which the test words every byte.
func (i *instance) dial() net.Conn {
	i.world.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(i.url, "http://"))
	must(i.world, err)
	i.world.Cleanup(func() { _ = conn.Close() })
	must(i.world, conn.SetDeadline(time.Now().Add(patience)))
	return conn
}

// answerOn reads one answer from a connection and holds it to what all
// answers have.
func (i *instance) answerOn(conn net.Conn, path string) answer {
	i.world.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	must(i.world, err)
	body, err := io.ReadAll(resp.Body)
	must(i.world, err)
	a := answer{resp.StatusCode, resp.Header, body}
	i.world.checkAnswer(http.MethodPost, path, a)
	return a
}

const rawPost = "POST /v1/list-campaigns HTTP/1.1\r\nHost: holdfast\r\nContent-Type: application/json\r\n"

// What the length of a body says, and how it comes, is malformed too.
func TestMalformedTransfers(t *testing.T) {
	t.Parallel()
	// The time-out is far beyond the test's patience: an answer that waits for
	// more of the body never comes.
	i := setUp(t).ready("HOLDFAST_REQUEST_TIMEOUT=1h")
	mebibyte := strings.Repeat(" ", 1<<20)
	for name, c := range map[string]struct {
		bytes string
		cut   bool // the caller sends no more
		at    string
	}{
		"too long a Content-Length, before the body": {rawPost + "Content-Length: 1048577\r\n\r\n", false, "size"},
		"too long without a Content-Length":          {rawPost + "Transfer-Encoding: chunked\r\n\r\n100001\r\n" + mebibyte + " \r\n0\r\n\r\n", false, "size"},
		"without end":                                {rawPost + "Transfer-Encoding: chunked\r\n\r\n100001\r\n" + mebibyte + " \r\n", false, "size"},
		"a broken chunk":                             {rawPost + "Transfer-Encoding: chunked\r\n\r\nplugh\r\n{}\r\n0\r\n\r\n", false, "syntax"},
		"shorter than said":                          {rawPost + "Content-Length: 10\r\n\r\n{}", true, "syntax"},
		"two content types":                          {rawPost + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}", false, "content-type"},
		"two lengths":                                {rawPost + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", false, ""},
		"chunked and sound":                          {rawPost + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", false, ""},
		"1 MiB, in a chunk":                          {rawPost + "Transfer-Encoding: chunked\r\n\r\n100000\r\n{}" + mebibyte[2:] + "\r\n0\r\n\r\n", false, ""},
		"chunked and empty":                          {rawPost + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", false, ""},
		"Expect, and a body":                         {rawPost + "Content-Length: 2\r\n\r\n{}", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			i := i.in(t)
			conn := i.dial()
			sent := make(chan error, 1)
			go func() {
				_, err := conn.Write([]byte(c.bytes))
				if c.cut && err == nil {
					err = conn.(*net.TCPConn).CloseWrite()
				}
				sent <- err
			}()
			a := i.answerOn(conn, "/v1/list-campaigns")
			if want := map[bool]int{true: 200, false: 400}[c.at == ""]; a.status != want || a.at() != c.at {
				t.Errorf("got %d at %q, want %d at %q", a.status, a.at(), want, c.at)
			}
			_ = conn.Close()
			<-sent // what was not taken may fail
		})
	}
}

// A path, method or version that the contract does not have is said to be so,
// whatever else is wrong.
func TestUnknownOperations(t *testing.T) {
	t.Parallel()
	i := setUp(t).ready()
	const unknown, version = "unknown_operation", "unsupported_version"
	for _, c := range []struct{ method, path, code string }{
		{"GET", "/v1/get-scene", unknown},
		{"PUT", "/v1/get-scene", unknown},
		{"DELETE", "/v1/submit-action", unknown},
		{"PATCH", "/v1/submit-action", unknown},
		{"OPTIONS", "/v1/create-session", unknown},
		{"POST", "/v1/get-scene/", unknown},
		{"POST", "/v1/get-scene/x", unknown},
		{"POST", "//v1/get-scene", unknown},
		{"POST", "/v1/./get-scene", unknown},
		{"POST", "/v1/x/../get-scene", unknown},
		{"POST", "/V1/get-scene", unknown},
		{"POST", "/v1/Get-Scene", unknown},
		{"POST", "/v1/get_scene", unknown},
		{"POST", "/v1/delete-session", unknown},
		{"POST", "/v1/", unknown},
		{"POST", "/v1", unknown},
		{"POST", "/", unknown},
		{"GET", "/", unknown},
		{"GET", "/favicon.ico", unknown},
		{"GET", "/metrics", unknown},
		{"POST", "/v1/internal/audit", unknown},
		{"POST", "/vx/get-scene", unknown},
		{"POST", "/v/get-scene", unknown},
		{"POST", "/v1a/get-scene", unknown},
		{"POST", "/livez", unknown},
		{"POST", "/readyz", unknown},
		{"GET", "/livez/", unknown},
		{"POST", "/v2/get-scene", version},
		{"GET", "/v2/get-scene", version},
		{"POST", "/v0/get-scene", version},
		{"POST", "/v10/anything", version},
		{"POST", "/v2", version},
	} {
		t.Run(c.method+" "+c.path, func(t *testing.T) {
			if a := i.in(t).send(c.method, c.path+"?query=1", "not JSON"); string(a.code()) != c.code {
				t.Errorf("got %d %s, want %s", a.status, a.body, c.code)
			}
		})
	}
	if a := i.send(http.MethodHead, "/v1/get-scene", ""); a.status != http.StatusNotFound || a.header.Get("X-Correlation-Id") == "" {
		t.Errorf("HEAD: %d %v", a.status, a.header)
	}
}

// freePort is a port for an address that must stay the same over restarts,
// outside of the range from which systems take ports for outgoing
// connections.
func freePort(t testing.TB) int {
	t.Helper()
	for range 100 {
		port := 15000 + rand.IntN(17000)
		if l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port)); err == nil {
			must(t, l.Close())
			return port
		}
	}
	t.Fatal("no free port")
	return 0
}
