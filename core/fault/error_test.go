package fault_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/holdfast-dev/holdfast/core/fault"
)

func TestCodeOf(t *testing.T) {
	store := &fault.StoreError{Kind: fault.Unreachable, Cause: io.ErrUnexpectedEOF}
	for _, tc := range []struct {
		name string
		err  error
		want fault.Code
	}{
		{"a fault", fault.New(fault.UnknownSave, nil), fault.UnknownSave},
		{"a wrapped fault", fmt.Errorf("load: %w", fault.New(fault.InvalidState, io.EOF)), fault.InvalidState},
		{"a fault among joined errors", errors.Join(io.EOF, fault.New(fault.Forbidden, nil)), fault.Forbidden},
		{"a store error", store, fault.StorageFailure},
		{"a wrapped store error", fmt.Errorf("get: %w", store), fault.StorageFailure},
		{"a fault that a store error caused", fault.New(fault.ConcurrentModification, store), fault.ConcurrentModification},
		{"a store error that a fault caused", &fault.StoreError{Kind: fault.StatementFailed, Cause: fault.New(fault.UnknownKind, nil)}, fault.UnknownKind},
		{"an id collision is no conflict", &fault.StoreError{Kind: fault.IDCollision}, fault.StorageFailure},
		{"any other error", io.EOF, fault.InternalFailure},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := fault.CodeOf(tc.err); got != tc.want {
				t.Errorf("code %s, want %s", got, tc.want)
			}
		})
	}
}

func TestErrorKeepsItsCause(t *testing.T) {
	err := fault.New(fault.InternalFailure, fmt.Errorf("blob: %w", io.EOF))
	if !errors.Is(err, io.EOF) {
		t.Error("the cause is lost")
	}
	if got, want := err.Error(), "internal_failure: blob: EOF"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	if got, want := fault.New(fault.Forbidden, nil).Error(), "forbidden"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}

func TestMalformedSaysWhere(t *testing.T) {
	err := fault.Malformed("/params/key", "nul")
	if err.Code != fault.MalformedPayload || err.At != "/params/key nul" {
		t.Errorf("%s at %q, want malformed_payload at \"/params/key nul\"", err.Code, err.At)
	}
	if got, want := err.Error(), "malformed_payload at /params/key nul"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}

// TestStoreErrorDetail: the details are the fixed texts of readiness (spec
// 10, Start-up, probes, shutdown), and hold nothing of the statement or the
// cause.
func TestStoreErrorDetail(t *testing.T) {
	for _, tc := range []struct {
		err    fault.StoreError
		detail string
	}{
		{fault.StoreError{Kind: fault.Unreachable}, "store unreachable"},
		{fault.StoreError{Kind: fault.PoolExhausted}, "pool exhausted"},
		{fault.StoreError{Kind: fault.IsolationUnsupported, Subject: "serializable"}, "isolation level: serializable"},
		{fault.StoreError{Kind: fault.ReadOnly}, "store is read-only"},
		{fault.StoreError{Kind: fault.StatementFailed}, "statement failed"},
		{fault.StoreError{Kind: fault.IDCollision}, "statement failed"},
		{fault.StoreError{Kind: fault.RowUndeserializable, Subject: "audience"}, "statement failed"},
		{fault.StoreError{Kind: fault.MigrationLockTimeout}, "migration lock timeout"},
		{fault.StoreError{Kind: fault.MigrationRefused, Subject: "00002_saves"}, "migration failed: 00002_saves"},
	} {
		t.Run(string(tc.err.Kind), func(t *testing.T) {
			if got := tc.err.Detail(); got != tc.detail {
				t.Errorf("detail %q, want %q", got, tc.detail)
			}
			full := tc.err
			full.Statement, full.Cause = "read_session", io.EOF
			if got := full.Detail(); got != tc.detail {
				t.Errorf("detail %q with a cause, want %q", got, tc.detail)
			}
			for _, part := range []string{"read_session", tc.err.Subject, "EOF"} {
				if !strings.Contains(full.Error(), part) {
					t.Errorf("the log's text %q does not name %q", full.Error(), part)
				}
			}
			if !errors.Is(&full, io.EOF) {
				t.Error("the cause is lost")
			}
		})
	}
}
