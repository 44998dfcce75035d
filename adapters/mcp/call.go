package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/session"
	"github.com/holdfast-dev/holdfast/core/wire"
)

// resultMember holds an array answer in structuredContent, which is an
// object.
const resultMember = "result"

// Members of _meta that stand for the HTTP headers of the operations.
const (
	metaPrefix  = "holdfast/"
	ifMatchMeta = metaPrefix + "if-match"
)

// answerHeaders are the headers of an HTTP answer that callers act on, by
// their members of _meta.
var answerHeaders = map[string]string{
	metaPrefix + "etag":        "Etag",
	metaPrefix + "error-at":    "X-Error-At",
	metaPrefix + "retry-after": "Retry-After",
}

// caller calls one operation.
type caller struct {
	operations http.Handler
	path       string
}

// call sends the arguments as they came to the operation and returns its
// answer as it is.
func (c caller) call(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	in, err := http.NewRequestWithContext(session.WithAudience(ctx, session.AI), http.MethodPost, c.path, bytes.NewReader(req.Params.Arguments))
	if err != nil {
		return nil, err
	}
	in.Header.Set("Content-Type", "application/json")
	if req.Extra != nil {
		in.Header["Traceparent"] = req.Extra.Header["Traceparent"]
	}
	out := newAnswer()
	if tag, given := req.Params.Meta[ifMatchMeta]; given {
		text, ok := tag.(string)
		if !ok {
			// A condition that is not understood must not be dropped.
			return malformed(ctx), nil
		}
		in.Header.Set("If-Match", text)
	}
	c.operations.ServeHTTP(&out, in)
	return result(out), nil
}

// malformed is malformed_payload of an If-Match.
func malformed(ctx context.Context) *sdk.CallToolResult {
	out := newAnswer()
	out.status = fault.Status(fault.MalformedPayload)
	out.header.Set("X-Error-At", wire.ReasonIfMatch)
	out.body = wire.AppendError(nil, fault.MalformedPayload, wire.CorrelationOf(ctx))
	return result(out)
}

// result is an HTTP answer as a tool's result.
func result(out answer) *sdk.CallToolResult {
	structured := json.RawMessage(out.body)
	if len(out.body) > 0 && out.body[0] == '[' {
		structured = append(append([]byte(`{"`+resultMember+`":`), out.body...), '}')
	}
	r := &sdk.CallToolResult{
		Content:           []sdk.Content{&sdk.TextContent{Text: string(out.body)}},
		StructuredContent: structured,
		IsError:           out.status != http.StatusOK,
	}
	for member, header := range answerHeaders {
		if value := out.header.Get(header); value != "" {
			if r.Meta == nil {
				r.Meta = sdk.Meta{}
			}
			r.Meta[member] = value
		}
	}
	return r
}
