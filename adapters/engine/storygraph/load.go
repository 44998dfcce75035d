package storygraph

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/holdfast-dev/holdfast/core/engine"
)

// Load reads every campaign file of a folder: *.yaml, *.yml and *.json, not
// those of subfolders and not those whose name begins with a dot. Files of
// one id and different versions live side by side.
//
// A file of another kind is foreign: of it only kind, id and title are looked
// at. Where anything is wrong with the campaigns, nothing is loaded and the
// error is a [*LoadError] with every fault. Another error is the folder's.
func Load(fsys fs.FS) (*Engine, []engine.Summary, error) {
	names, err := campaignFiles(fsys)
	if err != nil {
		return nil, nil, fmt.Errorf("campaigns: %w", err)
	}
	e := &Engine{versions: map[edition]*campaign{}, newest: map[string]*campaign{}}
	var foreign []engine.Summary
	var logs []*faultLog
	owner := map[string]string{} // kind by campaign id
	for _, name := range names {
		log := &faultLog{file: name}
		logs = append(logs, log)
		root, ok := readFile(fsys, name, log)
		if !ok {
			continue
		}
		o, ok := root.object()
		if !ok {
			continue
		}
		head, ok := readHead(o)
		if !ok {
			continue
		}
		if kind, taken := owner[head.CampaignID]; taken && kind != head.KindID {
			root.fault("campaign %q is there already, of kind %q", head.CampaignID, kind)
			continue
		}
		owner[head.CampaignID] = head.KindID
		if head.KindID != Kind {
			if !slices.Contains(foreign, head) {
				foreign = append(foreign, head)
			}
			continue
		}
		c := build(o)
		if !log.clean() {
			continue
		}
		if len(c.begin(engine.Start{}).blob()) > engine.MaxBlob/2 {
			root.fault("begins with texts of more than %d bytes", engine.MaxBlob/2)
			continue
		}
		ed := edition{c.id, c.version}
		if e.versions[ed] != nil {
			root.fault("version %d of campaign %q is there already", c.version, c.id)
			continue
		}
		e.versions[ed] = c
		if n := e.newest[c.id]; n == nil || n.version < c.version {
			e.newest[c.id] = c
		}
	}
	if err := loadError(logs); err != nil {
		return nil, nil, err
	}
	return e, foreign, nil
}

func campaignFiles(fsys fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		switch name := entry.Name(); path.Ext(name) {
		case ".yaml", ".yml", ".json":
			if !entry.IsDir() && !strings.HasPrefix(name, ".") {
				names = append(names, name)
			}
		}
	}
	if len(names) > maxFiles {
		return nil, fmt.Errorf("%d files, the limit is %d", len(names), maxFiles)
	}
	return names, nil
}

func readFile(fsys fs.FS, name string, log *faultLog) (node, bool) {
	text, err := readBytes(fsys, name)
	if err != nil {
		log.add(0, 0, "", "%v", err)
		return node{}, false
	}
	root := parseDocument(log, text)
	return node{ast: root, log: log}, root != nil
}

// readBytes reads a regular file. It looks before it opens, since opening a
// pipe waits for whoever writes to it.
func readBytes(fsys fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("is not a regular file")
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err == nil && len(text) > maxFileBytes {
		err = fmt.Errorf("is larger than %d bytes", maxFileBytes)
	}
	return text, err
}

// readHead reads what every campaign file has, of whatever kind.
func readHead(o *object) (engine.Summary, bool) {
	kind, hasKind := o.needName("kind", isID)
	id, hasID := o.needName("id", isID)
	s := engine.Summary{CampaignID: id, KindID: kind}
	if !hasKind || !hasID {
		return s, false
	}
	if title, ok := o.take("title"); ok && title.isText() {
		s.TitleKey, _ = title.text()
	}
	return s, true
}

func (o *object) needName(key string, valid func(string) bool) (string, bool) {
	n, ok := o.need(key)
	if !ok {
		return "", false
	}
	return n.name(valid)
}
