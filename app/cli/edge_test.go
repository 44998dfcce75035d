package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/holdfast-dev/holdfast/app/cli"
)

// An edge that is asked to stop finishes what it has begun, and ends well.
func TestEdgeFinishesWhatItHasBegun(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(arrived)
		<-release
		_, _ = io.WriteString(w, "answered")
	}))
	defer upstream.Close()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	log, errOut := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- cli.Run(ctx, []string{
			"edge", "--edge-listen=127.0.0.1:0", "--edge-upstreams=" + upstream.URL, "--edge-timeout=1m", "--shutdown-timeout=5s",
		}, strings.NewReader(""), io.Discard, errOut)
		_ = errOut.Close()
	}()
	lines := bufio.NewScanner(log)
	var line struct{ Listener, Address string }
	for line.Listener != "edge" && lines.Scan() {
		_ = json.Unmarshal(lines.Bytes(), &line)
	}
	go func() { _, _ = io.Copy(io.Discard, log) }()

	answer := make(chan string, 1)
	go func() {
		resp, err := http.Post("http://"+line.Address+"/v1/get-scene", "application/json", strings.NewReader("{}"))
		if err != nil {
			answer <- err.Error()
			return
		}
		defer func() { _ = resp.Body.Close() }()
		body, _ := io.ReadAll(resp.Body)
		answer <- string(body)
	}()
	<-arrived
	stop()
	close(release)
	if got := <-answer; got != "answered" {
		t.Error(got)
	}
	http.DefaultClient.CloseIdleConnections()
	if got := <-code; got != 0 {
		t.Errorf("exit code %d", got)
	}
}

func TestEdgeRefusesSettings(t *testing.T) {
	var errOut strings.Builder
	code := cli.Run(t.Context(), []string{"edge", "--edge-upstreams=10.0.0.1:80"}, strings.NewReader(""), io.Discard, &errOut)
	if code != 2 || !strings.Contains(errOut.String(), "HOLDFAST_EDGE_UPSTREAMS") {
		t.Errorf("%d %s", code, errOut.String())
	}
}
