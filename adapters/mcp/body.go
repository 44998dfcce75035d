package mcp

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/wire"
)

// What a message may have beyond the arguments in it, which have the bounds
// of an HTTP body.
const (
	envelopeSize  = 64 << 10 // bytes
	envelopeDepth = 2        // levels: the message and its params
)

// limits are the bounds of a message whose arguments may have size bytes.
func limits(size int) wire.Limits {
	return wire.Limits{Size: size + envelopeSize, Depth: wire.DefaultDepth + envelopeDepth, Object: true}
}

// read reads the body of a POST and holds the request to what must be so
// before anything is decoded (spec 10, The wire).
func read(w http.ResponseWriter, r *http.Request, size int) ([]byte, error) {
	bounds := limits(size)
	types := r.Header["Content-Type"]
	switch {
	case r.URL.RawQuery != "":
		return nil, fault.Malformed("", wire.ReasonQuery)
	case len(types) != 1 || !isJSON(types[0]):
		return nil, fault.Malformed("", wire.ReasonContentType)
	case r.ContentLength > int64(bounds.Size):
		return nil, fault.Malformed("", wire.ReasonSize)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(bounds.Size)))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, fault.Malformed("", wire.ReasonSize)
	}
	if err != nil {
		return nil, fault.Malformed("", wire.ReasonSyntax)
	}
	return body, wire.Check(body, bounds)
}

// isJSON accepts application/json, in UTF-8 where a charset is named.
func isJSON(contentType string) bool {
	media, params, err := mime.ParseMediaType(contentType)
	charset, named := params["charset"]
	return err == nil && media == "application/json" && (!named || strings.EqualFold(charset, "utf-8"))
}

func newBody(b []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(b)) }
