package main

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// The sequential model of a session: it is at a version and in a state; a
// write makes the next of both, a read shows them, a precondition that is
// refused says that the version is another one.

// versioned is the model's state.
type versioned struct {
	version int
	state
}

// call is what an operation asks of the model.
type call struct {
	kind string
	// write is nil where nothing is written.
	write *write
	// ifMatch is the version that the session must be at; 0: any.
	ifMatch int
	// refused: the precondition did not hold.
	refused bool
	// rejected: the game took no more writes.
	rejected bool
}

// result is what the model must answer; zero where it is not known.
type result struct {
	version int
	state   *state
}

func model(first versioned) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return first },
		Step: func(at, input, output any) (bool, any) {
			return stepModel(at.(versioned), input.(call), output.(result))
		},
		DescribeOperation: func(input, output any) string { return describe(input.(call), output.(result)) },
		DescribeState: func(at any) string {
			s := at.(versioned)
			return fmt.Sprintf("version %d, register %q, sum %d", s.version, s.register, s.sum)
		},
	}
}

func stepModel(at versioned, in call, out result) (bool, versioned) {
	if in.refused {
		return at.version != in.ifMatch, at
	}
	if in.ifMatch != 0 && at.version != in.ifMatch {
		return false, at
	}
	if in.rejected && !at.full() {
		return false, at
	}
	if in.write != nil {
		at = versioned{at.version + 1, at.after(*in.write)}
	}
	return (out.version == 0 || out.version == at.version) && (out.state == nil || *out.state == at.state), at
}

func describe(in call, out result) string {
	text := in.kind
	if in.write != nil {
		text += " " + in.write.id
	}
	if in.ifMatch != 0 {
		text += fmt.Sprintf(" if at %d", in.ifMatch)
	}
	switch {
	case in.refused:
		return text + ": refused"
	case in.rejected:
		return text + ": rejected"
	case out.version != 0:
		return fmt.Sprintf("%s: at %d", text, out.version)
	}
	return text + ": not known"
}
