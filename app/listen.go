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

	"github.com/holdfast-dev/holdfast/app/config"
)

// Bounds of a connection of any listener.
const (
	headerTimeout  = 5 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
)

// Listener is a listener of a running instance.
type Listener struct {
	name     string
	server   *http.Server
	listener net.Listener
	log      *slog.Logger
	failed   func()
}

// newListener returns a listener of which an answer takes at most the given
// time from the end of its request.
func newListener(name string, handler http.Handler, longest time.Duration, stop fx.Shutdowner, log *slog.Logger) *Listener {
	return &Listener{
		name: name,
		server: &http.Server{
			Handler:           handler,
			ReadHeaderTimeout: headerTimeout,
			ReadTimeout:       headerTimeout + longest,
			WriteTimeout:      headerTimeout + 2*longest,
			IdleTimeout:       idleTimeout,
			MaxHeaderBytes:    maxHeaderBytes,
			ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		},
		log:    log,
		failed: func() { _ = stop.Shutdown(fx.ExitCode(1)) },
	}
}

// Address is where the listener is bound, once the instance has started.
func (l *Listener) Address() string { return l.listener.Addr().String() }

// start binds the listener and serves in the background.
func (l *Listener) start(ctx context.Context, address, flag string) (err error) {
	var lc net.ListenConfig
	l.listener, err = lc.Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("%s listener: %w; choose another address with --%s (%s)", l.name, err, flag, config.Variable(flag))
	}
	l.log.Info("listening", "listener", l.name, "address", l.Address())
	go func() {
		if err := l.server.Serve(l.listener); !errors.Is(err, http.ErrServerClosed) {
			l.log.Error("the listener failed", "listener", l.name, "error", err)
			l.failed()
		}
	}()
	return nil
}

// stop finishes what is in flight until the context ends, and cuts the rest
// off, so that nothing behind the listener waits for it.
func (l *Listener) stop(ctx context.Context) error {
	if err := l.server.Shutdown(ctx); err != nil {
		return errors.Join(err, l.server.Close())
	}
	return nil
}
