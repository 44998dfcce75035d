// Package cli is the command line of holdfast: one file a command.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/holdfast-dev/holdfast/app/config"
)

// Exit codes of every command.
const (
	exitOK     = 0
	exitFailed = 1 // it was tried and did not work
	exitUsage  = 2 // the arguments, a setting or a file that they name is wrong
)

// commands is the command line.
type commands struct {
	Dev     dev        `cmd:"" help:"Run Holdfast with a database of its own, to try it and to develop against it."`
	Serve   serve      `cmd:"" help:"Run an instance of the service."`
	Edge    edgeCmd    `cmd:"" help:"Run a reverse proxy in front of instances of the service."`
	Migrate migrate    `cmd:"" help:"Look at the database's schema, or bring it up to date."`
	Play    play       `cmd:"" help:"Play a campaign in the terminal, over the wire."`
	MCP     mcpCmd     `cmd:"" name:"mcp" set:"listen=127.0.0.1:0" set:"internal_listen=127.0.0.1:0" set:"shutdown_timeout=1s" help:"Let an agent play: MCP on standard input and output."`
	Version versionCmd `cmd:"" help:"Show the version."`

	Config string `env:"HOLDFAST_CONFIG" help:"YAML file with settings by the names of their flags; flags and the environment go before it." placeholder:"FILE"`
}

// terminal is what a command talks to.
type terminal struct {
	in       io.Reader
	out, err io.Writer
}

// Run runs the command line and returns the exit code. The context ends when
// the process is asked to stop.
func Run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	var c commands
	code := exitOK
	exited := false
	options := []kong.Option{
		kong.Name("holdfast"),
		kong.Description("The durability service of a game back end."),
		kong.UsageOnError(),
		kong.Writers(out, errOut),
		kong.Exit(func(c int) { code, exited = c, true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.ValueFormatter(describe),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(terminal{in: in, out: out, err: errOut}),
	}
	fail := func(err error, code int) int {
		_, _ = fmt.Fprintln(errOut, "holdfast:", err)
		return code
	}
	if path := config.ConfigPath(args); path != "" {
		file, err := config.File(path)
		if err != nil {
			return fail(err, exitUsage)
		}
		options = append(options, kong.Resolvers(file))
	}
	parser, err := kong.New(&c, options...)
	if err != nil {
		return fail(err, exitFailed)
	}
	if err := config.CheckEnvironment(parser.Model); err != nil {
		return fail(err, exitUsage)
	}
	parsed, err := parser.Parse(args)
	switch {
	case exited:
		return code
	case err != nil:
		return fail(err, exitUsage)
	}
	if err := parsed.Run(); err != nil {
		if _, ok := errors.AsType[*config.Invalid](err); ok {
			return fail(err, exitUsage)
		}
		return fail(err, exitFailed)
	}
	return exitOK
}

// describe is a flag's help with its default and its variable.
func describe(v *kong.Value) string {
	var notes []string
	if v.HasDefault {
		notes = append(notes, "default "+v.Default)
	}
	if len(v.Tag.Envs) > 0 {
		notes = append(notes, "$"+v.Tag.Envs[0])
	}
	if len(notes) == 0 {
		return v.Help
	}
	return strings.TrimSuffix(v.Help, ".") + " (" + strings.Join(notes, "; ") + ")."
}
