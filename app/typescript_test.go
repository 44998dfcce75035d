package app_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/holdfast-dev/holdfast/app/config"
)

// The TypeScript client is current with the contract, its types hold, and it
// plays a game through the edge.
func TestTypeScriptClient(t *testing.T) {
	t.Parallel()
	npm := typescript(t)
	npm("run", "generate:check")
	npm("test")
}

// typescript is npm in a copy of the client, told of a service. Without node
// or npm the test is skipped, and where nothing may be downloaded
// (HOLDFAST_INSTALL); under CI=true it fails then.
func typescript(t *testing.T) (npm func(args ...string)) {
	t.Helper()
	env, err := config.DevstackFromEnv()
	if err != nil {
		t.Fatal(err)
	}
	missing := t.Skipf
	if env.CI {
		missing = t.Fatalf
	}
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			missing("the TypeScript client needs %s: %v", program, err)
		}
	}
	if !env.Install && !env.CI {
		t.Skip("what the TypeScript client needs is downloaded only with HOLDFAST_INSTALL=1")
	}
	root := t.TempDir()
	dir := filepath.Join(root, "clients", "typescript")
	copyTree(t, root, "openapi.yaml")
	for _, name := range []string{"package.json", "package-lock.json", ".npmrc", "redocly.yaml", "tsconfig.json", "src", "test"} {
		copyTree(t, root, filepath.Join("clients", "typescript", name))
	}
	service := "http://" + front(t, serve(t))
	run := func(args ...string) ([]byte, error) {
		c := exec.CommandContext(t.Context(), "npm", args...)
		c.Dir = dir
		c.Env = append(c.Environ(), "SERVICE_URL="+service)
		return c.CombinedOutput()
	}
	if out, err := run("ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"); err != nil {
		missing("npm ci: %v\n%s", err, out)
	}
	return func(args ...string) {
		t.Helper()
		if out, err := run(args...); err != nil {
			t.Errorf("npm %v: %v\n%s", args, err, out)
		}
	}
}

// copyTree copies a file or a folder of the repository to the same place
// below another root.
func copyTree(t *testing.T, root, name string) {
	t.Helper()
	from, to := filepath.Join("..", name), filepath.Join(root, name)
	info, err := os.Stat(from)
	if err == nil && info.IsDir() {
		err = os.CopyFS(to, os.DirFS(from))
	} else if err == nil {
		var content []byte
		if content, err = os.ReadFile(from); err == nil {
			if err = os.MkdirAll(filepath.Dir(to), 0o700); err == nil {
				err = os.WriteFile(to, content, 0o600)
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
