package server

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"
)

// Every latency is below its bucket's bound and not below the bound before.
func TestLatencyBuckets(t *testing.T) {
	for b := range latencyBuckets {
		if b > 0 && latencyBound(b) <= latencyBound(b-1) {
			t.Fatalf("unexpected bound of bucket %d; got %v after %v; want more", b, latencyBound(b), latencyBound(b-1))
		}
	}
	f := func(d time.Duration) {
		t.Helper()
		b := latencyBucket(d)
		if b < latencyBuckets-1 && d >= latencyBound(b) || b > 0 && d < latencyBound(b-1) {
			t.Errorf("unexpected bucket of %v; got %d, up to %v", d, b, latencyBound(b))
		}
	}
	f(0)
	f(latencyUnit)
	f(200 * time.Hour)
	for range 10_000 {
		f(time.Duration(rand.Int64N(1 << rand.IntN(45))))
	}
	if b := latencyBucket(-1); b != 0 {
		t.Errorf("unexpected bucket of a clock that went back; got %d; want 0", b)
	}
	// The exported bounds are bounds of buckets.
	for power := firstExportedPower; power <= lastExportedPower; power++ {
		if got, want := latencyBound((power+1)*latencySteps-1), time.Duration(1<<power)*time.Microsecond; got != want {
			t.Errorf("unexpected bound below 2^%d µs; got %v; want %v", power, got, want)
		}
	}
}

func TestLatencyQuantiles(t *testing.T) {
	var o operationMetrics
	for i := range 1000 {
		o.observe(latencyWhole, time.Duration(i+1)*time.Millisecond)
	}
	var l latencies
	o.latencies(&l, latencyWhole, latencyFirst)
	f := func(q float64, want time.Duration) {
		t.Helper()
		if got := l.quantile(q); got < want || float64(got) > 1.26*float64(want) {
			t.Errorf("unexpected quantile %v; got %v; want %v or little more", q, got, want)
		}
	}
	f(0.5, 500*time.Millisecond)
	f(0.99, 990*time.Millisecond)
	f(1, time.Second)
	if got := l.count(); got != 1000 {
		t.Errorf("unexpected count; got %d; want 1000", got)
	}
	if got := new(latencies).quantile(0.5); got != 0 {
		t.Errorf("unexpected quantile of nothing; got %v; want 0", got)
	}
}

// Every operation of operation.go has a number, so that none is counted as
// unknown.
func TestEveryOperationIsCounted(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "operation.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	defined := 0
	for _, decl := range file.Decls {
		if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.VAR {
			defined += len(g.Specs)
		}
	}
	if len(operations) != defined+1 {
		t.Errorf("unexpected number of operations with a number; got %d; want the %d of operation.go and the unknown one", len(operations), defined)
	}
	if len(operations) > maxOperations {
		t.Errorf("there are %d operations; maxOperations is %d", len(operations), maxOperations)
	}
	for i, op := range operations {
		if op.number != i {
			t.Errorf("unexpected number of %s; got %d; want %d", op.name, op.number, i)
		}
	}
}

// What the comments say of cache lines.
func TestCounterLayout(t *testing.T) {
	if n := unsafe.Sizeof(operationMetrics{}); n%64 != 0 {
		t.Errorf("unexpected size of operationMetrics; got %d; want a multiple of 64", n)
	}
	if n := unsafe.Offsetof(operationMetrics{}.replies) + 16; n > 64 {
		t.Errorf("the counters of 200 and 206 end at byte %d; want them in the first 64", n)
	}
	if n := unsafe.Sizeof(journalEntry{}); n != 256 {
		t.Errorf("unexpected size of journalEntry; got %d; want 256", n)
	}
}
