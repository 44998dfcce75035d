package app_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// tagSets are the build tags of the test tiers (spec 60).
var tagSets = []string{"", "cluster", "failover", "browser"}

// layers are the packages that must be there: without them the rule would
// hold because there is nothing that could break it.
var layers = []string{
	"core/fault", "core/clock", "core/id", "core/engine", "core/engine/enginetest",
	"core/health", "core/session", "core/session/sessiontest", "core/wire",
	"adapters/memory", "adapters/postgres", "adapters/postgres/postgrestest",
	"adapters/engine/storygraph", "adapters/edge", "adapters/httpapi", "adapters/mcp", "adapters/metrics", "adapters/system",
	"api", "sql", "campaigns",
	"app", "app/config", "app/devstack", "app/cli", "app/holdfast",
}

// load reads every Go file of the module that a set of build tags selects,
// tests included, by its name below the module's root. overlay holds files
// that are not on disk, by absolute name.
func load(t *testing.T, tags string, overlay map[string][]byte) map[string]*ast.File {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	pkgs, err := packages.Load(&packages.Config{
		Mode:       packages.NeedName | packages.NeedFiles,
		Dir:        root,
		Tests:      true,
		BuildFlags: []string{"-tags=" + tags},
		Overlay:    overlay,
	}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*ast.File{}
	fset := token.NewFileSet()
	for _, pkg := range pkgs {
		for _, err := range pkg.Errors {
			t.Errorf("%s: %v", pkg.ID, err)
		}
		if strings.HasSuffix(pkg.ID, ".test") {
			continue // the generated main of a test
		}
		for _, name := range pkg.GoFiles {
			rel, err := filepath.Rel(root, name)
			if err != nil {
				t.Fatal(err)
			}
			rel = filepath.ToSlash(rel)
			if files[rel] != nil {
				continue // seen in another variant of the package
			}
			content, planted := overlay[name]
			if !planted {
				if content, err = os.ReadFile(name); err != nil {
					t.Fatal(err)
				}
			}
			if files[rel], err = parser.ParseFile(fset, name, content, parser.SkipObjectResolution); err != nil {
				t.Fatal(err)
			}
		}
	}
	return files
}

func TestDependencyRule(t *testing.T) {
	for _, tags := range tagSets {
		t.Run("tags="+tags, func(t *testing.T) {
			files := load(t, tags, nil)
			present := map[string]bool{}
			for _, name := range slices.Sorted(maps.Keys(files)) {
				s := newSource(name)
				if !strings.HasSuffix(name, "_test.go") {
					present[s.dir] = true
				}
				for _, v := range violations(s, files[name]) {
					t.Error(v)
				}
			}
			for _, layer := range layers {
				if !present[layer] {
					t.Errorf("%s is missing: the dependency rule expects it (list in app/arch_test.go)", layer)
				}
			}
		})
	}
}

// TestDependencyRuleSeesPlantedFiles plants files into the real tree, and
// expects each of them to be found in the way in which the others are.
func TestDependencyRuleSeesPlantedFiles(t *testing.T) {
	planted := map[string]string{
		"core/fault/planted.go": `package fault

import (
	clock "time"
	"os"

	_ "` + module + `adapters/system"
)

var (
	_ = clock.Now
	_ = os.Getenv("HOME")
)
`,
		"core/id/planted_test.go": `package id_test

import _ "` + module + `adapters/memory"
`,
		"core/clock/planted_cluster.go": `//go:build cluster

package clock

import _ "go.uber.org/fx"
`,
	}
	want := []string{
		"core/clock/planted_cluster.go imports go.uber.org/fx: only app imports fx",
		"core/fault/planted.go imports " + module + "adapters/system: core imports nothing of ours but core",
		"core/fault/planted.go uses os.Getenv: only app/config reads the environment",
		"core/fault/planted.go uses time.Now: core is told the time by core/clock",
		"core/id/planted_test.go imports " + module + "adapters/memory: core imports nothing of ours but core",
	}
	overlay := map[string][]byte{}
	for name, content := range planted {
		abs, err := filepath.Abs("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		overlay[abs] = []byte(content)
	}
	var got []string
	for name, file := range load(t, "cluster", overlay) {
		if _, ok := planted[name]; ok {
			got = append(got, violations(newSource(name), file)...)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestViolation goes through the table of spec 50 by single imports.
func TestViolation(t *testing.T) {
	const ok = ""
	for _, tc := range []struct{ file, imported, rule string }{
		{"core/session/service.go", "context", ok},
		{"core/session/service.go", module + "core/fault", ok},
		{"core/session/service.go", module + "adapters/postgres", "core imports nothing of ours but core"},
		{"core/session/service.go", module + "api/public", "core imports nothing of ours but core"},
		{"core/session/service.go", "github.com/jackc/pgx/v5", "core imports nothing but the standard library and core"},
		{"core/session/service.go", "pgregory.net/rapid", "core imports nothing but the standard library and core"},
		{"core/session/service.go", "math/rand/v2", "core has no randomness of its own"},
		{"core/session/service.go", "crypto/rand", "core has no randomness of its own"},
		{"core/session/service_test.go", "pgregory.net/rapid", ok},
		{"core/session/service_test.go", "math/rand/v2", ok},
		{"core/session/service_test.go", "github.com/redis/rueidis", "the tests of core import only test libraries: pgregory.net/rapid, github.com/anishathalye/porcupine"},
		{"core/session/service_test.go", module + "adapters/memory", "core imports nothing of ours but core"},
		{"core/session/sessiontest/suite.go", "pgregory.net/rapid", ok},
		{"core/latest/suite.go", "pgregory.net/rapid", "core imports nothing but the standard library and core"},

		{"api/generate.go", "github.com/ogen-go/ogen/http", ok},
		{"api/public/server.go", module + "core/fault", "api, sql and campaigns import nothing of ours"},
		{"sql/embed.go", module + "core/fault", "api, sql and campaigns import nothing of ours"},
		{"campaigns/embed_test.go", module + "core/engine", "api, sql and campaigns import nothing of ours"},
		{"campaigns/embed_test.go", module + "campaigns", ok},
		{"clients/go/client.go", module + "api/client", ok},
		{"clients/go/client.go", module + "core/wire", "clients import nothing of ours but api"},

		{"adapters/postgres/store.go", "github.com/jackc/pgx/v5", ok},
		{"adapters/postgres/store.go", module + "core/session", ok},
		{"adapters/postgres/store.go", module + "adapters/postgres/internal/dbsqlc", ok},
		{"adapters/postgres/store.go", module + "sql", ok},
		{"adapters/postgres/store.go", module + "api/public", "adapters/postgres imports nothing of ours but core and itself"},
		{"adapters/postgres/store.go", module + "app/config", "adapters/postgres imports nothing of ours but core and itself"},
		{"adapters/postgres/store.go", module + "adapters/memory", "an adapter imports no other adapter"},
		{"adapters/postgres/store.go", "go.uber.org/fx", "only app imports fx"},
		{"adapters/postgres/store_test.go", "go.uber.org/fx/fxtest", "only app imports fx"},
		{"adapters/postgres/store_test.go", module + "adapters/memory", ok},
		{"adapters/postgres/store_test.go", module + "adapters/redis", "an adapter imports no other adapter"},
		{"adapters/postgres/store_test.go", module + "app/config", "adapters/postgres imports nothing of ours but core and itself"},
		{"adapters/postgres/postgrestest/server.go", module + "app/devstack", ok},
		{"adapters/postgres/postgres.go", module + "app/devstack", "adapters/postgres imports nothing of ours but core and itself"},
		{"adapters/memory/store.go", module + "sql", "adapters/memory imports nothing of ours but core and itself"},

		{"adapters/httpapi/handler.go", module + "api/public", ok},
		{"adapters/httpapi/handler.go", module + "adapters/postgres", "an adapter imports no other adapter"},
		{"adapters/httpapi/handler.go", "github.com/jackc/pgx/v5/pgxpool", "a surface does not reach the store"},
		{"adapters/mcp/tools.go", "database/sql", "a surface does not reach the store"},
		{"adapters/edge/proxy.go", module + "api/contract", ok},
		{"adapters/signing/sign.go", module + "api/public", "adapters/signing imports nothing of ours but core and itself"},
		{"adapters/engine/storygraph/engine.go", module + "core/engine", ok},
		{"adapters/engine/storygraph/engine.go", module + "campaigns", "adapters/engine/storygraph imports nothing of ours but core and itself"},
		{"adapters/engine/storygraph/engine_test.go", module + "campaigns", ok},
		{"adapters/engine/dice/engine.go", module + "adapters/engine/storygraph", "an adapter imports no other adapter"},

		{"app/app.go", "go.uber.org/fx", ok},
		{"app/app.go", module + "adapters/postgres", ok},
		{"app/bench/load.go", module + "api/client", ok},
		{"pkg/util/util.go", "fmt", "a top-level folder that the dependency rule does not know"},
		{"main.go", "fmt", "a top-level folder that the dependency rule does not know"},
	} {
		if got := violation(newSource(tc.file), tc.imported); got != tc.rule {
			t.Errorf("%s imports %s: %q, want %q", tc.file, tc.imported, got, tc.rule)
		}
	}
}

// TestAmbientUses goes through the ways of reading the process's
// surroundings.
func TestAmbientUses(t *testing.T) {
	const all = `package p

import (
	env "os"
	"time"
	. "syscall"
)

var (
	_ = time.Now
	_ = time.Since
	_ = time.Second
	_ = env.LookupEnv
	_ = env.Environ
	_ = env.Open
)
`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", all, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		file string
		want int
	}{
		{"core/session/service.go", 5},
		{"core/session/service_test.go", 3},
		{"adapters/system/system.go", 3},
		{"app/devstack/find.go", 3},
		{"app/config/environment.go", 0},
	} {
		if got := violations(newSource(tc.file), file); len(got) != tc.want {
			t.Errorf("%s: %d violations, want %d: %q", tc.file, len(got), tc.want, got)
		}
	}
}
