package config

import (
	"fmt"
	"os"
	"strconv"
)

// Devstack is what the environment says about the servers of tests and of
// `holdfast dev` (spec 40, Fixed names; spec 50, devstack).
type Devstack struct {
	// Install allows devstack to install missing servers (HOLDFAST_INSTALL).
	Install bool
	// DatabaseURL and RedisURL name servers to use as they are
	// (HOLDFAST_DATABASE_URL, HOLDFAST_REDIS_URL); empty: find or start one.
	DatabaseURL, RedisURL string
	// CI tells that this is a continuous integration run (CI), in which a
	// missing server is a failure.
	CI bool
}

// DevstackFromEnv reads the environment. It fails if HOLDFAST_INSTALL is
// neither true nor false; any CI value but a false one counts as true, because
// some systems put their name there.
func DevstackFromEnv() (Devstack, error) {
	d := Devstack{
		DatabaseURL: os.Getenv("HOLDFAST_DATABASE_URL"),
		RedisURL:    os.Getenv("HOLDFAST_REDIS_URL"),
	}
	if s := os.Getenv("HOLDFAST_INSTALL"); s != "" {
		v, err := strconv.ParseBool(s)
		if err != nil {
			return Devstack{}, fmt.Errorf("HOLDFAST_INSTALL is %q: set it to 1 to install missing servers, or to 0", s)
		}
		d.Install = v
	}
	if s := os.Getenv("CI"); s != "" {
		v, err := strconv.ParseBool(s)
		d.CI = v || err != nil
	}
	return d, nil
}
