package storygraph

import (
	"strings"

	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/fault"
)

// open decodes a blob and holds it against its campaign version. A version
// that is not loaded, and names that it does not have, are invalid_state; a
// value that the variable cannot have is internal_failure. The state must be
// released.
func (e *Engine) open(blob string) (*state, error) {
	s, err := e.decode(blob)
	if err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		s.release()
		return nil, err
	}
	return s, nil
}

// openToShow is open for the operations that have no invalid_state.
func (e *Engine) openToShow(blob string) (*state, error) {
	s, err := e.open(blob)
	return s, toShow(err)
}

func toShow(err error) error {
	if fault.CodeOf(err) == fault.InvalidState {
		return fault.New(fault.InternalFailure, err)
	}
	return err
}

// check holds the state against its campaign version, with the errors of open.
func (s *state) check() error {
	switch {
	case s.campaign == nil:
		return fault.New(fault.InvalidState, errGone)
	case !s.fits():
		return fault.New(fault.InvalidState, errForeign)
	case s.unfit:
		return fault.New(fault.InternalFailure, errValue)
	}
	return nil
}

// fits says that the campaign version has everything that the state names.
func (s *state) fits() bool {
	c := s.campaign
	at, ok := c.scenes[s.sceneID]
	if !ok || at.status() != s.status || s.foreign || len(s.vars) != len(c.vars) {
		return false
	}
	for _, id := range s.achievements {
		if !c.awards[id] {
			return false
		}
	}
	for _, key := range s.used {
		if !c.hasOnce(key) {
			return false
		}
	}
	return true
}

func (c *campaign) hasOnce(key string) bool {
	in, id, _ := strings.Cut(key, "/")
	at, ok := c.scenes[in]
	if !ok {
		return false
	}
	a := at.action(id)
	return a != nil && a.usedKey == key
}

// status is that of a game which stands at this scene.
func (s *scene) status() engine.Status {
	if s.ending == "" {
		return engine.Active
	}
	return s.ending
}

func (s *scene) action(id string) *action {
	for _, a := range s.actions {
		if a.id == id {
			return a
		}
	}
	return nil
}
