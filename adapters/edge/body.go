package edge

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/wire"
)

// firstRead is the most room in bytes that is made for a body before any of it
// is there.
const firstRead = 4 << 10

// body reads the request's body to its end, so that a slow caller holds no
// upstream, and half a request reaches none.
func (x *exchange) body() ([]byte, error) {
	if x.r.ContentLength > int64(x.BodyLimit) {
		return nil, fault.Malformed("", wire.ReasonSize)
	}
	var body bytes.Buffer
	if x.r.ContentLength != 0 {
		room := firstRead
		if x.r.ContentLength > 0 {
			room = min(room, int(x.r.ContentLength))
		}
		body.Grow(room + bytes.MinRead)
		// The server's own writer has to hear of a body that is too large:
		// else the answer waits for more of it.
		_, err := body.ReadFrom(http.MaxBytesReader(x.w.ResponseWriter, x.r.Body, int64(x.BodyLimit)))
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			return nil, fault.Malformed("", wire.ReasonSize)
		}
		if err != nil {
			return nil, fault.Malformed("", wire.ReasonSyntax)
		}
	}
	// From here on the server only looks whether the caller goes; the time
	// that was left for the body is not the answer's.
	_ = http.NewResponseController(x.w.ResponseWriter).SetReadDeadline(time.Time{})
	return body.Bytes(), nil
}

// unrepeatable is a body of which the transport believes that it cannot be
// read again. A request without one it would send a second time when a
// connection breaks, if its method or a header of the caller says that this
// does no harm.
func unrepeatable(body []byte) io.ReadCloser {
	if len(body) == 0 {
		return empty{}
	}
	// The transport knows this type, and sends head and body in one piece.
	return io.NopCloser(bytes.NewReader(body))
}

type empty struct{}

func (empty) Read([]byte) (int, error) { return 0, io.EOF }
func (empty) Close() error             { return nil }
