package httpapi

import (
	"errors"
	"net/http"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/ogen-go/ogen/validate"

	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/wire"
)

// The generated decoder tells where a fault is only in its texts, outermost
// first.
var (
	decodeField     = regexp.MustCompile(`decode field "((?:[^"\\]|\\.)*)"`)
	unexpectedField = regexp.MustCompile(`unexpected field ("(?:[^"\\]|\\.)*")`)
)

// malformed turns an error of the generated decoder or validator into
// malformed_payload at its place. The raw bytes are sound JSON by then, so
// what is left is a member that is undeclared or missing, of the wrong type,
// or with a value that the contract excludes.
func malformed(err error) *fault.Error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	var pointer []byte
	reason := wire.ReasonType
	text := err.Error()
	for _, m := range decodeField.FindAllStringSubmatch(text, -1) {
		pointer = wire.AppendPointer(pointer, m[1])
	}
	if m := unexpectedField.FindStringSubmatch(text); m != nil {
		reason = wire.ReasonUndeclared
		if name, uerr := strconv.Unquote(m[1]); uerr == nil {
			pointer = wire.AppendPointer(pointer, name)
		}
	}
	for v := (*validate.Error)(nil); errors.As(err, &v) && len(v.Fields) > 0; {
		field := v.Fields[0]
		pointer = wire.AppendPointer(pointer, field.Name)
		reason = wire.ReasonValue
		if errors.Is(field.Error, validate.ErrFieldRequired) {
			reason = wire.ReasonMissing
		}
		err = field.Error
	}
	return fault.Malformed(string(pointer), reason)
}

// panicked names the function and line of the innermost frame that is not the
// runtime's.
func panicked() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		frame, more := frames.Next()
		if !strings.HasPrefix(frame.Function, "runtime.") {
			return frame.Function + ":" + strconv.Itoa(frame.Line)
		}
		if !more {
			return http.StatusText(http.StatusInternalServerError)
		}
	}
}
