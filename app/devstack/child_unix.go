//go:build linux || darwin

package devstack

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// watchScript ends the server when its standard input, the pipe, closes. Each
// line of the pipe is the process id of a program that begins, "gone" when it
// has ended, or "done" when there is nothing to watch any more. $1 is the
// signal that ends a server, $2 a folder to remove or empty. A stopped
// process must be continued to act on a signal.
const watchScript = `
pid=
while read -r line; do
	case $line in
	done) exit 0 ;;
	gone) pid= ;;
	*) pid=$line ;;
	esac
done
if [ -n "$pid" ]; then
	kill -CONT "$pid"
	kill -"$1" "$pid"
	n=0
	while kill -0 "$pid" && [ "$n" -lt 100 ]; do
		sleep 0.1
		n=$((n + 1))
	done
	kill -KILL "$pid"
fi
if [ -n "$2" ]; then
	rm -rf -- "$2"
fi`

// childScript tells the watchdog its process id and becomes the program.
const childScript = `echo "$$" >&3 && exec "$@" 3>&-`

// childEnv replaces this process's environment, in which variables such as
// PGDATA or PGPORT would change what the server does.
var childEnv = []string{"PATH=/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin", "LC_ALL=C", "TZ=UTC"}

// watchdog ends a server that outlives this process.
type watchdog struct {
	cmd  *exec.Cmd
	pipe *os.File
}

// newWatchdog starts one; signal is a signal's name, remove a folder to
// remove when this process is gone, or empty.
func newWatchdog(signal, remove string) (*watchdog, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	cmd := exec.Command("/bin/sh", "-c", watchScript, "holdfast-watchdog", signal, remove)
	cmd.Dir, cmd.Env, cmd.Stdin = "/", childEnv, r
	// Its own session, so that what a terminal sends to this process's group
	// does not reach it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		w.Close()
		return nil, fmt.Errorf("start watchdog: %w", err)
	}
	return &watchdog{cmd: cmd, pipe: w}, nil
}

// dismiss ends the watchdog without any act.
func (w *watchdog) dismiss() {
	_, _ = w.pipe.WriteString("done\n")
	w.pipe.Close()
	_ = w.cmd.Wait()
}

// child is a running program.
type child struct {
	cmd    *exec.Cmd
	exited chan struct{}
	err    error // how it ended, once exited is closed
}

// start runs a program as a user; nil is this process's own.
func (w *watchdog) start(c command, as *account) (*child, error) {
	cmd := exec.Command("/bin/sh", append([]string{"-c", childScript, "sh", c.path}, c.args...)...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.dir, childEnv, c.out, c.out
	if c.stdin != "" {
		cmd.Stdin = strings.NewReader(c.stdin)
	}
	cmd.ExtraFiles = []*os.File{w.pipe}
	cmd.SysProcAttr = sysProcAttr(as)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.path, err)
	}
	ch := &child{cmd: cmd, exited: make(chan struct{})}
	go func() {
		ch.err = cmd.Wait()
		_, _ = w.pipe.WriteString("gone\n")
		close(ch.exited)
	}()
	return ch, nil
}

func sysProcAttr(as *account) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if as != nil {
		attr.Credential = &syscall.Credential{Uid: as.uid, Gid: as.gid}
	}
	return attr
}

// canEnter tells whether a user can reach a folder, by trying it.
func canEnter(as *account, dir string) bool {
	cmd := exec.Command("/bin/sh", "-c", `cd "$1"`, "sh", dir)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = "/", childEnv, sysProcAttr(as)
	return cmd.Run() == nil
}

func (c *child) pid() int { return c.cmd.Process.Pid }

func (c *child) gone() bool {
	select {
	case <-c.exited:
		return true
	default:
		return false
	}
}

// end asks the child to end by one signal after the other, each with its time
// to obey, and kills it at last.
func (c *child) end(sigs ...syscall.Signal) {
	for _, sig := range sigs {
		_ = c.cmd.Process.Signal(sig)
		select {
		case <-c.exited:
			return
		case <-time.After(10 * time.Second):
		}
	}
	_ = c.kill()
}

// freeze stops the child and returns its own children, which are no more than
// these until it is continued. (PostgreSQL's processes are each a process
// group of their own, and all direct children of the first.)
func (c *child) freeze() (kids []int, err error) {
	if err := c.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return nil, err
	}
	if err := awaitStopped(c.pid()); err != nil {
		return nil, err
	}
	all, err := processes()
	for _, p := range all {
		if p.parent == c.pid() && p.state != 'Z' {
			kids = append(kids, p.pid)
		}
	}
	return kids, err
}

// awaitStopped waits until processes that were sent SIGSTOP have come to it,
// or have ended.
func awaitStopped(pids ...int) error {
	stopped := func() bool {
		return !slices.ContainsFunc(pids, func(pid int) bool {
			p, ok := lookUp(pid)
			return ok && p.state != 'T' && p.state != 'Z'
		})
	}
	if !wait(10*time.Second, stopped) {
		return fmt.Errorf("of processes %v some do not stop", pids)
	}
	return nil
}

// pause stops the child and its children where they are.
func (c *child) pause() error {
	kids, err := c.freeze()
	if err != nil {
		return err
	}
	if err := signalAll(kids, syscall.SIGSTOP); err != nil {
		return err
	}
	return awaitStopped(kids...)
}

// resume continues what pause stopped.
func (c *child) resume() error {
	kids, err := c.freeze()
	if err != nil {
		return err
	}
	return signalAll(append(kids, c.pid()), syscall.SIGCONT)
}

// kill ends the child and its children at once, and returns when all are
// gone, so that a new server finds nothing of the old one.
func (c *child) kill() error {
	if c.gone() {
		return nil
	}
	kids, err := c.freeze()
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := signalAll(append(kids, c.pid()), syscall.SIGKILL); err != nil {
		return err
	}
	<-c.exited
	if !wait(10*time.Second, func() bool { return !alive(kids...) }) {
		return fmt.Errorf("children %v of process %d outlive SIGKILL", kids, c.pid())
	}
	return nil
}

// alive tells whether any of some processes runs. One that is dead but not
// collected holds nothing any more.
func alive(pids ...int) bool {
	return slices.ContainsFunc(pids, func(pid int) bool {
		p, ok := lookUp(pid)
		return ok && p.state != 'Z'
	})
}

func signalAll(pids []int, sig syscall.Signal) error {
	for _, pid := range pids {
		if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("signal process %d: %w", pid, err)
		}
	}
	return nil
}
