package app_test

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
)

const module = "github.com/holdfast-dev/holdfast/"

// source is a file as the dependency rule sees it.
type source struct {
	// dir is the package's folder below the module's root.
	dir string
	// file is the file's name below the module's root, for messages.
	file string
	// test is true for a test file, and for every file of a package of test
	// code: one named after the package that it lies in, such as
	// core/session/sessiontest.
	test bool
}

func newSource(file string) source {
	s := source{dir: path.Dir(file), file: file, test: strings.HasSuffix(file, "_test.go")}
	segments := strings.Split(s.dir, "/")
	for i := 1; i < len(segments); i++ {
		s.test = s.test || segments[i] == segments[i-1]+"test"
	}
	return s
}

// Third-party packages with a place of their own.
var (
	// testLibraries are what the tests of core may import.
	testLibraries = []string{"pgregory.net/rapid", "github.com/anishathalye/porcupine"}
	// wiring is imported by app alone.
	wiring = []string{"go.uber.org/fx", "go.uber.org/dig"}
	// drivers are kept from the surfaces, so that none can reach the store.
	drivers  = []string{"database/sql", "github.com/jackc/pgx", "github.com/pressly/goose", "github.com/redis/rueidis"}
	surfaces = []string{"adapters/httpapi", "adapters/mcp", "adapters/edge"}
	// forTests are what the tests of adapters may import beyond the rule.
	forTests = []string{"adapters/memory", "adapters/flaky", "app/devstack", "campaigns"}
)

// within says whether a package is one of the trees or lies in one.
func within(pkg string, trees ...string) bool {
	return slices.ContainsFunc(trees, func(tree string) bool {
		return pkg == tree || strings.HasPrefix(pkg, tree+"/")
	})
}

// violation names the part of the dependency rule (spec 50) that an import
// breaks, or is "".
func violation(s source, imported string) string {
	ours, isOurs := strings.CutPrefix(imported, module)
	first, _, _ := strings.Cut(imported, "/")
	isStandard := !strings.Contains(first, ".")
	if within(imported, wiring...) && !within(s.dir, "app") {
		return "only app imports fx"
	}
	switch {
	case within(s.dir, "core"):
		switch {
		case isOurs && !within(ours, "core"):
			return "core imports nothing of ours but core"
		case isStandard && !s.test && within(imported, "math/rand", "crypto/rand"):
			return "core has no randomness of its own"
		case !isOurs && !isStandard && !s.test:
			return "core imports nothing but the standard library and core"
		case !isOurs && !isStandard && !within(imported, testLibraries...):
			return "the tests of core import only test libraries: " + strings.Join(testLibraries, ", ")
		}
	case within(s.dir, "api", "sql", "campaigns"):
		if isOurs && ours != s.dir {
			return "api, sql and campaigns import nothing of ours"
		}
	case within(s.dir, "clients"):
		if isOurs && !within(ours, "clients", "api") {
			return "clients import nothing of ours but api"
		}
	case within(s.dir, "adapters"):
		return adapterViolation(s, imported, ours, isOurs)
	case within(s.dir, "app"):
	default:
		return "a top-level folder that the dependency rule does not know"
	}
	return ""
}

func adapterViolation(s source, imported, ours string, isOurs bool) string {
	adapter := adapterOf(s.dir)
	switch {
	case !isOurs:
		if within(adapter, surfaces...) && !s.test && within(imported, drivers...) {
			return "a surface does not reach the store"
		}
	case within(ours, "core", adapter):
	case within(ours, "api") && within(adapter, surfaces...):
	case within(ours, "sql") && adapter == "adapters/postgres":
	case s.test && within(ours, forTests...):
	case within(ours, "adapters"):
		return "an adapter imports no other adapter"
	default:
		return fmt.Sprintf("%s imports nothing of ours but core and itself", adapter)
	}
	return ""
}

// adapterOf is the adapter that a folder belongs to: adapters/X, or
// adapters/engine/X for an engine.
func adapterOf(dir string) string {
	segments := strings.Split(dir, "/")
	n := 2
	if len(segments) > 1 && segments[1] == "engine" {
		n = 3
	}
	return strings.Join(segments[:min(n, len(segments))], "/")
}

// ambient are the functions that read the process's surroundings, and where
// they may not be used.
var ambient = []struct {
	pkg       string
	names     []string
	forbidden func(source) bool
	rule      string
}{
	{
		"time", []string{"Now", "Since", "Until"},
		func(s source) bool { return within(s.dir, "core") && !s.test },
		"core is told the time by core/clock",
	},
	{
		"os", []string{"Getenv", "LookupEnv", "Environ", "ExpandEnv"},
		func(s source) bool { return !within(s.dir, "app/config") },
		"only app/config reads the environment",
	},
	{
		"syscall", []string{"Getenv", "Environ"},
		func(s source) bool { return !within(s.dir, "app/config") },
		"only app/config reads the environment",
	},
}

// violations lists what a file breaks of the dependency rule.
func violations(s source, file *ast.File) []string {
	var found []string
	local := map[string]string{} // names of imported packages in this file
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if rule := violation(s, imported); rule != "" {
			found = append(found, fmt.Sprintf("%s imports %s: %s", s.file, imported, rule))
		}
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		local[name] = imported
		for _, a := range ambient {
			if name == "." && imported == a.pkg && a.forbidden(s) {
				found = append(found, fmt.Sprintf("%s imports all names of %s: %s", s.file, imported, a.rule))
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := sel.X.(*ast.Ident)
		if !ok {
			return true
		}
		for _, a := range ambient {
			if local[x.Name] == a.pkg && slices.Contains(a.names, sel.Sel.Name) && a.forbidden(s) {
				found = append(found, fmt.Sprintf("%s uses %s.%s: %s", s.file, a.pkg, sel.Sel.Name, a.rule))
			}
		}
		return true
	})
	return found
}
