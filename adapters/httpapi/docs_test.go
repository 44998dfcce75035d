package httpapi

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/holdfast-dev/holdfast/api/contract"
	"github.com/holdfast-dev/holdfast/core/id"
)

func request(t *testing.T, d *Docs, method, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	for n := 0; n < len(headers); n += 2 {
		r.Header.Set(headers[n], headers[n+1])
	}
	if !d.Has(r) {
		t.Fatalf("%s %s is not served", method, path)
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w
}

func TestContract(t *testing.T) {
	d := NewDocs(&id.Counting{})
	w := request(t, d, "GET", "/openapi.yaml")
	if w.Code != 200 || !bytes.Equal(w.Body.Bytes(), contract.YAML) || w.Header().Get("Content-Type") != "application/yaml" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if got, want := w.Header().Get("X-Correlation-Id"), "00000000000000000000000000000001"; got != want {
		t.Errorf("correlation %s, want %s", got, want)
	}
	again := request(t, d, "GET", "/openapi.yaml", "If-None-Match", w.Header().Get("ETag"))
	if again.Code != http.StatusNotModified || again.Body.Len() != 0 {
		t.Errorf("asked again: %d with %d bytes", again.Code, again.Body.Len())
	}
}

// Everything that the page is made of is served here, and nothing of it comes
// from another host.
func TestPageIsComplete(t *testing.T) {
	d := NewDocs(&id.Counting{})
	w := request(t, d, "GET", "/docs")
	page := w.Body.String()
	if w.Code != 200 || !strings.Contains(page, "width=device-width") || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
		t.Errorf("%d %v\n%s", w.Code, w.Header(), page)
	}
	references := regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(references) != 5 {
		t.Errorf("%d references: %q", len(references), references)
	}
	for _, reference := range references {
		asset := request(t, d, "GET", reference[1], "Accept-Encoding", "gzip")
		if asset.Code != 200 || asset.Body.Len() == 0 || !strings.Contains(asset.Header().Get("Cache-Control"), "max-age") {
			t.Errorf("%s: %d %v", reference[1], asset.Code, asset.Header())
		}
		if plain := request(t, d, "GET", reference[1]); plain.Code != 200 || plain.Body.Len() < asset.Body.Len() || plain.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s, not compressed: %d %v", reference[1], plain.Code, plain.Header())
		}
	}
	css := request(t, d, "GET", "/docs/swagger-ui.css").Body.String()
	if away := regexp.MustCompile(`(?:@import|url\(["']?https?:)`).FindString(css); away != "" {
		t.Errorf("the style sheet asks another host: %s", away)
	}
	for _, source := range regexp.MustCompile(`https?://[^\s"']*`).FindAllString(w.Header().Get("Content-Security-Policy"), -1) {
		t.Errorf("the policy lets the page use %s", source)
	}
}

func TestWhatIsNoDocumentation(t *testing.T) {
	d := NewDocs(&id.Counting{})
	for _, c := range [][2]string{
		{"POST", "/docs"}, {"PUT", "/openapi.yaml"}, {"OPTIONS", "/docs"}, {"GET", "/docs/"}, {"GET", "/docs/../docs"},
		{"GET", "/docs/oauth2-redirect.html"}, {"GET", "/docs/swagger-ui-bundle.js.gz"}, {"GET", "/openapi.json"}, {"GET", "/"},
	} {
		if d.Has(httptest.NewRequestWithContext(t.Context(), c[0], c[1], nil)) {
			t.Errorf("%s %s is served", c[0], c[1])
		}
	}
	if !d.Has(httptest.NewRequestWithContext(t.Context(), "HEAD", "/docs", nil)) {
		t.Error("HEAD is not served")
	}
	// The library can fetch addresses for a page: not for this one.
	if w := request(t, d, "GET", "/docs?proxy=http://127.0.0.1:1/"); w.Code != 200 || !strings.Contains(w.Body.String(), "<html") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
