package engine

import (
	"context"
	"encoding/json"
)

// Engine hosts one kind of game. It is safe for concurrent use.
type Engine interface {
	// Kind names the kind of game, such as "story-graph".
	Kind() string
	// Version is the engine's own version; a row records "kind@version".
	Version() string
	// Campaigns lists the newest version of each campaign, sorted by id.
	Campaigns() []Summary

	// Start begins a campaign in its newest version. The same request gives
	// the same blob, byte for byte. Unknown campaign: unknown_campaign.
	Start(ctx context.Context, req Start) (Position, error)
	// Scene shows where the game stands.
	Scene(ctx context.Context, blob string) (Scene, error)
	// View shows the state that the engine lets players see.
	View(ctx context.Context, blob string) (View, error)
	// Strings resolves the text, label and reason keys of the blob's campaign
	// version, in its default locale.
	Strings(ctx context.Context, blob string) (map[string]string, error)
	// Apply makes a move. Where the rules refuse it, Result.OK is false and
	// Blob is the one that came in.
	Apply(ctx context.Context, blob string, move Move) (Outcome, error)
	// Resume shows where the game stands to a player who comes back, and all
	// achievements that the game has earned. A game that was abandoned cannot
	// be resumed: invalid_state.
	Resume(ctx context.Context, blob string) (Resumed, error)
	// Load takes the blob of a save and returns the blob that a fresh session
	// goes on with: the same bytes where its campaign version is still here,
	// the migrated ones where the campaign says how. Otherwise
	// save_requires_migration, or migration_failed where it was tried.
	Load(ctx context.Context, blob string) (Position, error)
}

// Summary describes a campaign.
type Summary struct {
	CampaignID string
	KindID     string
	TitleKey   string
}

// Start asks for a new game.
type Start struct {
	CampaignID string
	// GameID names the game in everything that it shows.
	GameID string
	// Seed is the only randomness that the game has.
	Seed string
}

// Position is a blob with the scene that it stands at and the campaign that
// it belongs to.
type Position struct {
	Blob       string
	CampaignID string
	Scene      Scene
	// ReplayCompatible is true where the same moves from the same seed lead
	// to the same blob in this version of the engine.
	ReplayCompatible bool
}

// Move is an action that a player takes.
type Move struct {
	ActionID string
	Params   map[string]Value
	// Achievements are those that the player's profile holds, by id. It is
	// empty where there is no profile or it could not be read.
	Achievements map[string]bool
}

// Value is a JSON scalar: a string, a bool, or a json.Number, which keeps its
// decimal text so that large integers stay exact.
type Value any

// Outcome is what became of a move.
type Outcome struct {
	Blob   string
	Result Result
	// Achievements are all that this game has earned up to now, sorted.
	Achievements []string
	// ProfileRead is true where the verdict depended on Move.Achievements.
	ProfileRead bool
}

// Resumed is the answer to [Engine.Resume].
type Resumed struct {
	Scene        Scene
	Achievements []string
}

// Status says whether a game goes on.
type Status string

// The statuses of a game.
const (
	Active    Status = "active"
	Ended     Status = "ended"
	Abandoned Status = "abandoned"
)

// Scene is what a player sees now.
type Scene struct {
	GameID  string
	Status  Status
	TextKey string
	Text    string
	Actions []Action
	View    View
}

// Action is a choice that a scene offers.
type Action struct {
	ID       string
	LabelKey string
	// Available is false where a condition is not met; ReasonKey says which.
	Available bool
	ReasonKey string
}

// View is the visible state. KindView is canonical JSON of the engine's own
// shape.
type View struct {
	GameID   string
	Status   Status
	KindView json.RawMessage
}

// Result is the verdict on a move and what it changed.
type Result struct {
	OK       bool
	Scene    *Scene
	Errors   []Problem
	Warnings []Problem
	Changes  []Change
	Messages []Message
}

// Problem is a verdict's error or warning.
type Problem struct {
	Code       string
	MessageKey string
	Path       string
	// Details is a canonical JSON object, or nil.
	Details json.RawMessage
}

// Change is one variable that a move changed. Value and Previous are
// canonical JSON; Previous is nil where there was none.
type Change struct {
	Path     string
	Op       Op
	Value    json.RawMessage
	Previous json.RawMessage
	Reason   string
	Visible  bool
}

// Op says how a variable changed.
type Op string

// The ways in which a variable changes.
const (
	Set       Op = "set"
	Increment Op = "increment"
	Decrement Op = "decrement"
)

// Message is a line that a move says to the player.
type Message struct {
	Key string
	// Params is a canonical JSON object of scalars, or nil.
	Params  json.RawMessage
	Tone    Tone
	Visible bool
}

// Tone colours a message; empty means none.
type Tone string

// The tones of a message.
const (
	Neutral  Tone = "neutral"
	Positive Tone = "positive"
	Negative Tone = "negative"
	Absurd   Tone = "absurd"
)
