// Package wire holds what every surface does to JSON before and beyond the
// typed decoding: [Check] refuses a body that is not exactly one well-formed
// JSON value within bounds (spec 10, The wire), [AppendError] is the error
// envelope, and [Correlation] is the id that ties an answer to its log lines.
//
// Generated decoders are lenient where the contract is not: they take
// duplicate members, invalid UTF-8 and nesting of any depth. Check runs over
// the raw bytes first, so that nothing behind it meets such a body.
package wire

// Reasons why a payload is malformed. One of these words, after a JSON
// pointer, is all that a caller is told (header x-error-at). [Check] finds
// the first group; the surfaces find the second with their typed decoders.
const (
	ReasonSize      = "size"      // more bytes than the limit
	ReasonDepth     = "depth"     // more levels of nesting than the limit
	ReasonSyntax    = "syntax"    // not JSON, or it ends too early
	ReasonTrailing  = "trailing"  // something after the one value
	ReasonUTF8      = "utf8"      // invalid UTF-8
	ReasonNUL       = "nul"       // U+0000, raw or escaped
	ReasonSurrogate = "surrogate" // an escaped surrogate without its other half
	ReasonDuplicate = "duplicate" // a member's name for the second time in its object
	ReasonNumber    = "number"    // a number beyond [MaxNumber] or a double's range
	ReasonType      = "type"      // another JSON type than the declared one

	ReasonUndeclared  = "undeclared"   // a member that the shape does not have
	ReasonMissing     = "missing"      // a required member is not there
	ReasonValue       = "value"        // the right type, a value that is not allowed
	ReasonQuery       = "query"        // a query parameter that is not declared
	ReasonContentType = "content-type" // the body is not declared to be JSON
	ReasonIfMatch     = "if-match"     // an If-Match that is neither * nor quoted tags
)
