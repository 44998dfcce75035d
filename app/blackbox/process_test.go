package blackbox

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is a running holdfast.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *output
	err    *output
	exited chan struct{}
	// read is closed once both outputs have ended: a child that outlives the
	// process may hold them open.
	read chan struct{}
}

// start runs the binary with nothing from the environment that begins with
// HOLDFAST_ but what env says. It is killed at the end of the test at latest.
func start(t testing.TB, env []string, args ...string) *process {
	t.Helper()
	cmd := exec.Command(holdfast, args...)
	cmd.Env = environment(cmd.Environ(), env)
	cmd.Dir = t.TempDir()
	in, err := cmd.StdinPipe()
	must(t, err)
	// Pipes of our own: exec's Wait would close its own before they are read.
	outR, outW, err := os.Pipe()
	must(t, err)
	errR, errW, err := os.Pipe()
	must(t, err)
	cmd.Stdout, cmd.Stderr = outW, errW
	must(t, cmd.Start())
	_, _ = outW.Close(), errW.Close()

	p := &process{cmd: cmd, in: in, out: newOutput(), err: newOutput(), exited: make(chan struct{}), read: make(chan struct{})}
	var readers sync.WaitGroup
	for o, from := range map[*output]*os.File{p.out: outR, p.err: errR} {
		readers.Go(func() {
			o.read(from)
			_ = from.Close()
		})
	}
	go func() {
		readers.Wait()
		close(p.read)
	}()
	go func() {
		_ = cmd.Wait() // ProcessState says how it ended
		close(p.exited)
	}()
	t.Cleanup(func() { p.kill(t) })
	return p
}

// environment is an environment with nothing of Holdfast's or PostgreSQL's but
// what is added.
func environment(inherited, more []string) []string {
	var env []string
	for _, entry := range inherited {
		if !strings.HasPrefix(entry, "HOLDFAST_") && !strings.HasPrefix(entry, "PG") {
			env = append(env, entry)
		}
	}
	return append(env, more...)
}

// kill is kill -9. A process that has ended stays as it is.
func (p *process) kill(t testing.TB) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("kill: %v", err)
	}
	p.wait(t)
}

func (p *process) terminate(t testing.TB) {
	t.Helper()
	must(t, p.cmd.Process.Signal(syscall.SIGTERM))
}

func (p *process) interrupt(t testing.TB) {
	t.Helper()
	must(t, p.cmd.Process.Signal(os.Interrupt))
}

// wait waits until the process and its output have ended and returns the exit
// code; -1 where a signal ended the process.
func (p *process) wait(t testing.TB) int {
	t.Helper()
	for _, ended := range []chan struct{}{p.exited, p.read} {
		select {
		case <-ended:
		case <-time.After(patience):
			t.Fatalf("%v does not end; its standard error:\n%s", p.cmd.Args[1:], strings.Join(p.err.all(), "\n"))
		}
	}
	return p.cmd.ProcessState.ExitCode()
}

// run runs the binary to its end.
func run(t testing.TB, env []string, args ...string) (code int, out, errOut string) {
	t.Helper()
	p := start(t, env, args...)
	must(t, p.in.Close())
	code = p.wait(t)
	return code, strings.Join(p.out.all(), "\n"), strings.Join(p.err.all(), "\n")
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
