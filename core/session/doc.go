// Package session is play sessions: games hosted by an engine that survive a
// restart, served by any number of instances (spec 10).
//
// # Who owns what
//
// The engine's fields on a [Record] are stored verbatim and handed back
// unchanged. The version, the expiry, the tenant and the row's times are the
// store's own; the engine never sees them and [Service] never computes them.
//
// # The one concurrency mechanism
//
// The guarded write of [Sessions.Put] is the only one. A [Layer] is built for
// each operation, remembers the version of each row that it read, and dies
// with the operation; nothing about a session outlives a request in this
// process. No transaction spans read, engine and write. Of two operations
// that read the same version, one write lands and the other is a [Conflict];
// nothing merges and nothing retries.
//
// # What is trusted and what is fenced
//
// Expiry is decided by the store's clock, in the guard itself, so that no
// write brings back a session that a reader was told is gone. The service's
// clock only dates records. The session write goes first and the profile
// after it, so a losing write leaves no trace; a profile that could not be
// written is caught up by the next action or by resume-session.
package session
