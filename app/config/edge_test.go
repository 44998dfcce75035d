package config

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func edgeSettings(change func(*Edge)) *Edge {
	e := &Edge{
		EdgeListen:    "127.0.0.1:8090",
		EdgeUpstreams: []string{"http://10.0.0.5:8080", "https://[::1]/"},
		EdgeTimeout:   10 * time.Second,
		Limits:        Limits{BodyLimit: 1 << 20, ShutdownTimeout: 25 * time.Second},
	}
	change(e)
	return e
}

func TestEdgeSettings(t *testing.T) {
	sound := edgeSettings(func(*Edge) {})
	if err := sound.Check(); err != nil {
		t.Fatal(err)
	}
	upstreams, err := sound.Upstreams()
	if err != nil || len(upstreams) != 2 || upstreams[0].Host != "10.0.0.5:8080" || upstreams[1].Host != "[::1]" {
		t.Errorf("%v, %v", upstreams, err)
	}
	upstream := func(s string) func(*Edge) {
		return func(e *Edge) { e.EdgeUpstreams = append(e.EdgeUpstreams, s) }
	}
	for name, c := range map[string]struct {
		change func(*Edge)
		flag   string
	}{
		"no port":          {func(e *Edge) { e.EdgeListen = "127.0.0.1" }, "edge-listen"},
		"no time-out":      {func(e *Edge) { e.EdgeTimeout = 0 }, "edge-timeout"},
		"a negative one":   {func(e *Edge) { e.EdgeTimeout = -1 }, "edge-timeout"},
		"no drain time":    {func(e *Edge) { e.ShutdownTimeout = 0 }, "shutdown-timeout"},
		"a tiny body":      {func(e *Edge) { e.BodyLimit = 1 }, "body-limit"},
		"no upstream":      {func(e *Edge) { e.EdgeUpstreams = nil }, "edge-upstreams"},
		"an empty one":     {upstream(""), "edge-upstreams"},
		"no scheme":        {upstream("10.0.0.6:8080"), "edge-upstreams"},
		"another scheme":   {upstream("ftp://10.0.0.6"), "edge-upstreams"},
		"no host":          {upstream("http://:8080"), "edge-upstreams"},
		"a path":           {upstream("http://10.0.0.6/secret"), "edge-upstreams"},
		"a query":          {upstream("http://10.0.0.6?secret"), "edge-upstreams"},
		"a user":           {upstream("http://user:secret@10.0.0.6"), "edge-upstreams"},
		"a broken address": {upstream("http://10.0.0.6:secret"), "edge-upstreams"},
		"the edge itself":  {upstream("http://127.0.0.1:8090"), "edge-upstreams"},
	} {
		t.Run(name, func(t *testing.T) {
			err := edgeSettings(c.change).Check()
			invalid, ok := errors.AsType[*Invalid](err)
			if !ok || invalid.Flag != c.flag {
				t.Fatalf("got %v, want a fault of %s", err, c.flag)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("quotes what may be secret: %v", err)
			}
		})
	}
}
