package httpapi

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/go-faster/jx"

	"github.com/holdfast-dev/holdfast/api/public"
	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/session"
	"github.com/holdfast-dev/holdfast/core/wire"
)

// action decodes a move. Its params are scalars by name; numbers keep their
// text, so that no integer is rounded.
func action(req *public.ActionRequest) (session.Act, error) {
	act := session.Act{SessionID: req.SessionId, ActionID: req.ActionId}
	raw, ok := req.Params.Get()
	if !ok {
		return act, nil
	}
	d := jx.DecodeBytes(raw)
	if d.Next() != jx.Object {
		return act, fault.Malformed("/params", wire.ReasonType)
	}
	act.Params = map[string]engine.Value{}
	err := d.Obj(func(d *jx.Decoder, name string) error {
		value, err := scalar(d)
		if err != nil {
			return fault.Malformed(string(wire.AppendPointer([]byte("/params"), name)), wire.ReasonType)
		}
		act.Params[name] = value
		return nil
	})
	if err != nil {
		return act, malformed(err)
	}
	return act, nil
}

func scalar(d *jx.Decoder) (engine.Value, error) {
	switch d.Next() {
	case jx.String:
		return d.Str()
	case jx.Bool:
		return d.Bool()
	default:
		n, err := d.Num()
		return json.Number(n), err
	}
}

func scene(s engine.Scene) public.Scene {
	actions := make([]public.Action, len(s.Actions))
	for i, a := range s.Actions {
		actions[i] = public.Action{ID: a.ID, LabelKey: a.LabelKey, Available: a.Available, ReasonKey: text(a.ReasonKey)}
	}
	return public.Scene{
		GameId:  s.GameID,
		Status:  public.GameStatus(s.Status),
		Body:    public.SceneBody{TextKey: s.TextKey, Text: s.Text},
		Actions: actions,
		View:    view(s.View),
	}
}

func view(v engine.View) public.View {
	return public.View{GameId: v.GameID, Status: public.GameStatus(v.Status), KindView: jx.Raw(v.KindView)}
}

func result(r engine.Result) public.ActionResult {
	out := public.ActionResult{
		Ok:       r.OK,
		Errors:   make([]public.ActionError, len(r.Errors)),
		Warnings: make([]public.ActionWarning, len(r.Warnings)),
		Changes:  make([]public.Change, len(r.Changes)),
		Messages: make([]public.Message, len(r.Messages)),
	}
	if r.Scene != nil {
		out.Scene = public.NewOptScene(scene(*r.Scene))
	}
	for i, e := range r.Errors {
		out.Errors[i] = public.ActionError{Code: e.Code, MessageKey: e.MessageKey, Path: text(e.Path)}
		if e.Details != nil {
			out.Errors[i].Details = public.NewOptDetails(public.Details(e.Details))
		}
	}
	for i, w := range r.Warnings {
		out.Warnings[i] = public.ActionWarning{Code: w.Code, MessageKey: w.MessageKey, Path: text(w.Path)}
	}
	for i, c := range r.Changes {
		out.Changes[i] = public.Change{Path: c.Path, Op: public.ChangeOp(c.Op), Value: public.Scalar(c.Value), Reason: c.Reason, Visible: c.Visible}
		if c.Previous != nil {
			out.Changes[i].Previous = public.NewOptScalar(public.Scalar(c.Previous))
		}
	}
	for i, m := range r.Messages {
		out.Messages[i] = public.Message{Key: m.Key, Visible: m.Visible}
		if m.Params != nil {
			out.Messages[i].Params = public.NewOptParams(public.Params(m.Params))
		}
		if m.Tone != "" {
			out.Messages[i].Tone = public.NewOptMessageTone(public.MessageTone(m.Tone))
		}
	}
	return out
}

// text is an optional member that is left out where it is empty.
func text(s string) public.OptString {
	if s == "" {
		return public.OptString{}
	}
	return public.NewOptString(s)
}

// orderedStrings writes a map in the order of its keys; a Go map has none.
func orderedStrings(m map[string]string) public.Strings {
	var e jx.Encoder
	e.ObjStart()
	for _, k := range slices.Sorted(maps.Keys(m)) {
		e.FieldStart(k)
		e.Str(m[k])
	}
	e.ObjEnd()
	return public.Strings(e.Bytes())
}
