package fault

import (
	"fmt"
	"strings"
)

// StoreKind says what went wrong in the store (spec 10, Errors of the store).
// A write that lost a race is not among them.
type StoreKind string

const (
	// Unreachable: no answer from the server, or no connection to it.
	Unreachable StoreKind = "store unreachable"
	// PoolExhausted: an acquire timed out while every connection was in use.
	PoolExhausted StoreKind = "pool exhausted"
	// IsolationUnsupported: the connection does not run at read committed.
	IsolationUnsupported StoreKind = "isolation level"
	// ReadOnly: the server refused a write because it is read-only (25006).
	ReadOnly StoreKind = "store is read-only"
	// StatementFailed: the server refused a statement for another reason.
	StatementFailed StoreKind = "statement failed"
	// IDCollision: an insert met a row with the same id.
	IDCollision StoreKind = "id collision"
	// RowUndeserializable: a stored row does not fit its declared types.
	RowUndeserializable StoreKind = "row undeserializable"
	// MigrationLockTimeout: another instance held the migration lock too long.
	MigrationLockTimeout StoreKind = "migration lock timeout"
	// MigrationRefused: a migration failed.
	MigrationRefused StoreKind = "migration failed"
)

// StoreError is a failure of the store. Every surface answers it with
// [StorageFailure].
type StoreError struct {
	Kind StoreKind
	// Statement names the statement that failed, where one did.
	Statement string
	// Subject is the column, isolation level or migration that Kind is about.
	Subject string
	Cause   error
}

func (e *StoreError) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Kind))
	if e.Subject != "" {
		fmt.Fprintf(&b, ": %s", e.Subject)
	}
	if e.Statement != "" {
		fmt.Fprintf(&b, " (statement %s)", e.Statement)
	}
	if e.Cause != nil {
		fmt.Fprintf(&b, ": %v", e.Cause)
	}
	return b.String()
}

func (e *StoreError) Unwrap() error { return e.Cause }

// Detail is the text that readiness shows for the failure (spec 10, Start-up,
// probes, shutdown).
func (e *StoreError) Detail() string {
	switch e.Kind {
	case IsolationUnsupported, MigrationRefused:
		return string(e.Kind) + ": " + e.Subject
	case IDCollision, RowUndeserializable:
		return string(StatementFailed)
	default:
		return string(e.Kind)
	}
}
