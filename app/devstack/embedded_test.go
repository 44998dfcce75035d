package devstack

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// repository serves the programs of testdata, which are scripts that do no
// more than to name a version, for any system.
func repository(t *testing.T) (url string, requests *int) {
	t.Helper()
	programs, err := os.ReadFile("testdata/programs.txz")
	must(t, err)
	var jar bytes.Buffer
	z := zip.NewWriter(&jar)
	w, err := z.Create("postgres.txz")
	must(t, err)
	_, err = w.Write(programs)
	must(t, errors.Join(err, z.Close()))
	requests = new(int)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*requests++
		if filepath.Ext(r.URL.Path) != ".jar" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(jar.Bytes())
	}))
	t.Cleanup(srv.Close)
	return srv.URL, requests
}

func TestDownload(t *testing.T) {
	url, requests := repository(t)
	parent := stateFolder(t)
	must(t, os.Mkdir(parent, 0o755))
	t.Setenv("TMPDIR", t.TempDir()) // where the library leaves its log
	dir := filepath.Join(parent, "postgresql")
	must(t, download(t.Context(), dir, url))
	as, err := serverAccount()
	must(t, err)
	bin, ok := lookAtPostgres(filepath.Join(dir, "bin"), as)
	if !ok || bin.major != 17 {
		t.Errorf("got %+v, %v", bin, ok)
	}
	before := *requests
	must(t, download(t.Context(), dir, url))
	if *requests != before {
		t.Error("downloaded what was there")
	}
	entries, err := os.ReadDir(parent)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestDownloadFails(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	t.Setenv("TMPDIR", t.TempDir())
	dir := filepath.Join(t.TempDir(), "postgresql")
	if err := download(t.Context(), dir, srv.URL); err == nil || exists(dir) {
		t.Errorf("got %v; folder there: %v", err, exists(dir))
	}
}

func TestDownloadGivesUpWithItsContext(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	release, entered := make(chan struct{}), make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-release
		http.NotFound(w, r)
	}))
	defer srv.Close()
	defer close(release)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-entered; cancel() }()
	if err := download(ctx, filepath.Join(t.TempDir(), "postgresql"), srv.URL); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}
