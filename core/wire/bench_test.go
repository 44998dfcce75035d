package wire_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/holdfast-dev/holdfast/core/wire"
)

// sampleBody is an object of some 5 KB as free-form game state looks: nested
// objects, an array of records, text with a few escapes and accents.
func sampleBody() []byte {
	var b bytes.Buffer
	b.WriteString(`{"characterId":"3f2a9c0d4be14b7f8a6d5c4e3f2a1b0c","revision":4711,"state":{"vars":{`)
	for i := range 60 {
		fmt.Fprintf(&b, `"quest_flag_%02d":%t,`, i, i%3 == 0)
	}
	b.WriteString(`"gold":1250},"log":["The harbour lies still.","Caf\u00e9 \"Zum Anker\" – größer als gedacht."],"inventory":[`)
	for i := range 60 {
		fmt.Fprintf(&b, `{"id":"item-%04d","count":%d,"durability":%d.5,"bound":%t},`, i*37, i, 100-i, i%2 == 0)
	}
	b.WriteString(`null]}}`)
	return b.Bytes()
}

func BenchmarkCheck(b *testing.B) {
	var many bytes.Buffer
	many.WriteString(`{`)
	for i := range 100_000 {
		fmt.Fprintf(&many, `"k%d":0,`, i)
	}
	many.WriteString(`"last":0}`)
	for _, bm := range []struct {
		name string
		body []byte
	}{
		{"action", []byte(`{"sessionId":"3f2a9c0d4be14b7f8a6d5c4e3f2a1b0c","actionId":"open-door","params":{"key":"brass"}}`)},
		{"5KB", sampleBody()},
		{"text", []byte(`{"text":"` + string(bytes.Repeat([]byte("all quiet on the harbour front. "), 160)) + `"}`)},
		{"100000members", many.Bytes()},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(bm.body)))
			b.ReportAllocs()
			for b.Loop() {
				if err := wire.Check(bm.body, wire.Limits{Size: len(bm.body)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
