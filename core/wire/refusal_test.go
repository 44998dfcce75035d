package wire_test

import (
	"maps"
	"net/http"
	"testing"

	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/wire"
)

func TestRefuse(t *testing.T) {
	const json = "application/json; charset=utf-8"
	for _, c := range []struct {
		err     error
		status  int
		headers map[string]string
	}{
		{fault.New(fault.UnknownSession, nil), 404, map[string]string{"Content-Type": json}},
		{fault.Malformed("/params/x", wire.ReasonType), 400, map[string]string{"Content-Type": json, "X-Error-At": "/params/x type"}},
		{fault.Malformed("", wire.ReasonSize), 400, map[string]string{"Content-Type": json, "X-Error-At": "size"}},
		{&fault.StoreError{Kind: fault.Unreachable}, 503, map[string]string{"Content-Type": json, "Retry-After": "1"}},
		{fault.New(fault.EdgeUpstreamTimeout, nil), 504, map[string]string{"Content-Type": json}},
	} {
		r := wire.Refuse(c.err)
		h := http.Header{}
		r.SetHeaders(h)
		got := map[string]string{}
		for name := range h {
			got[name] = h.Get(name)
		}
		if r.Status != c.status || !maps.Equal(got, c.headers) {
			t.Errorf("%v: status %d, headers %v; want %d, %v", c.err, r.Status, got, c.status, c.headers)
		}
	}
}
