package app

import (
	"log/slog"
	"net/http"
	"runtime/debug"

	"go.uber.org/fx"

	"github.com/holdfast-dev/holdfast/adapters/mcp"
	"github.com/holdfast-dev/holdfast/adapters/system"
	"github.com/holdfast-dev/holdfast/app/config"
)

// mcpModule is the MCP surface. It lies on the public listener, over the HTTP
// surface.
var mcpModule = fx.Module("mcp", fx.Provide(newMCP))

type mcpHandler struct{ http.Handler }

func newMCP(settings *config.Serve, o operations, log *slog.Logger) (mcpHandler, error) {
	handler, err := mcp.New(mcp.Options{
		Operations:   o,
		Correlations: system.IDs{},
		Log:          log,
		BodyLimit:    int(settings.BodyLimit),
		Listen:       settings.Listen,
		Hosts:        settings.MCPHosts,
		Version:      Version(),
	})
	return mcpHandler{handler}, err
}

// Version is the version of the binary.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
