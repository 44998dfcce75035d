package cli

import (
	"fmt"
	"runtime"

	"github.com/holdfast-dev/holdfast/app"
	"github.com/holdfast-dev/holdfast/core/engine"
)

type versionCmd struct{}

// Run prints the version of the binary and of the engine port that it has.
func (versionCmd) Run(t terminal) error {
	_, err := fmt.Fprintf(t.out, "holdfast %s\nengine port %s\n%s %s/%s\n", app.Version(), engine.PortVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
