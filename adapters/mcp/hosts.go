package mcp

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// hosts says by which hosts the surface may be called. A page in a browser
// can send requests to any address by a name that its owner points there (DNS
// rebinding): such a request names a Host, or an Origin, that is not here.
type hosts struct {
	// allowed are the hosts of the setting; an empty port means any.
	allowed []host
	// own are the names of the listener where no setting is. They hold with
	// the port on which the request came in.
	own []string
}

type host struct{ name, port string }

// newHosts takes the hosts of the setting, or the listener's own.
func newHosts(setting []string, listen string) (hosts, error) {
	h := hosts{own: []string{"localhost", "127.0.0.1", "::1"}}
	if named, ok := parseHost(listen); ok {
		if ip := net.ParseIP(named.name); ip == nil || !ip.IsUnspecified() {
			h.own = append(h.own, named.name)
		}
	}
	for _, s := range setting {
		entry, ok := parseHost(s)
		if !ok {
			return hosts{}, fmt.Errorf("%q is neither HOST nor HOST:PORT", s)
		}
		h.allowed = append(h.allowed, entry)
	}
	return h, nil
}

// allow says whether a request names an allowed host, and comes from a page of
// one, if it comes from a page.
func (h hosts) allow(r *http.Request) bool {
	named, ok := parseHost(r.Host)
	if !ok || !h.has(r, named, "80") {
		return false
	}
	origins := r.Header["Origin"]
	if len(origins) == 0 {
		return true
	}
	scheme, rest, ok := strings.Cut(origins[0], "://")
	port, known := map[string]string{"http": "80", "https": "443"}[scheme]
	if !ok || !known || len(origins) > 1 {
		return false
	}
	from, ok := parseHost(rest)
	return ok && h.has(r, from, port)
}

// has says whether a host is allowed; standard is the port that it has where
// none is written.
func (h hosts) has(r *http.Request, named host, standard string) bool {
	if named.port == "" {
		named.port = standard
	}
	if len(h.allowed) > 0 {
		return slices.ContainsFunc(h.allowed, func(a host) bool {
			return a.name == named.name && (a.port == "" || a.port == named.port)
		})
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	// A request to an address of this machine, by the address, names nobody
	// else's name.
	address, port, err := net.SplitHostPort(local.String())
	return err == nil && named.port == port && (named.name == address || slices.Contains(h.own, named.name))
}

// parseHost reads HOST or HOST:PORT.
func parseHost(s string) (host, bool) {
	u, err := url.Parse("//" + s)
	if err != nil || u.Host != s || u.Hostname() == "" {
		return host{}, false
	}
	return host{strings.ToLower(u.Hostname()), u.Port()}, true
}
