// Package bench measures what an S3 server costs: CPU time of the server's
// process for each byte or request, beside throughput and latency, and the
// same of bare programs that only move the bytes (the floors), all in one run.
//
// CPU time is the measure because on a benchmark host the server shares the
// cores with its clients: what it uses they do not have. Ratios to a floor of
// the same round carry over to other machines, figures in seconds do not.
//
// Every process measured is one of its own, so that its CPU clock holds
// nothing but its own work; the load generator is the calling process.
package bench
