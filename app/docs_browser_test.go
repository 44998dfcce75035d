//go:build browser

package app_test

import (
	"context"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/holdfast-dev/holdfast/app/config"
)

// browser is a tab of a headless Chromium of the given size. Without Chromium
// the test is skipped; under CI=true it fails then.
func browser(t *testing.T, width, height int) context.Context {
	t.Helper()
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, chromedp.WindowSize(width, height))...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(int64(width), int64(height))); err != nil {
		env, envErr := config.DevstackFromEnv()
		if envErr == nil && !env.CI && strings.Contains(err.Error(), "executable file not found") {
			t.Skip("no Chromium: ", err)
		}
		t.Fatal(err)
	}
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The documentation page, through the edge, is complete without another host,
// fits a phone and a desk, reports no error, and its requests reach the
// service that it came from.
func TestBrowserDocumentationPage(t *testing.T) {
	edge := front(t, serve(t))
	for name, size := range map[string][2]int{"phone": {390, 844}, "desk": {1280, 900}} {
		t.Run(name, func(t *testing.T) {
			ctx := browser(t, size[0], size[1])
			var mu sync.Mutex
			hosts := map[string]bool{}
			var failures []string
			must(t, chromedp.Listen(ctx, func(event any) {
				mu.Lock()
				defer mu.Unlock()
				switch e := event.(type) {
				case *network.EventRequestWillBeSent:
					if u, err := url.Parse(e.Request.URL); err == nil && u.Scheme != "data" {
						hosts[u.Host] = true
					}
				case *runtime.EventExceptionThrown:
					failures = append(failures, e.ExceptionDetails.Text)
				}
			}))
			_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
			must(t, err)
			const operation = "#operations-public-listCampaigns "
			must(t, chromedp.Do(ctx,
				chromedp.Navigate("http://"+edge+"/docs"),
				chromedp.WaitVisible(operation+".opblock-summary-control"),
			))
			shown, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](`[...document.querySelectorAll(".opblock-summary-path")].map(e => e.dataset.path)`))
			must(t, err)
			must(t, chromedp.Do(ctx,
				chromedp.Click(operation+".opblock-summary-control"),
				chromedp.WaitVisible(operation+".responses-inner"),
			))
			tooWide, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`document.documentElement.scrollWidth > window.innerWidth`))
			must(t, err)
			must(t, chromedp.Do(ctx,
				chromedp.Click(operation+".try-out__btn"),
				chromedp.Click(operation+".execute"),
				chromedp.WaitVisible(operation+".live-responses-table tbody .response-col_status"),
			))
			status, err := chromedp.Run(ctx, chromedp.Text(operation+".live-responses-table tbody .response-col_status"))
			must(t, err)
			if len(shown) < 12 {
				t.Errorf("shows %q", shown)
			}
			if tooWide {
				t.Error("it has to be scrolled sideways")
			}
			if !strings.HasPrefix(status, "200") {
				t.Errorf("what was tried got %q", status)
			}
			mu.Lock()
			defer mu.Unlock()
			if len(failures) > 0 {
				t.Errorf("the page failed: %q", failures)
			}
			if len(hosts) != 1 || !hosts[edge] {
				t.Errorf("asked %v, want %s alone", hosts, edge)
			}
		})
	}
}
