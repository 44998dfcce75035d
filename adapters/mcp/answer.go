package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"

	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/wire"
)

// Codes of JSON-RPC (specification 2.0, 5.1).
const (
	codeParseError     = -32700
	codeInvalidRequest = -32600
	codeMethodNotFound = -32601
	codeInvalidParams  = -32602
	codeInternalError  = -32603
)

// messages are the texts of the codes. Any other code is one of MCP's own,
// which all say that a request does not fit the protocol.
var messages = map[int64]string{
	codeParseError:     "parse error",
	codeInvalidRequest: "invalid request",
	codeMethodNotFound: "method not found",
	codeInvalidParams:  "invalid params",
	codeInternalError:  "internal error",
}

// answer collects an HTTP answer, so that it leaves complete or not at all.
type answer struct {
	header http.Header
	status int
	body   []byte
}

func newAnswer() answer { return answer{header: http.Header{}, status: http.StatusOK} }

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) { a.status = status }

func (a *answer) Write(p []byte) (int, error) {
	a.body = append(a.body, p...)
	return len(p), nil
}

// fail answers what is wrong with the request as a whole.
func (x *exchange) fail(ctx context.Context, err error) {
	r := wire.Refuse(err)
	x.status = r.Status
	r.SetHeaders(x.header)
	x.body = wire.AppendError(nil, r.Code, x.correlated())
	x.record(ctx, r.Code, err)
}

// refuse answers a call with a JSON-RPC error. data are the members that the
// SDK gave its error, if any.
func (x *exchange) refuse(ctx context.Context, m message, code int64, data json.RawMessage) {
	ours := fault.MalformedPayload
	switch {
	case code == codeInternalError:
		ours = fault.InternalFailure
	case code == codeMethodNotFound, m.method == "tools/call" && !x.tools[m.tool]:
		ours = fault.UnknownOperation
	}
	x.header.Set("Content-Type", "application/json")
	x.body = encodeError(m.id, code, wire.AppendError(nil, ours, x.correlated()), data)
	x.record(ctx, ours, nil)
}

// amend makes the SDK's answer one of this surface: its error texts quote
// what was sent.
func (x *exchange) amend(ctx context.Context, m message) {
	if err := ctx.Err(); err != nil && len(x.body) == 0 {
		x.fail(ctx, fault.New(fault.InternalFailure, err)) // nobody is there to read it
		return
	}
	if !isJSON(x.header.Get("Content-Type")) {
		err := fault.Malformed("", wire.ReasonValue) // of a header of the protocol
		if x.status >= http.StatusInternalServerError || x.status < http.StatusBadRequest {
			err = fault.New(fault.InternalFailure, errors.New("the MCP library gave no answer"))
		}
		x.answer = newAnswer()
		x.fail(ctx, err)
		return
	}
	var response struct {
		Error *struct {
			Code int64           `json:"code"`
			Data json.RawMessage `json:"data"`
		} `json:"error"`
	}
	if err := json.Unmarshal(x.body, &response); err != nil {
		x.answer = newAnswer()
		x.fail(ctx, fault.New(fault.InternalFailure, errors.New("the MCP library gave an answer that is no JSON")))
		return
	}
	if e := response.Error; e != nil {
		if e.Code == 0 {
			e.Code = codeInvalidParams // the SDK's for params that it cannot decode
		}
		x.refuse(ctx, m, e.Code, e.Data)
	}
}

// record logs a refusal at the level of what it means to an operator.
func (x *exchange) record(ctx context.Context, code fault.Code, err error) {
	level := slog.LevelDebug
	if code == fault.InternalFailure && !errors.Is(err, context.Canceled) {
		level = slog.LevelError
	}
	x.Log.Log(wire.WithCorrelation(ctx, x.correlated()), level, "MCP request failed", "code", string(code), "error", err)
}

// encodeError is a JSON-RPC error response. Its data are the members of an
// error envelope, and of more, if that is an object.
func encodeError(id json.RawMessage, code int64, envelope []byte, more json.RawMessage) []byte {
	text, ok := messages[code]
	if !ok {
		text = "not supported by this server"
	}
	if id == nil {
		id = json.RawMessage("null")
	}
	data := map[string]json.RawMessage{}
	maps.Copy(data, object(more))
	maps.Copy(data, object(envelope))
	var response struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   struct {
			Code    int64                      `json:"code"`
			Message string                     `json:"message"`
			Data    map[string]json.RawMessage `json:"data"`
		} `json:"error"`
	}
	response.Version, response.ID = "2.0", id
	response.Error.Code, response.Error.Message, response.Error.Data = code, text, data
	encoded, _ := json.Marshal(response) // JSON that was parsed before does not fail
	return encoded
}
