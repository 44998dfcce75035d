package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Command is a command line; Env is its whole environment, or this process's
// where there is none.
type Command struct {
	Path      string
	Args, Env []string
}

// Program is a service, given the address to listen on and the URL of what is
// behind it, a database or another service: a command that runs until it gets
// a SIGTERM.
type Program func(listen, behind string) Command

// PoolSize is how many connections each service has: Holdfast's default.
const PoolSize = 16

// ServeProgram is a command that serves as `holdfast serve` does, over the
// campaigns of a folder, with its defaults for all else.
func ServeProgram(campaigns, path string, args ...string) Program {
	return func(listen, databaseURL string) Command {
		return Command{path, args, []string{
			"HOLDFAST_LISTEN=" + listen, "HOLDFAST_INTERNAL_LISTEN=127.0.0.1:0", "HOLDFAST_DATABASE_URL=" + databaseURL,
			"HOLDFAST_CAMPAIGNS=" + campaigns, fmt.Sprintf("HOLDFAST_DATABASE_POOL=%d", PoolSize), "HOLDFAST_SHUTDOWN_TIMEOUT=2s",
		}}
	}
}

// service is a contender that runs as a process of its own.
type service struct {
	name    string
	address string
	cmd     *exec.Cmd
	log     *os.File
	exited  chan struct{}
}

// startLimit bounds how long a service may take to be ready, and to stop.
const startLimit = 20 * time.Second

// startService runs a program on a free port and returns when it is ready. It
// is stopped when the context ends, or by stop. Its log goes straight into a
// file of the folder, so that nobody here spends time on it.
func startService(ctx context.Context, name string, program Program, databaseURL, folder string) (*service, error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	log, err := os.CreateTemp(folder, "log-")
	if err != nil {
		return nil, err
	}
	s := &service{name: name, address: address, log: log, exited: make(chan struct{})}
	c := program(address, databaseURL)
	s.cmd = exec.CommandContext(ctx, c.Path, c.Args...)
	s.cmd.Env = c.Env
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(syscall.SIGTERM) }
	s.cmd.WaitDelay = startLimit
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	if err := s.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), log.Close())
	}
	go func() {
		_ = s.cmd.Wait() // how it ended is read from its state
		close(s.exited)
	}()
	if err := s.ready(ctx); err != nil {
		stop := s.stop()
		return nil, errors.Join(fmt.Errorf("%s did not become ready: %w", name, err), stop)
	}
	return s, nil
}

func freeAddress(ctx context.Context) (string, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

var errExited = errors.New("it has ended")

func (s *service) ready(ctx context.Context) error {
	deadline := time.Now().Add(startLimit)
	for {
		err := s.probe(ctx, deadline)
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.exited:
			return errExited
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (s *service) probe(ctx context.Context, deadline time.Time) error {
	c, err := dial(ctx, s.address, deadline)
	if err != nil {
		return err
	}
	defer c.close()
	status, body, err := c.do([]byte("GET /readyz HTTP/1.1\r\nHost: holdfast\r\n\r\n"))
	if err == nil && status != 200 {
		err = unexpected(status, body)
	}
	return err
}

// stop ends the service in good order. What it logged is part of the error
// where it did not end well.
func (s *service) stop() error {
	defer s.log.Close()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	select {
	case <-s.exited:
	case <-time.After(startLimit):
		_ = s.cmd.Process.Kill()
		<-s.exited
	}
	if state := s.cmd.ProcessState; !state.Success() {
		return fmt.Errorf("%s ended with %s: …%s", s.name, state, s.lastWords())
	}
	return nil
}

// lastWords is the end of what the service logged.
func (s *service) lastWords() []byte {
	end, err := s.log.Seek(0, io.SeekEnd)
	if err != nil {
		return nil
	}
	words := make([]byte, min(end, 2000))
	n, _ := s.log.ReadAt(words, end-int64(len(words))) // what there is
	return words[:n]
}
