package devstack

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Server is what tests do to a server. Its methods may be called from several
// goroutines.
type Server interface {
	// Stop shuts the server down in good order, removes its folder if that
	// was temporary, and is the last call; a second one does nothing.
	Stop() error
	// Kill ends all of the server's processes at once by SIGKILL.
	Kill() error
	// Restart starts the server on its data and port again, after a Kill or
	// instead of one that runs.
	Restart(ctx context.Context) error
	// Pause stops all of the server's processes where they are (SIGSTOP), so
	// that it accepts connections and answers nothing; Resume continues them.
	Pause() error
	Resume() error
	// PID is the process id of the server's first process; 0 where there is
	// none or it is not ours.
	PID() int
}

// external is a server that was given by URL.
type external struct{}

func (external) Stop() error                   { return nil }
func (external) Kill() error                   { return ErrNotOurs }
func (external) Restart(context.Context) error { return ErrNotOurs }
func (external) Pause() error                  { return ErrNotOurs }
func (external) Resume() error                 { return ErrNotOurs }
func (external) PID() int                      { return 0 }

// local is a server that runs as our child.
type local struct {
	name string
	home *home
	// program is what to run for a port.
	program func(port int) command
	// ready tells whether the server, whose first process is given, answers.
	ready func(ctx context.Context, pid int) bool
	// end asks it to end in good order.
	end func(c *child)
	// cleanUp takes back what a killed server left outside its folder; nil: nothing.
	cleanUp func()

	mu      sync.Mutex
	port    int
	child   *child // nil: not running
	stopped bool
}

// startLimit bounds how long a server may take to recover and answer.
const startLimit = time.Minute

// start runs the server until it answers. Where its port was taken in the
// meantime and it may have another, it gets one.
func (s *local) start(ctx context.Context, otherPort bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit, fmt.Errorf("it did not answer within %s", startLimit))
	defer cancel()
	for {
		c, err := s.launch()
		if err != nil {
			return err
		}
		err = s.await(ctx, c)
		if err == nil {
			s.child = c
			return nil
		}
		s.end(c)
		log := tail(s.home.logPath())
		switch {
		case ctx.Err() != nil:
			return err
		case otherPort && strings.Contains(log, "ddress already in use"):
			if s.port, err = freePort(); err != nil {
				return err
			}
		case strings.Contains(log, "is still in use"):
			// Processes of a server before, whose first one was killed, notice
			// it in a moment. Until then PostgreSQL refuses the data.
			time.Sleep(50 * time.Millisecond)
		default:
			return err
		}
	}
}

func (s *local) launch() (*child, error) {
	log, err := s.home.newLog()
	if err != nil {
		return nil, err
	}
	defer log.Close()
	c := s.program(s.port)
	c.out = log
	return s.home.watch.start(c, s.home.as)
}

// await waits until the server answers, or fails because it ended or ctx did.
func (s *local) await(ctx context.Context, c *child) error {
	for {
		select {
		case <-c.exited:
			return errFailed(s.name+" did not start", c.err, s.home.logPath())
		case <-ctx.Done():
			return errFailed(s.name+" did not start", context.Cause(ctx), s.home.logPath())
		default:
		}
		if s.ready(ctx, c.pid()) {
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func errStopped(server string) error { return fmt.Errorf("%s was stopped for good", server) }

func (s *local) Stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return nil
	}
	s.stopped = true
	if c := s.child; c != nil {
		_ = c.resume() // a paused one would not hear the signal
		s.end(c)
		s.child = nil
	}
	if s.cleanUp != nil {
		s.cleanUp()
	}
	return s.home.close()
}

func (s *local) Kill() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return errStopped(s.name)
	}
	if s.child == nil {
		return nil
	}
	if err := s.child.kill(); err != nil {
		return err
	}
	s.child = nil
	return nil
}

func (s *local) Restart(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return errStopped(s.name)
	}
	if c := s.child; c != nil {
		_ = c.resume()
		s.end(c)
		s.child = nil
	}
	return s.start(ctx, false)
}

func (s *local) Pause() error  { return s.withChild((*child).pause) }
func (s *local) Resume() error { return s.withChild((*child).resume) }

func (s *local) withChild(do func(*child) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return errStopped(s.name)
	}
	if s.child == nil {
		return fmt.Errorf("%s does not run", s.name)
	}
	return do(s.child)
}

func (s *local) PID() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.child == nil || s.child.gone() {
		return 0
	}
	return s.child.pid()
}
