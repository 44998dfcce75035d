package main

import (
	"bufio"
	"encoding/json"
	"io"
	"regexp"
	"strings"
)

// mark stands in everything that players send as free text, and in no log.
const mark = "chaos-mark-"

// maxLine is the longest line of a log that is looked at.
const maxLine = 1 << 20

var minted = regexp.MustCompile(`[0-9a-f]{32}`)

// readLog reads an instance's log to its end: it learns where the instance
// listens, and holds each line to what lines may be.
func (w *world) readLog(i *instance, p *process, from io.Reader) {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 4096), maxLine)
	for lines.Scan() {
		line := lines.Text()
		var entry struct{ Msg, Listener, Address string }
		switch err := json.Unmarshal([]byte(line), &entry); {
		case err != nil:
			w.violate("the log of instance %d holds what is no line of a log: %.300s", i.n, line)
		case entry.Msg == "listening" && entry.Listener == "public":
			p.public.Store(&entry.Address)
		case entry.Msg == "listening" && entry.Listener == "internal":
			p.internal.Store(&entry.Address)
		}
		if strings.Contains(line, "panic") {
			w.violate("the log of instance %d tells of a panic: %.600s", i.n, line)
		}
		if strings.Contains(line, mark) {
			w.violate("the log of instance %d holds what a player sent: %.300s", i.n, line)
		}
		for _, id := range minted.FindAllString(line, -1) {
			if w.isSecret(id) {
				w.violate("the log of instance %d holds the whole id of a session or a save: %.300s", i.n, line)
			}
		}
	}
	if err := lines.Err(); err != nil {
		w.violate("the log of instance %d cannot be read: %v", i.n, err)
	}
	// Whatever is left must not block the instance.
	_, _ = io.Copy(io.Discard, from)
}
