package devstack

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"github.com/alicebob/miniredis/v2"
)

// mini is a Redis in this process. Whatever ends it empties it.
type mini struct {
	mu      sync.Mutex
	port    int
	redis   *miniredis.Miniredis // nil: not running
	stopped bool
}

func startMini(o Options) (*Redis, error) {
	dir := ""
	if o.State != "" {
		dir = filepath.Join(o.State, "redis")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
	}
	port, err := choosePort(dir, o.log())
	if err != nil {
		return nil, err
	}
	m := &mini{port: port}
	if err := m.start(); err != nil {
		return nil, err
	}
	if dir != "" {
		if err := savePort(dir, port); err != nil {
			_ = m.Stop()
			return nil, err
		}
	}
	return &Redis{Server: m, url: "redis://" + loopback(port), inProcess: true}, nil
}

func (m *mini) start() error {
	r := miniredis.NewMiniRedis()
	r.ClockTTL(true)
	if err := r.StartAddr(loopback(m.port)); err != nil {
		return err
	}
	m.redis = r
	return nil
}

func (m *mini) Stop() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stopped = true
	m.close()
	return nil
}

func (m *mini) close() {
	if m.redis != nil {
		m.redis.Close()
		m.redis = nil
	}
}

func (m *mini) Kill() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.close()
	return nil
}

func (m *mini) Restart(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stopped {
		return errStopped("Redis")
	}
	m.close()
	return m.start()
}

func (*mini) Pause() error  { return ErrInProcess }
func (*mini) Resume() error { return ErrInProcess }
func (*mini) PID() int      { return 0 }
