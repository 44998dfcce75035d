package session

// Precondition is what a caller's If-Match demands of a session (spec 10,
// Preconditions). The zero value demands nothing.
type Precondition struct {
	set      bool
	versions []Version
}

// AnyOf demands that the session is at one of these versions; with none of
// them, nothing meets it.
func AnyOf(versions ...Version) Precondition { return Precondition{set: true, versions: versions} }

// check reports a version that does not meet the precondition as a conflict,
// before the engine runs.
func (p Precondition) check(v Version) error {
	if !p.set {
		return nil
	}
	for _, want := range p.versions {
		if want == v {
			return nil
		}
	}
	return &Conflict{Why: WhyPrecluded}
}
