package wire

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/holdfast-dev/holdfast/core/fault"
)

// RetryAfter is what a 503 tells callers to wait, in seconds.
const RetryAfter = 1

// Refusal is what every surface tells a caller of an error.
type Refusal struct {
	Code   fault.Code
	Status int
	// At is the place of a malformed payload, as the header x-error-at has it.
	At string
}

// Refuse is the refusal that an error is answered with.
func Refuse(err error) Refusal {
	code := fault.CodeOf(err)
	r := Refusal{Code: code, Status: fault.Status(code)}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		r.At = strings.TrimSpace(f.At)
	}
	return r
}

// SetHeaders sets the headers of an answer whose body is [AppendError]'s.
func (r Refusal) SetHeaders(h http.Header) {
	h.Set("Content-Type", "application/json; charset=utf-8")
	if r.At != "" {
		h.Set("X-Error-At", r.At)
	}
	if r.Status == http.StatusServiceUnavailable {
		h.Set("Retry-After", strconv.Itoa(RetryAfter))
	}
}
