package bench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// The statements of the store (sql/queries/session.sql) as pgbench scripts;
// a test holds them to that. \gset makes pgbench take the row apart and send
// its blob and columns back, as a service does.
const (
	scriptRow = `\set id ` + "1000000000000000000" + ` + :client_id + :clients * random(0, :rows / :clients - 1)
`
	scriptSelect = `select blob, audience, attempt_counter, replay_compatible, profile_id,
       engine_version, engine_created_at, engine_updated_at, version
from session
where tenant_id = 'implicit-tenant' and session_id = '0000000000000' || :id and expires_at > now()`

	scriptUpdate = `update session set
    version           = version + 1,
    blob              = :blob,
    audience          = :audience,
    attempt_counter   = cast(:attempt_counter as bigint) + 1,
    replay_compatible = :replay_compatible,
    profile_id        = nullif(:profile_id, ''),
    engine_version    = :engine_version,
    engine_created_at = :engine_created_at,
    engine_updated_at = :engine_updated_at,
    expires_at        = now() + interval '720 hours',
    row_updated_at    = now()
where tenant_id = 'implicit-tenant' and session_id = '0000000000000' || :id
  and version = :version and expires_at > now()
returning version`

	submitScript = scriptRow + scriptSelect + " \\gset\n" + scriptUpdate + ";\n"
	sceneScript  = scriptRow + scriptSelect + ";\n"
)

// pgbench runs a script with so many clients for a slot, which it rounds up to
// whole seconds.
type pgbench struct {
	program string
	url     string
	folder  string
	rows    int
}

// run returns the sample, how many transactions it is of, and pgbench's own
// CPU time.
func (p pgbench) run(ctx context.Context, script string, clients int, round time.Duration) (_ Sample, counted int, used time.Duration, _ error) {
	seconds := int(math.Ceil(round.Seconds()))
	dir, err := os.MkdirTemp(p.folder, "pgbench-")
	if err != nil {
		return Sample{}, 0, 0, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // the folder above is removed in the end
	file := filepath.Join(dir, "script.sql")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		return Sample{}, 0, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second+grace)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.program,
		"--no-vacuum", "--protocol=prepared", "--file="+file,
		"--client="+strconv.Itoa(clients), "--jobs="+strconv.Itoa(min(clients, runtime.NumCPU())),
		"--time="+strconv.Itoa(seconds),
		"--define=clients="+strconv.Itoa(clients), "--define=rows="+strconv.Itoa(p.rows),
		"--log", "--log-prefix="+filepath.Join(dir, "log"))
	if cmd.Env, err = p.environment(); err != nil {
		return Sample{}, 0, 0, err
	}
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return Sample{}, 0, 0, fmt.Errorf("pgbench: %w: %s", err, complaints.Bytes())
	}
	rate, err := readRate(out)
	if err != nil {
		return Sample{}, 0, 0, err
	}
	logs, err := filepath.Glob(filepath.Join(dir, "log.*"))
	if err != nil {
		return Sample{}, 0, 0, err
	}
	var latencies []time.Duration
	for _, log := range logs {
		if latencies, err = readLog(latencies, log); err != nil {
			return Sample{}, 0, 0, err
		}
	}
	s := sampleOf(latencies, len(latencies), round)
	s.Rate = rate
	return s, len(latencies), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// environment says where the server is, so that no password is an argument.
func (p pgbench) environment() ([]string, error) {
	c, err := pgconn.ParseConfig(p.url)
	if err != nil {
		return nil, err
	}
	return []string{
		"PGHOST=" + c.Host, "PGPORT=" + strconv.Itoa(int(c.Port)), "PGUSER=" + c.User, "PGPASSWORD=" + c.Password,
		"PGDATABASE=" + c.Database, "PGSSLMODE=disable", "LC_ALL=C",
	}, nil
}

// readRate finds the transactions a second, without the time to connect, in
// what pgbench prints; it prints none where it had time for no transaction. A
// script that failed makes it fail.
func readRate(out []byte) (float64, error) {
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		if failed, ok := strings.CutPrefix(line, "number of failed transactions: "); ok && !strings.HasPrefix(failed, "0 ") {
			return 0, fmt.Errorf("pgbench: %s", line)
		}
		if value, ok := strings.CutPrefix(line, "tps = "); ok {
			value, _, _ = strings.Cut(value, " ")
			return strconv.ParseFloat(value, 64)
		}
	}
	if strings.Contains(string(out), "transactions actually processed: 0\n") {
		return 0, nil
	}
	return 0, fmt.Errorf("pgbench printed no rate: %q", out)
}

// readLog adds the latencies of a transaction log, whose third column they
// are, in microseconds.
func readLog(latencies []time.Duration, path string) ([]time.Duration, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 3 {
			return nil, fmt.Errorf("pgbench: log line %q", lines.Text())
		}
		us, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("pgbench: log line %q", lines.Text())
		}
		latencies = append(latencies, time.Duration(us)*time.Microsecond)
	}
	return latencies, lines.Err()
}
