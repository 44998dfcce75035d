package edge

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
)

// isStream says whether an answer goes on for as long as both sides like: a
// connection that changed to another protocol, or server-sent events.
func isStream(resp *http.Response) bool {
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return true
	}
	media, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(media), "text/event-stream")
}

// streams are the open streams, with what ends each: the server does not end
// them when it stops.
type streams struct {
	mu     sync.Mutex
	open   map[*forwarding]context.CancelCauseFunc
	closed bool
}

// errStopping ends the streams of an edge that stops.
var errStopping = errors.New("the edge is stopping")

func (s *streams) add(f *forwarding, end context.CancelCauseFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		end(errStopping)
		return
	}
	s.open[f] = end
}

func (s *streams) remove(f *forwarding) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, f)
}

func (s *streams) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, end := range s.open {
		end(errStopping)
	}
}
