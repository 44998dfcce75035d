package devstack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
)

// home is a server's folder and what guards it:
//
//	lock      held while a process uses the folder; holds its process id
//	port      the port of the last start
//	password  the password, where there is one
//	log       what the server printed since its last start; log.old before
//	server/   what belongs to the server, and to the user that it runs as;
//	          a link where that user cannot reach this folder
type home struct {
	dir   string
	files string // the server folder, links resolved
	temp  bool
	as    *account
	lock  *os.File // nil for a temporary folder, which nobody else knows
	watch *watchdog
}

// sharedRoot holds the files of servers that run as another user than root
// and whose state folder is closed to him.
const sharedRoot = "/var/lib/holdfast"

// openHome makes or takes over the folder of a server below a state folder,
// or a temporary one. orphanSignal ends the server when this process is gone.
func openHome(state, server, orphanSignal string, log *slog.Logger) (_ *home, err error) {
	h := &home{temp: state == ""}
	defer func() {
		if err != nil {
			_ = h.close()
		}
	}()
	if h.as, err = serverAccount(); err != nil {
		return nil, err
	}
	if h.temp {
		err = h.makeTemp(server)
	} else {
		err = h.takeState(state, server, log)
	}
	if err != nil {
		return nil, err
	}
	remove := ""
	if h.temp {
		remove = h.dir
	}
	h.watch, err = newWatchdog(orphanSignal, remove)
	return h, err
}

// makeTemp makes a temporary folder in which the server's user can work.
func (h *home) makeTemp(server string) error {
	for _, parent := range []string{os.TempDir(), "/tmp", "/var/tmp"} {
		if h.as != nil && !canEnter(h.as, parent) {
			continue
		}
		dir, err := os.MkdirTemp(parent, "holdfast-"+server+"-")
		if err != nil {
			return err
		}
		h.dir, h.files = dir, filepath.Join(dir, "server")
		return errors.Join(os.Chmod(dir, 0o711), os.Mkdir(h.files, 0o700), h.own(h.files))
	}
	return fmt.Errorf("no temporary folder can be entered by user %s: set TMPDIR to one that is open to all users", h.as.name)
}

// takeState locks the folder of a server below a state folder and finds the
// place of the server's own files.
func (h *home) takeState(state, server string, log *slog.Logger) error {
	state, err := filepath.Abs(state)
	if err != nil {
		return err
	}
	dir := filepath.Join(state, server)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("state folder: %w", err)
	}
	if h.lock, err = lockFile(filepath.Join(dir, "lock")); err != nil {
		return err
	}
	h.dir = dir
	link := filepath.Join(dir, "server")
	if _, err := os.Lstat(link); errors.Is(err, fs.ErrNotExist) {
		if err := h.makeFiles(state, server, link, log); err != nil {
			return err
		}
	}
	if h.files, err = filepath.EvalSymlinks(link); err != nil {
		return fmt.Errorf("the files of the server in %s are gone: bring them back, or remove %s to begin anew: %w", dir, link, err)
	}
	if h.as, err = ownerOf(h.files); err != nil {
		return err
	}
	if h.as != nil && !canEnter(h.as, h.files) {
		return fmt.Errorf("user %s, to whom %s belongs, cannot enter it: open its parent folders to him (chmod o+x), or use another state folder", h.as.name, h.files)
	}
	return nil
}

// makeFiles makes the folder of the server's own files, elsewhere if the
// server's user could not reach it here.
func (h *home) makeFiles(state, server, link string, log *slog.Logger) error {
	if h.as == nil || canEnter(h.as, h.dir) {
		part := link + ".part" // so that a folder with the right name has its owner
		if err := os.Mkdir(part, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if err := h.own(part); err != nil {
			return err
		}
		return os.Rename(part, link)
	}
	parent := sharedRoot
	if rel, err := filepath.Rel(os.TempDir(), state); err == nil && filepath.IsLocal(rel) {
		parent = os.TempDir() // a temporary state folder leaves nothing under /var
	} else if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	if !canEnter(h.as, parent) {
		return fmt.Errorf("user %s can enter neither %s nor %s: use a state folder that is open to all users", h.as.name, h.dir, parent)
	}
	files, err := os.MkdirTemp(parent, "holdfast-"+server+"-")
	if err != nil {
		return err
	}
	if err := h.own(files); err != nil {
		return err
	}
	log.Warn("the state folder is closed to the user that the server runs as: its files are elsewhere",
		"state", state, "user", h.as.name, "files", files)
	return os.Symlink(files, link)
}

// own gives a file that this package made to the server's user.
func (h *home) own(path string) error {
	if h.as == nil {
		return nil
	}
	return os.Lchown(path, int(h.as.uid), int(h.as.gid))
}

// close dismisses the watchdog, removes a temporary folder and unlocks.
func (h *home) close() error {
	if h.watch != nil {
		h.watch.dismiss()
	}
	var err error
	if h.temp && h.dir != "" {
		err = os.RemoveAll(h.dir)
	}
	if h.lock != nil {
		unlockFile(h.lock)
	}
	return err
}

// newLog opens an empty log and keeps the one before.
func (h *home) newLog() (*os.File, error) {
	path := h.logPath()
	if err := os.Rename(path, path+".old"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
}

func (h *home) logPath() string { return filepath.Join(h.dir, "log") }

// run executes a program in the server's folder, as its user.
func (h *home) run(ctx context.Context, c command) error {
	log, err := h.newLog()
	if err != nil {
		return err
	}
	defer log.Close()
	c.dir, c.out = h.files, log
	ch, err := h.watch.start(c, h.as)
	if err != nil {
		return err
	}
	select {
	case <-ch.exited:
	case <-ctx.Done():
		return errors.Join(context.Cause(ctx), ch.kill())
	}
	if ch.err != nil {
		return errFailed(filepath.Base(c.path), ch.err, h.logPath())
	}
	return nil
}
