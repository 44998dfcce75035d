package config

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"
)

// injected are the variables that Kubernetes sets for a service by the name
// of holdfast: nobody's mistake.
var injected = regexp.MustCompile(`^HOLDFAST(_[A-Z0-9_]+)?_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_[A-Z0-9_]+)?)$`)

// elsewhere are variables that no flag has: devstack reads them for tests.
var elsewhere = []string{"HOLDFAST_INSTALL", "HOLDFAST_REDIS_URL"}

// CheckEnvironment fails on a variable that begins with HOLDFAST_ and is no
// setting of the model: a misspelt setting would otherwise be ignored.
func CheckEnvironment(app *kong.Application) error {
	known := slices.Clone(elsewhere)
	for _, flag := range flags(app.Node) {
		known = append(known, flag.Tag.Envs...)
	}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "HOLDFAST_") && !slices.Contains(known, name) && !injected.MatchString(name) {
			slices.Sort(known)
			return fmt.Errorf("environment variable %s is no setting; accepted: %s", name, strings.Join(slices.Compact(known), ", "))
		}
	}
	return nil
}

// File returns a resolver for a config file. The file is YAML with a key a
// setting, named as the flag. Flags and the environment go before it; a key
// that is no setting is an error.
func File(path string) (kong.Resolver, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, &Invalid{"config", err.Error(), "the path of a YAML file with settings by the names of their flags"}
	}
	values := map[string]string{}
	if err := yaml.Unmarshal(raw, &values); err != nil {
		return nil, fmt.Errorf("config file %s: %w", path, err)
	}
	return file{path: path, values: values}, nil
}

type file struct {
	path   string
	values map[string]string
}

func (f file) Validate(app *kong.Application) error {
	var known []string
	for _, flag := range flags(app.Node) {
		if len(flag.Tag.Envs) > 0 {
			known = append(known, flag.Name)
		}
	}
	for key := range f.values {
		if !slices.Contains(known, key) {
			slices.Sort(known)
			return fmt.Errorf("config file %s: %q is no setting; accepted: %s", f.path, key, strings.Join(slices.Compact(known), ", "))
		}
	}
	return nil
}

func (f file) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, variable := range flag.Tag.Envs {
		if _, ok := os.LookupEnv(variable); ok {
			return nil, nil
		}
	}
	if v, ok := f.values[flag.Name]; ok {
		return v, nil
	}
	return nil, nil
}

// flags are all flags of a command and of those below it.
func flags(n *kong.Node) []*kong.Flag {
	all := slices.Clone(n.Flags)
	for _, child := range n.Children {
		all = append(all, flags(child)...)
	}
	return all
}
