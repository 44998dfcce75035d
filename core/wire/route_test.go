package wire_test

import (
	"testing"

	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/wire"
)

func TestUnrouted(t *testing.T) {
	const unknown, version = fault.UnknownOperation, fault.UnsupportedVersion
	for path, want := range map[string]fault.Code{
		"":                unknown,
		"/":               unknown,
		"/v1":             unknown,
		"/v1/get-scene/x": unknown,
		"/V2/get-scene":   unknown,
		"/v/get-scene":    unknown,
		"/v2a/get-scene":  unknown,
		"//v2/get-scene":  unknown,
		"/x/v2":           unknown,
		"/v-2":            unknown,
		"/v2":             version,
		"/v2/get-scene":   version,
		"/v0/":            version,
		"/v01/get-scene":  version,
		"/v123456789/":    version,
	} {
		if got := wire.Unrouted(path); got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
}
