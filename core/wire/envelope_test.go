package wire_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/wire"
)

const (
	traceID  = "0af7651916cd43dd8448eb211c80319c"
	parentID = "b7ad6b7169203331"
	minted   = "00000000000000000000000000000001"
)

func fresh() string { return minted }

func TestAppendError(t *testing.T) {
	got := string(wire.AppendError([]byte("before "), fault.UnknownSession, traceID))
	want := `before {"code":"unknown_session","correlation":"` + traceID + `"}`
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The cases are those of the Trace Context recommendation (section 3.2) and
// of its test suite.
func TestCorrelation(t *testing.T) {
	valid := "00-" + traceID + "-" + parentID + "-01"
	for _, tc := range []struct {
		name, header string
		ok           bool
	}{
		{"sampled", valid, true},
		{"not sampled", "00-" + traceID + "-" + parentID + "-00", true},
		{"unknown flags", "00-" + traceID + "-" + parentID + "-ff", true},
		{"absent", "", false},
		{"cut", valid[:54], false},
		{"version 00 and more", valid + "-01", false},
		{"version 00 and a dash", valid + "-", false},
		{"version 00 and a space", valid + " ", false},
		{"later version", "cc" + valid[2:], true},
		{"later version and more", "cc" + valid[2:] + "-what-the-future-will-be-like", true},
		{"later version and a dash", "01" + valid[2:] + "-", true},
		{"later version and more without a dash", "cc" + valid[2:] + ".what-the-future-will-be-like", false},
		{"later version, longer flags", "cc" + valid[2:] + "0", false},
		{"version ff", "ff" + valid[2:], false},
		{"version in capitals", "0A" + valid[2:], false},
		{"version not hexadecimal", "0g" + valid[2:], false},
		{"version of one digit", valid[1:] + "0", false},
		{"trace id of zeros", "00-" + strings.Repeat("0", 32) + "-" + parentID + "-01", false},
		{"parent id of zeros", "00-" + traceID + "-" + strings.Repeat("0", 16) + "-01", false},
		{"trace id in capitals", "00-" + strings.ToUpper(traceID) + "-" + parentID + "-01", false},
		{"trace id not hexadecimal", "00-" + traceID[:31] + "." + "-" + parentID + "-01", false},
		{"trace id too long", "00-" + traceID + "a-" + parentID + "-01", false},
		{"parent id not hexadecimal", "00-" + traceID + "-" + parentID[:15] + "x-01", false},
		{"flags not hexadecimal", "00-" + traceID + "-" + parentID + "-0x", false},
		{"flags in capitals", "00-" + traceID + "-" + parentID + "-0F", false},
		{"underscores for dashes", strings.ReplaceAll(valid, "-", "_"), false},
		{"second dash", "00-" + traceID + "." + parentID + "-01", false},
		{"third dash", "00-" + traceID + "-" + parentID + ".01", false},
		{"leading space", " " + valid[:54], false},
		{"two in one", valid + "," + valid, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want := minted
			if tc.ok {
				want = traceID
			}
			if got := wire.Correlation(tc.header, fresh); got != want {
				t.Errorf("correlation %q, want %q", got, want)
			}
		})
	}
}

func TestCorrelationDoesNotMintInVain(t *testing.T) {
	wire.Correlation("00-"+traceID+"-"+parentID+"-01", func() string {
		t.Error("minted an id that is not needed")
		return minted
	})
}

// FuzzCorrelation: whatever the header, the correlation is safe to put into
// the error envelope as it is.
func FuzzCorrelation(f *testing.F) {
	hex32 := regexp.MustCompile(`^[0-9a-f]{32}$`)
	f.Add("00-" + traceID + "-" + parentID + "-01")
	f.Fuzz(func(t *testing.T, header string) {
		got := wire.Correlation(header, fresh)
		if !hex32.MatchString(got) || got == strings.Repeat("0", 32) {
			t.Fatalf("correlation %q", got)
		}
		if got != minted && !strings.Contains(header, got) {
			t.Fatalf("correlation %q is not of the header %q", got, header)
		}
		body := wire.AppendError(nil, fault.StorageFailure, got)
		var decoded map[string]string
		if err := json.Unmarshal(body, &decoded); err != nil || len(decoded) != 2 ||
			decoded["code"] != "storage_failure" || decoded["correlation"] != got {
			t.Fatalf("envelope %s: %v", body, err)
		}
	})
}
