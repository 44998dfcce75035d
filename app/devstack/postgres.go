package devstack

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Postgres is a PostgreSQL server.
type Postgres struct {
	Server
	url, binDir string
}

// URL is where to connect: a database named holdfast, unless the server was
// given by URL. It stays the same over restarts. It holds the password.
func (p *Postgres) URL() string { return p.url }

// BinDir is the folder of PostgreSQL's programs (pgbench, psql), or empty for
// a server given by URL where this machine has none.
func (p *Postgres) BinDir() string { return p.binDir }

// StartPostgres finds or starts a PostgreSQL (see the package comment for
// where it looks) and returns when it answers. The server outlives ctx. The
// error is [ErrNotFound] if there is none to be had.
func StartPostgres(ctx context.Context, o Options) (*Postgres, error) {
	if o.DatabaseURL != "" {
		p := &Postgres{Server: external{}, url: o.DatabaseURL}
		if bins := findPostgres(nil); len(bins) > 0 {
			p.binDir = bins[0].dir
		}
		return p, nil
	}
	p, err := startPostgres(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL: %w", err)
	}
	return p, nil
}

func startPostgres(ctx context.Context, o Options) (_ *Postgres, err error) {
	// Without a last checkpoint, but prompt, and no less safe.
	h, err := openHome(o.State, "postgres", "QUIT", o.log())
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = h.close()
		}
	}()
	cl := &cluster{home: h, data: filepath.Join(h.files, "data"), log: o.log()}
	if cl.bin, err = choosePostgres(ctx, o, h, cl.data); err != nil {
		return nil, err
	}
	if err := cl.prepare(ctx); err != nil {
		return nil, err
	}
	port, err := choosePort(h.dir, o.log())
	if err != nil {
		return nil, err
	}
	s := &local{
		name: "PostgreSQL", home: h, port: port,
		program: cl.program, ready: cl.ready, end: cl.end, cleanUp: cl.cleanUp,
	}
	if err := s.start(ctx, true); err != nil {
		return nil, err
	}
	if err := savePort(h.dir, s.port); err != nil {
		s.end(s.child)
		return nil, err
	}
	u := url.URL{
		Scheme: "postgres", Host: loopback(s.port), Path: "/holdfast",
		User: url.User(superuser), RawQuery: "sslmode=disable",
	}
	if cl.password != "" {
		u.User = url.UserPassword(superuser, cl.password)
	}
	return &Postgres{Server: s, url: u.String(), binDir: cl.bin.dir}, nil
}

// choosePostgres finds programs that fit the data, if there are data.
func choosePostgres(ctx context.Context, o Options, h *home, data string) (postgresBin, error) {
	bins := findPostgres(h.as)
	b, err := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	if err == nil {
		want, err := strconv.Atoi(strings.TrimSpace(string(b)))
		for _, bin := range bins {
			if err == nil && bin.major == want {
				return bin, nil
			}
		}
		return postgresBin{}, fmt.Errorf("the data in %s are of PostgreSQL %s, of which this machine has no programs: %w: install that version, or use another state folder",
			data, strings.TrimSpace(string(b)), ErrNotFound)
	}
	if len(bins) == 0 && o.Install {
		if bins, err = installPostgres(ctx, h.as, o.log()); err != nil {
			return postgresBin{}, err
		}
	}
	if len(bins) == 0 {
		return postgresBin{}, fmt.Errorf("%w on this machine: install it, or set HOLDFAST_INSTALL=1 (or use --install) to have it installed, or HOLDFAST_DATABASE_URL to use a server that runs already", ErrNotFound)
	}
	return bins[0], nil
}

// superuser is the one role of our servers.
const superuser = "holdfast"

// cluster is a server's data and how to run it.
type cluster struct {
	home     *home
	bin      postgresBin
	data     string
	password string // empty: every local connection is trusted
	log      *slog.Logger
}

func (cl *cluster) program(port int) command {
	args := []string{
		"-D", cl.data, "-p", strconv.Itoa(port),
		"-c", "listen_addresses=127.0.0.1",
		// No socket file: its path would often be too long.
		"-c", "unix_socket_directories=",
		"-c", "max_connections=200",
		// The log is the server's standard error, whatever the package's
		// sample configuration says.
		"-c", "logging_collector=off", "-c", "log_destination=stderr",
	}
	if cl.home.temp {
		// full_page_writes stays on: a killed process may leave half a page.
		args = append(args, "-c", "fsync=off")
	}
	return command{path: filepath.Join(cl.bin.dir, "postgres"), args: args, dir: cl.home.files}
}

// ready reads what the server itself says in its pid file: on the first line
// its process id, on the eighth how far it is.
func (cl *cluster) ready(_ context.Context, pid int) bool {
	lines := cl.pidFile()
	return len(lines) >= 8 && lines[0] == strconv.Itoa(pid) && strings.TrimSpace(lines[7]) == "ready"
}

func (cl *cluster) pidFile() []string {
	b, err := os.ReadFile(filepath.Join(cl.data, "postmaster.pid"))
	if err != nil {
		return nil
	}
	return strings.Split(string(b), "\n")
}

func (cl *cluster) end(c *child) {
	if cl.home.temp {
		c.end(syscall.SIGQUIT) // nobody needs the last checkpoint
		return
	}
	c.end(syscall.SIGINT, syscall.SIGQUIT)
}

// cleanUp removes the shared memory of a temporary server that was killed and
// not started again: it is the system's, not in the folder, and systems have
// little of its kind. A server that ended itself left no pid file.
func (cl *cluster) cleanUp() {
	lines := cl.pidFile()
	if !cl.home.temp || len(lines) < 7 {
		return
	}
	if f := strings.Fields(lines[6]); len(f) == 2 { // its key and its id
		if id, err := strconv.Atoi(f[1]); err == nil {
			removeSharedMemory(id)
		}
	}
}

// recoverPidFile deals with the pid file of a server that was not shut down.
// PostgreSQL takes it for that of a running server if its process id is in
// use, by whatever program.
func (cl *cluster) recoverPidFile() error {
	lines := cl.pidFile()
	if len(lines) == 0 {
		return nil
	}
	pid, _ := strconv.Atoi(lines[0])
	if pid == 0 || !alive(pid) {
		return nil
	}
	if strings.Contains(commandLine(pid), cl.data) {
		// Our lock shows that its devstack is gone: its watchdog is at work.
		if !wait(15*time.Second, func() bool { return !alive(pid) }) {
			return fmt.Errorf("a server left from before still uses %s as process %d: end it (kill -INT %d)", cl.data, pid, pid)
		}
		return nil
	}
	// Another program has the process id by now. The file's other lines guard
	// against processes left from that server, so only the id is replaced: by
	// ours, which PostgreSQL knows as its parent's.
	cl.log.Warn("recovering from a server that was not shut down", "data", cl.data)
	lines[0] = strconv.Itoa(os.Getpid())
	path := filepath.Join(cl.data, "postmaster.pid")
	return os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600)
}
