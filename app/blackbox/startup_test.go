package blackbox

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pressly/goose/v3/lock"

	"github.com/holdfast-dev/holdfast/core/fault"
)

// readiness is what /readyz says.
type readiness struct {
	Status string
	Detail string
	Checks struct{ Store, Journal string }
}

func (i *instance) readiness() readiness {
	i.world.Helper()
	return decode[readiness](i.world, i.send(http.MethodGet, "/readyz", ""))
}

// notReady holds an instance to what it is while its store is not: bound,
// live, not ready with the detail, its operations answered storage_failure,
// and what is malformed still malformed.
func (i *instance) notReady(detail string) {
	t := i.world
	t.Helper()
	if a := i.send(http.MethodGet, "/livez", ""); a.status != http.StatusOK {
		t.Errorf("/livez: %d %s", a.status, a.body)
	}
	a := i.send(http.MethodGet, "/readyz", "")
	if r := decode[readiness](t, a); a.status != http.StatusServiceUnavailable || r.Status != "not ready" || r.Detail != detail || r.Checks.Store != "failed" {
		t.Errorf("/readyz: %d %s, want detail %q", a.status, a.body, detail)
	}
	for operation := range requests {
		if operation == "list-campaigns" {
			i.want("", operation, `{}`) // it needs no store
			continue
		}
		sound := body(operation, map[string]string{"campaignId": `"tiny"`})
		i.want(fault.StorageFailure, operation, sound)
		i.want(fault.MalformedPayload, operation, sound+"x")
	}
	i.want(fault.UnknownCampaign, "create-session", `{"campaignId":"nowhere"}`)
	i.want(fault.UnknownOperation, "nothing", `{}`)
}

// becomesReady waits until an instance is ready by itself.
func (i *instance) becomesReady() {
	i.world.Helper()
	eventually(i.world, "ready", func() bool { return i.readiness().Status == "ready" })
}

// An instance that starts without its store binds, says what it waits for,
// and is ready by itself once the store is there.
func TestStoreDownAtStart(t *testing.T) {
	t.Parallel()
	w, server := setUpOwn(t)
	must(t, server.Kill())
	i := w.serve()
	i.notReady("store unreachable")
	if line := i.log("the store is not ready; trying again"); line.Level != "ERROR" || line.Error == "" {
		t.Errorf("the log says %+v", line)
	}
	stopped := w.serve("HOLDFAST_SHUTDOWN_TIMEOUT=1s")
	stopped.terminate(t)
	if code := stopped.wait(t); code != 0 {
		t.Errorf("exit code %d of an instance that waited for its store", code)
	}
	must(t, server.Restart(t.Context()))
	i.becomesReady()
	i.create("late")
}

// An instance whose database runs statements at another isolation level, or
// takes no writes, names it, and is ready by itself afterwards.
func TestUnusableDatabases(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ setting, value, detail string }{
		"TestFieldSerializableDefault": {"default_transaction_isolation", "serializable", "isolation level: serializable"},
		"repeatable read":              {"default_transaction_isolation", "'repeatable read'", "isolation level: repeatable read"},
		"read-only":                    {"default_transaction_read_only", "on", "store is read-only"},
	} {
		t.Run(name, func(t *testing.T) {
			w := setUpDatabase(t)
			database := ask[string](w, "select current_database()")
			alter := "alter database " + database + " set " + c.setting
			w.exec(alter + " = " + c.value)
			i := w.serve()
			i.notReady(c.detail)
			w.exec("set transaction_read_only = off; alter database " + database + " reset " + c.setting)
			i.becomesReady()
			i.create("late")
		})
	}
}

// A migration that the server refuses is named.
func TestRefusedMigration(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	w.exec("create table session (note text)")
	i := w.serve()
	i.notReady("migration failed: 00001_play_sessions.sql")
	w.exec("drop table session")
	i.becomesReady()
	i.create("late")
}

// While another client holds the migration lock on an empty database nobody
// is ready and nobody gives up; then each migration is applied once. Once the
// schema is current nobody waits for the lock.
func TestFieldHeldMigrationLock(t *testing.T) {
	t.Parallel()
	w := setUpDatabase(t)
	holder := w.connect()
	do := func(function string) {
		t.Helper()
		_, err := holder.Exec(t.Context(), "select "+function+"($1)", lock.DefaultLockID)
		must(t, err)
	}
	do("pg_advisory_lock")
	var starting []*instance
	for range 4 {
		starting = append(starting, w.watch(start(t, w.env(), "serve")))
	}
	for _, i := range starting {
		i.connect(i.listening("public"))
		i.notReady("migration lock timeout")
	}
	do("pg_advisory_unlock")
	for _, i := range starting {
		i.becomesReady()
	}
	if n := ask[int](w, "select count(*) from goose_db_version where version_id = 1"); n != 1 {
		t.Errorf("the first migration was applied %d times", n)
	}
	do("pg_advisory_lock")
	w.ready()
}

// Four instances that start at once on an empty schema migrate it once.
func TestInstancesStartTogether(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	var starting []*instance
	for range 4 {
		starting = append(starting, w.watch(start(t, w.env(), "serve")))
	}
	for _, i := range starting {
		i.connect(i.listening("public"))
		i.becomesReady()
	}
	if n := ask[int](w, "select count(*) from goose_db_version where version_id = 1"); n != 1 {
		t.Errorf("the first migration was applied %d times", n)
	}
}

// An address that is taken ends start-up, with the setting to change.
func TestTakenAddress(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	first := w.ready()
	code, _, errOut := run(t, w.env("HOLDFAST_LISTEN="+strings.TrimPrefix(first.url, "http://")), "serve")
	if code != 1 || !strings.Contains(errOut, "HOLDFAST_LISTEN") {
		t.Errorf("exit code %d: %s", code, errOut)
	}
}
