package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/holdfast-dev/holdfast/app/cli"
	"github.com/holdfast-dev/holdfast/app/config"
	"github.com/holdfast-dev/holdfast/core/session"
)

// patience is how long a test waits for what must come.
const patience = time.Minute

// command is a running `holdfast mcp`.
type command struct {
	in  *io.PipeWriter
	out *io.PipeReader
	// code gives the exit code.
	code chan int
	mu   sync.Mutex
	err  strings.Builder
}

func start(t *testing.T, args ...string) *command {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &command{in: inW, out: outR, code: make(chan int, 1)}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.code <- cli.Run(ctx, append([]string{"mcp"}, args...), inR, outW, c)
		_ = outW.Close()
	}()
	t.Cleanup(func() {
		stop()
		_, _ = inW.Close(), outR.Close()
		<-done
	})
	return c
}

// Write takes what the command says on standard error.
func (c *command) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err.Write(p)
}

func (c *command) ended(t *testing.T) int {
	t.Helper()
	select {
	case code := <-c.code:
		return code
	case <-time.After(patience):
		t.Fatal("the command does not end")
		return 0
	}
}

func (c *command) transport() sdk.Transport { return &sdk.IOTransport{Reader: c.out, Writer: c.in} }

// The SDK's client plays over standard input and output, against a running
// service and with a service of its own, and the command ends with the input.
func TestCampaignOverStdio(t *testing.T) {
	i := newInstance(t, brief).stopped()
	for name, args := range map[string][]string{
		"--url":                  {"--url", i.url},
		"--state":                {"--state", t.TempDir(), "--storage", "in-memory"},
		"--state, hosts are set": {"--state", t.TempDir(), "--storage", "in-memory", "--mcp-hosts", "play.test", "--listen", "localhost:0"},
	} {
		t.Run(name, func(t *testing.T) {
			c := start(t, args...)
			p := connect(t, c.transport(), nil)
			played, _ := p.play()
			if name == "--url" {
				if a := i.audience(played); a != session.AI {
					t.Errorf("the session is for %s", a)
				}
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			if code := c.ended(t); code != 0 {
				t.Errorf("exit code %d: %s", code, c.err.String())
			}
		})
	}
}

func TestMCPRefusesWrongArguments(t *testing.T) {
	for _, args := range [][]string{
		{"--url", "ftp://127.0.0.1"},
		{"--url", "127.0.0.1:8080"},
		{"--url", "http://127.0.0.1:1", "--state", "x"},
		{"--state", t.TempDir(), "--storage", "in-memory", "--mcp-hosts", "http://play.test"},
		{"--state", t.TempDir(), "--storage", "in-memory", "--mcp-hosts", "a b"},
		{"--unknown"},
	} {
		if c := start(t, args...); c.ended(t) != 2 {
			t.Errorf("%v: %s", args, c.err.String())
		}
	}
}

// Whom the setting names may call, and nobody else.
func TestAllowedHostsAreASetting(t *testing.T) {
	i := newInstance(t, brief, func(s *config.Serve) { s.MCPHosts = []string{"play.test"} }).stopped()
	for host, want := range map[string]int{"play.test": 200, "": 403} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, i.url+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "*/*")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("Host %q: %d, want %d", host, resp.StatusCode, want)
		}
	}
}

// Integers are exact up to what an operation takes, and refused beyond.
func TestIntegersOverMCP(t *testing.T) {
	i := newInstance(t, brief).stopped()
	for seed, ok := range map[string]bool{"9007199254740993": true, "9223372036854775807": true, "9223372036854775808": false, "1.5": false} {
		message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"start_game","arguments":{"campaignId":"tiny","seed":%s}}}`, seed)
		var got struct {
			Result struct {
				IsError           bool
				StructuredContent struct{ SessionID string }
			}
		}
		if err := json.Unmarshal([]byte(i.post("/mcp", message)), &got); err != nil || got.Result.IsError == ok {
			t.Errorf("seed %s: %+v, %v", seed, got, err)
		}
		if !ok {
			continue
		}
		// The same digits as text begin the same game.
		asText := member(t, i.post("/v1/create-session", `{"campaignId":"tiny","seed":"`+seed+`"}`), "sessionId")
		if mine, want := i.seed(got.Result.StructuredContent.SessionID), i.seed(asText); mine != want {
			t.Errorf("seed %s: the game has %s, want %s", seed, mine, want)
		}
	}
}

// seed is what a stored game's dice are thrown by.
func (i *instance) seed(sessionID string) string {
	i.Helper()
	layer := i.store.Layer()
	defer layer.Close()
	record, _, err := layer.Sessions().Get(i.Context(), sessionID)
	if err != nil {
		i.Fatal(err)
	}
	return member(i.T, record.Blob, "seed")
}

// A call that is on its way when the instance is told to stop is answered,
// and only then the instance ends.
func TestMCPCallsAreDrained(t *testing.T) {
	t.Parallel()
	i := newInstance(t, func(s *config.Serve) { s.ShutdownTimeout = 10 * time.Second })
	u, err := url.Parse(i.url)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_campaigns"}}`
	_, err = fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: */*\r\nContent-Length: %d\r\n\r\n%s", u.Host, len(message), message[:40])
	if err != nil {
		t.Fatal(err)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- i.fx.Stop(context.WithoutCancel(t.Context())) }()
	for range time.Tick(10 * time.Millisecond) { // until nothing new is taken
		c, err := net.Dial("tcp", u.Host)
		if errors.Is(err, syscall.ECONNREFUSED) {
			break
		}
		if err == nil {
			_ = c.Close()
		}
	}
	if _, err := io.WriteString(conn, message[40:]); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 || !strings.Contains(string(body), "tiny") {
		t.Errorf("%d %s %v", resp.StatusCode, body, err)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}
