package devstack

import (
	"bytes"
	"errors"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/rueidis"
)

func itoa(n int) string { return strconv.Itoa(n) }

func withClient(t *testing.T, url string, do func(rueidis.Client)) {
	t.Helper()
	opt, err := rueidis.ParseURL(url)
	must(t, err)
	opt.DisableCache, opt.ForceSingleClient = true, true
	c, err := rueidis.NewClient(opt)
	must(t, err)
	defer c.Close()
	do(c)
}

func setKey(t *testing.T, url, key, value string) {
	t.Helper()
	withClient(t, url, func(c rueidis.Client) {
		must(t, c.Do(t.Context(), c.B().Set().Key(key).Value(value).Build()).Error())
	})
}

// getKey is a key's value, empty where it has none.
func getKey(t *testing.T, url, key string) (v string) {
	t.Helper()
	withClient(t, url, func(c rueidis.Client) {
		var err error
		v, err = c.Do(t.Context(), c.B().Get().Key(key).Build()).ToString()
		if err != nil && !rueidis.IsRedisNil(err) {
			t.Fatal(err)
		}
	})
	return v
}

func expectAOF(t *testing.T, url, fsync string) {
	t.Helper()
	withClient(t, url, func(c rueidis.Client) {
		conf, err := c.Do(t.Context(), c.B().ConfigGet().Parameter("append*").Build()).AsStrMap()
		must(t, err)
		if conf["appendonly"] != "yes" || conf["appendfsync"] != fsync {
			t.Errorf("got %v, want appendfsync %s", conf, fsync)
		}
	})
}

func TestRedisStartsAndStops(t *testing.T) {
	t.Parallel()
	r := startRedisFor(t, "")
	setKey(t, r.URL(), "k", "a")
	expectAOF(t, r.URL(), "no")
	pid, folder := r.PID(), r.Server.(*local).home.dir
	must(t, r.Stop())
	must(t, r.Stop())
	if alive(pid) || exists(folder) {
		t.Error("the server or its folder is there after Stop")
	}
}

func TestRedisKilledKeepsData(t *testing.T) {
	t.Parallel()
	r := startRedisFor(t, "")
	setKey(t, r.URL(), "kept", "a")
	url := r.URL()
	must(t, r.Kill())
	must(t, r.Restart(t.Context()))
	if got := getKey(t, url, "kept"); got != "a" || r.URL() != url {
		t.Errorf("got %q at %s, want a at %s", got, r.URL(), url)
	}
	must(t, r.Pause())
	must(t, r.Resume())
	if got := getKey(t, url, "kept"); got != "a" {
		t.Errorf("got %q, want a", got)
	}
	must(t, r.Pause())
	must(t, r.Restart(t.Context()))
	if got := getKey(t, url, "kept"); got != "a" {
		t.Errorf("got %q, want a", got)
	}
}

func TestRedisStateSurvives(t *testing.T) {
	t.Parallel()
	state := stateFolder(t)
	r := startRedisFor(t, state)
	expectAOF(t, r.URL(), "everysec")
	setKey(t, r.URL(), "kept", "a")
	must(t, r.Stop())
	again := startRedisFor(t, state)
	if got := getKey(t, again.URL(), "kept"); got != "a" || again.URL() != r.URL() {
		t.Errorf("got %q at %s, want a at %s", got, again.URL(), r.URL())
	}
	must(t, again.Stop())

	o := startOwner(t, "redis", state)()
	setKey(t, o.URL, "acknowledged", "b")
	o.killDashNine(t)
	after := startRedisFor(t, state)
	if got := getKey(t, after.URL(), "acknowledged"); got != "b" {
		t.Errorf("got %q after the process was killed, want b", got)
	}
	must(t, after.Stop())

	port := again.Server.(*local).port
	taken, err := net.Listen("tcp", loopback(port))
	must(t, err)
	defer taken.Close()
	moved := startRedisFor(t, state)
	if got := getKey(t, moved.URL(), "kept"); got != "a" || moved.URL() == r.URL() {
		t.Errorf("got %q at %s, want a at another port", got, moved.URL())
	}
}

func TestRedisInProcess(t *testing.T) {
	defer func(old []string) { redisNames = old }(redisNames)
	redisNames = nil
	var log bytes.Buffer
	state := stateFolder(t)
	start := func() *Redis {
		t.Helper()
		r, err := StartRedis(t.Context(), Options{State: state, Log: slog.New(slog.NewTextHandler(&log, nil))})
		must(t, err)
		t.Cleanup(func() { stop(t, r) })
		return r
	}
	r := start()
	if r.Durable() || !strings.Contains(log.String(), "NOT durable") {
		t.Errorf("durable: %v; log: %s", r.Durable(), log.String())
	}
	url := r.URL()
	setKey(t, url, "lost", "a")
	must(t, r.Kill())
	must(t, r.Restart(t.Context()))
	if got := getKey(t, url, "lost"); got != "" {
		t.Errorf("got %q from a server that was killed and keeps nothing", got)
	}
	if err := r.Pause(); !errors.Is(err, ErrInProcess) {
		t.Errorf("got %v, want ErrInProcess", err)
	}
	// Keys expire by themselves, as in a real one.
	withClient(t, url, func(c rueidis.Client) {
		must(t, c.Do(t.Context(), c.B().Set().Key("k").Value("a").PxMilliseconds(1).Build()).Error())
		eventually(t, "the key expired", func() bool {
			return rueidis.IsRedisNil(c.Do(t.Context(), c.B().Get().Key("k").Build()).Error())
		})
	})
	must(t, r.Stop())
	if again := start(); again.URL() != url {
		t.Errorf("URL %s, before %s", again.URL(), url)
	}
}

func TestServersGivenByURL(t *testing.T) {
	t.Parallel()
	o := Options{DatabaseURL: "postgres://db.invalid/x", RedisURL: "redis+sentinel://r.invalid"}
	p, err := StartPostgres(t.Context(), o)
	must(t, err)
	r, err := StartRedis(t.Context(), o)
	must(t, err)
	if p.URL() != o.DatabaseURL || r.URL() != o.RedisURL || !r.Durable() {
		t.Errorf("got %s, %s, durable %v", p.URL(), r.URL(), r.Durable())
	}
	for _, s := range []Server{p, r} {
		for what, err := range map[string]error{
			"Kill": s.Kill(), "Restart": s.Restart(t.Context()), "Pause": s.Pause(), "Resume": s.Resume(),
		} {
			if !errors.Is(err, ErrNotOurs) {
				t.Errorf("%s: got %v, want ErrNotOurs", what, err)
			}
		}
		must(t, s.Stop())
	}
}
