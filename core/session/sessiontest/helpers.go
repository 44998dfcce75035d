package sessiontest

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/session"
)

// record is a session in which no field has its zero value.
func record(id string) session.Record {
	return session.Record{
		SessionID:        id,
		Blob:             `{"campaign":"lighthouse","room":"stairs"}`,
		Audience:         session.AI,
		AttemptCounter:   41,
		ReplayCompatible: true,
		CreatedAt:        "2026-03-04T05:06:07Z",
		UpdatedAt:        "2026-03-04T05:16:07Z",
		ProfileID:        "profile-1",
		EngineVersion:    "story-graph@1.4.0",
	}
}

// save is a save in which no field has its zero value.
func save(id string) session.Save {
	return session.Save{
		SaveID:           id,
		Blob:             `{"campaign":"lighthouse","room":"lamp"}`,
		CampaignID:       "lighthouse",
		Audience:         session.AI,
		ProfileID:        "profile-1",
		EngineVersion:    "story-graph@1.4.0",
		SavedAtSeq:       41,
		ReplayCompatible: true,
		CreatedAt:        "2026-03-04T05:06:07Z",
	}
}

// oddTexts are texts that a store is tempted to change.
var oddTexts = map[string]string{
	"empty":             "",
	"spaces":            "  {\"a\": 1}\t\r\n  ",
	"member order":      `{"b":1,"a":2,"b2":{"z":0,"y":0}}`,
	"numbers":           `[1.0,1e2,1E+2,0.10,-0,9007199254740993,1e400,0.1000000000000000055511151231257827]`,
	"escapes":           `"\u00e9\u2028\/\\u0041"`,
	"not normalised":    "e\u0301 \u00e9 \ufb01 \u212b",
	"outside the plane": "🗝️👩‍🚀\U0010ffff",
	"odd code points":   "\ufeff\ufffe\uffff\u200b\u202e\u0001\u007f\u0085",
	"quotes":            `'; drop table session; -- $1 %s \' "" {}`,
	"1 MiB":             strings.Repeat("0123456789abcdeé", 1<<20/17),
}

// oddInstants are texts of the engine, not times of the store.
var oddInstants = []string{
	"2026-03-04T05:06:07.000000000Z",
	"2026-03-04T05:06:07+00:00",
	"2026-03-04t05:06:60.123456789z",
	"0000-00-00T00:00:00Z",
	"",
}

// insert puts a session that must be new, in an operation of its own.
func insert(t T, s session.Store, r session.Record) {
	t.Helper()
	l := s.Layer()
	defer l.Close()
	v, err := l.Sessions().Put(t.Context(), r)
	if err != nil {
		t.Fatalf("put a new session: %v", err)
	}
	if v != 1 {
		t.Errorf("a new session has version %d, want 1", v)
	}
}

// read gets a session that must be there, in an operation of its own.
func read(t T, s session.Store, id string) (session.Record, session.Version) {
	t.Helper()
	l := s.Layer()
	defer l.Close()
	return readIn(t, l, id)
}

func readIn(t T, l session.Layer, id string) (session.Record, session.Version) {
	t.Helper()
	r, v, err := l.Sessions().Get(t.Context(), id)
	if err != nil {
		t.Fatalf("get session %q: %v", id, err)
	}
	return r, v
}

// write puts a session in a layer that read it, and must land.
func write(t T, l session.Layer, r session.Record) session.Version {
	t.Helper()
	v, err := l.Sessions().Put(t.Context(), r)
	if err != nil {
		t.Fatalf("put session %q: %v", r.SessionID, err)
	}
	return v
}

// wantStored checks what an operation of another instance reads.
func wantStored(t T, env Env, want session.Record, version session.Version) {
	t.Helper()
	got, v := read(t, env.Peer, want.SessionID)
	if got != want {
		t.Errorf("stored session:\n got %s\nwant %s", brief(got), brief(want))
	}
	if v != version {
		t.Errorf("stored session has version %d, want %d", v, version)
	}
}

// brief is a record without the whole of a long blob.
func brief(r session.Record) string {
	if len(r.Blob) > 200 {
		r.Blob = r.Blob[:200] + "…"
	}
	var b strings.Builder
	for _, part := range []string{r.SessionID, r.Blob, string(r.Audience), r.CreatedAt, r.UpdatedAt, r.ProfileID, r.EngineVersion} {
		b.WriteString("[" + part + "] ")
	}
	return b.String()
}

// wantAbsent checks that reads find no such session.
func wantAbsent(t T, s session.Store, id string) {
	t.Helper()
	l := s.Layer()
	defer l.Close()
	_, _, err := l.Sessions().Get(t.Context(), id)
	if !errors.Is(err, session.ErrAbsent) {
		t.Errorf("get session %q: error %v, want %v", id, err, session.ErrAbsent)
	}
}

func wantConflict(t T, err error, why session.Why) {
	t.Helper()
	conflict, ok := errors.AsType[*session.Conflict](err)
	if !ok {
		t.Fatalf("put: error %v, want a conflict (%s)", err, why)
	}
	if conflict.Why != why {
		t.Errorf("conflict says %s, want %s", conflict.Why, why)
	}
	if _, ok := errors.AsType[*fault.StoreError](err); ok {
		t.Errorf("a conflict is not a failure of the store: %v", err)
	}
}

// wantFailure checks for a failure of the store, of a kind if one is given.
func wantFailure(t T, err error, kind fault.StoreKind) {
	t.Helper()
	failure, ok := errors.AsType[*fault.StoreError](err)
	if !ok {
		t.Fatalf("error %v, want a failure of the store", err)
	}
	if kind != "" && failure.Kind != kind {
		t.Errorf("failure %q, want %q", failure.Kind, kind)
	}
	if _, ok := errors.AsType[*session.Conflict](err); ok {
		t.Errorf("a failure of the store is not a conflict: %v", err)
	}
}

// cancelled is a context that its caller has cancelled.
func cancelled(t T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// wantCancelled checks that a caller can tell that it gave up itself.
func wantCancelled(t T, err error) {
	t.Helper()
	wantFailure(t, err, "")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error hides that the caller gave up: %v", err)
	}
}

// hour is the step by which cases age rows: long beside any run of the suite.
const hour = time.Hour

// wantFullLife checks that a row has just been given its whole life.
func wantFullLife(t T, rows Rows, id string, ttl time.Duration) {
	t.Helper()
	if left := rows.Left(id); left > ttl || left <= ttl-hour {
		t.Errorf("%v left to live, want the whole %v", left, ttl)
	}
}

// wantAged checks that a row that was aged by an hour was left so.
func wantAged(t T, rows Rows, id string, ttl time.Duration) {
	t.Helper()
	if left := rows.Left(id); left > ttl-hour || left <= ttl-2*hour {
		t.Errorf("%v left to live, want about an hour less than %v", left, ttl)
	}
}
