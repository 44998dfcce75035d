package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// patch replaces a text that stands once in a file of the module.
type patch struct{ file, old, new string }

// mutants are faults that a run must catch: with one built in, the run has to
// end in a violation.
var mutants = map[string][]patch{
	// A write lands whatever has been written since its read.
	"guard": {{
		"adapters/postgres/internal/dbsqlc/session.sql.go",
		"and version = $12 and expires_at",
		"and $12::bigint > 0 and expires_at",
	}},
	// If-Match is read and not minded.
	"precondition": {{
		"core/session/act.go",
		"if err := pre.check(at.version); err != nil {",
		"if err := pre.check(at.version); err != nil && in.SessionID == \"\" {",
	}},
	// An action is acknowledged whatever the store said of its write.
	"ack-act": {{
		"core/session/act.go",
		"version, err := layer.Sessions().Put(ctx, rec)\n\tif err != nil {",
		"version, err := layer.Sessions().Put(ctx, rec)\n\tif err != nil {\n\t\tversion, err = at.version+1, nil\n\t}\n\tif err != nil {",
	}},
	// The same for a save.
	"ack-save": {{
		"core/session/save.go",
		"err := layer.Saves().Put(ctx, save); err != nil {",
		"err := layer.Saves().Put(ctx, save); err != nil && sessionID == \"\" {",
	}},
	// An action whose write failed, or seemed to, is tried again.
	"retry": {{
		"core/session/act.go",
		"version, err := layer.Sessions().Put(ctx, rec)\n\tif err != nil {",
		"version, err := layer.Sessions().Put(ctx, rec)\n\tif _, lost := err.(*Conflict); err != nil && !lost && ctx.Err() == nil {\n\t\treturn s.SubmitAction(ctx, in, pre)\n\t}\n\tif err != nil {",
	}},
	// A session is served from memory for as long as ten versions.
	"cache": {
		{
			"core/session/service.go",
			"\treturn live{Record: rec, version: version, engine: eng}, nil\n",
			"\tl := live{Record: rec, version: version, engine: eng}\n\tif old, ok := cached.Load(sessionID); ok && version < old.(live).version+10 {\n\t\treturn old.(live), nil\n\t}\n\tcached.Store(sessionID, l)\n\treturn l, nil\n",
		},
		{"core/session/service.go", "const maxID = 128\n", "const maxID = 128\n\nvar cached sync.Map\n"},
		{"core/session/service.go", "\t\"log/slog\"\n", "\t\"log/slog\"\n\t\"sync\"\n"},
	},
	// Ids collide, and an insert replaces what it meets.
	"collision": {
		{
			"core/session/begin.go",
			"SessionID:        s.ids.Next(),\n\t\tBlob:             at.Blob,\n\t\tAudience:         in.Audience,",
			"SessionID:        s.ids.Next()[30:],\n\t\tBlob:             at.Blob,\n\t\tAudience:         in.Audience,",
		},
		{
			"adapters/postgres/internal/dbsqlc/session.sql.go",
			"now() + $11::interval\n)\n",
			"now() + $11::interval\n) on conflict (tenant_id, session_id) do update set blob = excluded.blob, version = 1\n",
		},
	},
	// A connection is kept and never given back.
	"leak": {{
		"adapters/postgres/sessions.go",
		"\tif errors.Is(err, pgx.ErrNoRows) {\n\t\treturn 0, classify(",
		"\tif errors.Is(err, pgx.ErrNoRows) {\n\t\t_, _ = p.store.acquire(ctx, statement)\n\t\treturn 0, classify(",
	}},
	// The log tells what a player sent.
	"log": {{
		"core/session/act.go",
		"\tout, profile, err := s.apply(ctx, at, in)\n\tif err != nil {\n\t\treturn Shown[engine.Result]{}, err\n\t}\n\tif !out.Result.OK {",
		"\tout, profile, err := s.apply(ctx, at, in)\n\tif err != nil {\n\t\treturn Shown[engine.Result]{}, err\n\t}\n\ts.log.InfoContext(ctx, \"action\", \"params\", in.Params)\n\tif !out.Result.OK {",
	}},
}

func mutantNames() []string { return slices.Sorted(maps.Keys(mutants)) }

// mutated returns the files that a mutant changes, by name below the module's
// root.
func mutated(root, mutant string) (map[string]string, error) {
	patches, known := mutants[mutant]
	if !known {
		return nil, fmt.Errorf("there is no mutant %q; there are %s", mutant, strings.Join(mutantNames(), ", "))
	}
	files := map[string]string{}
	for _, p := range patches {
		content, read := files[p.file]
		if !read {
			raw, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(p.file)))
			if err != nil {
				return nil, err
			}
			content = string(raw)
		}
		if n := strings.Count(content, p.old); n != 1 {
			return nil, fmt.Errorf("mutant %s does not fit %s any more: what it replaces is there %d times", mutant, p.file, n)
		}
		files[p.file] = strings.Replace(content, p.old, p.new, 1)
	}
	return files, nil
}
