package bench

import (
	"reflect"
	"testing"
)

func TestReadTop(t *testing.T) {
	const printed = `File: cmd
Type: cpu
Duration: 5.1s, Total samples = 4.2s (82%)
Showing nodes accounting for 4s, 95% of 4.2s total
      flat  flat%   sum%        cum   cum%
     0.01s  0.24%  0.24%      3.50s 83.33%  net/http.(*conn).serve
     0.02s  0.48%  0.71%      2.10s 50.00%  github.com/holdfast-dev/holdfast/adapters/httpapi.(*handler).ServeHTTP
         0     0%  0.71%      0.40s  9.52%  github.com/a/b.F[go.shape.struct { github.com/c/d.E }].func1 (inline)
`
	want := []Share{{"httpapi.(*handler).ServeHTTP", 50}, {"b.F[…].func1", 9.52}}
	if got := readTop(printed); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestLayers: each sample counts once, for its innermost known layer; what
// the runtime does and system calls are told apart first.
func TestLayers(t *testing.T) {
	const printed = `File: cmd
Type: cpu
Duration: 5.1s, Total samples = 100ms
-----------+-------------------------------------------------------
      40ms   github.com/go-faster/jx.(*Decoder).Str
             github.com/holdfast-dev/holdfast/adapters/engine/storygraph.(*Engine).read
             github.com/holdfast-dev/holdfast/core/engine.guarded.Apply
             github.com/holdfast-dev/holdfast/adapters/httpapi.(*handler).ServeHTTP
             net/http.(*conn).serve
-----------+-------------------------------------------------------
      20ms   internal/runtime/syscall.Syscall6
             net.(*conn).Read
             github.com/jackc/pgx/v5/pgconn.(*PgConn).receiveMessage
             github.com/holdfast-dev/holdfast/adapters/postgres.(*sessions).Get
             net/http.(*conn).serve
-----------+-------------------------------------------------------
      10ms   internal/runtime/syscall.Syscall6
             net.(*conn).Write
             net/http.(*conn).serve
-----------+-------------------------------------------------------
      10ms   github.com/go-faster/jx.(*Encoder).Str
             github.com/holdfast-dev/holdfast/api/public.encodeSubmitActionResponse
             net/http.(*conn).serve
-----------+-------------------------------------------------------
      10ms   runtime.scanobject
             runtime.gcAssistAlloc
             github.com/holdfast-dev/holdfast/adapters/engine/storygraph.(*Engine).read
-----------+-------------------------------------------------------
      10ms   runtime.futex
             runtime.findRunnable
             runtime.mcall
-----------+-------------------------------------------------------
`
	want := []Share{
		{layers[0].name, 40},
		{layerKernelDB, 20},
		{layerRuntime, 10},
		{layerGC, 10},
		{layers[1].name, 10},
		{layerKernelWeb, 10},
	}
	got := layersOf(printed)
	sortShares(want)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
