package storygraph

import (
	"strconv"
	"unicode/utf8"

	"github.com/go-faster/jx"

	"github.com/holdfast-dev/holdfast/core/engine"
)

// plain is what a blob says, read in another way than decode reads it: first
// leniently, and then it must be what writing all of it again gives. That is
// slow, and plainly takes all that can be written, and nothing else.
type plain struct {
	campaign   *campaign
	campaignID string
	format     int64
	version    int64
	game       string
	status     string
	scene      string
	turn       int64
	draws      int64
	seed       string
	replay     bool
	names      []string
	values     []value
	earned     []string
	used       []string
}

func readPlain(e *Engine, blob string) (*plain, bool) {
	p := &plain{}
	if len(blob) > engine.MaxBlob || !utf8.ValidString(blob) || p.read(e, jx.DecodeStr(blob)) != nil {
		return nil, false
	}
	return p, p.sound() && p.write() == blob
}

func (p *plain) read(e *Engine, d *jx.Decoder) error {
	return d.Obj(func(d *jx.Decoder, key string) (err error) {
		switch key {
		case "format":
			p.format, err = d.Int64()
		case "campaign":
			p.campaignID, err = d.Str()
		case "version":
			p.version, err = d.Int64()
			p.campaign = e.versions[edition{p.campaignID, p.version}]
		case "game":
			p.game, err = d.Str()
		case "status":
			p.status, err = d.Str()
		case "scene":
			p.scene, err = d.Str()
		case "turn":
			p.turn, err = d.Int64()
		case "draws":
			p.draws, err = d.Int64()
		case "seed":
			p.seed, err = d.Str()
		case "replay":
			p.replay, err = d.Bool()
		case "variables":
			err = d.Obj(func(d *jx.Decoder, name string) error {
				v, err := p.readValue(d, name)
				p.names, p.values = append(p.names, name), append(p.values, v)
				return err
			})
		case "achievements":
			p.earned, err = readPlainList(d)
		case "used":
			p.used, err = readPlainList(d)
		default:
			err = errNotCanonical
		}
		return err
	})
}

func (p *plain) readValue(d *jx.Decoder, name string) (v value, err error) {
	switch d.Next() {
	case jx.Number:
		if i := len(p.names); p.campaign != nil && i < len(p.campaign.vars) && p.campaign.vars[i].name == name && p.campaign.vars[i].kind == integerKind {
			i, err := d.Int64()
			v, sound := exact(i)
			if !sound {
				err = errValue
			}
			return v, err
		}
		// jx's own reading of a number is off by a bit for some of 17 digits.
		n, err := d.Num()
		if err != nil {
			return v, err
		}
		f, err := strconv.ParseFloat(n.String(), 64)
		return numberValue(f), err
	case jx.String:
		s, err := d.Str()
		return stringValue(s), err
	case jx.Bool:
		b, err := d.Bool()
		return booleanValue(b), err
	}
	return v, errNotCanonical
}

func readPlainList(d *jx.Decoder) (list []string, err error) {
	err = d.Arr(func(d *jx.Decoder) error {
		s, err := d.Str()
		list = append(list, s)
		return err
	})
	return list, err
}

func (p *plain) sound() bool {
	sound := p.format == 1 && isID(p.campaignID) && p.version >= 1 && p.version <= maxInteger && soundID(p.game) &&
		(p.status == "active" || p.status == "ended" || p.status == "abandoned") && isID(p.scene) && isSeedText(p.seed) &&
		p.turn >= 0 && p.turn <= maxInteger && p.draws >= 0 && p.draws <= maxInteger &&
		len(p.values) <= maxVariables && len(p.earned) <= maxAchievements && len(p.used) <= maxScenes*maxActions
	for _, v := range p.values {
		sound = sound && v.sound()
	}
	return sound && ascending(p.names, isIdentifier) && ascending(p.earned, isID) && ascending(p.used, isUsedKey)
}

func ascending(list []string, valid func(string) bool) bool {
	for i, s := range list {
		if !valid(s) || i > 0 && list[i-1] >= s {
			return false
		}
	}
	return true
}

func (p *plain) write() string {
	var e jx.Encoder
	list := func(list []string) func(*jx.Encoder) {
		return func(e *jx.Encoder) {
			e.Arr(func(e *jx.Encoder) {
				for _, s := range list {
					e.Str(s)
				}
			})
		}
	}
	e.Obj(func(e *jx.Encoder) {
		e.Field("format", func(e *jx.Encoder) { e.Int64(p.format) })
		e.Field("campaign", func(e *jx.Encoder) { e.Str(p.campaignID) })
		e.Field("version", func(e *jx.Encoder) { e.Int64(p.version) })
		e.Field("game", func(e *jx.Encoder) { e.Str(p.game) })
		e.Field("status", func(e *jx.Encoder) { e.Str(p.status) })
		e.Field("scene", func(e *jx.Encoder) { e.Str(p.scene) })
		e.Field("turn", func(e *jx.Encoder) { e.Int64(p.turn) })
		e.Field("draws", func(e *jx.Encoder) { e.Int64(p.draws) })
		e.Field("seed", func(e *jx.Encoder) { e.Str(p.seed) })
		e.Field("replay", func(e *jx.Encoder) { e.Bool(p.replay) })
		e.Field("variables", func(e *jx.Encoder) {
			e.Obj(func(e *jx.Encoder) {
				for i, name := range p.names {
					e.Field(name, func(e *jx.Encoder) { e.Raw(p.values[i].raw()) })
				}
			})
		})
		e.Field("achievements", list(p.earned))
		e.Field("used", list(p.used))
	})
	return e.String()
}
