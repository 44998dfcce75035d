package edge_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/holdfast-dev/holdfast/adapters/edge"
	"github.com/holdfast-dev/holdfast/core/fault"
)

const (
	ready    = `{"status":"ready","checks":{"store":"ok","journal":"off"}}`
	degraded = `{"status":"degraded","detail":"journal unreachable","checks":{"store":"ok","journal":"failed"}}`
	away     = `{"status":"not ready","detail":"store unreachable","checks":{"store":"failed","journal":"off"}}`
	draining = `{"status":"not ready","detail":"draining","checks":{"store":"ok","journal":"off"}}`
)

// reports answers the probe, and nothing else.
func reports(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "GET" || r.RequestURI != "/readyz" {
			status = http.StatusTeapot
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestLiveness(t *testing.T) {
	resp, body, err := newProxy(t, edge.Options{}, nobody(t)).do("GET", "/livez", "")
	must(t, err)
	if resp.StatusCode != 200 || body != `{"status":"live"}` || len(resp.Header.Get("X-Correlation-Id")) != 32 {
		t.Errorf("%d %v %s", resp.StatusCode, resp.Header, body)
	}
}

func TestReadiness(t *testing.T) {
	dead := nobody(t)
	up := func(status int, body string) string { return newUpstream(t, reports(status, body)).URL }
	gone := make(chan struct{}, 100)
	hanging := newUpstream(t, hang(gone)).URL
	for name, c := range map[string]struct {
		upstreams []string
		status    int
		body      string
	}{
		"one is":                     {[]string{up(503, away), up(200, ready), dead}, 200, ready},
		"a degraded one is":          {[]string{up(503, away), up(200, degraded)}, 200, degraded},
		"one is, another hangs":      {[]string{hanging, up(200, ready)}, 200, ready},
		"none is: the last":          {[]string{up(503, draining), up(503, away)}, 503, away},
		"none is, the last is away":  {[]string{up(503, draining), up(503, away), dead}, 503, away},
		"none is, the first is away": {[]string{dead, up(503, draining)}, 503, draining},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProxy(t, edge.Options{}, c.upstreams...)
			for range 3 { // whoever's turn it is
				resp, body, err := p.do("GET", "/readyz", "", "traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
				must(t, err)
				if resp.StatusCode != c.status || body != c.body || resp.Header.Get("Content-Type") != "application/json; charset=utf-8" ||
					resp.Header.Get("X-Correlation-Id") != "4bf92f3577b34da6a3ce929d0e0e4736" {
					t.Errorf("%d %v %s, want %d %s", resp.StatusCode, resp.Header, body, c.status, c.body)
				}
			}
		})
	}
	newProxy(t, edge.Options{}, dead, dead).want(fault.EdgeUpstreamUnreachable, "GET", "/readyz", "")
	newProxy(t, edge.Options{Timeout: 20 * time.Millisecond}, hanging).want(fault.EdgeUpstreamTimeout, "GET", "/readyz", "")
}

// Each probe asks again.
func TestReadinessIsNotKept(t *testing.T) {
	status := make(chan int, 1)
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request) { reports(<-status, ready)(w, r) })
	p := newProxy(t, edge.Options{}, u.URL)
	for _, want := range []int{200, 503, 200} {
		status <- want
		if resp, _, err := p.do("GET", "/readyz", ""); err != nil || resp.StatusCode != want {
			t.Errorf("%v, %v, want %d", resp, err, want)
		}
	}
}

// An edge that drains is not ready, lives and serves.
func TestDraining(t *testing.T) {
	u := newUpstream(t, reports(200, ready))
	p := newProxy(t, edge.Options{}, u.URL)
	p.Drain()
	resp, body, err := p.do("GET", "/readyz", "")
	must(t, err)
	if want := `{"status":"not ready","detail":"draining","checks":{"store":"off","journal":"off"}}`; resp.StatusCode != 503 || body != want {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	if resp, _, err := p.do("GET", "/livez", ""); err != nil || resp.StatusCode != 200 {
		t.Errorf("%v, %v", resp, err)
	}
	if resp, _, err := p.do("POST", "/v1/get-scene", "{}"); err != nil || resp.StatusCode != http.StatusTeapot {
		t.Errorf("%v, %v", resp, err)
	}
}
