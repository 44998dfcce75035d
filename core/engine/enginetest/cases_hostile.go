package enginetest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/fault"
)

var hostileCases = []Case{
	{"what is no blob is internal_failure", func(t T, s Subject) {
		for _, blob := range noBlobs(begin(t, s)) {
			for _, call := range calls(s.Engine, engine.Move{ActionID: "x"}) {
				if err := call.safely(t, blob); fault.CodeOf(err) != fault.InternalFailure || err == nil {
					t.Errorf("%s of %.60q: %v", call.name, blob, err)
				}
			}
		}
	}},
	{"a damaged blob is an answer or a fault that the operation has", func(t T, s Subject) {
		onWalks(t, s, func(t T, w walk) {
			var end at
			w.play(t, s, func(p at) { end = p })
			for i := range end.blob {
				// Every byte would take long; a stride that is coprime to the
				// bits visits all of them over the walks.
				if (i+len(end.blob))%37 != 0 {
					continue
				}
				flipped := []byte(end.blob)
				flipped[i] ^= 1 << (i % 8)
				for _, call := range calls(s.Engine, end.move) {
					call.answers(t, string(flipped))
				}
			}
		})
	}},
	{"a blob with another blob's parts is an answer or a fault", func(t T, s Subject) {
		onWalks(t, s, func(t T, w walk) {
			var begun, end at
			w.play(t, s, func(p at) {
				if p.outcome == nil {
					begun = p
				}
				end = p
			})
			for i := 0; i < len(end.blob); i += 29 {
				spliced := begun.blob[:min(i, len(begun.blob))] + end.blob[i:]
				for _, call := range calls(s.Engine, end.move) {
					call.answers(t, spliced)
				}
			}
		})
	}},
	{"faults say nothing of the blob", func(t T, s Subject) {
		const secret = "kxqj-zvwp-2918"
		p, err := s.Engine.Start(t.Context(), engine.Start{CampaignID: s.Engine.Campaigns()[0].CampaignID, GameID: secret, Seed: secret})
		if err != nil {
			t.Fatalf("start: %v", err)
		}
		blobs := append(noBlobs(p.Blob), `"`+secret+`"`, `{"`+secret+`":"`+secret+`"}`, secret)
		for i := range len(p.Blob) {
			blobs = append(blobs, p.Blob[:i]+secret+p.Blob[i:])
		}
		for _, blob := range blobs {
			for _, call := range calls(s.Engine, engine.Move{ActionID: "x"}) {
				if err := call.safely(t, blob); err != nil && strings.Contains(err.Error(), secret) {
					t.Fatalf("%s: the fault quotes the blob: %v", call.name, err)
				}
			}
		}
	}},
}

// noBlobs are texts that no engine may take for the blob that it wrote.
func noBlobs(good string) []string {
	list := []string{
		"", " ", "null", "true", "0", `""`, "[]", "{}", "{", `{"`, `{"a":1}`, "\x00", "\xff\xfe", "{}{}",
		good + " ", " " + good, good + good, good + "\x00", "[" + good + "]", strings.Replace(good, ":", ": ", 1),
		strings.Repeat("[", 100_000), strings.Repeat(`{"a":`, 100_000), strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000),
		strings.Repeat("9", 100_000), "1e999999999", `"` + strings.Repeat(`\u0000`, 1000) + `"`, `"\ud800"`,
	}
	if strings.HasPrefix(good, "{") {
		list = append(list, `{"`+"no such member"+`":1,`+good[1:], good[:len(good)-1]+`,"no such member":1}`, "{"+good[1:len(good)-1]+","+good[1:])
	}
	for i := 1; i < len(good); i += max(1, len(good)/64) {
		list = append(list, good[:i])
	}
	return append(list, good[:len(good)-1])
}

// call is a method that takes a blob.
type call struct {
	name string
	// codes are those that its operations can answer (spec 10, The wire).
	codes []fault.Code
	do    func(ctx context.Context, blob string) error
}

func calls(e engine.Engine, m engine.Move) []call {
	played := []fault.Code{fault.InternalFailure, fault.InvalidState}
	shown := []fault.Code{fault.InternalFailure}
	loaded := []fault.Code{fault.InternalFailure, fault.SaveRequiresMigration, fault.MigrationFailed}
	return []call{
		{"scene", shown, func(ctx context.Context, b string) error { _, err := e.Scene(ctx, b); return err }},
		{"view", shown, func(ctx context.Context, b string) error { _, err := e.View(ctx, b); return err }},
		{"strings", shown, func(ctx context.Context, b string) error { _, err := e.Strings(ctx, b); return err }},
		{"apply", played, func(ctx context.Context, b string) error { _, err := e.Apply(ctx, b, m); return err }},
		{"resume", played, func(ctx context.Context, b string) error { _, err := e.Resume(ctx, b); return err }},
		{"load", loaded, func(ctx context.Context, b string) error { _, err := e.Load(ctx, b); return err }},
	}
}

// safely makes the call; a panic is a failure of the case.
func (c call) safely(t T, blob string) (err error) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
			t.Errorf("%s of %.60q panics: %v", c.name, blob, r)
		}
	}()
	return c.do(t.Context(), blob)
}

func (c call) answers(t T, blob string) {
	t.Helper()
	if err := c.safely(t, blob); err != nil && !slices.Contains(c.codes, fault.CodeOf(err)) {
		t.Fatalf("%s answers %s: %v", c.name, fault.CodeOf(err), err)
	}
}
