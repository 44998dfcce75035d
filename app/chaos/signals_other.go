//go:build !unix

package main

import "syscall"

// Systems without these signals have no devstack either, so that a run ends
// before it needs them; the package builds there.
const (
	freeze = syscall.SIGINT
	thaw   = syscall.SIGINT
)

func ownSession() *syscall.SysProcAttr { return nil }
