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
	value = strings.Trim(value, blank)
	if !ok || value == "*" {
		return session.Precondition{}, nil
	}
	tags, ok := entityTags(value)
	if !ok {
		return session.Precondition{}, fault.Malformed("", wire.ReasonIfMatch)
	}
	mine := strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(sessionID))), 36)
	var versions []session.Version
	for _, tag := range tags {
		checksum, version, _ := strings.Cut(tag, "-")
		n, err := strconv.ParseInt(version, 36, 64)
		// A number can be written in several ways, a tag in one.
		if err == nil && checksum == mine && version == strconv.FormatInt(n, 36) {
			versions = append(versions, session.Version(n))
		}
	}
	return session.AnyOf(versions...), nil
}

const blank = " \t"

// entityTags are the strong ones of a list of entity tags, without quotes
// (RFC 9110, 8.8.3; 5.6.1 allows empty elements). It is false for what is no
// list, or one without any tag.
func entityTags(list string) (strong []string, ok bool) {
	for {
		list = strings.TrimLeft(list, blank+",")
		if list == "" {
			return strong, ok
		}
		quoted, weak := strings.CutPrefix(list, "W/")
		if !strings.HasPrefix(quoted, `"`) {
			return nil, false
		}
		tag, rest, closed := strings.Cut(quoted[1:], `"`)
		rest = strings.TrimLeft(rest, blank)
		separated := rest == "" || rest[0] == ','
		if !closed || !separated || strings.ContainsAny(tag, blank) {
			return nil, false
		}
		if !weak {
			strong = append(strong, tag)
		}
		list, ok = rest, true
	}
}
