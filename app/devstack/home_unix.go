//go:build linux || darwin

package devstack

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// serverAccount is the user that a server of root's runs as: postgres if the
// system has it, else nobody. It is nil if this process is not root's.
func serverAccount() (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			return toAccount(u)
		}
	}
	return nil, errors.New("servers do not run as root, and there is neither a user postgres nor nobody: start this as another user")
}

func toAccount(u *user.User) (*account, error) {
	uid, err1 := strconv.ParseInt(u.Uid, 10, 64)
	gid, err2 := strconv.ParseInt(u.Gid, 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		return nil, fmt.Errorf("user %s: %w", u.Username, err)
	}
	// Darwin's nobody is -2.
	return &account{name: u.Username, uid: uint32(uid), gid: uint32(gid)}, nil
}

// ownerOf is the user that the server of existing files runs as: their owner,
// which a package installed since may have made another than
// [serverAccount]'s.
func ownerOf(files string) (*account, error) {
	fi, err := os.Stat(files)
	if err != nil {
		return nil, err
	}
	st := fi.Sys().(*syscall.Stat_t)
	switch euid := os.Geteuid(); {
	case int(st.Uid) == euid && euid == 0:
		return nil, fmt.Errorf("%s belongs to root, as whom no server runs: give it to another user, or use another state folder", files)
	case int(st.Uid) == euid:
		return nil, nil
	case euid != 0:
		return nil, fmt.Errorf("%s belongs to user %d: start this as that user or root, or use another state folder", files, st.Uid)
	}
	a := &account{name: strconv.Itoa(int(st.Uid)), uid: st.Uid, gid: st.Gid}
	if u, err := user.LookupId(a.name); err == nil {
		a.name = u.Username
	}
	return a, nil
}

// lockFile takes a lock that ends with this process, or fails naming the
// folder and the process that has it.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer f.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		pid, _ := io.ReadAll(io.LimitReader(f, 20))
		return nil, fmt.Errorf("state folder %s is in use by process %s: end that one, or use another state folder",
			filepath.Dir(path), strings.TrimSpace(string(pid)))
	}
	if err := f.Truncate(0); err != nil {
		f.Close()
		return nil, err
	}
	_, err = f.WriteString(strconv.Itoa(os.Getpid()) + "\n")
	return f, err
}

// unlockFile gives a lock back. To close the file is not enough: a child that
// another goroutine is just starting has it open, too, until it execs.
func unlockFile(f *os.File) {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	f.Close()
}

// lockWait takes a lock, waiting for whoever has it.
func lockWait(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return f, nil
}

// removeSharedMemory removes a System V segment that nobody uses any more.
func removeSharedMemory(id int) {
	_, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
}
