package config

import (
	"strings"
	"testing"
)

func TestDevstackFromEnv(t *testing.T) {
	unset := map[string]string{
		"HOLDFAST_INSTALL": "", "HOLDFAST_DATABASE_URL": "", "HOLDFAST_REDIS_URL": "", "CI": "",
	}
	for _, c := range []struct {
		name string
		env  map[string]string
		want Devstack
	}{
		{"nothing set", nil, Devstack{}},
		{"install", map[string]string{"HOLDFAST_INSTALL": "1"}, Devstack{Install: true}},
		{"install refused", map[string]string{"HOLDFAST_INSTALL": "0"}, Devstack{}},
		{"servers", map[string]string{
			"HOLDFAST_DATABASE_URL": "postgres://h/db", "HOLDFAST_REDIS_URL": "redis://h",
		}, Devstack{DatabaseURL: "postgres://h/db", RedisURL: "redis://h"}},
		{"CI true", map[string]string{"CI": "true"}, Devstack{CI: true}},
		{"CI named", map[string]string{"CI": "woodpecker"}, Devstack{CI: true}},
		{"CI false", map[string]string{"CI": "false"}, Devstack{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for k, v := range unset {
				t.Setenv(k, v)
			}
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			got, err := DevstackFromEnv()
			if err != nil || got != c.want {
				t.Errorf("got %+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

func TestDevstackFromEnvRefusesUnclearInstall(t *testing.T) {
	t.Setenv("HOLDFAST_INSTALL", "maybe")
	_, err := DevstackFromEnv()
	if err == nil || !strings.Contains(err.Error(), "HOLDFAST_INSTALL") {
		t.Errorf("got %v, want an error that names HOLDFAST_INSTALL", err)
	}
}
