package memory

import "time"

// The methods of this file are what tests do behind the port's back, where a
// test of the durable store would send SQL.

// AgeSession brings a session's expiry forward, as if so much time had passed
// since its last write.
func (s *Store) AgeSession(id string, by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if row, ok := s.sessions[id]; ok {
		row.expires = row.expires.Add(-by)
		s.sessions[id] = row
	}
}

// AgeSave brings a save's expiry forward.
func (s *Store) AgeSave(id string, by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if row, ok := s.saves[id]; ok {
		row.expires = row.expires.Add(-by)
		s.saves[id] = row
	}
}

// SessionLeft is the time until a stored session expires.
func (s *Store) SessionLeft(id string) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[id].expires.Sub(s.clock.Now())
}

// SaveLeft is the time until a stored save expires.
func (s *Store) SaveLeft(id string) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.saves[id].expires.Sub(s.clock.Now())
}

// RemoveSession removes a session, as the sweep does.
func (s *Store) RemoveSession(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, id)
}

// BreakProfile makes a profile one that cannot be understood.
func (s *Store) BreakProfile(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row := s.profiles[id]
	row.broken = true
	s.profiles[id] = row
}
