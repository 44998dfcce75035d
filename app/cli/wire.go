package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/holdfast-dev/holdfast/api/client"
	"github.com/holdfast-dev/holdfast/core/backoff"
	"github.com/holdfast-dev/holdfast/core/fault"
)

// A call that gets no answer is repeated for as long as this.
const (
	patience     = time.Minute
	pause        = 250 * time.Millisecond
	longestPause = 2 * time.Second
)

// wire is the way to the service.
type wire struct {
	api *client.ClientWithResponses
	// note tells the user that something takes longer.
	note func(string)
}

// refusal is an answer with an error code.
type refusal struct {
	Code        fault.Code `json:"code"`
	Correlation string     `json:"correlation"`
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the service refused: %s (correlation %s)", r.Code, r.Correlation)
}

func is(err error, code fault.Code) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && r.Code == code
}

// answer is what all generated responses have.
type answer interface {
	StatusCode() int
	GetBody() []byte
}

// call asks the service, again and again while it gives no answer or 503, up
// to [patience]. Everything that the player does can be repeated: reads,
// fresh sessions and saves of which only the answered one is used, and
// actions under If-Match.
func call[R answer](ctx context.Context, w *wire, ask func() (R, error)) (R, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for n := 1; ; n++ {
		r, err := ask()
		if err == nil && r.StatusCode() == http.StatusOK {
			return r, nil
		}
		if err == nil {
			err = refused(r)
			if r.StatusCode() != http.StatusServiceUnavailable {
				return r, err
			}
		}
		if n == 1 {
			w.note("The service does not answer; trying again. Nothing that was answered is lost.")
		}
		select {
		case <-ctx.Done():
			return r, fmt.Errorf("the service does not answer: %w", err)
		case <-time.After(backoff.Delay(n, pause, longestPause)):
		}
	}
}

func refused(r answer) error {
	var e refusal
	if err := json.Unmarshal(r.GetBody(), &e); err != nil || e.Code == "" {
		return fmt.Errorf("the answer has status %d and is not of this service", r.StatusCode())
	}
	return &e
}
