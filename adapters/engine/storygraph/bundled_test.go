package storygraph_test

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-dev/holdfast/adapters/engine/storygraph"
	"github.com/holdfast-dev/holdfast/campaigns"
	"github.com/holdfast-dev/holdfast/core/engine"
)

func bundled(t *testing.T) *storygraph.Engine {
	t.Helper()
	e, foreign, err := storygraph.Load(campaigns.FS)
	if err != nil || len(foreign) > 0 {
		t.Fatal(err, foreign)
	}
	return e
}

func TestBundledCampaignsLoad(t *testing.T) {
	var ids []string
	for _, c := range bundled(t).Campaigns() {
		ids = append(ids, c.CampaignID)
	}
	if want := []string{"long-ebb", "tiny"}; !slices.Equal(ids, want) {
		t.Errorf("campaigns %q, want %q", ids, want)
	}
}

// route is a way to play a campaign to an end. Where it hangs on dice, there
// is a seed for which it goes as written.
type route struct {
	campaign string
	moves    string // ids of actions; id=text gives the parameter name
	held     string // an achievement of the profile
	ends     string // text key of the last scene
	earns    []string
}

const (
	down   = "tollhouse steps careful "
	rose   = "stage trapdoor rose back back dressing give back "
	bronze = "tollhouse rope steps careful wreck deck cabin sit throw back back leave church stair rope hang "
)

var routes = []route{
	{campaign: "tiny", moves: "fill climb strike", ends: "light.text", earns: []string{"first-light"}},
	{campaign: "tiny", moves: "fill sign=Ann climb strike strike", ends: "light.text", earns: []string{"first-light"}},
	{campaign: "tiny", moves: "fill climb strike strike whistle", ends: "gone.text"},
	{campaign: "tiny", moves: "leave", ends: "gone.text"},
	{campaign: "tiny", moves: "boat", held: "first-light", ends: "gone.text", earns: []string{"deserter"}},

	{campaign: "long-ebb", moves: "home", ends: "end-home"},
	{campaign: "long-ebb", moves: "sign=Ada tollhouse ask oil steps down climb again climb empty", ends: "end-empty"},
	{campaign: "long-ebb", moves: bronze + "ring", ends: "end-bell", earns: []string{"bell-ringer", "dicer"}},
	{campaign: "long-ebb", moves: bronze + "ring second", held: "bell-ringer", ends: "end-bell", earns: []string{"bell-ringer", "dicer"}},
	{campaign: "long-ebb", moves: bronze + "second", held: "bell-ringer", ends: "end-keeper", earns: []string{"dicer", "keeper"}},
	{
		campaign: "long-ebb", ends: "end-bell", earns: []string{"bell-ringer", "dicer"},
		moves: down + "market eelwife ask pay back leave church crypt bury back nave kneel sexton listen reward back back leave wreck hold chest cask back deck mast look back cabin sit throw throw back back leave church stair rope hang look ring",
	},
	{campaign: "long-ebb", moves: down + "wreck deck cabin snatch back leave church stair climb hang ring", ends: "end-bell", earns: []string{"bell-ringer"}},
	{campaign: "long-ebb", moves: down + "theatre " + rose + "leave office portrait study behind back stair climb open tables back leave climb council read", ends: "end-ledger", earns: []string{"bookkeeper"}},
	{campaign: "long-ebb", moves: down + "theatre dressing steal back leave office stair climb open back leave climb council sell", ends: "end-rich", earns: []string{"strongbox"}},
	{campaign: "long-ebb", moves: down + "bank queue wait ask withdraw back door dial box coin back leave climb box", ends: "end-rich", earns: []string{"strongbox"}},
	{campaign: "long-ebb", moves: down + "bank queue push bribe back door dial box back leave climb box", ends: "end-rich", earns: []string{"strongbox"}},
	{campaign: "long-ebb", moves: down + "bank door force box back leave climb box", ends: "end-rich", earns: []string{"strongbox"}},
	{campaign: "long-ebb", moves: down + "bank queue wait back leave gardens statue light back well listen wish back leave theatre " + rose + "stage perform seat", ends: "end-stay", earns: []string{"company"}},
	{campaign: "long-ebb", moves: down + "bank queue wait back leave gardens statue light back" + strings.Repeat(" leave gardens", 5) + " flood hand", ends: "end-stay", earns: []string{"company"}},
	{campaign: "long-ebb", moves: down + strings.Repeat("market leave ", 7) + "flood breathe", ends: "end-drowned", earns: []string{"under"}},
	{campaign: "long-ebb", moves: down + strings.Repeat("market leave ", 7) + "flood swim", ends: "end-drowned", earns: []string{"under"}},
	{campaign: "long-ebb", moves: down + strings.Repeat("market leave ", 7) + "flood swim", ends: "end-empty"},
	{campaign: "long-ebb", moves: down + "market search cellar coax name=Bo back leave gardens maze in rest lamps back leave office stair dog tables back leave climb whistle empty", ends: "end-empty", earns: []string{"good-dog"}},
	{
		campaign: "long-ebb", ends: "end-empty", earns: []string{"cartographer"},
		moves: "tollhouse steps down market sketch leave church sketch leave bank sketch leave office sketch leave theatre sketch leave gardens sketch leave wreck sketch leave map climb empty",
	},
}

// play follows a route with one seed; false where the dice lead elsewhere.
func (r route) play(t *testing.T, e *storygraph.Engine, seed string) bool {
	t.Helper()
	p, err := e.Start(t.Context(), engine.Start{CampaignID: r.campaign, GameID: "game-1", Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	blob, scene, earned := p.Blob, p.Scene, []string(nil)
	for move := range strings.FieldsSeq(r.moves) {
		m := engine.Move{Achievements: map[string]bool{r.held: true}}
		var named bool
		var name string
		if m.ActionID, name, named = strings.Cut(move, "="); named {
			m.Params = map[string]engine.Value{"name": name}
		}
		o, err := e.Apply(t.Context(), blob, m)
		if err != nil {
			t.Fatal(err)
		}
		if !o.Result.OK {
			break
		}
		blob, scene, earned = o.Blob, *o.Result.Scene, o.Achievements
	}
	return scene.TextKey == r.ends && slices.Equal(earned, r.earns)
}

func TestRoutes(t *testing.T) {
	e := bundled(t)
	for i, r := range routes {
		t.Run(fmt.Sprintf("%d %s %s", i, r.campaign, r.ends), func(t *testing.T) {
			for seed := range 400 {
				if r.play(t, e, fmt.Sprint(seed)) {
					return
				}
			}
			t.Errorf("with none of the seeds does %q lead to %s with %q", r.moves, r.ends, r.earns)
		})
	}
}

// The routes are complete: every ending and every achievement of every
// campaign is the end or the reward of one of them.
func TestRoutesReachEverything(t *testing.T) {
	ending := regexp.MustCompile(`(?m)text: ([a-z.-]+)(?:, |\n    )ending: (?:ended|abandoned)`)
	award := regexp.MustCompile(`(?m)^  ([a-z-]+): \{title: award\.`)
	for _, id := range []string{"tiny", "long-ebb"} {
		text, err := fs.ReadFile(campaigns.FS, id+".yaml")
		if err != nil {
			t.Fatal(err)
		}
		reached := map[string]bool{}
		for _, r := range routes {
			if r.campaign == id {
				reached[r.ends] = true
				for _, a := range r.earns {
					reached[a] = true
				}
			}
		}
		want := map[string]bool{}
		for _, found := range slices.Concat(ending.FindAllSubmatch(text, -1), award.FindAllSubmatch(text, -1)) {
			want[string(found[1])] = true
		}
		if len(want) < 4 || !maps.Equal(reached, want) {
			t.Errorf("%s: the routes reach %v of %v", id, slices.Sorted(maps.Keys(reached)), slices.Sorted(maps.Keys(want)))
		}
	}
}

// Whoever plays blindly always has something to do, and gets to an end.
func TestNobodyGetsStuck(t *testing.T) {
	e := bundled(t)
	const games, longest = 150, 400
	for _, id := range []string{"tiny", "long-ebb"} {
		ended, ends := 0, map[string]int{}
		for game := range games {
			random := rand.New(rand.NewPCG(7, uint64(game)))
			p, err := e.Start(t.Context(), engine.Start{CampaignID: id, GameID: "game-1", Seed: fmt.Sprint(game)})
			if err != nil {
				t.Fatal(err)
			}
			blob, scene := p.Blob, p.Scene
			for range longest {
				if scene.Status != engine.Active {
					ended++
					ends[scene.TextKey]++
					break
				}
				var open []string
				for _, a := range scene.Actions {
					// Going home in the first minute is an end, but no game.
					if a.Available && a.LabelKey != "quay.home" && a.LabelKey != "stairs.leave" {
						open = append(open, a.ID)
					}
				}
				if len(open) == 0 {
					t.Fatalf("%s, game %d: nothing to do at %s", id, game, scene.TextKey)
				}
				o, err := e.Apply(t.Context(), blob, engine.Move{ActionID: open[random.IntN(len(open))]})
				if err != nil {
					t.Fatal(err)
				}
				blob = o.Blob
				if o.Result.OK {
					scene = *o.Result.Scene
				}
			}
		}
		if ended < games*9/10 {
			t.Errorf("%s: of %d games, %d came to an end", id, games, ended)
		}
		t.Logf("%s: %v", id, ends)
	}
}
