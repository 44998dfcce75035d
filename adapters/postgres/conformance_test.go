package postgres

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/holdfast-dev/holdfast/adapters/postgres/postgrestest"
	"github.com/holdfast-dev/holdfast/core/session/sessiontest"
)

// Every way in which pgx may run statements passes the whole suite.
func TestConformance(t *testing.T) {
	for mode := range execModes {
		t.Run(mode, func(t *testing.T) {
			idle := make(chan instances, 64)
			sessiontest.Run(t, func(c testing.TB) sessiontest.Env {
				var i instances
				select {
				case i = <-idle:
				default:
					i = twoInstances(t, mode)
				}
				c.Cleanup(func() {
					for _, table := range []string{"session", "save", "profile_achievement", "profile"} {
						exec(t, i.conn, "delete from "+table)
					}
					idle <- i
				})
				return i.env(c)
			})
		})
	}
}

const (
	sessionTTL = 720 * time.Hour
	saveTTL    = 8760 * time.Hour
)

// instances are two stores over one schema, which cases use one after the
// other, and a connection beside them.
type instances struct {
	a, b *Store
	conn *pgx.Conn
}

func twoInstances(t *testing.T, mode string) instances {
	o := Options{URL: postgrestest.Schema(t), ExecMode: mode, PoolSize: 8, SessionTTL: sessionTTL, SaveTTL: saveTTL}
	return instances{composed(t, o), composed(t, o), connect(t, o.URL)}
}

func (i instances) env(t testing.TB) sessiontest.Env {
	rows := func(table, key string) sessiontest.Rows {
		return sessiontest.Rows{
			Age: func(id string, by time.Duration) {
				exec(t, i.conn, "update "+table+" set expires_at = expires_at - $2::interval where "+key+" = $1", id, by)
			},
			Left: func(id string) time.Duration {
				return ask[time.Duration](t, i.conn, "select expires_at - now() from "+table+" where "+key+" = $1", id)
			},
		}
	}
	return sessiontest.Env{
		Store: i.a, Peer: i.b,
		SessionTTL: sessionTTL, SaveTTL: saveTTL,
		Sessions:      rows("session", "session_id"),
		Saves:         rows("save", "save_id"),
		RemoveSession: func(id string) { exec(t, i.conn, "delete from session where session_id = $1", id) },
		BreakProfile:  func(id string) { exec(t, i.conn, "update profile set format_version = 2 where profile_id = $1", id) },
	}
}
