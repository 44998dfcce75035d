package enginetest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/fault"
)

// toy is the smallest engine that has all that the port knows: a counter that
// can be raised, lowered, ended and given up.
type toy struct {
	// bug names what is broken on purpose; empty for nothing.
	bug string
	// calls is the state that a broken toy keeps.
	calls *atomic.Int64
}

// toyState is a blob decoded. Blobs are canonical by struct order.
type toyState struct {
	Toy    string        `json:"toy"`
	Game   string        `json:"game"`
	Seed   uint64        `json:"seed"`
	Status engine.Status `json:"status"`
	Count  int64         `json:"count"`
	Earned []string      `json:"earned"`
}

func (e toy) broken(bug string) bool { return e.bug == bug }

func (e toy) Kind() string    { return "toy" }
func (e toy) Version() string { return "1" }

func (e toy) Campaigns() []engine.Summary {
	list := []engine.Summary{{CampaignID: "down", KindID: "toy", TitleKey: "title"}, {CampaignID: "up", KindID: "toy", TitleKey: "title"}}
	if e.broken("campaigns unsorted") {
		slices.Reverse(list)
	}
	if e.broken("campaign of another kind") {
		list[0].KindID = "other"
	}
	return list
}

func (e toy) write(s toyState) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s)
	text := strings.TrimSuffix(b.String(), "\n")
	switch {
	case e.broken("blob with white space"):
		text = strings.Replace(text, ",", ", ", 1)
	case e.broken("blob with a double member"):
		text = strings.Replace(text, `"count"`, `"toy":"","count"`, 1)
	case e.broken("blob not canonical when ended") && s.Status == engine.Ended:
		text += " "
	case e.broken("calls in the blob"):
		text = strings.Replace(text, `"toy":"`, fmt.Sprintf(`"toy":"%d`, e.calls.Add(1)), 1)
	}
	return text
}

var errToy = errors.New("not a toy's blob")

func (e toy) read(blob string) (toyState, error) {
	var s toyState
	d := json.NewDecoder(strings.NewReader(blob))
	d.DisallowUnknownFields()
	err := d.Decode(&s)
	switch {
	case e.broken("blob read leniently"):
		if json.NewDecoder(strings.NewReader(blob)).Decode(&s) != nil {
			return s, fault.New(fault.InternalFailure, errToy)
		}
		return s, nil
	case e.broken("fault quotes the blob") && err != nil:
		return s, fault.New(fault.InternalFailure, fmt.Errorf("cannot read %q", blob))
	case e.broken("panic on a truncated blob") && err != nil:
		panic("truncated")
	case e.broken("internal failure is invalid state") && err != nil:
		return s, fault.New(fault.InvalidState, errToy)
	case e.broken("fault of another operation") && s.Toy != "up" && s.Toy != "down":
		return s, fault.New(fault.UnknownSession, errToy)
	}
	// What is broken in writing must not be noticed in reading already.
	writes := strings.HasPrefix(e.bug, "blob ") || e.broken("calls in the blob")
	if err != nil || !writes && (toy{}).write(s) != blob || s.Status != engine.Active && s.Status != engine.Ended && s.Status != engine.Abandoned {
		return s, fault.New(fault.InternalFailure, errToy)
	}
	return s, nil
}

func (e toy) Start(_ context.Context, req engine.Start) (engine.Position, error) {
	if req.CampaignID != "up" && req.CampaignID != "down" {
		if e.broken("unknown campaign starts") {
			req.CampaignID = "up"
		} else {
			return engine.Position{}, fault.New(fault.UnknownCampaign, nil)
		}
	}
	if !e.broken("odd ids in the blob") && (!utf8.ValidString(req.GameID) || strings.ContainsRune(req.GameID, 0) || len(req.GameID) > 1000) {
		return engine.Position{}, fault.New(fault.InternalFailure, errToy)
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(req.Seed))
	s := toyState{Toy: req.CampaignID, Game: req.GameID, Seed: h.Sum64() >> 12, Status: engine.Active, Earned: []string{}}
	if e.broken("start keeps no game id") {
		s.Game = "game"
	}
	return engine.Position{Blob: e.write(s), CampaignID: req.CampaignID, Scene: e.show(s), ReplayCompatible: true}, nil
}

func (e toy) show(s toyState) engine.Scene {
	scene := engine.Scene{GameID: s.Game, Status: s.Status, TextKey: "text", Text: fmt.Sprint(s.Count), Actions: []engine.Action{}}
	scene.View = engine.View{GameID: s.Game, Status: s.Status, KindView: json.RawMessage(fmt.Sprintf(`{"count":%d}`, s.Count))}
	if e.broken("kind view with white space") {
		scene.View.KindView = json.RawMessage(fmt.Sprintf(`{"count": %d}`, s.Count))
	}
	if s.Status != engine.Active && !e.broken("actions after the end") {
		return scene
	}
	for _, id := range []string{"add", "bonus", "finish", "give-up", "lower"} {
		a := engine.Action{ID: id, LabelKey: "label." + id, Available: true}
		if id == "lower" && s.Count == 0 || id == "finish" && s.Count < 3 {
			a.Available, a.ReasonKey = false, engine.ReasonKey(engine.ReasonConditionUnmet)
			if e.broken("no reason") {
				a.ReasonKey = ""
			}
		}
		scene.Actions = append(scene.Actions, a)
	}
	if e.broken("action twice") {
		scene.Actions = append(scene.Actions, scene.Actions[0])
	}
	return scene
}

func (e toy) Scene(_ context.Context, blob string) (engine.Scene, error) {
	s, err := e.read(blob)
	if err != nil {
		return engine.Scene{}, err
	}
	if e.broken("scene differs from the move's") && s.Count == 2 {
		s.Count++
	}
	return e.show(s), nil
}

func (e toy) View(_ context.Context, blob string) (engine.View, error) {
	s, err := e.read(blob)
	if err != nil {
		return engine.View{}, err
	}
	v := e.show(s).View
	if e.broken("view of another status") {
		v.Status = engine.Ended
	}
	return v, nil
}

var toyTexts = map[string]string{
	"title": "Toy", "text": "A number.", "label.add": "Add", "label.bonus": "Bonus", "label.finish": "Finish",
	"label.give-up": "Give up", "label.lower": "Lower", "said": "Said.",
}

func (e toy) Strings(_ context.Context, blob string) (map[string]string, error) {
	if _, err := e.read(blob); err != nil {
		return nil, err
	}
	texts := engine.ReasonTexts()
	if e.broken("no texts of reasons") {
		clear(texts)
	}
	maps.Copy(texts, toyTexts)
	if e.broken("no text of a label") {
		delete(texts, "label.lower")
	}
	if e.broken("no text of a message") {
		delete(texts, "said")
	}
	if e.broken("strings shared") {
		return sharedTexts, nil
	}
	return texts, nil
}

var sharedTexts = map[string]string{"title": "Toy"}

func (e toy) Apply(ctx context.Context, blob string, m engine.Move) (engine.Outcome, error) {
	s, err := e.read(blob)
	if err != nil {
		return engine.Outcome{}, err
	}
	o := engine.Outcome{Blob: blob, Achievements: s.Earned}
	refuse := func(code string) (engine.Outcome, error) {
		o.Result = engine.Result{Errors: []engine.Problem{{Code: code, MessageKey: engine.ReasonKey(code)}}}
		if e.broken("refusal without a reason") {
			o.Result.Errors = nil
		}
		if e.broken("refusal with its own code") {
			o.Result.Errors[0].Code = "no"
		}
		if e.broken("refusal changes the blob") {
			s.Seed++
			o.Blob = e.write(s)
		}
		return o, nil
	}
	if s.Status != engine.Active {
		if e.broken("unknown action after the end") {
			return refuse(engine.ReasonUnknownAction)
		}
		if !e.broken("moves after the end") {
			return refuse(engine.ReasonGameEnded)
		}
	}
	by := int64(1)
	for name, v := range m.Params {
		n, isNumber := v.(json.Number)
		i, err := strconv.ParseInt(string(n), 10, 64)
		switch {
		case e.broken("unknown parameters pass") && name != "by":
		case m.ActionID == "add" && name == "by" && e.broken("panic on a parameter"):
			by, _ = strconv.ParseInt(string(v.(json.Number)), 10, 64)
		case m.ActionID != "add" || name != "by" || !isNumber || err != nil || i < 1 || i > 9:
			return refuse(engine.ReasonInvalidParams)
		default:
			by = i
		}
	}
	was := s.Count
	change := engine.Change{Path: "count", Op: engine.Increment, Reason: m.ActionID, Visible: true}
	switch m.ActionID {
	case "add":
		s.Count += by
		if e.broken("move changes its parameters") && m.Params != nil {
			m.Params["by"] = json.Number("1")
		}
	case "lower":
		if s.Count == 0 && !e.broken("unavailable action is taken") {
			return refuse(engine.ReasonConditionUnmet)
		}
		s.Count--
		change.Op = engine.Decrement
	case "bonus":
		o.ProfileRead = !e.broken("profile read in silence")
		if !m.Achievements["ace"] {
			return refuse(engine.ReasonConditionUnmet)
		}
		s.Count += 5
	case "finish":
		if s.Count < 3 {
			return refuse(engine.ReasonConditionUnmet)
		}
		s.Status = engine.Ended
		e.earn(&s, "done")
		change.Op = engine.Set
	case "give-up":
		s.Status = engine.Abandoned
		change.Op = engine.Set
		if e.broken("abandoning ends") {
			s.Status = engine.Ended
		}
	default:
		if e.broken("unknown action is an error") {
			return engine.Outcome{}, fault.New(fault.InvalidState, errToy)
		}
		return refuse(engine.ReasonUnknownAction)
	}
	if s.Count >= 2 {
		e.earn(&s, "two")
	}
	if s.Count >= 4 {
		e.earn(&s, "four")
	}
	if e.broken("achievement lost") && s.Count < was {
		s.Earned = []string{}
	}
	if s.Seed%2 == 1 && e.broken("change without a path") {
		change.Path = ""
	}
	shown := e.show(s)
	change.Value, change.Previous = json.RawMessage(strconv.FormatInt(s.Count, 10)), json.RawMessage(strconv.FormatInt(was, 10))
	if e.broken("change with white space") {
		change.Value = append(change.Value, ' ')
	}
	said := engine.Message{Key: "said", Params: json.RawMessage(`{"n":1}`), Visible: true}
	if e.broken("message params are a list") {
		said.Params = json.RawMessage(`[1]`)
	}
	o.Result = engine.Result{OK: true, Scene: &shown, Changes: []engine.Change{change}, Messages: []engine.Message{said}}
	if e.broken("accepted with errors") {
		o.Result.Errors = []engine.Problem{{Code: "x"}}
	}
	if e.broken("accepted without a scene") {
		o.Result.Scene = nil
	}
	if _, limited := ctx.Deadline(); limited && e.broken("looks at the deadline") {
		o.Result.Changes[0].Reason = "hurry"
	}
	if e.broken("counts its calls") {
		o.Result.Changes[0].Reason = fmt.Sprint(e.calls.Add(1))
	}
	o.Blob, o.Achievements = e.write(s), s.Earned
	return o, nil
}

func (e toy) earn(s *toyState, id string) {
	if slices.Contains(s.Earned, id) {
		return
	}
	s.Earned = append(slices.Clone(s.Earned), id)
	if !e.broken("achievements unsorted") {
		slices.Sort(s.Earned)
	}
}

func (e toy) Resume(_ context.Context, blob string) (engine.Resumed, error) {
	s, err := e.read(blob)
	if err != nil {
		return engine.Resumed{}, err
	}
	if s.Status == engine.Abandoned && !e.broken("abandoned game resumes") || s.Status == engine.Ended && e.broken("ended game does not resume") {
		return engine.Resumed{}, fault.New(fault.InvalidState, errToy)
	}
	if e.broken("resume forgets achievements") {
		s.Earned = nil
	}
	return engine.Resumed{Scene: e.show(s), Achievements: s.Earned}, nil
}

func (e toy) Load(_ context.Context, blob string) (engine.Position, error) {
	s, err := e.read(blob)
	if err != nil {
		return engine.Position{}, err
	}
	if e.broken("load writes other bytes") {
		s.Seed++
		blob = e.write(s)
	}
	return engine.Position{Blob: blob, CampaignID: s.Toy, Scene: e.show(s), ReplayCompatible: true}, nil
}
