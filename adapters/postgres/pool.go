package postgres

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/holdfast-dev/holdfast/adapters/postgres/internal/dbsqlc"
	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/session"
)

// tenant is the one tenant that there is. It is in every key and statement,
// so that a second one will not need every table to be rewritten.
const tenant = "implicit-tenant"

var queries = dbsqlc.New()

// Store is the storage of the core on PostgreSQL. It is safe for concurrent
// use.
type Store struct {
	configs    configs
	lockWait   time.Duration // bound on the wait for the migration lock
	sessionTTL pgtype.Interval
	saveTTL    pgtype.Interval

	sweepTimeout time.Duration

	pool atomic.Pointer[pgxpool.Pool]
	// slots counts the connections in use, so that an acquire that times out
	// because all are taken is told from one that waits for the server.
	slots chan struct{}

	mu      sync.Mutex // one attempt at a time
	closed  bool
	attempt atomic.Pointer[fault.StoreError] // why the last attempt failed
}

var _ session.Store = (*Store)(nil)

// New returns a store that is not composed yet. It fails with an
// *OptionError and does not touch the network.
func New(o Options) (*Store, error) {
	configs, err := o.configs()
	if err != nil {
		return nil, err
	}
	return &Store{
		configs:    configs,
		lockWait:   connectTimeout,
		sessionTTL: interval(cmp.Or(o.SessionTTL, 720*time.Hour)),
		saveTTL:    interval(cmp.Or(o.SaveTTL, 8760*time.Hour)),

		sweepTimeout: cmp.Or(o.SweepTimeout, 5*time.Second),

		slots: make(chan struct{}, configs.pool.MaxConns),
	}, nil
}

// interval is a duration in microseconds alone, without days or months, so
// that the server adds it as it is, whatever its time zone.
func interval(d time.Duration) pgtype.Interval {
	return pgtype.Interval{Microseconds: d.Microseconds(), Valid: true}
}

// Attempt makes one attempt to compose the store: migrate to head, connect,
// assert the isolation level. It fails with a *fault.StoreError whose Detail
// says what start-up waits for; callers try again. A composed store stays
// composed, and a further attempt does nothing.
func (s *Store) Attempt(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return &fault.StoreError{Kind: fault.Unreachable, Cause: errClosed}
	}
	if s.pool.Load() != nil {
		return nil
	}
	pool, err := s.compose(ctx)
	if err != nil {
		failure := storeError(ctx, "start-up", err)
		s.attempt.Store(failure)
		return failure
	}
	s.pool.Store(pool)
	return nil
}

func (s *Store) compose(ctx context.Context) (*pgxpool.Pool, error) {
	if _, err := s.Up(ctx); err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, s.configs.pool.Copy())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	conn, err := pool.Acquire(ctx)
	if err != nil {
		pool.Close()
		return nil, err
	}
	conn.Release()
	if err := assertPreparedStatements(ctx, pool); err != nil {
		pool.Close()
		return nil, err
	}
	return pool, nil
}

// Close closes the pool for good. It waits for a running attempt and for the
// operations that hold connections.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if pool := s.pool.Load(); pool != nil {
		pool.Close()
	}
}

// Pool says how many connections there are: in use, idle, and at the most.
func (s *Store) Pool() (inUse, idle, limit int) {
	if pool := s.pool.Load(); pool != nil {
		stat := pool.Stat()
		inUse, idle = int(stat.AcquiredConns()), int(stat.IdleConns())
	}
	return inUse, idle, cap(s.slots)
}

var (
	errNotComposed = errors.New("the store is not composed yet")
	errClosed      = errors.New("the store is closed")
)

// acquire takes a connection for one statement; the caller gives it back with
// release. It fails with a *fault.StoreError.
func (s *Store) acquire(ctx context.Context, statement string) (*pgxpool.Conn, error) {
	pool := s.pool.Load()
	if pool == nil {
		return nil, &fault.StoreError{Kind: fault.Unreachable, Statement: statement, Cause: errNotComposed}
	}
	select {
	case s.slots <- struct{}{}:
	default:
		select {
		case s.slots <- struct{}{}:
		case <-ctx.Done():
			return nil, &fault.StoreError{Kind: fault.PoolExhausted, Statement: statement, Cause: ctx.Err()}
		}
	}
	conn, err := pool.Acquire(ctx)
	if err != nil {
		<-s.slots
		return nil, storeError(ctx, statement, err)
	}
	return conn, nil
}

func (s *Store) release(conn *pgxpool.Conn) {
	conn.Release()
	<-s.slots
}

// readCommitted is the only level at which the guarded write is right.
const readCommitted = "read committed"

// assertIsolation refuses a new connection whose statements would run at
// another level. The simple protocol keeps it to one round trip, and works
// through every pooler.
func assertIsolation(ctx context.Context, conn *pgx.Conn) error {
	// The pool finishes a connection even if the caller that asked for it has
	// gone, so its context may have no deadline.
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	var level string
	err := conn.QueryRow(ctx, "select current_setting('transaction_isolation')", pgx.QueryExecModeSimpleProtocol).Scan(&level)
	if err != nil {
		return err
	}
	return checkIsolation(level)
}

func checkIsolation(level string) error {
	if level != readCommitted {
		return &fault.StoreError{Kind: fault.IsolationUnsupported, Subject: level}
	}
	return nil
}
