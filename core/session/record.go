package session

// Audience is the kind of caller that began a session.
type Audience string

// The audiences: players come over HTTP, agents over MCP.
const (
	Player Audience = "player"
	AI     Audience = "ai"
)

// Record is a play session as the engine and the host's dispatcher see it.
type Record struct {
	SessionID string
	// Blob is canonical JSON text, stored and returned byte for byte.
	Blob     string
	Audience Audience
	// AttemptCounter counts the accepted actions. It is not the lock.
	AttemptCounter   int64
	ReplayCompatible bool
	// CreatedAt and UpdatedAt are RFC 3339 texts, kept verbatim.
	CreatedAt string
	UpdatedAt string
	// ProfileID is empty where the session has no profile.
	ProfileID string
	// EngineVersion is "kind@version" of the engine that wrote Blob.
	EngineVersion string
}

// Save is a snapshot of a session. Its id is minted once and never contended.
type Save struct {
	SaveID        string
	Blob          string
	CampaignID    string
	Audience      Audience
	ProfileID     string
	EngineVersion string
	// SavedAtSeq is the session's AttemptCounter at the snapshot.
	SavedAtSeq       int64
	ReplayCompatible bool
	// CreatedAt is an RFC 3339 text, kept verbatim.
	CreatedAt string
}

// Profile is what a player keeps across sessions.
type Profile struct {
	ProfileID    string
	Achievements map[string]bool
}

// Version is the store-owned number of a session's row: 1 after the insert,
// one more with each accepted write.
type Version int64
