//go:build unix

package main

import "syscall"

// Signals that stop a process where it is and let it go on.
const (
	freeze = syscall.SIGSTOP
	thaw   = syscall.SIGCONT
)

// ownSession keeps a child out of reach of what a terminal sends to the
// harness's group.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
