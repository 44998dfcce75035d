package devstack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// manager is a package manager: a shell script that installs the packages $1,
// and what to install, where names differ between releases one after the
// other.
type manager struct {
	program         string
	asRoot          bool
	script          string
	postgres, redis []string
}

// managers are tried in this order.
var managers = []manager{
	{"apt-get", true, aptScript, []string{"postgresql"}, []string{"redis-server"}},
	{"dnf", true, `dnf install -y $1`, []string{"postgresql-server postgresql-contrib"}, []string{"redis", "valkey"}},
	{"apk", true, `apk add $1`, []string{"postgresql postgresql-contrib", "postgresql"}, []string{"redis", "valkey"}},
	{"brew", false, `brew install $1`, []string{"postgresql@17"}, []string{"redis"}},
}

// aptScript keeps Debian's packages, the only ones here that would, from
// starting their servers and from making a database cluster, and leaves no
// setting behind. A run that was killed left files that the next one removes.
const aptScript = `
policy=/usr/sbin/policy-rc.d
cluster=/etc/postgresql-common/createcluster.d
mark='holdfast devstack: only while it installs'
clean() {
	if grep -qs "$mark" "$policy"; then rm -f "$policy"; fi
	rm -f "$cluster/holdfast.conf"
	rmdir "$cluster" /etc/postgresql-common 2>/dev/null
}
trap clean EXIT
trap 'exit 1' HUP INT TERM
clean
if [ ! -e "$policy" ]; then
	printf '#!/bin/sh\n# %s\nexit 101\n' "$mark" >"$policy" && chmod 755 "$policy" || exit
fi
mkdir -p "$cluster" && printf '# %s\ncreate_main_cluster = false\n' "$mark" >"$cluster/holdfast.conf" || exit
export DEBIAN_FRONTEND=noninteractive
apt-get -o DPkg::Lock::Timeout=300 update -q
apt-get -o DPkg::Lock::Timeout=300 install -q -y --no-install-recommends $1`

// installPostgres installs PostgreSQL or else downloads it, and returns what a
// user (nil: this process's own) can run then.
func installPostgres(ctx context.Context, as *account, log *slog.Logger) (bins []postgresBin, err error) {
	unlock, err := lockInstall()
	if err != nil {
		return nil, err
	}
	defer unlock()
	// Another process may have been at it while this one waited.
	if bins = findPostgres(as); len(bins) > 0 {
		return bins, nil
	}
	failed := install(ctx, "PostgreSQL", func(m manager) []string { return m.postgres }, log)
	if bins = findPostgres(as); len(bins) > 0 {
		return bins, nil
	}
	dir, err := embeddedFolder()
	if err == nil {
		log.Info("downloading PostgreSQL's programs", "to", dir)
		err = download(ctx, dir, "")
	}
	if err == nil {
		if bin, ok := lookAtPostgres(filepath.Join(dir, "bin"), as); ok {
			return []postgresBin{bin}, nil
		}
		err = fmt.Errorf("the programs in %s do not run here", dir)
	}
	return nil, fmt.Errorf("%w, and could not be had: %w; %w", ErrNotFound, failed, err)
}

// installRedis is the same for Redis.
func installRedis(ctx context.Context, as *account, log *slog.Logger) (path string, err error) {
	unlock, err := lockInstall()
	if err != nil {
		return "", err
	}
	defer unlock()
	if path = findRedis(as); path != "" {
		return path, nil
	}
	failed := install(ctx, "Redis", func(m manager) []string { return m.redis }, log)
	if path = findRedis(as); path != "" {
		return path, nil
	}
	return "", fmt.Errorf("%w, and could not be installed: %w", ErrNotFound, failed)
}

// lockInstall makes the processes of a user install one after the other;
// against other users the package managers have locks of their own.
func lockInstall() (unlock func(), err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "holdfast")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := lockWait(filepath.Join(dir, "install.lock"))
	if err != nil {
		return nil, err
	}
	return func() { f.Close() }, nil
}

// install tries the first package manager that is there.
func install(ctx context.Context, what string, packages func(manager) []string, log *slog.Logger) error {
	for _, m := range managers {
		if _, err := exec.LookPath(m.program); err != nil {
			continue
		}
		argv := []string{"sh", "-c", m.script, "sh"}
		if m.asRoot && os.Geteuid() != 0 {
			if exec.Command("sudo", "-n", "true").Run() != nil {
				return fmt.Errorf("installing needs root or a sudo that asks for no password: run `sudo %s install %s`, or what your system has for it",
					m.program, packages(m)[0])
			}
			argv = append([]string{"sudo", "-n"}, argv...)
		}
		var failed error
		for _, p := range packages(m) {
			log.Info("installing "+what+" with the system's package manager", "manager", m.program, "packages", p)
			cmd := exec.CommandContext(ctx, argv[0], append(argv[1:], p)...)
			// Not SIGKILL: packages half installed are the system's trouble.
			cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
			out, err := cmd.CombinedOutput()
			if err == nil {
				return nil
			}
			failed = errors.Join(failed, fmt.Errorf("%s install %s: %w:\n%s", m.program, p, err, lastLines(string(out))))
		}
		return failed
	}
	names := make([]string, len(managers))
	for i, m := range managers {
		names[i] = m.program
	}
	return fmt.Errorf("no package manager that this can use (%s)", strings.Join(names, ", "))
}
