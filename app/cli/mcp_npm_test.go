package cli_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/holdfast-dev/holdfast/app/config"
	"github.com/holdfast-dev/holdfast/core/session"
)

// The client of the TypeScript SDK, which most agents are built with, plays a
// campaign over both transports.
func TestCampaignByTheTypeScriptClient(t *testing.T) {
	client := npmClient(t)
	i := newInstance(t, brief).stopped()
	holdfast, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"streamable HTTP": {"http", i.url + "/mcp"},
		"stdio":           {"stdio", holdfast, asHoldfast, "mcp", "--url", i.url},
	} {
		t.Run(name, func(t *testing.T) {
			play := exec.CommandContext(t.Context(), "node", append([]string{"play.mjs"}, args...)...)
			play.Dir = client
			out, err := play.Output()
			if err != nil {
				if e, ok := err.(*exec.ExitError); ok {
					t.Fatalf("%v\n%s", err, e.Stderr)
				}
				t.Fatal(err)
			}
			var sessions []string
			if err := json.Unmarshal(out, &sessions); err != nil || len(sessions) != 2 {
				t.Fatalf("%s: %v", out, err)
			}
			for _, id := range sessions {
				if a := i.audience(id); a != session.AI {
					t.Errorf("the session is for %s", a)
				}
			}
		})
	}
}

// npmClient is a folder with the client and what it needs. Without node or
// npm the test is skipped, and where nothing may be downloaded
// (HOLDFAST_INSTALL); under CI=true it fails then.
func npmClient(t *testing.T) string {
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
		t.Skip("the TypeScript client is downloaded only with HOLDFAST_INSTALL=1")
	}
	dir := t.TempDir()
	modules, err := npmModules(t)
	if err != nil {
		missing("npm ci: %v", err)
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"package.json", "play.mjs"} {
		copyFile(t, dir, name)
	}
	return dir
}

// npmModules is the folder of the packages of package-lock.json, which the
// user's cache keeps: installing them takes longer than the test.
func npmModules(t *testing.T) (string, error) {
	t.Helper()
	lock, err := os.ReadFile(filepath.Join("testdata", "npm", "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	kept := filepath.Join(cache, "holdfast", fmt.Sprintf("npm-%x", sha256.Sum256(lock)))
	modules := filepath.Join(kept, "node_modules")
	if _, err := os.Stat(modules); err == nil {
		return modules, nil
	}
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(filepath.Dir(kept), "npm-new-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, name := range []string{"package.json", "package-lock.json"} {
		copyFile(t, dir, name)
	}
	install := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	if err := os.Rename(dir, kept); err != nil {
		if _, there := os.Stat(modules); there != nil { // unless another process was first
			return "", err
		}
	}
	return modules, nil
}

func copyFile(t *testing.T, dir, name string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "npm", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
		t.Fatal(err)
	}
}
