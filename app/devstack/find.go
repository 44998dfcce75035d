package devstack

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// postgresFolders are where packages put PostgreSQL's programs off PATH:
// Debian's, Homebrew's, PostgreSQL's own for RPM systems, Alpine's.
var postgresFolders = []string{
	"/usr/lib/postgresql/*/bin",
	"/opt/homebrew/opt/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin",
	"/usr/pgsql-*/bin",
	"/usr/libexec/postgresql*",
}

// postgresBin is a folder with PostgreSQL's programs.
type postgresBin struct {
	dir     string
	major   int
	version string // as the server prints it
}

var majorVersion = regexp.MustCompile(`PostgreSQL\) (\d+)`)

// findPostgres lists the PostgreSQL installations that a user (nil: this
// process's own) can run: the one of PATH first, then the newest first.
func findPostgres(as *account) []postgresBin {
	var bins []postgresBin
	for _, pattern := range postgresFolders {
		dirs, _ := filepath.Glob(pattern) // fails on a malformed pattern only
		for _, dir := range dirs {
			if b, ok := lookAtPostgres(dir, as); ok {
				bins = append(bins, b)
			}
		}
	}
	slices.SortStableFunc(bins, func(a, b postgresBin) int { return cmp.Compare(b.major, a.major) })
	if p, err := exec.LookPath("postgres"); err == nil {
		// PATH often has links to a few of the programs only.
		if target, err := filepath.EvalSymlinks(p); err == nil {
			p = target
		}
		if b, ok := lookAtPostgres(filepath.Dir(p), as); ok {
			bins = slices.Insert(bins, 0, b)
		}
	}
	return bins
}

func lookAtPostgres(dir string, as *account) (postgresBin, bool) {
	if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil || !canEnter(as, dir) {
		return postgresBin{}, false
	}
	out, err := exec.Command(filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return postgresBin{}, false
	}
	m := majorVersion.FindSubmatch(out)
	if m == nil {
		return postgresBin{}, false
	}
	major, err := strconv.Atoi(string(m[1]))
	return postgresBin{dir: dir, major: major, version: string(out)}, err == nil
}

// redisNames are the programs that speak Redis's protocol and keep its files:
// Valkey replaced Redis in some distributions.
var redisNames = []string{"redis-server", "valkey-server"}

// findRedis is the Redis server that a user (nil: this process's own) can
// run, or empty.
func findRedis(as *account) string {
	for _, name := range redisNames {
		if p, err := exec.LookPath(name); err == nil && canEnter(as, filepath.Dir(p)) {
			return p
		}
		for _, dir := range []string{"/opt/homebrew/bin", "/usr/local/bin", "/usr/bin"} {
			p := filepath.Join(dir, name)
			if _, err := os.Stat(p); err == nil && canEnter(as, dir) {
				return p
			}
		}
	}
	return ""
}
