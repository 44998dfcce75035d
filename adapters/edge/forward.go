package edge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/holdfast-dev/holdfast/core/fault"
)

// Bounds of connections to upstreams.
const (
	// dialTimeout is shorter than what an answer may take: an address where
	// nobody is must not look like an instance that is slow.
	dialTimeout = 3 * time.Second
	// idleTimeout is shorter than that of the service's listeners. An
	// upstream that closes a connection just as a request is sent on it would
	// cost that request, since nothing is sent twice.
	idleTimeout = time.Minute
	// idleConnections is how many connections to an upstream are kept.
	idleConnections = 1024
	maxHeaderBytes  = 64 << 10
)

// newTransport returns the way to the upstreams: HTTP/1.1, one exchange at a
// time on a connection, no proxy, and bodies as they are.
func newTransport() *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		DialContext:            (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSHandshakeTimeout:    dialTimeout,
		Protocols:              &protocols,
		DisableCompression:     true,
		MaxIdleConnsPerHost:    idleConnections,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// errTimeout ends a call to an upstream that takes too long, or whose answer
// the caller takes too long to read.
var errTimeout = errors.New("no complete answer in time")

// forwarding is a request on its way to an upstream.
type forwarding struct {
	*exchange
	upstream *url.URL
	body     io.ReadCloser
	length   int64
	cancel   context.CancelCauseFunc
	patience *time.Timer
	// stream is true once the answer turned out to be one.
	stream bool
}

// forward passes the request on and its answer back.
func (x *exchange) forward() {
	body, err := x.body()
	if err != nil {
		x.fail(err)
		return
	}
	// No other protocol has a way through.
	if x.r.URL.Path != realtimePath || !strings.EqualFold(x.r.Header.Get("Upgrade"), "websocket") {
		x.r.Header.Del("Upgrade")
	}
	f := &forwarding{exchange: x, upstream: x.upstream(), length: int64(len(body)), body: unrepeatable(body)}
	ctx, cancel := context.WithCancelCause(x.r.Context())
	defer cancel(nil)
	f.cancel = cancel
	f.patience = time.AfterFunc(x.Timeout, func() { cancel(errTimeout) })
	defer f.patience.Stop()
	defer f.end(ctx)
	// An answer without a content type is passed on without one; the server
	// would guess it.
	x.w.Header()["Content-Type"] = nil
	proxy := httputil.ReverseProxy{
		Rewrite:        f.rewrite,
		ModifyResponse: f.answered,
		ErrorHandler:   f.unanswered,
		Transport:      x.transport,
		BufferPool:     &buffers,
		ErrorLog:       discard,
	}
	proxy.ServeHTTP(x.w, x.r.WithContext(ctx))
}

// rewrite makes the request one for the upstream.
func (f *forwarding) rewrite(p *httputil.ProxyRequest) {
	in, out := p.In, p.Out
	out.URL = &url.URL{
		Scheme:     f.upstream.Scheme,
		Host:       f.upstream.Host,
		Path:       in.URL.Path,
		RawPath:    in.URL.RawPath,
		RawQuery:   in.URL.RawQuery,
		ForceQuery: in.URL.ForceQuery,
	}
	out.Body, out.ContentLength, out.TransferEncoding, out.Trailer = f.body, f.length, nil, nil
	// The caller was told to go on when its body was read.
	out.Header.Del("Expect")
	for name := range out.Header {
		if strings.HasPrefix(name, "X-Forwarded-") || name == "X-Real-Ip" {
			delete(out.Header, name)
		}
	}
	p.SetXForwarded()
	switch {
	case f.inherited:
		out.Header["Traceparent"] = []string{f.child()}
	case in.URL.Path == mcpPath:
		// The message may have a traceparent, which holds where the header
		// has none.
	default:
		out.Header["Traceparent"] = []string{f.child()}
		out.Header.Del("Tracestate")
	}
}

// answered looks at the head of an answer before it is passed on.
func (f *forwarding) answered(resp *http.Response) error {
	if isStream(resp) {
		f.stream = true
		f.patience.Stop()
		f.w.paced = f.Timeout
		f.streams.add(f, f.cancel)
	}
	if resp.Header["X-Correlation-Id"] == nil {
		resp.Header.Set("X-Correlation-Id", f.correlation)
	}
	return nil
}

// unanswered answers where the upstream did not, or nothing usable.
func (f *forwarding) unanswered(_ http.ResponseWriter, r *http.Request, err error) {
	if f.r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // the caller is gone
	}
	f.fail(unreached(r.Context(), f.upstream, err))
}

// unreached is the fault of a call to an upstream that failed.
func unreached(ctx context.Context, upstream *url.URL, err error) error {
	if errors.Is(context.Cause(ctx), errTimeout) {
		return fault.New(fault.EdgeUpstreamTimeout, fmt.Errorf("%s: %w", upstream.Host, errTimeout))
	}
	// Some texts of the transport quote what was received.
	if _, ok := errors.AsType[*net.OpError](err); !ok && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("no usable answer (%T)", err)
	}
	return fault.New(fault.EdgeUpstreamUnreachable, fmt.Errorf("%s: %w", upstream.Host, err))
}

// end is deferred. An answer that ends in the middle is logged here; the
// server closes the caller's connection then, so that it does not look
// complete.
func (f *forwarding) end(ctx context.Context) {
	p := recover()
	if f.stream {
		f.streams.remove(f)
	}
	if p == nil {
		return
	}
	if f.r.Context().Err() == nil {
		why := "the upstream or the caller broke off"
		err, ok := p.(error)
		switch {
		case !ok || !errors.Is(err, http.ErrAbortHandler):
			why = fmt.Sprintf("panic (%T)", p)
		case ctx.Err() != nil:
			why = context.Cause(ctx).Error()
		}
		f.Log.WarnContext(ctx, "an answer was cut off", "upstream", f.upstream.Host, "why", why)
	}
	panic(http.ErrAbortHandler)
}

// buffers are for passing bodies on.
var buffers = bufferPool{sync.Pool{New: func() any { return new([32 << 10]byte) }}}

type bufferPool struct{ sync.Pool }

func (p *bufferPool) Get() []byte  { return p.Pool.Get().(*[32 << 10]byte)[:] }
func (p *bufferPool) Put(b []byte) { p.Pool.Put((*[32 << 10]byte)(b)) }

// discard is for what the proxy would log without its correlation.
var discard = log.New(io.Discard, "", 0)
