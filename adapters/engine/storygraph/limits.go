package storygraph

// Bounds on campaign files. They are far beyond what a written game needs and
// keep a hostile file from taking the loader's time or memory.
const (
	maxFiles        = 500
	maxFileBytes    = 4 << 20
	maxMarks        = 400_000 // bytes that can begin a token; checked before tokenizing
	maxTokens       = 200_000
	maxDepth        = 32
	maxBlockColumn  = 256   // how far right a block structure may be indented
	maxMembers      = 5_000 // of one object; the parser is quadratic in it
	maxProperties   = 1_000 // anchors, aliases, tags and directives
	maxScenes       = 5_000
	maxActions      = 64 // of one scene
	maxVariables    = 500
	maxParams       = 16 // of one action
	maxChoices      = 64 // of one parameter
	maxEffects      = 64 // of one outcome
	maxAchievements = 500
	maxLocales      = 32
	maxTextBytes    = 16 << 10
	maxPlaces       = 64 // of one text
	maxExprRunes    = 1_000
	maxFaults       = 200
)

// Bounds on a running game. Its blob is bounded by engine.MaxBlob besides.
const (
	maxStringBytes = 1 << 10
	maxIDBytes     = 1 << 10 // of the game's own id
	maxInteger     = 1<<53 - 1
	maxDice        = 20
	maxSides       = 1_000
	maxModifier    = 1_000_000
	maxExprCost    = 10_000
)
