// Package replay holds the proof of byte identity (spec 10, Proofs): one
// committed fixture is run through every configuration and way in, and each
// transcript equals one committed golden file byte for byte, and each stored
// set of blobs equals the others. Its tests are all that it has.
//
// The golden file changes only by `go test ./app/replay -rewrite`.
package replay
