package mcp

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/wire"
)

// methods are the calls that the surface takes: those of a server that has
// tools and nothing else.
var methods = map[string]bool{
	"initialize":      true,
	"server/discover": true,
	"ping":            true,
	"tools/list":      true,
	"tools/call":      true,
}

// Names that the protocol gives to headers and to members of _meta.
const (
	protocolVersionHeader = "Mcp-Protocol-Version"
	methodHeader          = "Mcp-Method"
	nameHeader            = "Mcp-Name"
	protocolVersionMeta   = "io.modelcontextprotocol/protocolVersion"
)

// statusVersion is the protocol version from which on a JSON-RPC error has an
// HTTP status, and requests have the headers above.
const statusVersion = "2026-07-28"

// maxInteger is the largest integer that every JSON number type holds.
const maxInteger = 1 << 53

// message is what the surface itself needs to know of a JSON-RPC message.
type message struct {
	// id is the id as it was written; nil for a notification.
	id     json.RawMessage
	method string
	// tool is the tool that a tools/call names.
	tool string
	// traceparent and protocolVersion are of _meta, which has the place of
	// HTTP headers on other transports.
	traceparent     string
	protocolVersion string
}

// parse reads the envelope of a message that passed core/wire. An error is
// *fault.Error of malformed_payload, and the message then has what was
// understood. Members are looked up by their exact names, as the SDK does it:
// two readings of one message would be a way past the checks.
func parse(body []byte) (message, error) {
	var m message
	var envelope map[string]json.RawMessage
	if json.Unmarshal(body, &envelope) != nil {
		return m, fault.Malformed("", wire.ReasonType)
	}
	params := object(envelope["params"])
	meta := object(params["_meta"])
	m.traceparent, _ = text(meta["traceparent"])
	m.protocolVersion, _ = text(meta[protocolVersionMeta])

	if id, ok := envelope["id"]; ok {
		if err := checkID(id); err != nil {
			return m, err
		}
		m.id = id
	}
	method, named := envelope["method"]
	switch version, _ := text(envelope["jsonrpc"]); {
	case version != "2.0":
		return m, fault.Malformed("/jsonrpc", wire.ReasonValue)
	case !named:
		// A response answers nothing: the server asks nothing.
		return m, fault.Malformed("/method", wire.ReasonMissing)
	}
	var ok bool
	if m.method, ok = text(method); !ok {
		return m, fault.Malformed("/method", wire.ReasonType)
	}
	if m.id == nil && !strings.HasPrefix(m.method, "notifications/") {
		return m, fault.Malformed("/id", wire.ReasonMissing)
	}
	if m.method == "tools/call" {
		m.tool, _ = text(params["name"])
	}
	return m, nil
}

// checkID holds an id to what is returned exactly: a string, or an integer up
// to 2^53.
func checkID(id json.RawMessage) error {
	if id[0] == '"' {
		return nil
	}
	n, err := strconv.ParseInt(string(id), 10, 64)
	switch {
	case err == nil && n <= maxInteger && n >= -maxInteger:
		return nil
	case err == nil || isNumber(id):
		return fault.Malformed("/id", wire.ReasonNumber)
	}
	return fault.Malformed("/id", wire.ReasonType)
}

func isNumber(raw json.RawMessage) bool {
	f, err := strconv.ParseFloat(string(raw), 64)
	return err == nil && !math.IsInf(f, 0)
}

// object are the members of an object; of anything else, none.
func object(raw json.RawMessage) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return nil
	}
	return members
}

// text is a string, if it is one.
func text(raw json.RawMessage) (string, bool) {
	var s string
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}
