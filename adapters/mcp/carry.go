package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/holdfast-dev/holdfast/core/fault"
)

// maxAnswer is the most bytes of an answer that a bridge takes from what it
// was told is a service.
const maxAnswer = 64 << 20

// refusal is a request that the service refused as a whole.
type refusal struct {
	code        fault.Code
	correlation string
}

func (r *refusal) Error() string { return "refused by the service: " + string(r.code) }

func (r *refusal) Unwrap() error { return fault.New(r.code, nil) }

// carry sends a message to the service and returns its answer on one line;
// nil for a notification. The error has a fault's code.
func (b *Bridge) carry(ctx context.Context, m message, text []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(b.URL, "/")+Path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	b.setProtocol(req.Header, m)
	resp, err := b.Client.Do(req)
	if err != nil {
		return nil, unanswered(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, unanswered(err)
	}
	if m.id == nil && resp.StatusCode < http.StatusMultipleChoices {
		return nil, nil
	}
	return b.understand(m, resp.StatusCode, body)
}

// setProtocol sets the headers that say again what is in the message, as the
// protocol version wants it. What no header can hold is left out; the service
// then refuses the message.
func (b *Bridge) setProtocol(h http.Header, m message) {
	if m.protocolVersion == "" {
		if b.negotiated != "" && m.method != "initialize" {
			h.Set(protocolVersionHeader, b.negotiated)
		}
		return
	}
	for name, value := range map[string]string{protocolVersionHeader: m.protocolVersion, methodHeader: m.method, nameHeader: m.tool} {
		if value != "" && printable(value) {
			h.Set(name, value)
		}
	}
}

// understand takes an answer for what it is: a JSON-RPC response, the error
// envelope of the service, or of somebody else.
func (b *Bridge) understand(m message, status int, body []byte) ([]byte, error) {
	var answer struct {
		Version string `json:"jsonrpc"`
		Result  struct {
			ProtocolVersion string `json:"protocolVersion"`
		} `json:"result"`
		Code        fault.Code `json:"code"`
		Correlation string     `json:"correlation"`
	}
	// What else is in it may be of any shape.
	_ = json.Unmarshal(body, &answer)
	var reply bytes.Buffer
	switch {
	case len(body) > maxAnswer || json.Compact(&reply, body) != nil:
	case answer.Version == "2.0":
		if v := answer.Result.ProtocolVersion; m.method == "initialize" && printable(v) {
			b.negotiated = v
		}
		return reply.Bytes(), nil
	case answer.Code != "":
		return nil, &refusal{answer.Code, answer.Correlation}
	}
	return nil, fault.New(fault.EdgeUpstreamUnreachable, fmt.Errorf("an answer of status %d is not of this service: check the URL", status))
}

// unanswered is what became of a request without an answer. A URL error
// quotes the whole URL, which may hold a password.
func unanswered(err error) error {
	code := fault.EdgeUpstreamUnreachable
	if e, ok := errors.AsType[*url.Error](err); ok {
		if e.Timeout() {
			code = fault.EdgeUpstreamTimeout
		}
		err = e.Err
	}
	return fault.New(code, err)
}

// printable says whether a text can be an HTTP header as it is.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return strings.TrimSpace(s) == s
}
