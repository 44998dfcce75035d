// Package storygraph is the engine for games that are a graph of scenes:
// a text, actions with conditions, effects on variables, throws of seeded
// dice, achievements and endings. A game is a campaign file, which [Load]
// checks in full; docs/campaigns.md is the reference of the format.
//
// # What is trusted and what is fenced
//
// Neither campaign files nor blobs are trusted. Files are bounded before they
// are parsed, and expressions have no loops and a cost limit. A blob is read
// only if it is, byte for byte, what this engine would have written
// (internal_failure otherwise), and played only if its campaign version has
// everything that it names (invalid_state where the operation has that code,
// internal_failure where it has not). No error quotes a blob.
//
// # Determinism
//
// Nothing but the campaign, the seed and the moves decides what happens. A
// blob holds the SHA-256 of the seed and a counter of draws; the method of a
// draw is with its code. A condition that fails, or costs too much, does not
// hold; an effect or a check that cannot be computed refuses the whole move;
// a variable that would leave its bounds stays at the bound.
//
// # The profile
//
// A scene is shown without a profile, so that the condition which decides
// whether an action is available (when) cannot look at it; the one which is
// looked at when the action is taken (require) can. Outcome.ProfileRead is
// true exactly where evaluating the move looked at the profile.
package storygraph
