package blackbox

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-dev/holdfast/app/devstack"
)

// player is `holdfast play` with the test at its keyboard.
type player struct {
	*process
	t    testing.TB
	seen int
}

// sit starts a player at an address.
func sit(t testing.TB, url string, args ...string) *player {
	t.Helper()
	return &player{process: start(t, nil, append([]string{"play", "--url", url}, args...)...), t: t}
}

// sees waits until the player is shown a line with the text, after what was
// seen before, and returns it.
func (p *player) sees(text string) string {
	p.t.Helper()
	line, next := p.out.await(p.t, fmt.Sprintf("%q for the player", text), p.seen, func(line string) bool { return strings.Contains(line, text) })
	p.seen = next
	return line
}

func (p *player) types(line string) {
	p.t.Helper()
	_, err := fmt.Fprintln(p.in, line)
	must(p.t, err)
}

// step is what a player types and then sees.
type step struct{ types, sees string }

// story is a game of the tiny campaign that does not depend on dice.
var story = []step{
	{"1 measures=3", "holds 5 measures of oil"},
	{"2 name=Ada", "Ada keeps the light"},
	{"3", "4 measures are left"},
	{"2", "holds 4 measures of oil"},
	{"1 measures=1", "holds 5 measures of oil"},
	{"3", "4 measures are left"},
}

// state asks what the player may see of the game.
func (p *player) state() (s struct {
	Scene     string
	Turn      int
	Variables struct {
		Oil    int
		Keeper string
	}
}) {
	p.t.Helper()
	p.types("state")
	must(p.t, json.Unmarshal([]byte(p.sees(`{"achievements"`)), &s))
	return s
}

// A game goes on where it was, whatever is killed between two actions.
func TestGameSurvives(t *testing.T) {
	t.Parallel()
	for name, kill := range map[string]func(testing.TB, *devstack.Postgres, *instance){
		"killed instance": func(t testing.TB, _ *devstack.Postgres, i *instance) { i.kill(t) },
		"killed database": func(t testing.TB, server *devstack.Postgres, _ *instance) { must(t, server.Kill()) },
		"killed both": func(t testing.TB, server *devstack.Postgres, i *instance) {
			i.kill(t)
			must(t, server.Kill())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, server := setUpOwn(t)
			address := fmt.Sprint("127.0.0.1:", freePort(t))
			i := w.ready("HOLDFAST_LISTEN=" + address)
			p := sit(t, i.url, "--campaign", "tiny", "--seed", "survive")
			session := strings.Fields(p.sees("Session "))[1]
			w.secret(strings.TrimSuffix(session, "."))
			session = strings.TrimSuffix(session, ".")
			for n, s := range story {
				kill(t, server, i)
				// The player's action waits for whoever comes back.
				p.types(s.types)
				must(t, server.Restart(t.Context()))
				if alive(i) {
					i.becomesReady()
				} else {
					i = w.ready("HOLDFAST_LISTEN=" + address)
				}
				p.sees(s.sees)
				if v := w.version(session); v != int64(n+2) {
					t.Fatalf("version %d after %d actions", v, n+1)
				}
			}
			if s := p.state(); s.Scene != "lamp" || s.Turn != len(story) || s.Variables.Oil != 4 || s.Variables.Keeper != "Ada" {
				t.Errorf("the game stands at %+v", s)
			}
			p.types("quit")
			if code := p.wait(t); code != 0 {
				t.Errorf("the player's exit code is %d: %v", code, p.err.all())
			}

			again := sit(t, i.url, "--resume", session)
			again.sees("4 measures are left")
			if s := again.state(); s.Turn != len(story) || s.Variables.Keeper != "Ada" {
				t.Errorf("who comes back finds %+v", s)
			}
			again.types("2")
			again.sees("holds 4 measures of oil")
		})
	}
}

func alive(i *instance) bool {
	select {
	case <-i.exited:
		return false
	default:
		return true
	}
}

// An action whose answer was lost with its instance counts once, and the
// player is told where the game stands.
func TestPlayerLosesAnAnswer(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	address := fmt.Sprint("127.0.0.1:", freePort(t))
	i := w.ready("HOLDFAST_LISTEN=" + address)
	p := sit(t, i.url, "--campaign", "tiny", "--seed", "lost")
	session := strings.TrimSuffix(strings.Fields(p.sees("Session "))[1], ".")
	p.sees("holds 2 measures of oil")
	release := w.locked(session)
	p.types("1 measures=3")
	eventually(t, "the write that waits", func() bool { return w.waiting() == 1 })
	i.kill(t)
	release()
	eventually(t, "the end of the write", func() bool { return w.waiting() == 0 })
	w.ready("HOLDFAST_LISTEN=" + address)
	p.sees("holds 5 measures of oil")
	if v := w.version(session); v != 2 {
		t.Errorf("version %d: it was applied %d times", v, v-1)
	}
	if s := p.state(); s.Turn != 1 {
		t.Errorf("turn %d after one action", s.Turn)
	}
}

// What a player can do beside acting: save, load, resume, help, and being
// told of a mistake.
func TestPlayerCommands(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	i := w.ready()
	p := sit(t, i.url, "--seed", "commands")
	tiny := strings.Fields(p.sees(" tiny"))[0]
	p.types("99")
	p.sees("A number from 1 to")
	p.types(strings.TrimSuffix(tiny, "."))
	first := strings.TrimSuffix(strings.Fields(p.sees("Session "))[1], ".")
	p.sees("You need at least three measures")
	p.types("help")
	p.sees("take an action")
	p.types("3")
	p.sees("! ")
	p.types("1 measures")
	p.sees("is not NAME=VALUE")
	p.types("save")
	load := p.sees("Saved. To load it: ")
	p.types("1 measures=3")
	p.sees("holds 5 measures of oil")
	p.types(load[strings.LastIndex(load, "load "):])
	p.sees("holds 2 measures of oil")
	p.types("resume " + strings.Repeat("0", 32))
	p.sees("unknown_session")
	p.types("resume " + first)
	p.sees("holds 5 measures of oil")
	p.types("5")
	p.sees("The game is abandoned.")
	if code := p.wait(t); code != 0 {
		t.Errorf("exit code %d: %v", code, p.err.all())
	}
	back := sit(t, i.url, "--resume", first)
	if code := back.wait(t); code != 1 || !strings.Contains(strings.Join(back.err.all(), "\n"), "invalid_state") {
		t.Errorf("an abandoned game is resumed: exit code %d, %v", code, back.err.all())
	}
}
