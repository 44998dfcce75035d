package postgres

import (
	"testing"

	"github.com/holdfast-dev/holdfast/adapters/postgres/postgrestest"
)

// BenchmarkGetPut is the store's part of an accepted action: the read and the
// guarded write of a session of 5 KB.
func BenchmarkGetPut(b *testing.B) {
	s := composed(b, Options{URL: postgrestest.Schema(b)})
	r := record("s1")
	r.Blob = story(1)
	if err := put(b.Context(), s, r); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		l := s.Layer()
		r, _, err := l.Sessions().Get(b.Context(), "s1")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := l.Sessions().Put(b.Context(), r); err != nil {
			b.Fatal(err)
		}
		l.Close()
	}
}
