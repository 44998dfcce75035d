// Package blackbox holds tests that know Holdfast as its users do: the binary
// with its arguments, environment, input and output, the wire, and the
// database (spec 60, layers 2 and 4). Its only door into the code is the
// generated client and the contract.
package blackbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// holdfast is the binary under test.
var holdfast string

// TestMain builds the binary once. It does not go through postgrestest.Main,
// which ends the process before the binary can be removed; the shared server
// ends with this process (see devstack).
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "holdfast-blackbox-")
	if err == nil {
		holdfast = filepath.Join(dir, "holdfast")
		err = build(holdfast)
	}
	code := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, "build holdfast:", err)
	} else {
		code = m.Run()
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func build(to string) error {
	// Without debugging tables it is linked in half the time.
	args := []string{"build", "-ldflags=-s -w", "-o", to}
	if raced {
		args = append(args, "-race")
	}
	build := exec.Command("go", append(args, "../holdfast")...)
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	return build.Run()
}
