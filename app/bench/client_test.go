package bench

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// answers serves one connection with the given bytes, one piece a write, for
// each request.
func answers(t *testing.T, pieces ...string) string {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		in := bufio.NewReader(conn)
		for {
			req, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, req.Body)
			for _, p := range pieces {
				if _, err := conn.Write([]byte(p)); err != nil {
					return
				}
			}
		}
	}()
	return l.Addr().String()
}

func TestClientReadsAnswers(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for _, c := range []struct {
		name   string
		pieces []string
		status int
		body   string
		err    error
	}{
		{"whole", []string{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"}, 200, "hi", nil},
		{"in pieces", []string{"HTTP/1.1 409 Conf", "lict\r\nDate: x\r\nContent-", "Length: 3\r\nX: y\r\n\r", "\n1", "23"}, 409, "123", nil},
		{"empty", []string{"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}, 200, "", nil},
		{"longer than the buffer", []string{"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", long}, 200, long, nil},
		{"without a length", []string{"HTTP/1.1 200 OK\r\n\r\nhi"}, 0, "", errNoLength},
		{"with a length that is none", []string{"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"}, 0, "", errNoLength},
		{"beyond its length", []string{"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nhi"}, 0, "", errTrailing},
		{"too long", []string{"HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n"}, 0, "", errTooLong},
		{"of another protocol", []string{"SSH-2.0-x\r\n\r\n"}, 0, "", errStatus},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, err := dial(t.Context(), answers(t, c.pieces...), time.Now().Add(10*time.Second))
			if err != nil {
				t.Fatal(err)
			}
			defer client.close()
			// Twice: a connection is used again after each answer.
			for range 2 {
				status, body, err := client.do(newRequest("/x", `{"sessionId":"%s"}`).bytes)
				if !errors.Is(err, c.err) || (c.err != nil) != (err != nil) {
					t.Fatalf("error %v, want %v", err, c.err)
				}
				if err != nil {
					return
				}
				if status != c.status || string(body) != c.body {
					t.Fatalf("%d %.80q, want %d %.80q", status, body, c.status, c.body)
				}
			}
		})
	}
}

// TestRequestNamesItsSession: what is sent is a sound request, and only the
// session in it changes.
func TestRequestNamesItsSession(t *testing.T) {
	r := newRequest("/v1/submit-action", `{"sessionId":"%s","actionId":"haggle"}`)
	for _, row := range []int{0, 7, 99_999} {
		r.address(row)
		req, err := http.ReadRequest(bufio.NewReader(strings.NewReader(string(r.bytes))))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(req.Body)
		want := `{"sessionId":"` + sessionID(row) + `","actionId":"haggle"}`
		if err != nil || string(body) != want {
			t.Errorf("body %s (%v), want %s", body, err, want)
		}
		if req.Method != http.MethodPost || req.URL.Path != "/v1/submit-action" || req.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s %v", req.Method, req.URL, req.Header)
		}
	}
}

// TestTrafficStaysWithItsClient: clients with sessions of their own never
// share one, and an answer that is not expected fails the slot.
func TestTrafficStaysWithItsClient(t *testing.T) {
	const clients, rows = 4, 40
	var mu sync.Mutex
	owner := map[string]string{}
	var twice string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		row, _ := io.ReadAll(r.Body)
		mu.Lock()
		if before, ok := owner[string(row)]; ok && before != r.RemoteAddr {
			twice = string(row)
		}
		owner[string(row)] = r.RemoteAddr
		mu.Unlock()
		w.Header().Set("Content-Length", "2")
		_, _ = w.Write([]byte("ok"))
	}))
	defer server.Close()
	tr := traffic{path: "/", body: "%s", clients: clients, rows: rows, verify: func(int, []byte) (bool, error) { return true, nil }}
	seen, elapsed := tr.drive(t.Context(), server.Listener.Addr().String(), 50*time.Millisecond)
	if seen.err != nil || seen.counted != len(seen.latencies) || seen.counted < clients || elapsed < 50*time.Millisecond {
		t.Fatalf("%d counted of %d in %v: %v", seen.counted, len(seen.latencies), elapsed, seen.err)
	}
	if twice != "" {
		t.Errorf("session %s is used by two clients", twice)
	}
	tr.verify = accepted
	if seen, _ := tr.drive(t.Context(), server.Listener.Addr().String(), time.Second); seen.err == nil {
		t.Error("a wrong answer did not fail the slot")
	}
}
