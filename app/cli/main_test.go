package cli_test

import (
	"context"
	"os"
	"testing"

	"github.com/holdfast-dev/holdfast/app/cli"
)

// asHoldfast, as the first argument, makes the test binary be holdfast, for
// clients that start it as a program.
const asHoldfast = "as-holdfast"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asHoldfast {
		os.Exit(cli.Run(context.Background(), os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}
