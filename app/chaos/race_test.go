//go:build race

package main

// raced tells that the tests run under the race detector.
const raced = true
