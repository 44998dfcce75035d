// Package naive is the service that an ordinary Go program would be: net/http,
// encoding/json over maps of any, pgx with a pool of the same size and
// prepared statements. It plays the benchmark's campaign and no other, answers
// two operations as Holdfast does, and writes the same rows with the same
// guarded update; it is the measure of what Holdfast's care costs or brings.
//
// It has no more checks than such a program would have, so it is no example.
package naive
