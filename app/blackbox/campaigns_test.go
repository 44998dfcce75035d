package blackbox

import (
	"os"
	"path/filepath"
	"testing"
)

// door is the first version of a campaign that later ones replace.
const door = `kind: story-graph
id: door
version: 1
title: title
variables:
  knocks: {type: integer, initial: 0, min: 0, max: 9}
start: outside
scenes:
  outside:
    text: outside
    actions:
      - {id: knock, label: knock, effects: [{increment: knocks}]}
      - {id: enter, label: enter, goto: inside}
  inside: {text: inside, ending: ended}
strings:
  en: {title: The Door, outside: 'Knocked {knocks} times.', inside: You are in., knock: Knock, enter: Enter}
`

// doorWithoutWay is a second version that says nothing of the first.
const doorWithoutWay = `kind: story-graph
id: door
version: 2
title: title
start: outside
scenes:
  outside:
    text: outside
    actions: [{id: enter, label: enter, goto: inside}]
  inside: {text: inside, ending: ended}
strings:
  en: {title: The Door, outside: A door., inside: You are in., enter: Enter}
`

// doorWithWay is a second version with a migration: the knocks are raps now.
const doorWithWay = `kind: story-graph
id: door
version: 2
title: title
variables:
  raps: {type: integer, initial: 0, min: 0, max: 9}
migrates:
  - {from: 1, variables: {knocks: raps}}
start: outside
scenes:
  outside:
    text: outside
    actions:
      - {id: rap, label: rap, effects: [{increment: raps}]}
      - {id: enter, label: enter, goto: inside}
  inside: {text: inside, ending: ended}
strings:
  en: {title: The Door, outside: 'Rapped {raps} times.', inside: You are in., rap: Rap, enter: Enter}
`

// doorWithBadWay is a second version whose migration does not fit what
// players have: a variable has no counterpart.
const doorWithBadWay = `kind: story-graph
id: door
version: 2
title: title
migrates:
  - {from: 1}
start: outside
scenes:
  outside:
    text: outside
    actions: [{id: enter, label: enter, goto: inside}]
  inside: {text: inside, ending: ended}
strings:
  en: {title: The Door, outside: A door., inside: You are in., enter: Enter}
`

// foreign is a campaign of a kind that no engine hosts.
const foreign = `{"kind": "hex-war", "id": "ridge", "version": 1, "title": "The Ridge"}`

// campaigns makes a folder of campaign files and returns the setting that
// names it.
func campaigns(t testing.TB, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for n, text := range files {
		must(t, os.WriteFile(filepath.Join(dir, string(rune('a'+n))+".yaml"), []byte(text), 0o600))
	}
	return "HOLDFAST_CAMPAIGNS=" + dir
}
