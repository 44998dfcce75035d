package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// link is the network between one instance and PostgreSQL.
type link struct{ proxy *toxiproxy.Proxy }

// newLink opens a proxy to a host.
func newLink(name, upstream string) (*link, error) {
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	for range 100 {
		// Below the ports that systems take for outgoing connections: an
		// instance that tries to reach a link that is down would otherwise, once
		// in a while, be given that very port and keep it from coming back.
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(15000+rand.IntN(17000)))
		l := &link{toxiproxy.NewProxy(server, name, address, upstream)}
		err := l.proxy.Start()
		if err == nil {
			return l, nil
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			return nil, err
		}
	}
	return nil, errors.New("no free loopback port between 15000 and 32000")
}

// through is a database's URL by way of the link.
func (l *link) through(database string) (string, error) {
	u, err := url.Parse(database)
	if err != nil {
		return "", errors.New("the database's URL is none")
	}
	u.Host = l.proxy.Listen
	return u.String(), nil
}

// cut breaks all connections and refuses new ones.
func (l *link) cut() { l.proxy.Stop() }

// mend ends a cut. A program that the harness starts holds its listeners for
// an instant, between fork and exec: that is waited out.
func (l *link) mend() error {
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		err := l.proxy.Start()
		if !errors.Is(err, syscall.EADDRINUSE) || time.Now().After(end) {
			return err
		}
	}
}

// add lays a disturbance of toxiproxy over what flows in a direction:
// upstream are statements, downstream answers.
func (l *link) add(kind, direction string, attributes map[string]int64) error {
	toxic, err := json.Marshal(map[string]any{"type": kind, "stream": direction, "attributes": attributes})
	if err != nil {
		return err
	}
	_, err = l.proxy.Toxics.AddToxicJson(strings.NewReader(string(toxic)))
	return err
}

// clear ends all disturbances.
func (l *link) clear() error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.proxy.Toxics.ResetToxics(context.Background())
	}()
	select {
	case <-done:
		return nil
	case <-time.After(patience):
		return fmt.Errorf("the proxy %s does not let go of its disturbances", l.proxy.Name)
	}
}
