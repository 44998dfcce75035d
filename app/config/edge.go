package config

import (
	"fmt"
	"net/url"
	"time"
)

// Limits are the settings that an instance and the edge have in common.
type Limits struct {
	BodyLimit       Bytes         `default:"1MiB" env:"HOLDFAST_BODY_LIMIT" help:"The largest request body."`
	ShutdownTimeout time.Duration `default:"${shutdown_timeout=25s}" env:"HOLDFAST_SHUTDOWN_TIMEOUT" help:"The longest that shutting down may take; requests that arrive in the first fifth of it are still served."`
}

// Check reports the first setting that cannot be used as *Invalid.
func (l *Limits) Check() error {
	if l.BodyLimit < 1<<10 || l.BodyLimit > 1<<30 {
		return &Invalid{"body-limit", fmt.Sprintf("%d bytes is out of range", l.BodyLimit), "1KiB to 1GiB"}
	}
	return positive("shutdown-timeout", l.ShutdownTimeout)
}

// Edge are the settings of the edge.
type Edge struct {
	EdgeListen    string        `default:"127.0.0.1:8090" env:"HOLDFAST_EDGE_LISTEN" help:"Address of the edge's listener." placeholder:"HOST:PORT"`
	EdgeUpstreams []string      `default:"http://127.0.0.1:8080" env:"HOLDFAST_EDGE_UPSTREAMS" help:"Addresses of the service's public listeners, comma separated; they take turns." placeholder:"URL"`
	EdgeTimeout   time.Duration `default:"10s" env:"HOLDFAST_EDGE_TIMEOUT" help:"How long the service has for its complete answer to a request, or for the head of one that is a stream."`

	Limits
}

// Check reports the first setting that cannot be used as *Invalid.
func (e *Edge) Check() error {
	if err := address("edge-listen", e.EdgeListen); err != nil {
		return err
	}
	if _, err := e.Upstreams(); err != nil {
		return err
	}
	if err := positive("edge-timeout", e.EdgeTimeout); err != nil {
		return err
	}
	return e.Limits.Check()
}

// Upstreams are the service's addresses. One that cannot be used is reported
// as *Invalid, and so is the edge's own: it would call itself for ever.
func (e *Edge) Upstreams() ([]*url.URL, error) {
	const accepted = "http://HOST:PORT or https://HOST:PORT, comma separated, without a path, such as http://10.0.0.5:8080,http://10.0.0.6:8080"
	if len(e.EdgeUpstreams) == 0 {
		return nil, &Invalid{"edge-upstreams", "it is empty", accepted}
	}
	var upstreams []*url.URL
	for i, s := range e.EdgeUpstreams {
		problem := ""
		u, err := url.Parse(s)
		switch {
		case err != nil:
			problem = "is not a URL"
		case u.Scheme != "http" && u.Scheme != "https":
			problem = "is not of scheme http or https"
		case u.Hostname() == "":
			problem = "names no host"
		case u.User != nil || (u.Path != "" && u.Path != "/") || u.RawQuery != "" || u.Fragment != "":
			problem = "is more than an address"
		case u.Host == e.EdgeListen:
			problem = "is the edge itself"
		}
		if problem != "" {
			return nil, &Invalid{"edge-upstreams", fmt.Sprintf("address %d %s", i+1, problem), accepted}
		}
		upstreams = append(upstreams, u)
	}
	return upstreams, nil
}
