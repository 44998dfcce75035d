package bench

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"
)

const bareName = "bare proxy"

// BareProxy is the standard library's reverse proxy in front of a service, as
// its documentation has it, until the context ends. Only its pool of idle
// connections is as large as the number of clients: with the default of two,
// it would be measured connecting.
func BareProxy(ctx context.Context, listen, upstream string) error {
	target, err := url.Parse(upstream)
	if err != nil {
		return err
	}
	transport := &http.Transport{MaxIdleConnsPerHost: many}
	proxy := &http.Server{
		Handler:           &httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }},
		ReadHeaderTimeout: time.Minute,
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", listen)
	if err != nil {
		return err
	}
	stopped := context.AfterFunc(ctx, func() { _ = proxy.Close() })
	defer stopped()
	if err := proxy.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// EdgeProgram is `holdfast edge` in front of a service.
func EdgeProgram(path string, args ...string) Program {
	return func(listen, upstream string) Command {
		return Command{path, args, []string{
			"HOLDFAST_EDGE_LISTEN=" + listen, "HOLDFAST_EDGE_UPSTREAMS=" + upstream, "HOLDFAST_SHUTDOWN_TIMEOUT=2s",
		}}
	}
}

// proxies starts both proxies in front of Holdfast.
func (r *rig) proxies(ctx context.Context, o Options) (stop func() error, err error) {
	upstream := "http://" + r.holdfast.address
	if r.edge, err = startService(ctx, holdfastName, o.Edge, upstream, r.folder); err != nil {
		return nil, err
	}
	if r.bare, err = startService(ctx, bareName, o.BareProxy, upstream, r.folder); err != nil {
		return nil, errors.Join(err, r.edge.stop())
	}
	return func() error { return errors.Join(r.edge.stop(), r.bare.stop()) }, nil
}
