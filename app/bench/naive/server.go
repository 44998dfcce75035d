package naive

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	selectSession = `select blob, audience, attempt_counter, replay_compatible, profile_id,
       engine_version, engine_created_at, engine_updated_at, version
from session
where tenant_id = $1 and session_id = $2 and expires_at > now()`

	updateSession = `update session set
    version           = version + 1,
    blob              = $1,
    audience          = $2,
    attempt_counter   = $3,
    replay_compatible = $4,
    profile_id        = $5,
    engine_version    = $6,
    engine_created_at = $7,
    engine_updated_at = $8,
    expires_at        = now() + $9::interval,
    row_updated_at    = now()
where tenant_id = $10 and session_id = $11
  and version = $12 and expires_at > now()
returning version`

	tenant = "implicit-tenant"
	ttl    = 720 * time.Hour
)

type server struct {
	pool     *pgxpool.Pool
	campaign map[string]any
}

// New returns the service over a pool and the campaign of a file.
func New(pool *pgxpool.Pool, files fs.FS, campaign string) (http.Handler, error) {
	text, err := fs.ReadFile(files, campaign)
	if err != nil {
		return nil, err
	}
	s := &server{pool: pool}
	if err := yaml.Unmarshal(text, &s.campaign); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /v1/submit-action", s.submit)
	mux.HandleFunc("POST /v1/get-scene", s.scene)
	mux.HandleFunc("POST /floor/submit-action", s.floorSubmit)
	mux.HandleFunc("POST /floor/get-scene", s.floorScene)
	return mux, nil
}

// Serve runs the service until the context ends.
func Serve(ctx context.Context, listen, database string, poolSize int, files fs.FS, campaign string) error {
	config, err := pgxpool.ParseConfig(database)
	if err != nil {
		return err
	}
	config.MaxConns = int32(poolSize)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	defer pool.Close()
	handler, err := New(pool, files, campaign)
	if err != nil {
		return err
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", listen)
	if err != nil {
		return err
	}
	httpServer := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	context.AfterFunc(ctx, func() { _ = httpServer.Close() })
	if err := httpServer.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// row is a session as it is stored.
type row struct {
	blob, audience      string
	attempts            int64
	replay              bool
	profile             *string
	engine              string
	createdAt           string
	updatedAt           string
	version             int64
	state               map[string]any
	variables, sceneDef map[string]any
}

func (s *server) read(ctx context.Context, id string) (*row, error) {
	r := &row{}
	err := s.pool.QueryRow(ctx, selectSession, tenant, id).Scan(r.columns()...)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(r.blob), &r.state); err != nil {
		return nil, err
	}
	r.variables = r.state["variables"].(map[string]any)
	r.sceneDef = s.campaign["scenes"].(map[string]any)[r.state["scene"].(string)].(map[string]any)
	return r, nil
}

func (s *server) scene(w http.ResponseWriter, req *http.Request) {
	var body map[string]any
	if err := json.NewDecoder(req.Body).Decode(&body); err != nil {
		fail(w, err)
		return
	}
	id, _ := body["sessionId"].(string)
	r, err := s.read(req.Context(), id)
	if err != nil {
		fail(w, err)
		return
	}
	answer(w, http.StatusOK, s.show(r))
}

func (s *server) submit(w http.ResponseWriter, req *http.Request) {
	var body map[string]any
	if err := json.NewDecoder(req.Body).Decode(&body); err != nil {
		fail(w, err)
		return
	}
	id, _ := body["sessionId"].(string)
	action, _ := body["actionId"].(string)
	r, err := s.read(req.Context(), id)
	if err != nil {
		fail(w, err)
		return
	}
	result, err := s.play(r, action)
	if err != nil {
		fail(w, err)
		return
	}
	blob, err := encode(r.state)
	if err != nil {
		fail(w, err)
		return
	}
	updatedAt := time.Now().UTC().Format(time.RFC3339Nano)
	var version int64
	err = s.pool.QueryRow(req.Context(), updateSession,
		string(blob), r.audience, r.attempts+1, r.replay, r.profile, r.engine, r.createdAt, updatedAt, ttl, tenant, id, r.version).Scan(&version)
	if err != nil {
		fail(w, err)
		return
	}
	answer(w, http.StatusOK, result)
}

func answer(w http.ResponseWriter, status int, body map[string]any) {
	text, err := json.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// fail answers an error. A statement that met no row is a write that lost its
// race: the benchmark reads no session that is not there.
func fail(w http.ResponseWriter, err error) {
	if errors.Is(err, pgx.ErrNoRows) {
		answer(w, http.StatusConflict, map[string]any{"code": "concurrent_modification"})
		return
	}
	answer(w, http.StatusInternalServerError, map[string]any{"code": "internal_failure"})
}
