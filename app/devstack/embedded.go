package devstack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	embedded "github.com/fergusstrange/embedded-postgres"
)

const embeddedVersion = embedded.V17

// embeddedFolder is where downloaded programs stay: for root a folder that
// the server's user can enter.
func embeddedFolder() (string, error) {
	name := "postgresql-" + string(embeddedVersion)
	if os.Geteuid() == 0 {
		return filepath.Join(sharedRoot, name), os.MkdirAll(sharedRoot, 0o755)
	}
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "holdfast", name), err
}

// download fetches PostgreSQL's programs into a folder unless they are there,
// from a repository of the library's choice if none is given. The library's
// download cannot be stopped: it goes on alone when ctx ends.
func download(ctx context.Context, dir, repository string) error {
	if hasPostgres(dir) {
		return nil
	}
	done := make(chan error, 1)
	go func() { done <- fetch(dir, repository) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// fetch downloads and unpacks. The library would run the server too, but
// neither as another user nor so that it ends with this process. It is given
// data that look complete and are not, so that it stops after unpacking.
func fetch(dir, repository string) error {
	work, err := os.MkdirTemp(filepath.Dir(dir), "download-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	data, unpacked := filepath.Join(work, "data"), filepath.Join(work, "unpacked")
	major, _, _ := strings.Cut(string(embeddedVersion), ".")
	port, err := freePort()
	if err := errors.Join(err, os.Mkdir(data, 0o700), os.Mkdir(unpacked, 0o755),
		os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte(major+"\n"), 0o600)); err != nil {
		return err
	}
	conf := embedded.DefaultConfig().Version(embeddedVersion).Port(uint32(port)).Logger(io.Discard).
		BinariesPath(unpacked).DataPath(data).
		RuntimePath(filepath.Join(work, "run")).CachePath(filepath.Join(work, "cache"))
	if repository != "" {
		conf = conf.BinaryRepositoryURL(repository)
	}
	err = embedded.NewDatabase(conf).Start()
	if !hasPostgres(unpacked) {
		return fmt.Errorf("download PostgreSQL %s: %w", embeddedVersion, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(unpacked, dir)
}

func hasPostgres(dir string) bool {
	for _, program := range []string{"postgres", "initdb"} {
		if _, err := os.Stat(filepath.Join(dir, "bin", program)); err != nil {
			return false
		}
	}
	return true
}
