package wire_test

import (
	"testing"

	"github.com/holdfast-dev/holdfast/core/wire"
)

func TestChild(t *testing.T) {
	const (
		trace = "4bf92f3577b34da6a3ce929d0e0e4736"
		span  = "b7ad6b7169203331"
	)
	for name, c := range map[string]struct{ traceparent, flags string }{
		"sampled":               {"00-" + trace + "-00f067aa0ba902b7-01", "01"},
		"not sampled":           {"00-" + trace + "-00f067aa0ba902b7-00", "00"},
		"sampled and random":    {"00-" + trace + "-00f067aa0ba902b7-03", "03"},
		"flags yet to come":     {"00-" + trace + "-00f067aa0ba902b7-fd", "01"},
		"flags yet to come too": {"00-" + trace + "-00f067aa0ba902b7-4a", "02"},
		"a later version":       {"cc-" + trace + "-00f067aa0ba902b7-01-more", "01"},
		"none":                  {"", "00"},
		"no parent":             {"00-" + trace + "-0000000000000000-01", "00"},
		"more than the version has": {
			"00-" + trace + "-00f067aa0ba902b7-01-more", "00",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got, want := wire.Child(c.traceparent, trace, span), "00-"+trace+"-"+span+"-"+c.flags; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			child := wire.Child(c.traceparent, trace, span)
			if got := wire.Correlation(child, func() string { return "fresh" }); got != trace {
				t.Errorf("the child is of trace %s", got)
			}
		})
	}
}
