package fault

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// wantStatuses is written out from spec 10 (The wire) and spec 40 (Internal
// API): what a code means to a caller does not follow from this package.
var wantStatuses = map[string]int{
	"malformed_payload": 400, "invalid_request": 400,
	"unauthenticated":     401,
	"forbidden":           403,
	"unsupported_version": 404, "unknown_operation": 404,
	"unknown_session": 404, "unknown_save": 404, "unknown_campaign": 404,
	"session_expired": 404, "save_expired": 404,
	"unknown_character": 404, "unknown_transfer": 404, "unknown_retry_job": 404,
	"unknown_dead_letter": 404, "unknown_realtime_session": 404,
	"invalid_state": 409, "unknown_kind": 409, "save_requires_migration": 409,
	"migration_failed": 409, "concurrent_modification": 409,
	"character_conflict": 409, "transfer_cancelled": 409, "idempotency_key_reused": 409,
	"rpc_version_mismatch": 409, "stream_gone": 409, "session_ended": 409,
	"internal_failure": 500,
	"storage_failure":  503, "journal_failure": 503,
	"edge_upstream_unreachable": 503, "edge_upstream_timeout": 504,
}

// declaredCodes reads this package's source for its constants of type Code,
// by name.
func declaredCodes(t *testing.T) map[string]Code {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]Code{}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.CONST {
				for _, spec := range g.Specs {
					collectCodes(t, path, spec.(*ast.ValueSpec), codes)
				}
			}
		}
	}
	if len(codes) == 0 {
		t.Fatal("found no code")
	}
	return codes
}

func collectCodes(t *testing.T, path string, spec *ast.ValueSpec, codes map[string]Code) {
	t.Helper()
	typ, _ := spec.Type.(*ast.Ident)
	switch {
	case typ != nil && typ.Name != "Code":
		return
	case typ == nil || len(spec.Values) != len(spec.Names):
		t.Errorf("%s: %v is not declared in the form Name Type = value, in which codes are found", path, spec.Names)
		return
	}
	for i, name := range spec.Names {
		lit, ok := spec.Values[i].(*ast.BasicLit)
		if !ok {
			t.Errorf("%s: the code %s is no literal", path, name)
			continue
		}
		text, err := strconv.Unquote(lit.Value)
		if err != nil {
			t.Fatal(err)
		}
		codes[name.Name] = Code(text)
	}
}

func TestEveryCodeHasOneStatus(t *testing.T) {
	declared := declaredCodes(t)
	names := map[Code]string{}
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		code := declared[name]
		if other, ok := names[code]; ok {
			t.Errorf("%s and %s are the same code %q", other, name, code)
		}
		names[code] = name
		if _, ok := statuses[code]; !ok {
			t.Errorf("code %s (%q) has no row in the status table", name, code)
		}
	}
	for code := range statuses {
		if names[code] == "" {
			t.Errorf("the status table has a row for %q, which no constant declares", code)
		}
	}
}

func TestStatusesAreTheContracts(t *testing.T) {
	for code, want := range wantStatuses {
		if _, ok := statuses[Code(code)]; !ok {
			t.Errorf("no code %q", code)
			continue
		}
		if got := Status(Code(code)); got != want {
			t.Errorf("status of %s is %d, want %d", code, got, want)
		}
	}
	for code := range statuses {
		if _, ok := wantStatuses[string(code)]; !ok {
			t.Errorf("code %q is not of the contract", code)
		}
	}
}

func TestStatusRefusesAnUnknownCode(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Status answered for a code without a row")
		}
	}()
	Status("no_such_code")
}
