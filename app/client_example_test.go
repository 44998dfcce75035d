package app_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/holdfast-dev/holdfast/api/client"
	"github.com/holdfast-dev/holdfast/app"
	"github.com/holdfast-dev/holdfast/app/config"
)

var errMovedOn = errors.New("the game has moved on: look again, then decide")

// act takes an action on the state that the player has seen, named by its
// ETag, and returns the verdict with the ETag of the state after it. It goes
// on while no answer comes, until the context ends.
func act(ctx context.Context, api *client.ClientWithResponses, sessionID, seen, actionID string) (*client.ActionResult, string, error) {
	for pause := 250 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		r, err := api.SubmitActionWithResponse(ctx,
			&client.SubmitActionParams{IfMatch: &seen},
			client.ActionRequest{SessionId: sessionID, ActionId: actionID})
		switch {
		case err != nil: // lost: it may have been taken
		case r.JSON200 != nil:
			return r.JSON200, r.HTTPResponse.Header.Get("ETag"), nil
		case r.StatusCode() == http.StatusServiceUnavailable, r.StatusCode() == http.StatusGatewayTimeout:
		case r.JSONDefault != nil && r.JSONDefault.Code == client.ConcurrentModification:
			return nil, "", errMovedOn
		default:
			return nil, "", fmt.Errorf("refused: %s", r.Body)
		}
		select {
		case <-ctx.Done():
			return nil, "", ctx.Err()
		case <-time.After(pause):
		}
	}
}

// The first answer is lost on its way, after the action was taken. It is sent
// again, and is not taken twice.
func Example_client() {
	service, stop := exampleService()
	defer stop()
	ctx := context.Background()

	api, err := client.NewClientWithResponses(service)
	if err != nil {
		log.Fatal(err)
	}
	begun, err := api.CreateSessionWithResponse(ctx, client.CreateSessionRequest{CampaignId: "tiny"})
	if err != nil || begun.JSON200 == nil {
		log.Fatal(err)
	}
	session, seen := begun.JSON200.SessionId, begun.HTTPResponse.Header.Get("ETag")

	_, _, err = act(ctx, api, session, seen, "fill")
	fmt.Println(err)

	now, err := api.GetSceneWithResponse(ctx, client.SessionRequest{SessionId: session})
	if err != nil || now.JSON200 == nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", now.JSON200.View.KindView)

	verdict, _, err := act(ctx, api, session, now.HTTPResponse.Header.Get("ETag"), "climb")
	fmt.Println(verdict.Ok, verdict.Scene.Body.TextKey, err)
	// Output:
	// the game has moved on: look again, then decide
	// {"achievements":[],"campaignId":"tiny","campaignVersion":1,"scene":"stairs","turn":1,"variables":{"keeper":"nobody","lit":false,"oil":3}}
	// true lamp.text <nil>
}

// exampleService is an instance, behind something that loses its first answer
// to submit-action.
func exampleService() (address string, stop func()) {
	var handler app.PublicHandler
	instance := app.New(&config.Serve{
		Listen:         "127.0.0.1:0",
		InternalListen: "127.0.0.1:0",
		Storage:        "in-memory",
		RequestTimeout: time.Minute,
		Limits:         config.Limits{BodyLimit: 1 << 20, ShutdownTimeout: 10 * time.Millisecond},
		PlaySessionTTL: time.Hour,
		SaveTTL:        time.Hour,
		Retention:      time.Hour,
	}, slog.New(slog.DiscardHandler), fx.Populate(&handler))
	if err := instance.Start(context.Background()); err != nil {
		log.Fatal(err)
	}
	var lost atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/submit-action" && !lost.Swap(true) {
			handler.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		handler.ServeHTTP(w, r)
	}))
	return server.URL, func() {
		server.Close()
		_ = instance.Stop(context.Background())
	}
}

// The Go that docs/clients.md shows is the one that runs here.
func TestClientDocumentation(t *testing.T) {
	doc, err := os.ReadFile("../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("client_example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(doc), -1)
	if len(blocks) == 0 {
		t.Error("it shows no Go")
	}
	for _, block := range blocks {
		if !strings.Contains(string(source), block[1]) {
			t.Errorf("this is not in the example:\n%s", block[1])
		}
	}
}
