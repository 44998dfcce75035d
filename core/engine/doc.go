// Package engine is the port to game engines (spec 10, The engine port).
//
// An engine is pure: blob in, blob out, no clock, no I/O, no randomness but
// the seed. It owns the blob and everything that can change it. The host owns
// the rest: identity, version, expiry, tenant, the engine version on the row.
//
// An engine adapter brings one kind of game and its campaigns, and registers
// with the [Registry]. Whatever a blob or a campaign holds, an engine answers
// with a value or an error: [Guard] turns a panic, an oversized blob and a
// call past its deadline into errors, and enginetest holds engines to it.
//
// Errors of an engine are faults of these codes: unknown_campaign (Start),
// invalid_state (a blob that decodes to a state in which the operation makes
// no sense), save_requires_migration and migration_failed (Load), and
// internal_failure (a blob that does not decode, a bound that was exceeded).
// A move that the rules refuse is no error: it is a [Result] with OK false.
package engine

// PortVersion is the version of this port. The contract records the one that
// it was written for (info.x-engine-version); start-up fails on a mismatch.
const PortVersion = "1"

// MaxBlob is the size in bytes that a blob may not exceed.
const MaxBlob = 1 << 20
