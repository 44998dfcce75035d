package main

import (
	"context"
	"os"
	"os/exec"
)

// watchScript ends the instances and removes the run's folder when its
// standard input closes: when the harness is gone, after a kill -9 too. The
// folder goes when the database, which has a watchdog of its own, has ended.
const watchScript = `
pids=
while read -r op pid; do
	case $op in
	+) pids="$pids $pid " ;;
	-) pids="${pids%% $pid *} ${pids#* $pid }" ;;
	done) exit 0 ;;
	esac
done
for pid in $pids; do kill -KILL "$pid"; done
n=0
while [ -e "$1/postgres/server/data/postmaster.pid" ] && [ "$n" -lt 100 ]; do
	sleep 0.1
	n=$((n + 1))
done
rm -rf -- "$1"`

// childScript tells the watchdog its process id and becomes the program.
const childScript = `echo "+ $$" >&3 && exec "$@" 3>&-`

// watchdog ends what outlives the harness.
type watchdog struct {
	cmd  *exec.Cmd
	pipe *os.File
}

func newWatchdog(dir string) (*watchdog, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	// It outlives every context.
	cmd := exec.CommandContext(context.Background(), "/bin/sh", "-c", watchScript, "chaos-watchdog", dir)
	cmd.Dir, cmd.Stdin = "/", r
	cmd.SysProcAttr = ownSession()
	if err := cmd.Start(); err != nil {
		_ = w.Close()
		return nil, err
	}
	return &watchdog{cmd, w}, nil
}

// command is a program that does not outlive the harness, with the given
// environment and no other. The watchdog is told of its end by [ended].
func (d *watchdog) command(env []string, program string, args ...string) *exec.Cmd {
	// Its end is the nemesis's business and no context's.
	cmd := exec.CommandContext(context.Background(), "/bin/sh", append([]string{"-c", childScript, "sh", program}, args...)...)
	cmd.Env, cmd.Dir = env, "/"
	cmd.ExtraFiles = []*os.File{d.pipe}
	cmd.SysProcAttr = ownSession()
	return cmd
}

// dismiss ends the watchdog without any act.
func (d *watchdog) dismiss() {
	_, _ = d.pipe.WriteString("done\n")
	_ = d.pipe.Close()
	_ = d.cmd.Wait()
}
