package storygraph_test

import (
	"encoding/json"
	"testing"

	"github.com/holdfast-dev/holdfast/adapters/engine/storygraph"
	"github.com/holdfast-dev/holdfast/campaigns"
	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/engine/enginetest"
)

func TestConformance(t *testing.T) {
	e, foreign, err := storygraph.Load(campaigns.FS)
	if err != nil || len(foreign) > 0 {
		t.Fatal(err, foreign)
	}
	enginetest.Run(t, func(testing.TB) enginetest.Subject {
		return enginetest.Subject{
			Engine: e, // it is immutable
			Params: map[string][]map[string]engine.Value{
				"fill": {nil, {"measures": json.Number("3")}, {"measures": json.Number("4")}, {"measures": "three"}},
				"sign": {nil, {"name": "Ann"}, {"name": "Ödön „7“ \u2028", "oath": true}, {"name": "", "oath": true}, {"name": "Ann", "oath": false}},
			},
			Achievements: []string{"first-light", "deserter", "of-another-campaign"},
			Abandoned: enginetest.Script{
				Start: engine.Start{CampaignID: "tiny", GameID: "game-1", Seed: "seed"},
				Moves: []engine.Move{{ActionID: "leave"}},
			},
		}
	})
}
