//go:build !linux && !darwin

package devstack

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
)

// Where children cannot be made to end with this process, only servers given
// by URL and the in-process Redis are to be had.
var errUnsupported = fmt.Errorf("devstack runs no server on %s: give HOLDFAST_DATABASE_URL and HOLDFAST_REDIS_URL: %w",
	runtime.GOOS, errors.ErrUnsupported)

type watchdog struct{}

func newWatchdog(string, string) (*watchdog, error)       { return nil, errUnsupported }
func (*watchdog) dismiss()                                {}
func (*watchdog) start(command, *account) (*child, error) { return nil, errUnsupported }

type child struct {
	exited chan struct{}
	err    error
}

func (*child) pid() int              { return 0 }
func (*child) gone() bool            { return true }
func (*child) end(...syscall.Signal) {}
func (*child) pause() error          { return errUnsupported }
func (*child) resume() error         { return errUnsupported }
func (*child) kill() error           { return errUnsupported }

func serverAccount() (*account, error)  { return nil, errUnsupported }
func ownerOf(string) (*account, error)  { return nil, errUnsupported }
func canEnter(*account, string) bool    { return false }
func lockFile(string) (*os.File, error) { return nil, errUnsupported }
func unlockFile(*os.File)               {}
func lockWait(string) (*os.File, error) { return nil, errUnsupported }
func alive(...int) bool                 { return false }
func commandLine(int) string            { return "" }
func removeSharedMemory(int)            {}
