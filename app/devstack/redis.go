package devstack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/redis/rueidis"
)

// Redis is a Redis server.
type Redis struct {
	Server
	url       string
	inProcess bool
}

// URL is where to connect. It stays the same over restarts. It may hold a
// password.
func (r *Redis) URL() string { return r.url }

// Durable is false for the in-process server, which keeps nothing when it or
// this process ends. A server given by URL is taken to be durable.
func (r *Redis) Durable() bool { return !r.inProcess }

// StartRedis finds or starts a Redis (see the package comment for where it
// looks) and returns when it answers. The server outlives ctx. Where there is
// none to be had it is an in-process one, and the log says so.
func StartRedis(ctx context.Context, o Options) (*Redis, error) {
	if o.RedisURL != "" {
		return &Redis{Server: external{}, url: o.RedisURL}, nil
	}
	r, err := startRedis(ctx, o)
	if errors.Is(err, ErrNotFound) {
		o.log().Warn("no Redis on this machine: using an in-process server, which is NOT durable and forgets everything when this process ends; install redis-server, or set HOLDFAST_INSTALL=1 (or use --install)", "reason", err)
		r, err = startMini(o)
	}
	if err != nil {
		return nil, fmt.Errorf("Redis: %w", err)
	}
	return r, nil
}

func startRedis(ctx context.Context, o Options) (_ *Redis, err error) {
	path, err := chooseRedis(ctx, o)
	if err != nil {
		return nil, err
	}
	h, err := openHome(o.State, "redis", "TERM", o.log())
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = h.close()
		}
	}()
	data := filepath.Join(h.files, "data")
	if err := os.Mkdir(data, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	if err := h.own(data); err != nil {
		return nil, err
	}
	password, err := h.password()
	if err != nil {
		return nil, err
	}
	port, err := choosePort(h.dir, o.log())
	if err != nil {
		return nil, err
	}
	address := func(port int) string {
		u := url.URL{Scheme: "redis", Host: loopback(port), User: url.UserPassword("", password)}
		return u.String()
	}
	fsync := "everysec"
	if h.temp {
		// Everysec withholds acknowledged writes from the system while it
		// syncs; this never does, so that a killed server has lost none.
		fsync = "no"
	}
	s := &local{name: "Redis", home: h, port: port}
	s.program = func(port int) command {
		// From standard input, so that no list of processes shows the password.
		const conf = "bind 127.0.0.1\nport %d\nrequirepass %s\nappendonly yes\nappendfsync %s\nsave \"\"\n"
		return command{path: path, args: []string{"-"}, dir: data, stdin: fmt.Sprintf(conf, port, password, fsync)}
	}
	s.ready = func(ctx context.Context, _ int) bool { return answers(ctx, address(s.port)) }
	s.end = func(c *child) { c.end(syscall.SIGTERM) }
	if err := s.start(ctx, true); err != nil {
		return nil, err
	}
	if err := savePort(h.dir, s.port); err != nil {
		s.end(s.child)
		return nil, err
	}
	return &Redis{Server: s, url: address(s.port)}, nil
}

func chooseRedis(ctx context.Context, o Options) (string, error) {
	as, err := serverAccount()
	if errors.Is(err, errors.ErrUnsupported) {
		return "", fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	if err != nil {
		return "", err
	}
	path := findRedis(as)
	if path == "" && o.Install {
		path, err = installRedis(ctx, as, o.log())
	}
	if path == "" && err == nil {
		err = ErrNotFound
	}
	return path, err
}

// answers tells whether the server at a URL is ours, by the password, and has
// loaded its data.
func answers(ctx context.Context, address string) bool {
	opt, err := rueidis.ParseURL(address)
	if err != nil {
		return false
	}
	opt.DisableCache, opt.DisableRetry, opt.ForceSingleClient = true, true, true
	opt.Dialer = net.Dialer{Timeout: time.Second}
	client, err := rueidis.NewClient(opt)
	if err != nil {
		return false
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return client.Do(ctx, client.B().Ping().Build()).Error() == nil
}
