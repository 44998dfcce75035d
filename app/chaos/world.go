package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/holdfast-dev/holdfast/app/devstack"
)

//go:embed testdata/campaigns
var campaigns embed.FS

// patience bounds every wait for something that must come. Nothing is said of
// how fast it comes.
const patience = 60 * time.Second

// world is the servers of a run and what is between them.
type world struct {
	*report
	binary    string
	campaigns string // folder
	server    *devstack.Postgres
	watch     *watchdog
	instances []*instance

	// abandoned counts requests that a player gave up and an instance may
	// still work on.
	abandoned atomic.Int64
	secrets   sync.Map // ids of sessions and saves
}

// newWorld starts everything below a folder. It does not wait for the
// instances.
func newWorld(ctx context.Context, dir, binary string, instances int, r *report) (_ *world, err error) {
	w := &world{report: r, binary: binary, campaigns: filepath.Join(dir, "testdata", "campaigns")}
	if err := os.CopyFS(dir, campaigns); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	if w.watch, err = newWatchdog(dir); err != nil {
		return nil, err
	}
	options, _, err := devstack.FromEnv()
	if err != nil {
		return nil, err
	}
	// A server of our own, which may be disturbed, and which syncs to disk.
	options.DatabaseURL, options.State = "", dir
	if w.server, err = devstack.StartPostgres(ctx, options); err != nil {
		return nil, err
	}
	u, err := url.Parse(w.server.URL())
	if err != nil {
		return nil, errors.New("the database's URL is none")
	}
	for n := range instances {
		i := &instance{world: w, n: n + 1}
		if n%2 == 1 {
			i.pause = 5 * time.Millisecond
		}
		if i.link, err = newLink(fmt.Sprintf("instance %d to PostgreSQL", i.n), u.Host); err != nil {
			return nil, err
		}
		w.instances = append(w.instances, i)
		if err := i.start(0); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// close ends everything that was started.
func (w *world) close() {
	for _, i := range w.instances {
		if err := i.kill(); err != nil {
			w.violate("%v", err)
		}
		i.link.cut()
	}
	if w.server != nil {
		if err := w.server.Stop(); err != nil {
			w.violate("PostgreSQL does not stop: %v", err)
		}
	}
	if w.watch != nil {
		w.watch.dismiss()
	}
}

// terminate asks all instances to end, which they must do in good order.
func (w *world) terminate() {
	var all sync.WaitGroup
	for _, i := range w.instances {
		all.Go(func() {
			p := i.process()
			if err := i.end(syscall.SIGTERM); err != nil {
				w.violate("%v", err)
				return
			}
			if code := p.cmd.ProcessState.ExitCode(); code != 0 {
				w.violate("instance %d ends with code %d when it is asked to", i.n, code)
			}
		})
	}
	all.Wait()
}

func (w *world) keepSecret(id string) { w.secrets.Store(id, true) }

func (w *world) isSecret(id string) bool {
	_, known := w.secrets.Load(id)
	return known
}

// settle waits until nothing of what was begun can have an effect any more.
// All faults are healed and no player plays. What does not come to rest in
// time is a violation.
func (w *world) settle(ctx context.Context) error {
	if err := w.allReady(ctx); err != nil {
		return err
	}
	// Requests that players gave up.
	if !until(ctx, func() error {
		if n := w.abandoned.Load(); n > 0 {
			return fmt.Errorf("%d requests", n)
		}
		return nil
	}, func(err error) { w.violate("requests that were given up do not end: %v", err) }) {
		return ctx.Err()
	}
	for _, i := range w.instances {
		if !until(ctx, func() error {
			n, err := i.inUse(ctx)
			if err == nil && n != "0" {
				err = fmt.Errorf("%s in use", n)
			}
			return err
		}, func(err error) { w.violate("instance %d does not give back its connections: %v", i.n, err) }) {
			return ctx.Err()
		}
	}
	// Statements of instances that were killed, or that these gave up: they
	// are on their way through a link, or at work in the server. With the links
	// cut the former are gone, and the latter end with their connections.
	for _, i := range w.instances {
		i.link.cut()
	}
	if !until(ctx, func() error {
		n, err := ask[int](ctx, w, "select count(*) from pg_stat_activity where application_name = 'holdfast'")
		if err == nil && n > 0 {
			err = fmt.Errorf("%d of them", n)
		}
		return err
	}, func(err error) { w.violate("connections of the database outlive their clients: %v", err) }) {
		return ctx.Err()
	}
	for _, i := range w.instances {
		if err := i.link.mend(); err != nil {
			return err
		}
	}
	return w.allReady(ctx)
}

// allReady waits until every instance is ready, which each must become by
// itself.
func (w *world) allReady(ctx context.Context) error {
	for _, i := range w.instances {
		until(ctx, func() error { return i.ready(ctx) },
			func(err error) { w.violate("instance %d does not come back: %v", i.n, err) })
	}
	return ctx.Err()
}

// settleLimit bounds how long something that must come to rest may take: well
// above the longest back-off and time-out of an instance together.
const settleLimit = 30 * time.Second

// until tries something until it succeeds. Where it does not in time, it says
// so with the last error. It returns false where the context ended.
func until(ctx context.Context, try func() error, otherwise func(error)) bool {
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	limit := time.NewTimer(settleLimit)
	defer limit.Stop()
	for {
		err := try()
		if err == nil {
			return true
		}
		select {
		case <-look.C:
		case <-limit.C:
			otherwise(err)
			return true
		case <-ctx.Done():
			return false
		}
	}
}

// connect is a way to the database that no fault lies on.
func (w *world) connect(ctx context.Context) (*pgx.Conn, error) {
	c, err := pgx.ParseConfig(w.server.URL())
	if err != nil {
		return nil, errors.New("the database's URL is none")
	}
	c.RuntimeParams["application_name"] = "chaos"
	return pgx.ConnectConfig(ctx, c)
}

// ask is the one value that a query answers with.
func ask[T any](ctx context.Context, w *world, query string, args ...any) (v T, err error) {
	conn, err := w.connect(ctx)
	if err != nil {
		return v, err
	}
	defer func() { _ = conn.Close(ctx) }()
	return v, conn.QueryRow(ctx, query, args...).Scan(&v)
}

// rows counts the sessions and saves that are stored.
type rows struct{ sessions, saves int }

func (w *world) stored(ctx context.Context) (n rows, err error) {
	if n.sessions, err = ask[int](ctx, w, "select count(*) from session"); err != nil {
		return n, err
	}
	n.saves, err = ask[int](ctx, w, "select count(*) from save")
	return n, err
}
