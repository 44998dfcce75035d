package enginetest

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/fault"
)

var startCases = []Case{
	{"campaigns are sorted, of the engine's kind, and can be started", func(t T, s Subject) {
		list := s.Engine.Campaigns()
		if len(list) == 0 {
			t.Fatalf("the engine has no campaigns")
		}
		if s.Engine.Version() == "" || s.Engine.Kind() == "" || strings.Contains(s.Engine.Kind(), "@") {
			t.Errorf("%q@%q does not name an engine", s.Engine.Kind(), s.Engine.Version())
		}
		if !slices.IsSortedFunc(list, func(a, b engine.Summary) int { return strings.Compare(a.CampaignID, b.CampaignID) }) {
			t.Errorf("the campaigns are not sorted by id: %v", list)
		}
		for _, c := range list {
			if c.KindID != s.Engine.Kind() || c.TitleKey == "" {
				t.Errorf("campaign %+v of an engine of kind %q", c, s.Engine.Kind())
			}
			p, err := s.Engine.Start(t.Context(), engine.Start{CampaignID: c.CampaignID, GameID: "game-1", Seed: "seed"})
			if err != nil {
				t.Fatalf("start %q: %v", c.CampaignID, err)
			}
			if p.CampaignID != c.CampaignID || p.Scene.GameID != "game-1" || p.Scene.Status != engine.Active || !p.ReplayCompatible {
				t.Errorf("start %q gives campaign %q, game %q, status %q, replay compatible %v",
					c.CampaignID, p.CampaignID, p.Scene.GameID, p.Scene.Status, p.ReplayCompatible)
			}
		}
	}},
	{"an unknown campaign cannot be started", func(t T, s Subject) {
		for _, id := range []string{"", "no such campaign", "../" + s.Engine.Campaigns()[0].CampaignID, strings.Repeat("x", 10_000)} {
			if p, err := s.Engine.Start(t.Context(), engine.Start{CampaignID: id, GameID: "game-1"}); fault.CodeOf(err) != fault.UnknownCampaign {
				t.Errorf("start %.40q: %v, %v", id, p.Blob, err)
			}
		}
	}},
	{"odd seeds and game ids start a game or are refused", func(t T, s Subject) {
		for _, odd := range []string{"", "\x00", "\xff\xfe", "\ud7ff\ue000", "\"}],\\", strings.Repeat("é", 200_000)} {
			for _, req := range []engine.Start{{GameID: odd}, {GameID: "game-1", Seed: odd}} {
				req.CampaignID = s.Engine.Campaigns()[0].CampaignID
				p, err := s.Engine.Start(t.Context(), req)
				if err != nil {
					if code := fault.CodeOf(err); code != fault.InternalFailure {
						t.Errorf("start with %.10q: code %s", odd, code)
					}
					continue
				}
				if err := canonical(p.Blob); err != nil {
					t.Errorf("start with %.10q: the blob is not canonical: %v", odd, err)
				}
				if p.Scene.GameID != req.GameID {
					t.Errorf("start with game id %.10q gives %.10q", req.GameID, p.Scene.GameID)
				}
			}
		}
	}},
	{"the same request and moves give the same bytes", func(t T, s Subject) {
		onWalks(t, s, func(t T, w walk) {
			type point struct {
				blob string
				at   at
			}
			record := func() (points []point) {
				w.play(t, s, func(p at) { points = append(points, point{p.blob, p}) })
				return points
			}
			first, second := record(), record()
			if !reflect.DeepEqual(first, second) {
				t.Fatalf("two plays of one walk differ")
			}
		})
	}},
	{"several callers do not disturb each other", func(t T, s Subject) {
		w := walk{Start: engine.Start{CampaignID: s.Engine.Campaigns()[0].CampaignID, GameID: "game-1", Seed: "seed"}}
		for i := range 12 {
			w.Steps = append(w.Steps, step{Action: i, Params: i})
		}
		ends := make([]string, 8)
		var all sync.WaitGroup
		for i := range ends {
			all.Go(func() {
				defer func() {
					if recover() != nil {
						ends[i] = ""
					}
				}()
				w.play(&elsewhere{T: t}, s, func(p at) { ends[i] = p.blob })
			})
		}
		all.Wait()
		for _, end := range ends {
			if end != ends[0] || end == "" {
				t.Fatalf("callers at the same time got different games")
			}
		}
	}},
}

// elsewhere is the T of a goroutine that is not the case's: it must not end
// the case from there.
type elsewhere struct{ T }

func (*elsewhere) Errorf(string, ...any) { panic("enginetest: a concurrent play failed") }
func (*elsewhere) Fatalf(string, ...any) { panic("enginetest: a concurrent play failed") }
