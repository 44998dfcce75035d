package blackbox

import (
	"net/http"
	"testing"

	"github.com/holdfast-dev/holdfast/core/fault"
)

// The correlation is the trace id of a valid traceparent, else a fresh one;
// that it stands in every answer and equals the body's is held everywhere
// (see checkAnswer).
func TestCorrelation(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	i := w.ready()
	session := i.create("one")
	w.exec("insert into session select tenant_id, '" + session + "x', version, 'broken', audience, attempt_counter, replay_compatible, profile_id, engine_version, engine_created_at, engine_updated_at, expires_at from session")
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	valid := "00-" + trace + "-00f067aa0ba902b7-01"

	for name, send := range map[string]func(i *instance, traceparent string) answer{
		"200": func(i *instance, tp string) answer { return i.want("", "get-scene", of(session), "Traceparent", tp) },
		"400": func(i *instance, tp string) answer {
			return i.want(fault.MalformedPayload, "get-scene", `[`, "Traceparent", tp)
		},
		"404": func(i *instance, tp string) answer {
			return i.want(fault.UnknownSession, "get-scene", of("nobody"), "Traceparent", tp)
		},
		"404 path": func(i *instance, tp string) answer {
			return i.want(fault.UnknownOperation, "nothing", "", "Traceparent", tp)
		},
		"409": func(i *instance, tp string) answer {
			return i.want(fault.ConcurrentModification, "save-game", of(session), "If-Match", `"other"`, "Traceparent", tp)
		},
		"500": func(i *instance, tp string) answer {
			return i.want(fault.InternalFailure, "get-scene", of(session+"x"), "Traceparent", tp)
		},
		"liveness":  func(i *instance, tp string) answer { return i.send(http.MethodGet, "/livez", "", "Traceparent", tp) },
		"readiness": func(i *instance, tp string) answer { return i.send(http.MethodGet, "/readyz", "", "Traceparent", tp) },
	} {
		t.Run(name, func(t *testing.T) {
			if got := send(i.in(t), valid).header.Get("X-Correlation-Id"); got != trace {
				t.Errorf("got %s for a valid traceparent", got)
			}
			fresh := map[string]bool{trace: true}
			for _, invalid := range []string{
				"",
				"00-" + trace + "-00f067aa0ba902b7",
				"00-" + trace + "-00f067aa0ba902b7-01-more",
				"ff-" + trace + "-00f067aa0ba902b7-01",
				"00-00000000000000000000000000000000-00f067aa0ba902b7-01",
				"00-" + trace + "-0000000000000000-01",
				"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
				trace,
			} {
				got := send(i.in(t), invalid).header.Get("X-Correlation-Id")
				if fresh[got] {
					t.Errorf("%q gave %s, which is not fresh", invalid, got)
				}
				fresh[got] = true
			}
		})
	}
	t.Run("two of them", func(t *testing.T) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, i.url+"/livez", nil)
		must(t, err)
		req.Header["Traceparent"] = []string{valid, valid}
		resp, err := i.http.Do(req)
		must(t, err)
		must(t, resp.Body.Close())
		if resp.Header.Get("X-Correlation-Id") == trace {
			t.Error("of two lines of traceparent none is valid")
		}
	})
	for _, message := range []string{"request failed", "a write lost its race"} {
		for from := 0; ; {
			var line logLine
			if line, from = i.logFrom(from, message); line.Correlation == trace {
				break
			}
		}
	}
}
