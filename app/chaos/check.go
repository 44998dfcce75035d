package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
	"github.com/jackc/pgx/v5"
)

// check reads what there is when everything has come to rest and holds what
// the players were told to it. stored is what there was before the round.
func (r *round) check(ctx context.Context, stored rows) error {
	reader := r.newPlayer(players)
	defer reader.close()
	loaded := 0
	for _, s := range slices.Clone(r.saves) {
		if r.finally(ctx, "a save is loaded", func() outcome { return reader.reload(s) }) {
			loaded++
		}
	}
	ends := map[*session]last{}
	for _, s := range r.sessions {
		r.finally(ctx, "a session is read", func() outcome {
			reader.getScene(s)
			o := s.history[len(s.history)-1]
			if o.outcome == ok {
				ends[s] = last{*o.shown, o.ret}
			}
			return o.outcome
		})
	}
	versions, err := r.storedVersions(ctx)
	if err != nil {
		return err
	}
	now, err := r.world.stored(ctx)
	if err != nil {
		return err
	}
	r.world.between("sessions", now.sessions-stored.sessions, len(r.sessions), r.maybeSessions)
	r.world.between("saves", now.saves-stored.saves, len(r.saves), r.maybeSaves)
	sound := 0
	for _, s := range r.sessions {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		end, read := ends[s]
		if !read {
			continue // which is a violation already
		}
		wrongs, found := s.verify(end)
		wrongs = append(wrongs, s.stored(versions, end)...)
		if len(wrongs) == 0 {
			sound++
			continue
		}
		r.accuse(s, wrongs, found)
	}
	r.world.sound(sound, loaded)
	return ctx.Err()
}

// finally tries an operation of the check until it is answered, and reports
// whether it went well. Everything is healed: all that may still go wrong is a
// connection of a pool that broke when the links were cut.
func (r *round) finally(ctx context.Context, what string, try func() outcome) bool {
	var o outcome
	until(ctx, func() error {
		if o = try(); o != ok && o != wrong {
			return fmt.Errorf("the answer is %s", o)
		}
		return nil
	}, func(err error) { r.world.violate("when all is healed, %s, and %v", what, err) })
	return o == ok
}

// reload loads a save, for the state that it shows.
func (p *player) reload(s *save) outcome {
	if s.state != nil {
		return ok // a player did
	}
	before := p.world.count(wrong)
	if _, loaded := p.load(s); loaded {
		return ok
	}
	if p.world.count(wrong) > before {
		return wrong
	}
	return maybe
}

// storedVersions are the versions of the round's sessions as the database has
// them.
func (r *round) storedVersions(ctx context.Context) (map[string]int, error) {
	conn, err := r.world.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	var ids []string
	for _, s := range r.sessions {
		ids = append(ids, s.id)
	}
	rows, err := conn.Query(ctx, "select session_id, version from session where session_id = any($1)", ids)
	if err != nil {
		return nil, err
	}
	versions := map[string]int{}
	var id string
	var version int
	_, err = pgx.ForEachRow(rows, []any{&id, &version}, func() error {
		versions[id] = version
		return nil
	})
	return versions, err
}

// between holds a count of new rows to what was acknowledged and what may be.
func (w *world) between(what string, made, acknowledged, maybes int) {
	if made < acknowledged || made > acknowledged+maybes {
		w.violate("%d %s were stored, where %d were acknowledged and %d more may be there", made, what, acknowledged, maybes)
	}
}

// stored holds a session's row to its last state and to what was
// acknowledged.
func (s *session) stored(versions map[string]int, end last) (wrongs []string) {
	version, there := versions[s.id]
	if !there {
		return []string{"an acknowledged session is not stored"}
	}
	acknowledged, maybes := 0, 0
	for _, o := range s.history {
		switch {
		case o.write != nil && o.outcome == ok:
			acknowledged++
		case o.write != nil && o.outcome == maybe:
			maybes++
		}
	}
	if n := version - 1; n < acknowledged || n > acknowledged+maybes {
		wrongs = append(wrongs, fmt.Sprintf("the version has grown by %d, where %d writes were acknowledged and %d more may have landed", n, acknowledged, maybes))
	}
	if ids, _ := end.writes(s.first); version != 1+len(ids) {
		wrongs = append(wrongs, fmt.Sprintf("the version is %d after %d writes", version, len(ids)))
	}
	return wrongs
}

// Bounds on how much of the histories is printed.
const (
	maxShown     = 60
	maxHistories = 3
)

// accuse reports a session, with its history if there are not many yet.
func (r *round) accuse(s *session, wrongs []string, found finding) {
	var text strings.Builder
	fmt.Fprintf(&text, "a session does not hold:\n  %s", strings.Join(wrongs, "\n  "))
	r.accused++
	if r.accused > maxHistories {
		r.world.violate("%s", text.String())
		return
	}
	text.WriteString("\n  history (milliseconds since the round began):")
	history := slices.Clone(s.history)
	slices.SortStableFunc(history, func(a, b operation) int { return int(a.call - b.call) })
	skipped := max(0, len(history)-maxShown)
	if skipped > 0 {
		fmt.Fprintf(&text, "\n    … %d before", skipped)
	}
	for _, o := range history[skipped:] {
		fmt.Fprintf(&text, "\n    %v", o)
	}
	// A mutant's history is no news.
	if found.verdict != porcupine.Ok && r.world.mutant == "" {
		path, err := found.drawn()
		if err != nil {
			path = err.Error()
		}
		fmt.Fprintf(&text, "\n  drawn in %s", path)
	}
	r.world.violate("%s", text.String())
}

// drawn draws the history into a file that outlives the run.
func (f finding) drawn() (string, error) {
	file, err := os.CreateTemp("", "holdfast-chaos-history-*.html")
	if err != nil {
		return "", err
	}
	return file.Name(), errors.Join(file.Close(), f.draw(file.Name()))
}

func (o operation) String() string {
	text := fmt.Sprintf("%9.3f %9.3f player %-2d %-14s", float64(o.call)/1e6, float64(o.ret)/1e6, o.player, o.kind)
	if o.write != nil {
		text += " " + o.write.id
	}
	if o.ifMatch != "" {
		text += " if " + o.ifMatch
	}
	text += ": " + string(o.outcome)
	if o.etag != "" {
		text += " " + o.etag
	}
	if o.shown != nil {
		text += fmt.Sprintf(" sum %d, … %s", o.shown.sum, o.shown.trail[max(0, len(o.shown.trail)-5*idLength):])
	}
	return text
}
