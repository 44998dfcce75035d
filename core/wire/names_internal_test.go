package wire

import "testing"

// TestTableSurvivesCollisions gives all names one hash: what is a duplicate
// is still decided by the names.
func TestTableSurvivesCollisions(t *testing.T) {
	body := []byte(`abcdefghijklmnopqrstuvwxyza`)
	names := make([]name, len(body))
	for i := range body {
		names[i] = name{hash: 61, start: uint32(i), end: uint32(i + 1)}
	}
	table := make(table, 64)
	for i := range names {
		if got, want := table.insert(body, names, i), i < 26; got != want {
			t.Errorf("name %d (%c) is new: %t, want %t", i, body[i], got, want)
		}
	}

	var few frame
	for i := range names {
		if got, want := distinct(body, &few, names[:i+1]), i < 26; got != want {
			t.Errorf("name %d (%c) is distinct: %t, want %t", i, body[i], got, want)
		}
	}
}
