package wire

import (
	"strings"

	"github.com/holdfast-dev/holdfast/core/fault"
)

// Unrouted is the code for a path, or a method of it, that no surface has:
// the path is of another version of the API, or simply no operation (spec 10,
// The wire).
func Unrouted(path string) fault.Code {
	version, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	digits, ok := strings.CutPrefix(version, "v")
	if ok && digits != "" && digits != "1" && strings.Trim(digits, "0123456789") == "" {
		return fault.UnsupportedVersion
	}
	return fault.UnknownOperation
}
