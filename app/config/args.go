package config

import (
	"os"
	"strings"
)

// ConfigPath is the config file that the arguments or the environment name,
// or "". It is looked for before the flags are parsed, since the file is one
// of their sources.
func ConfigPath(args []string) string {
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--config="); ok {
			return value
		}
		if arg == "--config" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return os.Getenv("HOLDFAST_CONFIG")
}
