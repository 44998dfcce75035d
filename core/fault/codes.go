package fault

// Code is a stable, machine-readable error code of the contract. Codes are
// never renamed; their HTTP status is in [Status].
type Code string

// Codes of the play-session surface (spec 10).
const (
	MalformedPayload       Code = "malformed_payload"
	UnsupportedVersion     Code = "unsupported_version"
	UnknownOperation       Code = "unknown_operation"
	UnknownSession         Code = "unknown_session"
	UnknownSave            Code = "unknown_save"
	UnknownCampaign        Code = "unknown_campaign"
	SessionExpired         Code = "session_expired"
	SaveExpired            Code = "save_expired"
	InvalidState           Code = "invalid_state"
	UnknownKind            Code = "unknown_kind"
	SaveRequiresMigration  Code = "save_requires_migration"
	MigrationFailed        Code = "migration_failed"
	ConcurrentModification Code = "concurrent_modification"
	StorageFailure         Code = "storage_failure"
	InternalFailure        Code = "internal_failure"
)

// Codes of the internal API (spec 40).
const (
	InvalidRequest         Code = "invalid_request"
	Unauthenticated        Code = "unauthenticated"
	Forbidden              Code = "forbidden"
	UnknownCharacter       Code = "unknown_character"
	UnknownTransfer        Code = "unknown_transfer"
	UnknownRetryJob        Code = "unknown_retry_job"
	UnknownDeadLetter      Code = "unknown_dead_letter"
	UnknownRealtimeSession Code = "unknown_realtime_session"
	CharacterConflict      Code = "character_conflict"
	TransferCancelled      Code = "transfer_cancelled"
	IdempotencyKeyReused   Code = "idempotency_key_reused"
	RPCVersionMismatch     Code = "rpc_version_mismatch"
	StreamGone             Code = "stream_gone"
	SessionEnded           Code = "session_ended"
	JournalFailure         Code = "journal_failure"
)

// Codes that the edge answers itself (spec 10, The edge).
const (
	EdgeUpstreamUnreachable Code = "edge_upstream_unreachable"
	EdgeUpstreamTimeout     Code = "edge_upstream_timeout"
)
