package config

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"
)

// Invalid is a setting with a value that cannot be used.
type Invalid struct {
	// Flag is the setting's flag, without dashes.
	Flag string
	// Problem says what is wrong with the value; it never quotes a URL, which
	// may hold a password.
	Problem string
	// Accepted says what would be right.
	Accepted string
}

func (e *Invalid) Error() string {
	return fmt.Sprintf("setting --%s (%s): %s; accepted: %s", e.Flag, Variable(e.Flag), e.Problem, e.Accepted)
}

// Variable is the environment variable of a flag.
func Variable(flag string) string {
	return "HOLDFAST_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// Check reports the first setting that cannot be used as *Invalid.
func (s *Serve) Check() error {
	if err := address("listen", s.Listen); err != nil {
		return err
	}
	if err := address("internal-listen", s.InternalListen); err != nil {
		return err
	}
	for _, h := range s.MCPHosts {
		if u, err := url.Parse("//" + h); err != nil || u.Host != h || u.Hostname() == "" {
			return &Invalid{"mcp-hosts", fmt.Sprintf("%q is no host", h), "HOST or HOST:PORT, comma separated, such as play.example.com or localhost:9000"}
		}
	}
	for _, d := range []struct {
		flag  string
		value time.Duration
	}{
		{"request-timeout", s.RequestTimeout},
		{"play-session-ttl", s.PlaySessionTTL},
		{"save-ttl", s.SaveTTL},
		{"retention", s.Retention},
		{"sweep-interval", s.SweepInterval},
		{"sweep-budget", s.SweepBudget},
		{"sweep-statement-timeout", s.SweepStatementTimeout},
	} {
		if err := positive(d.flag, d.value); err != nil {
			return err
		}
	}
	if err := s.Limits.Check(); err != nil {
		return err
	}
	if s.Retention < 10*s.RequestTimeout {
		return &Invalid{"retention", fmt.Sprintf("%v is under ten request time-outs", s.Retention), fmt.Sprintf("at least %v with --request-timeout %v", 10*s.RequestTimeout, s.RequestTimeout)}
	}
	if s.SweepBatch < 1 || s.SweepBatch > 100_000 {
		return &Invalid{"sweep-batch", fmt.Sprintf("%d is out of range", s.SweepBatch), "1 to 100000 rows"}
	}
	if err := s.Seams.Check(); err != nil {
		return err
	}
	if s.Storage == "durable" {
		return s.Database.Check()
	}
	return nil
}

// Check reports the first setting that cannot be used as *Invalid.
func (d *Database) Check() error {
	if d.DatabaseURL == "" {
		return &Invalid{"database-url", "it is not set", databaseURLForm + "; `holdfast dev` brings a database of its own"}
	}
	if err := databaseURL("database-url", d.DatabaseURL); err != nil {
		return err
	}
	if d.MigrationDatabaseURL != "" {
		if err := databaseURL("migration-database-url", d.MigrationDatabaseURL); err != nil {
			return err
		}
	}
	if d.DatabasePool < 1 || d.DatabasePool > 1000 {
		return &Invalid{"database-pool", fmt.Sprintf("%d is out of range", d.DatabasePool), "1 to 1000 connections; 8 to 16 serve best"}
	}
	if !identifier(d.DatabaseSchema) {
		return &Invalid{"database-schema", "it is not a plain name", "lower-case letters, digits and underscores, at most 63, no digit first"}
	}
	return nil
}

// Check refuses a seam that is used without TestSeams, as *Invalid.
func (s *Seams) Check() error {
	const accepted = "unset; it is a test seam, and only taken with HOLDFAST_TEST_SEAMS=1"
	for _, seam := range []struct {
		flag string
		used bool
	}{
		{"read-write-pause", s.ReadWritePause != 0},
		{"clock-offset", s.ClockOffset != 0},
		{"replay", s.Replay},
		{"replay-dump", s.ReplayDump != ""},
	} {
		if seam.used && !s.TestSeams {
			return &Invalid{seam.flag, "it is set", accepted}
		}
	}
	if s.ReadWritePause < 0 {
		return &Invalid{"read-write-pause", "it is negative", "a duration of zero or more"}
	}
	return nil
}

const databaseURLForm = "postgres://USER:PASSWORD@HOST:PORT/DATABASE"

func databaseURL(flag, value string) error {
	u, err := url.Parse(value)
	switch {
	case err != nil:
		return &Invalid{flag, "it is not a URL", databaseURLForm}
	case u.Scheme != "postgres" && u.Scheme != "postgresql":
		return &Invalid{flag, fmt.Sprintf("its scheme is %q", u.Scheme), databaseURLForm}
	case u.Host == "" && u.Query().Get("host") == "":
		return &Invalid{flag, "it names no host", databaseURLForm}
	}
	return nil
}

func positive(flag string, d time.Duration) error {
	if d <= 0 {
		return &Invalid{flag, fmt.Sprintf("%v is not a positive duration", d), "a duration above zero, such as 10s, 25m or 720h"}
	}
	return nil
}

func address(flag, value string) error {
	_, port, err := net.SplitHostPort(value)
	if err == nil {
		_, err = net.DefaultResolver.LookupPort(context.Background(), "tcp", port)
	}
	if err != nil {
		return &Invalid{flag, fmt.Sprintf("%q is not an address", value), "HOST:PORT, such as 127.0.0.1:8080 or :8080"}
	}
	return nil
}

func identifier(s string) bool {
	if s == "" || len(s) > 63 || (s[0] >= '0' && s[0] <= '9') {
		return false
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}
