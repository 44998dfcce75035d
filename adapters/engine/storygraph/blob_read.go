package storygraph

import (
	"errors"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-faster/jx"

	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/fault"
)

// Reasons why a blob is refused. They hold nothing of it.
var (
	errNotJSON      = errors.New("story-graph: the blob is not JSON of the blob's shape")
	errNotCanonical = errors.New("story-graph: the blob is not in canonical form")
	errFormat       = errors.New("story-graph: the blob is of another format")
	errValue        = errors.New("story-graph: a value in the blob is out of its bounds")
	errGone         = errors.New("story-graph: the blob's campaign version is not loaded")
	errForeign      = errors.New("story-graph: the blob names what its campaign version does not have")
)

// decode reads a blob. It reads leniently and then demands that encoding the
// result gives the same bytes, which refuses at once all that encode would
// not have written: other orders, duplicates, white space, other spellings of
// a number or a string, and trailing bytes. Errors are internal_failure.
func (e *Engine) decode(blob string) (*state, error) {
	if len(blob) > engine.MaxBlob || !utf8.ValidString(blob) {
		return nil, fault.New(fault.InternalFailure, errNotJSON)
	}
	s := &state{}
	if err := e.read(s, blob); err != nil {
		return nil, fault.New(fault.InternalFailure, err)
	}
	w := jx.GetWriter()
	defer jx.PutWriter(w)
	var ends [maxVariables]int
	s.encode(w, ends[:])
	if string(w.Buf) != blob {
		return nil, fault.New(fault.InternalFailure, errNotCanonical)
	}
	start := strings.Index(blob, `"variables":{`) + len(`"variables":{`)
	for i := range s.vars {
		v := &s.vars[i]
		v.text = blob[start+len(v.field) : ends[i]]
		start = ends[i] + len(",")
	}
	return s, nil
}

// buffers hold a blob while it is decoded; nothing keeps a part of one.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

func (e *Engine) read(s *state, blob string) error {
	d := jx.GetDecoder()
	defer jx.PutDecoder(d)
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	*buf = append((*buf)[:0], blob...)
	d.ResetBytes(*buf)
	format := 0
	err := d.ObjBytes(func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "format":
			format, err = d.Int()
		case "campaign":
			s.campaignID, err = d.Str()
		case "version":
			s.version, err = d.Int64()
			s.campaign = e.versions[edition{s.campaignID, s.version}]
		case "game":
			s.game, err = d.Str()
		case "status":
			s.status, err = readStatus(d)
		case "scene":
			s.sceneID, err = d.Str()
		case "turn":
			s.turn, err = d.Int64()
		case "draws":
			s.draws, err = d.Int64()
		case "seed":
			s.seed, err = d.Str()
		case "replay":
			s.replay, err = d.Bool()
		case "variables":
			err = s.readVariables(d)
		case "achievements":
			s.achievements, err = readList(d, maxAchievements, isID)
		case "used":
			s.used, err = readList(d, maxScenes*maxActions, isUsedKey)
		default:
			err = errNotJSON
		}
		return err
	})
	switch {
	case err != nil:
		return errNotJSON // the decoder's own error may quote the blob
	case format != blobFormat:
		return errFormat
	case !isID(s.campaignID), s.version < 1, s.version > maxInteger, !soundID(s.game), !isID(s.sceneID), !isSeedText(s.seed),
		s.turn < 0, s.turn > maxInteger, s.draws < 0, s.draws > maxInteger:
		return errValue
	}
	return nil
}

func readStatus(d *jx.Decoder) (engine.Status, error) {
	b, err := d.StrBytes()
	for _, s := range []engine.Status{engine.Active, engine.Ended, engine.Abandoned} {
		if err == nil && string(b) == string(s) {
			return s, nil
		}
	}
	return "", errNotJSON
}

func (s *state) readVariables(d *jx.Decoder) error {
	var declared []variable
	if s.campaign != nil {
		declared = s.campaign.vars
	}
	s.vars = make([]namedValue, 0, len(declared))
	return d.ObjBytes(func(d *jx.Decoder, key []byte) error {
		i := len(s.vars)
		if i == maxVariables {
			return errValue
		}
		// Where the campaign is known, its own strings serve for the names
		// and for the texts that still are what they began with.
		var v namedValue
		var known *variable
		if i < len(declared) && string(key) == declared[i].name {
			known = &declared[i]
			v.field = known.field
		} else if v.field = field(string(key)); !isIdentifier(v.name()) {
			return errValue
		}
		if i > 0 && s.vars[i-1].name() >= v.name() {
			return errNotCanonical
		}
		if err := v.value.read(d, known); err != nil {
			return err
		}
		s.vars = append(s.vars, v)
		return nil
	})
}

// read reads a value as the kind that the variable is declared to be, or, of
// an unknown one, as the kind that it looks like.
func (v *value) read(d *jx.Decoder, known *variable) error {
	sound := true
	switch d.Next() {
	case jx.Number:
		if known != nil && known.kind == integerKind {
			i, err := d.Int64()
			if err != nil {
				return err
			}
			*v, sound = exact(i)
			break
		}
		f, err := d.Float64()
		if err != nil {
			return err
		}
		*v = numberValue(f)
	case jx.String:
		b, err := d.StrBytes()
		if err != nil {
			return err
		}
		if known != nil && string(b) == known.initial.s {
			*v = stringValue(known.initial.s)
			return nil
		}
		*v = stringValue(string(b))
	case jx.Bool:
		b, err := d.Bool()
		if err != nil {
			return err
		}
		*v = booleanValue(b)
	default:
		return errNotJSON
	}
	if !sound || !v.sound() {
		return errValue
	}
	return nil
}

func readList(d *jx.Decoder, longest int, valid func(string) bool) (list []string, err error) {
	err = d.Arr(func(d *jx.Decoder) error {
		s, err := d.Str()
		if err != nil {
			return err
		}
		if len(list) == longest || !valid(s) || len(list) > 0 && list[len(list)-1] >= s {
			return errValue
		}
		list = append(list, s)
		return nil
	})
	return list, err
}

func isUsedKey(s string) bool {
	scene, action, ok := strings.Cut(s, "/")
	return ok && isID(scene) && isID(action)
}

func isSeedText(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

func soundID(s string) bool {
	return len(s) <= maxIDBytes && utf8.ValidString(s) && strings.IndexByte(s, 0) < 0
}
