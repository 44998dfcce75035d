package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"html/template"
	"net/http"
	"time"

	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"

	"github.com/holdfast-dev/holdfast/api/contract"
	"github.com/holdfast-dev/holdfast/core/id"
	"github.com/holdfast-dev/holdfast/core/wire"
)

// Where the contract and its page lie on the public listener.
const (
	contractPath = "/openapi.yaml"
	pagePath     = "/docs"
)

// How long browsers may keep what the page is made of. What depends on the
// contract is asked for each time; it comes only if it changed.
const (
	forAnHour = "public, max-age=3600"
	askAgain  = "no-cache"
)

// pagePolicy lets the page use what this listener serves, and no other host.
const pagePolicy = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// pageHead fits the page to a phone, and hides the contract's address of the
// service (see ownHost).
const pageHead = `<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
	.swagger-ui .scheme-container { display: none; }
	@media (max-width: 640px) {
		.swagger-ui .wrapper { padding: 0 10px; }
		.swagger-ui .info { margin: 20px 0; }
		.swagger-ui .opblock .opblock-summary-control { flex-wrap: nowrap; min-width: 0; }
		.swagger-ui .opblock .opblock-summary-path-description-wrapper { flex: 1 1 0; min-width: 0; gap: 2px; }
		.swagger-ui .opblock .opblock-summary-path { max-width: 100%; }
		.swagger-ui .opblock .opblock-summary-description { padding: 0 10px; }
		.swagger-ui .opblock-body pre, .swagger-ui .markdown p { overflow-wrap: anywhere; }
		.swagger-ui table.responses-table, .swagger-ui table.parameters { display: block; overflow-x: auto; }
	}
</style>`

// ownHost sends the requests that are tried on the page to where the page
// came from, which may be another address than the contract's.
const ownHost = `function(request) {
	if (!request.loadSpec) {
		var url = new URL(request.url, location.href);
		request.url = location.origin + url.pathname + url.search;
	}
	return request;
}`

// Docs serves the contract and a page on which it can be read and tried. The
// page needs no network but the way to this listener.
type Docs struct {
	correlations id.Source
	ui           http.Handler
	// served are the handlers by path.
	served map[string]http.HandlerFunc
	tag    string
}

// NewDocs returns the handler; correlations mints the correlation of requests
// that bring none.
func NewDocs(correlations id.Source) *Docs {
	sum := sha256.Sum256(contract.YAML)
	d := &Docs{
		correlations: correlations,
		tag:          `"` + hex.EncodeToString(sum[:16]) + `"`,
		ui: v5emb.NewHandlerWithConfig(swgui.Config{
			Title:       "Holdfast",
			SwaggerJSON: contractPath,
			BasePath:    pagePath,
			AppendHead:  template.HTML(pageHead), //nolint:gosec // a constant
			SettingsUI:  map[string]string{"requestInterceptor": ownHost, "docExpansion": `"list"`},
		}),
	}
	d.served = map[string]http.HandlerFunc{
		contractPath: d.contract,
		pagePath:     d.page,
	}
	for _, name := range []string{"swagger-ui.css", "swagger-ui-bundle.js", "swagger-ui-standalone-preset.js", "favicon-16x16.png", "favicon-32x32.png"} {
		d.served[pagePath+"/"+name] = d.asset
	}
	return d
}

// Has says whether a request is for the contract or its page.
func (d *Docs) Has(r *http.Request) bool {
	return d.served[r.URL.Path] != nil && (r.Method == http.MethodGet || r.Method == http.MethodHead)
}

// ServeHTTP serves a request that the handler has.
func (d *Docs) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Correlation-Id", wire.Correlation(traceparent(r.Header), d.correlations.Next))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	d.served[r.URL.Path](w, r)
}

func (d *Docs) contract(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/yaml")
	w.Header().Set("Cache-Control", askAgain)
	w.Header().Set("ETag", d.tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(contract.YAML))
}

func (d *Docs) page(w http.ResponseWriter, r *http.Request) {
	out := newResponse(w)
	defer out.release()
	d.ui.ServeHTTP(out, r)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", askAgain)
	w.Header().Set("Content-Security-Policy", pagePolicy)
	out.send()
}

func (d *Docs) asset(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", forAnHour)
	d.ui.ServeHTTP(w, r)
}
