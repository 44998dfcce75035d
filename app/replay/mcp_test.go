package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/fx"

	"github.com/holdfast-dev/holdfast/api/contract"
	"github.com/holdfast-dev/holdfast/app"
	"github.com/holdfast-dev/holdfast/app/config"
)

// toolNames are the tools by their operations.
func toolNames(t *testing.T) map[string]string {
	t.Helper()
	var tools []struct{ Name, Path string }
	if err := json.Unmarshal(contract.Tools, &tools); err != nil {
		t.Fatal(err)
	}
	byOperation := map[string]string{}
	for _, tool := range tools {
		byOperation[strings.TrimPrefix(tool.Path, "/v1/")] = tool.Name
	}
	return byOperation
}

// throughMCP runs requests as tool calls over an instance's public listener.
// The body of a request stands in the message as it is. The body of an answer
// is the tool's text; a message that is malformed as a whole is answered with
// the error's body over HTTP too. A request that has no tool leaves no line in
// the transcript (see onlyTools).
func throughMCP(t *testing.T, s *config.Serve, all []request) run {
	t.Helper()
	names := toolNames(t)
	var public *app.Public
	r := through(t, s, all, fx.Populate(&public), func(r *http.Request) *http.Response {
		tool, ok := names[strings.TrimPrefix(r.URL.Path, "/v1/")]
		if !ok {
			return &http.Response{Body: io.NopCloser(strings.NewReader(""))}
		}
		arguments, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)
		call, err := http.NewRequestWithContext(r.Context(), http.MethodPost, "http://"+public.Address()+"/mcp", strings.NewReader(message))
		if err != nil {
			t.Fatal(err)
		}
		call.Header = r.Header
		call.Header.Set("Accept", "application/json, text/event-stream")
		resp, err := http.DefaultClient.Do(call)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != http.StatusOK {
			return resp
		}
		defer func() { _ = resp.Body.Close() }()
		var answer struct {
			Result struct {
				Content []struct{ Text string }
			}
		}
		if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || len(answer.Result.Content) != 1 {
			t.Fatalf("%s: %+v, %v", tool, answer, err)
		}
		return &http.Response{Body: io.NopCloser(strings.NewReader(answer.Result.Content[0].Text))}
	})
	r.transcript = onlyTools(t, r.transcript)
	return r
}

// onlyTools takes the requests that have no tool, with their answers, out of
// a transcript. There is one in the fixture.
func onlyTools(t *testing.T, transcript []byte) []byte {
	t.Helper()
	names := toolNames(t)
	var kept []byte
	left := 0
	lines := bytes.SplitAfter(transcript, []byte("\n"))
	for i := 0; i+1 < len(lines); i += 2 {
		operation, _, _ := bytes.Cut(lines[i], []byte(" "))
		if names[string(operation)] == "" {
			left++
			continue
		}
		kept = append(append(kept, lines[i]...), lines[i+1]...)
	}
	if left != 1 {
		t.Errorf("%d requests of the fixture have no tool, want 1", left)
	}
	return kept
}
