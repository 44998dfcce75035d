// Package memory holds the storage ports in maps: what tests of the services
// and of the suites run on, and the fixture of the replay. It is never a
// deployment, since nothing in it outlives the process.
//
// [Store] answers as the durable store does, with expiry by an injected
// clock. [Replay] is the reference of the in-memory configuration (spec 10,
// Two configurations): it queues operations on one session instead of
// refusing the slower one, nothing in it expires, and its profiles are
// replaced.
package memory
