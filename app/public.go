package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"go.uber.org/fx"

	"github.com/holdfast-dev/holdfast/adapters/httpapi"
	"github.com/holdfast-dev/holdfast/adapters/system"
	"github.com/holdfast-dev/holdfast/app/config"
	"github.com/holdfast-dev/holdfast/core/health"
	"github.com/holdfast-dev/holdfast/core/session"
)

// Bounds of a connection of the public listener.
const (
	headerTimeout  = 5 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
)

// publicModule is the public listener.
var publicModule = fx.Module("public",
	fx.Provide(newPublic),
	fx.Invoke(func(*Public) {}),
)

// Public is the public listener of a running instance.
type Public struct {
	listener net.Listener
}

// Address is where the listener is bound, once the instance has started.
func (p *Public) Address() string { return p.listener.Addr().String() }

func newPublic(lc fx.Lifecycle, stop fx.Shutdowner, settings *config.Serve, sessions *session.Service, probe *health.Probe, log *slog.Logger) (*Public, error) {
	handler, err := httpapi.New(httpapi.Options{
		Sessions:     sessions,
		Health:       probe,
		Correlations: system.IDs{},
		Log:          log,
		BodyLimit:    int(settings.BodyLimit),
		Timeout:      settings.RequestTimeout,
	})
	if err != nil {
		return nil, err
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       headerTimeout + settings.RequestTimeout,
		WriteTimeout:      headerTimeout + 2*settings.RequestTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	p := &Public{}
	lc.Append(fx.Hook{
		OnStart: func(ctx context.Context) error {
			var lc net.ListenConfig
			p.listener, err = lc.Listen(ctx, "tcp", settings.Listen)
			if err != nil {
				return fmt.Errorf("public listener: %w; choose another address with --listen", err)
			}
			log.Info("listening", "listener", "public", "address", p.Address())
			go func() {
				if err := server.Serve(p.listener); !errors.Is(err, http.ErrServerClosed) {
					log.Error("the public listener failed", "error", err)
					_ = stop.Shutdown(fx.ExitCode(1))
				}
			}()
			return nil
		},
		OnStop: func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, settings.ShutdownTimeout)
			defer cancel()
			drain(ctx, probe, settings.ShutdownTimeout/5)
			return server.Shutdown(ctx)
		},
	})
	return p, nil
}

// drain makes the instance not ready and lets requests that still arrive be
// served for a while, so that whoever routes to it can notice first.
func drain(ctx context.Context, probe *health.Probe, grace time.Duration) {
	probe.Drain()
	select {
	case <-time.After(grace):
	case <-ctx.Done():
	}
}
