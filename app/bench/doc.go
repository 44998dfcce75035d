// Package bench measures Holdfast beside what it is compared with, in one run
// on one machine (spec 60, Performance). Its command is app/bench/cmd.
//
// # What is measured against what
//
// Each [Work] has contenders: Holdfast, a bare driver that sends the same
// statements without any service (pgbench), and a service that an ordinary Go
// program would be (package naive). All of them work on the same table of one
// PostgreSQL, with its own durability settings on, and every contender is a
// process of its own; the load generator is this process.
//
// # What makes the numbers comparable
//
// Rounds are interleaved: within a round each contender of each work has its
// slot, one after the other, so that a machine that slows down slows all of
// them down. Before each slot the table is vacuumed and a checkpoint is made;
// autovacuum and timed checkpoints are off, so that none falls into one slot
// and not into another. A rate is the median over the rounds, a ratio the
// median of the rounds' ratios.
//
// # What is not trusted
//
// A slot fails the run if an answer is not what the work expects, and
// the fight for one session also if the row's version has not grown by
// exactly the number of accepted writes.
package bench
