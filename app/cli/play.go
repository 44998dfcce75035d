package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/holdfast-dev/holdfast/api/client"
)

type play struct {
	URL      string `default:"http://127.0.0.1:8080" help:"Address of the service." placeholder:"URL"`
	Campaign string `help:"Begin this campaign; without it, choose from a list." placeholder:"ID"`
	Seed     string `help:"Seed of the new game." placeholder:"TEXT"`
	Profile  string `help:"Profile that achievements of the new game are kept on." placeholder:"ID"`
	Resume   string `help:"Come back to this session." placeholder:"SESSION" xor:"begin"`
	Load     string `help:"Go on from this save, in a new session." placeholder:"SAVE" xor:"begin"`
}

const playHelp = `  NUMBER [NAME=VALUE ...]  take an action
  save                     save the game
  load SAVE                go on from a save, in a new session
  resume SESSION           go on with another session
  state                    show what the game lets you see
  quit                     leave; the session stays
`

// errQuit ends a game at the player's word.
var errQuit = errors.New("quit")

// Run plays until the game or the input ends.
func (p *play) Run(ctx context.Context, t terminal) error {
	api, err := client.NewClientWithResponses(p.URL)
	if err != nil {
		return err
	}
	g := &game{
		wire:  wire{api: api, note: func(s string) { _, _ = fmt.Fprintln(t.err, s) }},
		in:    bufio.NewScanner(t.in),
		out:   t.out,
		human: isTerminal(t.in),
	}
	if err := p.begin(ctx, g); err != nil {
		if errors.Is(err, errQuit) {
			return nil
		}
		return err
	}
	_, _ = fmt.Fprintf(g.out, "Session %s. Type help for what you can do.\n", g.session)
	err = g.loop(ctx)
	if errors.Is(err, errQuit) {
		_, _ = fmt.Fprintf(g.out, "The game is kept. To go on: holdfast play --url %s --resume %s\n", p.URL, g.session)
		return nil
	}
	return err
}

func (p *play) begin(ctx context.Context, g *game) error {
	switch {
	case p.Resume != "":
		return g.resume(ctx, p.Resume)
	case p.Load != "":
		return g.load(ctx, p.Load)
	}
	if p.Campaign == "" {
		var err error
		if p.Campaign, err = g.choose(ctx); err != nil {
			return err
		}
	}
	req := client.CreateSessionRequest{CampaignId: p.Campaign}
	if p.Seed != "" {
		req.Seed = &p.Seed
	}
	if p.Profile != "" {
		req.ProfileId = &p.Profile
	}
	return g.create(ctx, req)
}

// game is a play session as the player sees it.
type game struct {
	wire
	in    *bufio.Scanner
	out   io.Writer
	human bool

	session string
	etag    string
	texts   client.Strings
	scene   client.Scene
}

// loop shows the scene and takes commands until the game ends.
func (g *game) loop(ctx context.Context) error {
	g.show()
	for g.scene.Status == client.Active {
		line, err := g.read()
		if err != nil {
			return err
		}
		if err := g.command(ctx, line); err != nil {
			refused, ok := errors.AsType[*refusal](err)
			if !ok {
				return err
			}
			_, _ = fmt.Fprintln(g.out, refused)
		}
	}
	_, _ = fmt.Fprintf(g.out, "The game is %s.\n", g.scene.Status)
	return nil
}

func (g *game) command(ctx context.Context, line string) error {
	words := strings.Fields(line)
	argument := ""
	if len(words) == 2 {
		argument = words[1]
	}
	switch {
	case len(words) == 0:
		g.show()
		return nil
	case words[0] == "quit" || words[0] == "q":
		return errQuit
	case words[0] == "save":
		return g.save(ctx)
	case words[0] == "state":
		_, err := fmt.Fprintf(g.out, "%s\n", g.scene.View.KindView)
		return err
	case words[0] == "load" && argument != "":
		return g.shown(g.load(ctx, argument))
	case words[0] == "resume" && argument != "":
		return g.shown(g.resume(ctx, argument))
	}
	n, err := strconv.Atoi(words[0])
	if err != nil || n < 1 || n > len(g.scene.Actions) {
		_, err := fmt.Fprint(g.out, playHelp)
		return err
	}
	params, err := parameters(words[1:])
	if err != nil {
		_, err := fmt.Fprintln(g.out, err)
		return err
	}
	return g.act(ctx, g.scene.Actions[n-1].Id, params)
}

// shown shows the scene after a change of session that worked.
func (g *game) shown(err error) error {
	if err == nil {
		_, _ = fmt.Fprintf(g.out, "Session %s.\n", g.session)
		g.show()
	}
	return err
}

func (g *game) show() {
	_, _ = fmt.Fprintf(g.out, "\n%s\n\n", g.scene.Body.Text)
	for i, a := range g.scene.Actions {
		note := ""
		if !a.Available {
			note = " (not now)"
			if a.ReasonKey != nil {
				note = " (" + g.text(*a.ReasonKey) + ")"
			}
		}
		_, _ = fmt.Fprintf(g.out, "  %d. %s%s\n", i+1, g.text(a.LabelKey), note)
	}
}

// text resolves a key; a key without a text shows itself.
func (g *game) text(key string) string {
	if t, ok := g.texts[key]; ok {
		return t
	}
	return key
}

// read reads a command; the end of the input is the player leaving.
func (g *game) read() (string, error) {
	if g.human {
		_, _ = fmt.Fprint(g.out, "> ")
	}
	if !g.in.Scan() {
		if err := g.in.Err(); err != nil {
			return "", err
		}
		return "", errQuit
	}
	return g.in.Text(), nil
}

func (g *game) choose(ctx context.Context) (string, error) {
	campaigns, err := g.campaigns(ctx)
	if err != nil {
		return "", err
	}
	for i, c := range campaigns {
		_, _ = fmt.Fprintf(g.out, "  %d. %s\n", i+1, c.CampaignId)
	}
	for {
		line, err := g.read()
		if err != nil {
			return "", err
		}
		if n, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && n >= 1 && n <= len(campaigns) {
			return campaigns[n-1].CampaignId, nil
		}
		_, _ = fmt.Fprintf(g.out, "A number from 1 to %d, please.\n", len(campaigns))
	}
}

func isTerminal(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
