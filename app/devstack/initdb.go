package devstack

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// prepare makes the data folder with the database holdfast in it, unless it
// is there.
func (cl *cluster) prepare(ctx context.Context) error {
	if !cl.home.temp {
		var err error
		if cl.password, err = cl.home.password(); err != nil {
			return err
		}
	}
	if _, err := os.Stat(cl.data); err == nil {
		return cl.recoverPidFile()
	}
	if cl.home.temp {
		return cl.prepareTemp(ctx)
	}
	return cl.initdb(ctx)
}

// initdb makes the data folder under another name first, so that a folder
// with the right name is whole.
func (cl *cluster) initdb(ctx context.Context) error {
	part := cl.data + ".part"
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	args := []string{"-D", part, "-U", superuser, "-E", "UTF8"}
	if cl.home.temp {
		args = append(args, "-A", "trust", "--no-sync", "--wal-segsize=1")
	} else {
		file := filepath.Join(cl.home.files, "password")
		if err := os.WriteFile(file, []byte(cl.password+"\n"), 0o600); err != nil {
			return err
		}
		defer func() { _ = os.Remove(file) }()
		if err := cl.home.own(file); err != nil {
			return err
		}
		args = append(args, "-A", "scram-sha-256", "--pwfile="+file)
	}
	initdb := filepath.Join(cl.bin.dir, "initdb")
	err := cl.home.run(ctx, command{path: initdb, args: append(args, "--locale=C.UTF-8")})
	if err != nil && strings.Contains(err.Error(), "invalid locale name") {
		err = cl.home.run(ctx, command{path: initdb, args: append(args, "--locale=C")})
	}
	if err != nil {
		return err
	}
	// Renamed, not added: a quarter fewer files for each test server to copy.
	err = cl.home.run(ctx, command{
		path:  filepath.Join(cl.bin.dir, "postgres"),
		args:  []string{"--single", "-D", part, "-c", "exit_on_error=on", "template1"},
		stdin: "ALTER DATABASE postgres RENAME TO holdfast\n",
	})
	if err != nil {
		return err
	}
	return os.Rename(part, cl.data)
}

// prepareTemp copies the data folder from a template, which takes a tenth of
// the time that making it does. The template is in the user's cache folder,
// one for each version of the server; the first caller leaves it there.
func (cl *cluster) prepareTemp(ctx context.Context) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return cl.initdb(ctx) // no home folder: no cache
	}
	// The second part of the hash stands for how initdb makes the data.
	sum := sha256.Sum256([]byte(cl.bin.version + "postgres renamed, trust, segments of 1 MB"))
	template := filepath.Join(cache, "holdfast", "postgres-template-"+hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(template); err != nil {
		// One makes it, and who comes meanwhile waits: that is quicker.
		if err := os.MkdirAll(filepath.Dir(template), 0o700); err != nil {
			return err
		}
		lock, err := lockWait(template + ".lock")
		if err != nil {
			return err
		}
		defer lock.Close()
	}
	if _, err := os.Stat(template); err == nil {
		return cl.home.copyTree(template, cl.data)
	}
	if err := cl.initdb(ctx); err != nil {
		return err
	}
	if err := storeTemplate(cl.data, template); err != nil {
		cl.log.Warn("cannot keep a template of the database: each start takes a second longer", "error", err)
	}
	return nil
}

// storeTemplate copies a data folder so that the template appears whole.
func storeTemplate(data, template string) error {
	part := template + ".part"
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	if err := (&home{}).copyTree(data, part); err != nil {
		return err
	}
	return os.Rename(part, template)
}

// copyTree copies folders and regular files, all that a data folder holds,
// for the server's user.
func (h *home) copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if d.IsDir() {
			return errors.Join(os.Mkdir(target, 0o700), h.own(target))
		}
		return errors.Join(copyFile(path, target), h.own(target))
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// password is the server's password, made at the first start. Only the owner
// of the state folder can read it.
func (h *home) password() (string, error) {
	path := filepath.Join(h.dir, "password")
	b, err := os.ReadFile(path)
	if err == nil && len(b) > 0 {
		return strings.TrimSpace(string(b)), nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	p := rand.Text()
	if err := os.WriteFile(path, []byte(p+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("keep the server's password: %w", err)
	}
	return p, nil
}
