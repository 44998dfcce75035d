package devstack

import (
	"errors"
	"log/slog"

	"github.com/holdfast-dev/holdfast/app/config"
)

// Options say where servers come from and where they keep their files.
type Options struct {
	// State is the folder whose servers' data and ports survive; it is made if
	// need be. Empty: a temporary folder that goes with the server.
	State string
	// Install allows to install what is missing by the system's package
	// manager, or to download it.
	Install bool
	// DatabaseURL and RedisURL name servers that run already. They are not
	// tried out, started, stopped or disturbed.
	DatabaseURL, RedisURL string
	// Log is told what is installed and what is unusual. Nil: nobody is.
	Log *slog.Logger
}

// FromEnv returns the options that the environment gives to tests, and
// whether a server that cannot be had is a failure (under CI, or where
// installing was asked for) instead of a reason to skip.
func FromEnv() (o Options, required bool, err error) {
	c, err := config.DevstackFromEnv()
	if err != nil {
		return Options{}, false, err
	}
	return Options{Install: c.Install, DatabaseURL: c.DatabaseURL, RedisURL: c.RedisURL},
		c.CI || c.Install, nil
}

var (
	// ErrNotFound reports that this machine has no program for the server and
	// none could be installed; the text says what to do.
	ErrNotFound = errors.New("not found")
	// ErrNotOurs reports an attempt to disturb a server that was given by URL.
	ErrNotOurs = errors.New("devstack did not start this server and leaves it alone")
	// ErrInProcess reports something that the in-process Redis cannot do.
	ErrInProcess = errors.New("the in-process Redis is no process of its own")
)

func (o Options) log() *slog.Logger {
	if o.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Log
}
