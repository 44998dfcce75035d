// Package fault holds the error codes of the contract, the one type that
// carries them from where a fault is found to the surface that answers, and
// the one table that gives each its HTTP status.
//
// A [Error] crosses a surface as its code alone; its cause is for the log.
// Store adapters report their failures as [StoreError], which every surface
// answers with [StorageFailure].
package fault

import (
	"context"
	"errors"
	"fmt"
)

// Error is a fault with the code that callers see. Cause is for the log and
// never leaves the process.
type Error struct {
	Code Code
	// At says where a malformed payload is wrong: a JSON pointer and a reason
	// word, never a value. Empty for other codes.
	At    string
	Cause error
}

// New returns a fault of a code; cause may be nil.
func New(c Code, cause error) *Error { return &Error{Code: c, Cause: cause} }

// Malformed returns a [MalformedPayload] at a JSON pointer, for a reason
// that is one word of the contract's list (see core/wire).
func Malformed(pointer, reason string) *Error {
	return &Error{Code: MalformedPayload, At: pointer + " " + reason}
}

func (e *Error) Error() string {
	switch {
	case e.Cause != nil:
		return fmt.Sprintf("%s: %v", e.Code, e.Cause)
	case e.At != "":
		return fmt.Sprintf("%s at %s", e.Code, e.At)
	}
	return string(e.Code)
}

func (e *Error) Unwrap() error { return e.Cause }

// CodeOf is the code that a surface answers an error with: that of the
// [Error] in its chain; [StorageFailure] for a [StoreError], and for a request
// whose time was over between two things, since it is the store that time is
// spent on; and [InternalFailure] for anything else.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	if _, ok := errors.AsType[*StoreError](err); ok {
		return StorageFailure
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return StorageFailure
	}
	return InternalFailure
}
