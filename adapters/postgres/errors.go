package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"

	"github.com/holdfast-dev/holdfast/core/fault"
)

// SQLSTATEs that mean something of their own here.
const (
	readOnlyTransaction = "25006"
	uniqueViolation     = "23505"
	protocolViolation   = "08P01"
	tooManyConnections  = "53300"
	syntaxError         = "42601"

	duplicatePreparedStatement = "42P05"
	unknownPreparedStatement   = "26000"
)

// storeError is the one place where an error of the driver becomes ours. The
// result holds no value of a parameter or a row. An error that the caller's
// context caused can be told by errors.Is.
func storeError(ctx context.Context, statement string, err error) *fault.StoreError {
	if e, ok := errors.AsType[*fault.StoreError](err); ok {
		return e
	}
	if e, ok := errors.AsType[pgx.ScanArgError](err); ok {
		// The text of the cause may quote what is in the column.
		return &fault.StoreError{Kind: fault.RowUndeserializable, Statement: statement, Subject: e.FieldName}
	}
	if cause := ctx.Err(); cause != nil {
		return &fault.StoreError{Kind: fault.Unreachable, Statement: statement, Cause: cause}
	}
	// A server that refuses a connection is not reached, whatever its reason.
	if e, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return &fault.StoreError{Kind: fault.Unreachable, Statement: statement, Cause: e}
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return &fault.StoreError{Kind: kindOf(e), Statement: statement, Cause: serverErrorOf(e)}
	}
	if brokenConnection(err) {
		return &fault.StoreError{Kind: fault.Unreachable, Statement: statement, Cause: err}
	}
	// What is left are faults of the driver before anything was sent, such as
	// an argument that it cannot encode; their texts may quote the argument.
	return &fault.StoreError{Kind: fault.StatementFailed, Statement: statement, Cause: fmt.Errorf("driver: %T", err)}
}

func kindOf(e *pgconn.PgError) fault.StoreKind {
	switch {
	case e.Code == readOnlyTransaction:
		return fault.ReadOnly
	// The server, or a pooler in front of it, ends the connection.
	case e.SeverityUnlocalized == "FATAL", e.SeverityUnlocalized == "PANIC",
		e.Code == tooManyConnections,
		strings.HasPrefix(e.Code, "08") && e.Code != protocolViolation, // connection exception
		strings.HasPrefix(e.Code, "57P0"):                              // shutting down, crashed, starting up
		return fault.Unreachable
	}
	return fault.StatementFailed
}

func brokenConnection(err error) bool {
	_, isNet := errors.AsType[net.Error](err)
	return isNet || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, pgconn.ErrConnClosed) ||
		errors.Is(err, puddle.ErrClosedPool) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, sql.ErrConnDone) || errors.Is(err, context.DeadlineExceeded)
}

// serverError is what may be said of an error that the server reported.
type serverError struct {
	code    string
	message string
}

func (e *serverError) Error() string {
	if e.message == "" {
		return "SQLSTATE " + e.code
	}
	return e.message + " (SQLSTATE " + e.code + ")"
}

// serverErrorOf keeps the server's message where its class speaks of
// relations, rights and resources, and drops it where it may quote data.
// Details and hints, which quote rows, are never kept.
func serverErrorOf(e *pgconn.PgError) *serverError {
	switch e.Code {
	case duplicatePreparedStatement, unknownPreparedStatement:
		return &serverError{e.Code, e.Message + ": behind a transaction pooler the exec mode must be cache_describe or exec"}
	case syntaxError:
		return &serverError{code: e.Code}
	}
	if len(e.Code) == 5 && slices.Contains(messagesWithoutData, e.Code[:2]) {
		return &serverError{e.Code, e.Message}
	}
	return &serverError{code: e.Code}
}

// messagesWithoutData are the classes of SQLSTATE whose messages quote names
// and numbers of the server, but neither parameters nor rows.
var messagesWithoutData = []string{"08", "23", "25", "28", "3D", "3F", "40", "42", "53", "54", "55", "57", "58"}

func isUniqueViolation(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == uniqueViolation
}
