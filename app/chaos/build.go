package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// build makes the binary that the instances run, with a mutant's patches laid
// over the sources.
func build(ctx context.Context, dir, mutant string, race bool) (string, error) {
	binary := filepath.Join(dir, "holdfast")
	args := []string{"build", "-o", binary}
	if race {
		args = append(args, "-race")
	}
	if mutant != "" {
		overlay, err := layOver(ctx, dir, mutant)
		if err != nil {
			return "", err
		}
		args = append(args, "-overlay", overlay)
	}
	_, err := goTool(ctx, append(args, "github.com/holdfast-dev/holdfast/app/holdfast")...)
	return binary, err
}

// layOver writes a mutant's files and the overlay for go build that names
// them.
func layOver(ctx context.Context, dir, mutant string) (string, error) {
	root, err := moduleRoot(ctx)
	if err != nil {
		return "", err
	}
	files, err := mutated(root, mutant)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, content := range files {
		to := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(to, []byte(content), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(root, filepath.FromSlash(name))] = to
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, overlay, 0o600)
}

func moduleRoot(ctx context.Context) (string, error) {
	return goTool(ctx, "list", "-m", "-f", "{{.Dir}}", "github.com/holdfast-dev/holdfast")
}

func goTool(ctx context.Context, args ...string) (string, error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %w: %s", args[0], err, errs.String())
	}
	return strings.TrimSpace(out.String()), nil
}
