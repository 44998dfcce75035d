package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// instance is one of the interchangeable processes, over all its lives.
type instance struct {
	world *world
	n     int // from 1
	link  *link
	// pause is the test seam that widens the window between read and write.
	pause time.Duration

	mu      sync.Mutex
	current *process // nil: down
}

// process is one life of an instance.
type process struct {
	cmd *exec.Cmd
	// public and internal are the addresses of the listeners, once they are
	// bound.
	public, internal atomic.Pointer[string]
	asked            atomic.Bool // its end was asked for
	exited           chan struct{}
}

// requestTimeout is the instances' own, so that nothing that was given up is
// under way for long.
const requestTimeout = time.Second

// start begins a life, its clock offset against the machine's.
func (i *instance) start(offset time.Duration) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	database, err := i.link.through(i.world.server.URL())
	if err != nil {
		return err
	}
	cmd := i.world.watch.command([]string{
		"HOLDFAST_DATABASE_URL=" + database,
		"HOLDFAST_DATABASE_POOL=6",
		"HOLDFAST_LISTEN=127.0.0.1:0",
		"HOLDFAST_INTERNAL_LISTEN=127.0.0.1:0",
		"HOLDFAST_CAMPAIGNS=" + i.world.campaigns,
		"HOLDFAST_REQUEST_TIMEOUT=" + requestTimeout.String(),
		"HOLDFAST_SHUTDOWN_TIMEOUT=5s",
		"HOLDFAST_SWEEP_INTERVAL=1s",
		"HOLDFAST_TEST_SEAMS=1",
		"HOLDFAST_CLOCK_OFFSET=" + offset.String(),
		"HOLDFAST_READ_WRITE_PAUSE=" + i.pause.String(),
	}, i.world.binary, "serve")
	// A pipe of our own: exec's Wait would close its before it is read.
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = w, w
	err = cmd.Start()
	_ = w.Close()
	if err != nil {
		_ = r.Close()
		return err
	}
	p := &process{cmd: cmd, exited: make(chan struct{})}
	i.current = p
	read := make(chan struct{})
	go func() {
		defer close(read)
		i.world.readLog(i, p, r)
		_ = r.Close()
	}()
	go func() {
		_ = cmd.Wait() // ProcessState says how it ended
		_, _ = fmt.Fprintf(i.world.watch.pipe, "- %d\n", cmd.Process.Pid)
		<-read
		if !p.asked.Load() {
			i.world.violate("instance %d ended by itself: %v", i.n, cmd.ProcessState)
		}
		close(p.exited)
	}()
	return nil
}

func (i *instance) process() *process {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.current
}

// address is where the instance listens to players, or "" where it does not.
func (i *instance) address() string {
	p := i.process()
	if p == nil {
		return ""
	}
	if a := p.public.Load(); a != nil {
		return *a
	}
	return ""
}

// kill is kill -9. The instance is down when it returns.
func (i *instance) kill() error {
	return i.end(syscall.SIGKILL)
}

func (i *instance) end(by syscall.Signal) error {
	i.mu.Lock()
	p := i.current
	i.current = nil
	i.mu.Unlock()
	if p == nil {
		return nil
	}
	p.asked.Store(true)
	if err := p.cmd.Process.Signal(by); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.exited:
		return nil
	case <-time.After(patience):
		return fmt.Errorf("instance %d does not end on %v", i.n, by)
	}
}

// signal sends a signal to an instance that is up.
func (i *instance) signal(s syscall.Signal) error {
	p := i.process()
	if p == nil {
		return nil
	}
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// ready asks the readiness probe.
func (i *instance) ready(ctx context.Context) error {
	address := i.address()
	if address == "" {
		return errors.New("it does not listen")
	}
	status, body, err := get(ctx, "http://"+address+"/readyz")
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("status %d: %s", status, body)
	}
	return err
}

// inUse is how many connections of the instance's pool are held.
func (i *instance) inUse(ctx context.Context) (string, error) {
	p := i.process()
	if p == nil || p.internal.Load() == nil {
		return "", errors.New("it does not listen")
	}
	_, body, err := get(ctx, "http://"+*p.internal.Load()+"/metrics")
	for line := range strings.Lines(body) {
		if value, ok := strings.CutPrefix(line, "holdfast_store_connections_in_use "); ok {
			return strings.TrimSpace(value), nil
		}
	}
	return "", errors.Join(errors.New("the metrics do not tell"), err)
}

// probes are sent on connections of their own.
var probes = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}

func get(ctx context.Context, url string) (status int, body string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, "", err
	}
	resp, err := probes.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return resp.StatusCode, string(raw), err
}
