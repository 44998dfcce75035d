package storygraph

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/go-faster/jx"

	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/fault"
)

const (
	// Kind is the kind of game that this engine hosts.
	Kind    = "story-graph"
	version = "1"
)

// Engine plays the campaigns that [Load] read. It is immutable.
type Engine struct {
	versions map[edition]*campaign
	newest   map[string]*campaign
}

// edition names one version of a campaign.
type edition struct {
	id      string
	version int64
}

var _ engine.Engine = (*Engine)(nil)

// Kind implements engine.Engine.
func (e *Engine) Kind() string { return Kind }

// Version implements engine.Engine.
func (e *Engine) Version() string { return version }

// Campaigns implements engine.Engine.
func (e *Engine) Campaigns() []engine.Summary {
	list := make([]engine.Summary, 0, len(e.newest))
	for _, c := range e.newest {
		list = append(list, engine.Summary{CampaignID: c.id, KindID: Kind, TitleKey: c.title})
	}
	slices.SortFunc(list, func(a, b engine.Summary) int { return strings.Compare(a.CampaignID, b.CampaignID) })
	return list
}

var errGameID = errors.New("story-graph: the game's id is too long, or not UTF-8 without U+0000")

// Start implements engine.Engine.
func (e *Engine) Start(_ context.Context, req engine.Start) (engine.Position, error) {
	c, ok := e.newest[req.CampaignID]
	if !ok {
		return engine.Position{}, fault.New(fault.UnknownCampaign, nil)
	}
	if !soundID(req.GameID) {
		return engine.Position{}, fault.New(fault.InternalFailure, errGameID)
	}
	s := c.begin(req)
	return s.position(s.blob()), nil
}

func (c *campaign) begin(req engine.Start) *state {
	return &state{
		campaign: c, campaignID: c.id, version: c.version, game: req.GameID,
		status: c.start.status(), sceneID: c.start.id, seed: seedText(req.Seed), replay: true,
		vars: c.initial(),
	}
}

func (s *state) position(blob string) engine.Position {
	return engine.Position{Blob: blob, CampaignID: s.campaignID, Scene: s.show(), ReplayCompatible: s.replay}
}

// Scene implements engine.Engine. A blob that does not fit its campaign
// version, or whose version is gone, is internal_failure: the operations that
// show a session have no finer code (spec 10, The wire).
func (e *Engine) Scene(_ context.Context, blob string) (engine.Scene, error) {
	s, err := e.openToShow(blob)
	if err != nil {
		return engine.Scene{}, err
	}
	defer s.release()
	return s.show(), nil
}

// View implements engine.Engine, with the errors of Scene.
func (e *Engine) View(_ context.Context, blob string) (engine.View, error) {
	s, err := e.openToShow(blob)
	if err != nil {
		return engine.View{}, err
	}
	defer s.release()
	return s.view(), nil
}

// Strings implements engine.Engine, with the errors of Scene.
func (e *Engine) Strings(_ context.Context, blob string) (map[string]string, error) {
	s, err := e.openToShow(blob)
	if err != nil {
		return nil, err
	}
	defer s.release()
	return maps.Clone(s.campaign.strings), nil
}

// Resume implements engine.Engine.
func (e *Engine) Resume(_ context.Context, blob string) (engine.Resumed, error) {
	s, err := e.open(blob)
	if err != nil {
		return engine.Resumed{}, err
	}
	defer s.release()
	if s.status == engine.Abandoned {
		return engine.Resumed{}, fault.New(fault.InvalidState, errors.New("story-graph: the game was abandoned"))
	}
	return engine.Resumed{Scene: s.show(), Achievements: s.achievements}, nil
}

// show is the scene as the player sees it.
func (s *state) show() engine.Scene {
	at := s.campaign.scenes[s.sceneID]
	shown := engine.Scene{
		GameID:  s.game,
		Status:  s.status,
		TextKey: at.textKey,
		Text:    at.text.render(s),
		Actions: make([]engine.Action, 0, len(at.actions)),
		View:    s.view(),
	}
	look := scope{state: s}
	for _, a := range at.actions {
		act := engine.Action{ID: a.id, LabelKey: a.label, Available: true}
		if code := s.unavailable(a, &look); code != "" {
			if a.hidden {
				continue
			}
			act.Available = false
			act.ReasonKey = engine.ReasonKey(code)
			if code == engine.ReasonConditionUnmet && a.reason != "" {
				act.ReasonKey = a.reason
			}
		}
		shown.Actions = append(shown.Actions, act)
	}
	return shown
}

// unavailable is the code for which an action cannot be taken as the game
// stands; empty where it can.
func (s *state) unavailable(a *action, look *scope) string {
	if a.usedKey != "" {
		if _, taken := slices.BinarySearch(s.used, a.usedKey); taken {
			return engine.ReasonActionUnavailable
		}
	}
	if !a.when.holds(look) {
		return engine.ReasonConditionUnmet
	}
	return ""
}

// view is the visible state. The members of KindView are sorted.
func (s *state) view() engine.View {
	w := jx.GetWriter()
	defer jx.PutWriter(w)
	w.RawStr(`{"achievements":`)
	encodeList(w, s.achievements)
	w.RawStr(`,"campaignId":`)
	w.Str(s.campaignID)
	w.RawStr(`,"campaignVersion":`)
	w.Int64(s.version)
	w.RawStr(`,"scene":`)
	w.Str(s.sceneID)
	w.RawStr(`,"turn":`)
	w.Int64(s.turn)
	w.RawStr(`,"variables":{`)
	s.encodeVariables(w, false)
	w.RawStr(`}}`)
	return engine.View{GameID: s.game, Status: s.status, KindView: slices.Clone(w.Buf)}
}
