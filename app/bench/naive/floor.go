package naive

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
)

// The floor is what net/http and pgx cost alone: the same statements over the
// same connections, an answer of the same size, and nothing else. No JSON is
// read or written, no rule is played.

// floorID cuts the session's id out of the request's bytes, wherever it
// stands first.
func floorID(r *http.Request) (string, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return "", err
	}
	_, rest, _ := bytes.Cut(body, []byte(`"sessionId":"`))
	id, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(id), nil
}

func (s *server) floorScene(w http.ResponseWriter, req *http.Request) {
	id, err := floorID(req)
	if err != nil {
		fail(w, err)
		return
	}
	var r row
	if err := s.pool.QueryRow(req.Context(), selectSession, tenant, id).Scan(r.columns()...); err != nil {
		fail(w, err)
		return
	}
	floorAnswer(w, r.blob)
}

func (s *server) floorSubmit(w http.ResponseWriter, req *http.Request) {
	id, err := floorID(req)
	if err != nil {
		fail(w, err)
		return
	}
	var r row
	if err := s.pool.QueryRow(req.Context(), selectSession, tenant, id).Scan(r.columns()...); err != nil {
		fail(w, err)
		return
	}
	var version int64
	err = s.pool.QueryRow(req.Context(), updateSession, r.blob, r.audience, r.attempts+1, r.replay, r.profile, r.engine,
		r.createdAt, r.updatedAt, ttl, tenant, id, r.version).Scan(&version)
	if err != nil {
		fail(w, err)
		return
	}
	floorAnswer(w, `{"ok":true}`+r.blob)
}

func floorAnswer(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = io.WriteString(w, text)
}

// columns are where a row of selectSession goes.
func (r *row) columns() []any {
	return []any{&r.blob, &r.audience, &r.attempts, &r.replay, &r.profile, &r.engine, &r.createdAt, &r.updatedAt, &r.version}
}
