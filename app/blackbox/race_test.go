//go:build race

package blackbox

// raced tells that the tests run under the race detector.
const raced = true
