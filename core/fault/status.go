package fault

// statuses is the one mapping of codes to HTTP statuses, for every surface.
// It has no default: a code without a row is a programming error that the
// package's test finds.
var statuses = map[Code]int{
	MalformedPayload: 400,
	InvalidRequest:   400,

	Unauthenticated: 401,
	Forbidden:       403,

	UnsupportedVersion:     404,
	UnknownOperation:       404,
	UnknownSession:         404,
	UnknownSave:            404,
	UnknownCampaign:        404,
	SessionExpired:         404,
	SaveExpired:            404,
	UnknownCharacter:       404,
	UnknownTransfer:        404,
	UnknownRetryJob:        404,
	UnknownDeadLetter:      404,
	UnknownRealtimeSession: 404,

	InvalidState:           409,
	UnknownKind:            409,
	SaveRequiresMigration:  409,
	MigrationFailed:        409,
	ConcurrentModification: 409,
	CharacterConflict:      409,
	TransferCancelled:      409,
	IdempotencyKeyReused:   409,
	RPCVersionMismatch:     409,
	StreamGone:             409,
	SessionEnded:           409,

	InternalFailure: 500,

	StorageFailure:          503,
	JournalFailure:          503,
	EdgeUpstreamUnreachable: 503,
	EdgeUpstreamTimeout:     504,
}

// Status is the HTTP status of a code. It panics for a code that has no row,
// which no code of this package is.
func Status(c Code) int {
	s, ok := statuses[c]
	if !ok {
		panic("fault: no status for code " + string(c))
	}
	return s
}
