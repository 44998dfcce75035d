package enginetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// canonical says what keeps a text from being canonical JSON as the port
// demands it: one value, UTF-8 without U+0000, no white space between tokens,
// no member twice.
func canonical(text string) error {
	if !utf8.ValidString(text) {
		return errors.New("it is not UTF-8")
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil {
		return errors.New("it is not JSON")
	}
	if compact.String() != text {
		return errors.New("it has insignificant white space")
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := walkValue(d); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("it holds more than one value")
	}
	return nil
}

func walkValue(d *json.Decoder) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch token := token.(type) {
	case string:
		return noNUL(token)
	case json.Delim:
		names := map[string]bool{}
		for d.More() {
			if token == '{' {
				name, err := d.Token()
				if err != nil {
					return err
				}
				if err := noNUL(name.(string)); err != nil {
					return err
				}
				if names[name.(string)] {
					return fmt.Errorf("it has the member %q twice", name)
				}
				names[name.(string)] = true
			}
			if err := walkValue(d); err != nil {
				return err
			}
		}
		_, err := d.Token()
		return err
	}
	return nil
}

func noNUL(s string) error {
	if strings.ContainsRune(s, 0) {
		return errors.New("it holds U+0000")
	}
	return nil
}
