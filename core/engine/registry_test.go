package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/fault"
)

func hosting(kind string, campaignIDs ...string) fake {
	f := fake{kind: kind, act: fine}
	for _, id := range campaignIDs {
		f.campaigns = append(f.campaigns, engine.Summary{CampaignID: id, KindID: kind, TitleKey: id + ".title"})
	}
	return f
}

func TestRegistry(t *testing.T) {
	graph, dice := hosting("graph", "harbour", "attic"), hosting("dice", "cellar")
	r, err := engine.NewRegistry([]engine.Engine{graph, dice}, []engine.Summary{{CampaignID: "zeppelin", KindID: "flight"}})
	if err != nil {
		t.Fatal(err)
	}

	var listed []string
	for _, c := range r.Campaigns() {
		listed = append(listed, c.CampaignID+" "+c.KindID+" "+c.TitleKey)
	}
	want := []string{"attic graph attic.title", "cellar dice cellar.title", "harbour graph harbour.title"}
	if !slices.Equal(listed, want) {
		t.Errorf("campaigns %q, want %q", listed, want)
	}

	for _, tc := range []struct {
		campaign, kind string
		code           fault.Code
	}{
		{"harbour", "graph", ""},
		{"attic", "graph", ""},
		{"cellar", "dice", ""},
		{"zeppelin", "", fault.UnknownKind},
		{"nowhere", "", fault.UnknownCampaign},
		{"", "", fault.UnknownCampaign},
		{"Harbour", "", fault.UnknownCampaign},
	} {
		e, err := r.ForCampaign(tc.campaign)
		switch {
		case tc.code != "" && (err == nil || fault.CodeOf(err) != tc.code):
			t.Errorf("campaign %q: error %v, want %s", tc.campaign, err, tc.code)
		case tc.code == "" && (err != nil || e.Kind() != tc.kind):
			t.Errorf("campaign %q: %v, %v, want the engine of %s", tc.campaign, e, err, tc.kind)
		}
	}

	for _, tc := range []struct {
		version, kind string
	}{
		{engine.VersionOf(graph), "graph"},
		{"dice@0.1-of-old", "dice"},
		{"dice", "dice"},
		{"flight@1", ""},
		{"@7", ""},
		{"", ""},
	} {
		e, ok := r.ForVersion(tc.version)
		if ok != (tc.kind != "") || ok && e.Kind() != tc.kind {
			t.Errorf("engine version %q: %v, %t, want the engine of %q", tc.version, e, ok, tc.kind)
		}
	}
	if got, want := engine.VersionOf(graph), "graph@7"; got != want {
		t.Errorf("version %q, want %q", got, want)
	}
}

func TestRegistryRefusesDoubles(t *testing.T) {
	for _, tc := range []struct {
		name    string
		engines []engine.Engine
		names   string
	}{
		{"kinds", []engine.Engine{hosting("graph", "a"), hosting("graph", "b")}, `"graph"`},
		{"campaigns of two engines", []engine.Engine{hosting("graph", "a", "b"), hosting("dice", "b")}, `"b"`},
		{"campaigns of one engine", []engine.Engine{hosting("graph", "c", "c")}, `"c"`},
	} {
		if _, err := engine.NewRegistry(tc.engines, nil); err == nil || !strings.Contains(err.Error(), tc.names) {
			t.Errorf("two %s: error %v, want one that names %s", tc.name, err, tc.names)
		}
	}
}

func TestEmptyRegistry(t *testing.T) {
	r, err := engine.NewRegistry(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Campaigns()) != 0 {
		t.Errorf("campaigns %v of no engine", r.Campaigns())
	}
	if _, err := r.ForCampaign("harbour"); fault.CodeOf(err) != fault.UnknownCampaign {
		t.Errorf("error %v, want unknown_campaign", err)
	}
}

func TestEveryReasonHasAText(t *testing.T) {
	texts := engine.ReasonTexts()
	codes := []string{
		engine.ReasonUnknownAction, engine.ReasonActionUnavailable, engine.ReasonConditionUnmet,
		engine.ReasonInvalidParams, engine.ReasonGameEnded,
		engine.ReasonProfileMissing, engine.ReasonProfileCorrupt, engine.ReasonProfileWriteFailed,
	}
	for _, code := range codes {
		if texts["core.reason."+code] == "" {
			t.Errorf("no text for %s under core.reason.%s", code, code)
		}
	}
	if len(texts) != len(codes) {
		t.Errorf("%d texts for %d codes", len(texts), len(codes))
	}
	texts["core.reason.game_ended"] = "changed"
	if engine.ReasonTexts()["core.reason.game_ended"] == "changed" {
		t.Error("callers share one map of texts")
	}
}
