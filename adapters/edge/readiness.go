package edge

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/holdfast-dev/holdfast/core/health"
)

// probeTimeout bounds one evaluation of the upstreams' readiness; each of
// them has [health.Timeout] for its own.
const probeTimeout = health.Timeout + 500*time.Millisecond

// maxReport bounds an upstream's report.
const maxReport = 64 << 10

// report is what an upstream said of its readiness.
type report struct {
	upstream    int
	status      int
	contentType string
	body        []byte
	err         error
}

// readyz asks all upstreams at once. The edge is ready if one of them is, and
// answers with what that one said; else with what the last of those that
// answered said.
func (x *exchange) readyz() {
	if x.draining.Load() {
		x.answer(http.StatusServiceUnavailable, jsonType, []byte(`{"status":"not ready","detail":"draining","checks":{"store":"off","journal":"off"}}`))
		return
	}
	ctx, cancel := context.WithTimeoutCause(x.r.Context(), min(probeTimeout, x.Timeout), errTimeout)
	defer cancel()
	reports := make(chan report, len(x.Upstreams))
	for i, upstream := range x.Upstreams {
		go func() {
			r := x.ask(ctx, upstream)
			r.upstream = i
			reports <- r
		}()
	}
	last := report{upstream: -1}
	for range x.Upstreams {
		r := <-reports
		if r.status == http.StatusOK {
			last = r
			break
		}
		answered, before := r.err == nil, last.err == nil && last.status != 0
		if answered == before && r.upstream > last.upstream || answered && !before {
			last = r
		}
	}
	if last.err != nil {
		x.fail(last.err)
		return
	}
	x.answer(last.status, last.contentType, last.body)
}

// ask is an upstream's report, or why there is none.
func (x *exchange) ask(ctx context.Context, upstream *url.URL) report {
	resp, err := x.transport.RoundTrip((&http.Request{
		Method: http.MethodGet,
		URL:    &url.URL{Scheme: upstream.Scheme, Host: upstream.Host, Path: "/readyz"},
		Header: http.Header{"Traceparent": {x.child()}},
		Body:   unrepeatable(nil),
	}).WithContext(ctx))
	if err != nil {
		return report{err: unreached(ctx, upstream, err)}
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxReport))
	if err != nil {
		return report{err: unreached(ctx, upstream, err)}
	}
	return report{status: resp.StatusCode, contentType: resp.Header.Get("Content-Type"), body: body}
}
