package app

import (
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"go.uber.org/fx"

	"github.com/holdfast-dev/holdfast/adapters/engine/storygraph"
	"github.com/holdfast-dev/holdfast/app/config"
	"github.com/holdfast-dev/holdfast/campaigns"
	"github.com/holdfast-dev/holdfast/core/engine"
)

// engineTime bounds a call of an engine that no request's time-out bounds.
const engineTime = 2 * time.Second

// enginesModule registers the engines with the campaigns that they host.
var enginesModule = fx.Module("engines", fx.Provide(newRegistry))

func newRegistry(settings *config.Serve, log *slog.Logger) (*engine.Registry, error) {
	var files fs.FS = campaigns.FS
	from := "the bundled campaigns"
	if settings.Campaigns != "" {
		if info, err := os.Stat(settings.Campaigns); err != nil || !info.IsDir() {
			return nil, &config.Invalid{Flag: "campaigns", Problem: fmt.Sprintf("%q is no folder", settings.Campaigns), Accepted: "a folder of campaign files (docs/campaigns.md)"}
		}
		files, from = os.DirFS(settings.Campaigns), settings.Campaigns
	}
	stories, unhosted, err := storygraph.Load(files)
	if err != nil {
		return nil, fmt.Errorf("campaigns in %s: %w", from, err)
	}
	for _, c := range unhosted {
		log.Warn("a campaign is of a kind that no engine hosts; it is not offered", "campaign", c.CampaignID, "kind", c.KindID)
	}
	return engine.NewRegistry([]engine.Engine{engine.Guard(stories, engineTime)}, unhosted)
}
