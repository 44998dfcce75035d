package httpapi

import (
	"hash/crc32"
	"strconv"
	"strings"

	"github.com/holdfast-dev/holdfast/api/public"
	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/session"
	"github.com/holdfast-dev/holdfast/core/wire"
)

// etag names a state of a session: its version, with a checksum of its id so
// that one session's tag does not pass for another's.
func etag(sessionID string, v session.Version) public.OptString {
	var buf [32]byte
	tag := append(buf[:0], '"')
	tag = strconv.AppendUint(tag, uint64(crc32.ChecksumIEEE([]byte(sessionID))), 36)
	tag = append(tag, '-')
	tag = strconv.AppendInt(tag, int64(v), 36)
	return public.NewOptString(string(append(tag, '"')))
}

// precondition reads an If-Match (RFC 9110, 13.1.1): * or a list of quoted
// tags. A tag that is not of this session, or weak, matches nothing.
func precondition(sessionID string, header public.OptString) (session.Precondition, error) {
	value, ok := header.Get()
	value = strings.TrimSpace(value)
	if !ok || value == "*" {
		return session.Precondition{}, nil
	}
	mine := strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(sessionID))), 36)
	var versions []session.Version
	for tag := range strings.SplitSeq(value, ",") {
		tag = strings.TrimSpace(tag)
		tag, weak := strings.CutPrefix(tag, "W/")
		if len(tag) < 2 || tag[0] != '"' || tag[len(tag)-1] != '"' {
			return session.Precondition{}, fault.Malformed("", wire.ReasonIfMatch)
		}
		checksum, version, _ := strings.Cut(tag[1:len(tag)-1], "-")
		if n, err := strconv.ParseInt(version, 36, 64); err == nil && checksum == mine && !weak {
			versions = append(versions, session.Version(n))
		}
	}
	return session.AnyOf(versions...), nil
}
