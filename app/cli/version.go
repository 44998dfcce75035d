package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/holdfast-dev/holdfast/core/engine"
)

type versionCmd struct{}

// Run prints the version of the binary and of the engine port that it has.
func (versionCmd) Run(t terminal) error {
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	_, err := fmt.Fprintf(t.out, "holdfast %s\nengine port %s\n%s %s/%s\n", version, engine.PortVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
