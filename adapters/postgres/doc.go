// Package postgres is the store: the storage ports of the core on PostgreSQL.
//
// # Concurrency
//
// A [Store] is process-lived and holds a connection pool. The session layer
// that it composes for each operation ([Store.Layer]) holds nothing but the
// row versions that the operation has read. Every statement is its own round
// trip and its own transaction; what must commit together is one statement.
// No lock is held between a read and the write that follows it: the guarded
// update decides, by version and by the database's clock.
//
// The guard needs read committed: at a stricter level the loser of a race
// gets a serialization error, which would look like an outage. The level is
// asserted on every new connection and by every readiness check, and never
// set.
//
// # What is trusted and what is fenced
//
// Time is the database's: expiry is written and compared there. Connections
// are not trusted to stay good: one that turns out to lead to a read-only
// server is closed, an idle one is pinged before use. Errors of the driver
// become *fault.StoreError in one place, without values of parameters or rows.
//
// # Start-up
//
// [New] only checks its options. Until an [Store.Attempt] has succeeded
// (migrate to head, connect, assert the isolation level) every operation
// answers that the store is unreachable.
//
// Callers give every context a deadline; the store adds none to the serving
// path.
package postgres
