package store

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func mustCreateUpload(t testing.TB, b *Bucket, key string) *Upload {
	t.Helper()
	u, err := b.CreateUpload([]byte(key), "meta", Checksum{}, testNow)
	if err != nil {
		t.Fatalf("cannot create upload to %q: %v", key, err)
	}
	return u
}

// putPart uploads p with an ETag that tells parts apart.
func putPart(t testing.TB, b *Bucket, u *Upload, number int, p []byte) ETag {
	t.Helper()
	part := Part{Number: number, Size: int64(len(p)), ETag: b.st.UniqueETag(1), Data: newData(t, b.st, p)}
	if err := b.PutPart(u, part); err != nil {
		t.Fatalf("cannot put part %d: %v", number, err)
	}
	return part.ETag
}

// Case M03: parts in any order, gaps, replacement, pages.
func TestPutPart(t *testing.T) {
	s, b := newBucketFor(t, Memory, Options{})
	u := mustCreateUpload(t, b, "k")
	for _, n := range []int{7, 2, 10000, 2, 7} {
		putPart(t, b, u, n, pattern(n))
	}
	f := func(after, max int, truncated bool, want ...int) {
		t.Helper()
		parts, more := b.Parts(u, after, max)
		got := []int{}
		for _, p := range parts {
			got = append(got, p.Number)
			if p.Size != int64(p.Number) || p.Data != nil {
				t.Fatalf("unexpected part; got %+v", p)
			}
		}
		if more != truncated || !slices.Equal(got, want) {
			t.Fatalf("unexpected parts after %d, max %d; got %v, %v; want %v, %v", after, max, got, more, want, truncated)
		}
	}
	f(0, 10, false, 2, 7, 10000)
	f(0, 3, false, 2, 7, 10000)
	f(0, 2, true, 2, 7)
	f(1, 1, true, 2)
	f(2, 10, false, 7, 10000)
	f(7, 1, false, 10000)
	f(10000, 5, false)
	f(0, 0, true)
	if got, want := s.Stats().MemoryData, int64(2+7+10000); got != want {
		t.Fatalf("unexpected data memory; got %d; want %d: replaced parts must be freed", got, want)
	}
	if err := b.Abort(u); err != nil {
		t.Fatalf("cannot abort: %v", err)
	}
	f(0, 10, false)
	wantMemory(t, s, 0)
}

// Case M07.
func TestUploadUnknown(t *testing.T) {
	s, b := newBucketFor(t, Memory, Options{})
	u := mustCreateUpload(t, b, "k")
	f := func(id, key string, want error) {
		t.Helper()
		got, err := b.Upload([]byte(id), []byte(key))
		if !errors.Is(err, want) || err == nil && got != u {
			t.Fatalf("unexpected upload of (%q, %q); got %v, %v; want %v", id, key, got, err, want)
		}
	}
	f(u.ID, "k", nil)
	f(u.ID, "other", ErrNoSuchUpload)
	f("nope", "k", ErrNoSuchUpload)
	f("", "", ErrNoSuchUpload)
	if err := b.Abort(u); err != nil {
		t.Fatalf("cannot abort: %v", err)
	}
	f(u.ID, "k", ErrNoSuchUpload)
	if err := b.Abort(u); !errors.Is(err, ErrNoSuchUpload) {
		t.Fatalf("unexpected error of a second abort; got %v; want %v", err, ErrNoSuchUpload)
	}
	d := newData(t, s, []byte("abc"))
	if err := b.PutPart(u, Part{Number: 1, Size: 3, Data: d}); !errors.Is(err, ErrNoSuchUpload) {
		t.Fatalf("unexpected error of a part after abort; got %v; want %v", err, ErrNoSuchUpload)
	}
	d.Release() // still ours
	if _, ok := b.Completed([]byte(u.ID), []byte("k")); ok {
		t.Fatalf("unexpected result of an aborted upload")
	}
	wantMemory(t, s, 0)
}

func TestUploadIDs(t *testing.T) {
	_, b := newBucketFor(t, Synth, Options{})
	last := ""
	for i := range 1000 {
		// The clock stands still, then goes backwards: ids ascend all the same.
		u, err := b.CreateUpload([]byte("k"), "", Checksum{}, testNow.Add(-time.Duration(i/2)*time.Second))
		if err != nil {
			t.Fatalf("cannot create upload: %v", err)
		}
		if len(u.ID) < 32 || strings.Trim(u.ID, "0123456789abcdef") != "" {
			t.Fatalf("unexpected form of id %q", u.ID)
		}
		if u.ID <= last {
			t.Fatalf("unexpected order of ids; got %q after %q", u.ID, last)
		}
		last = u.ID
	}
}

func TestUploadsFrom(t *testing.T) {
	_, b := newBucketFor(t, Synth, Options{})
	ids := map[string]string{}
	for _, key := range []string{"b", "a/2", "a/1", "b", "c\x00", "a/2", "c"} {
		u := mustCreateUpload(t, b, key)
		ids[u.ID] = fmt.Sprintf("%s#%d", key, len(ids))
	}
	idOf := func(label string) string {
		for id, l := range ids {
			if l == label {
				return id
			}
		}
		return ""
	}
	f := func(key, id string, max int, want ...string) {
		t.Helper()
		got := []string{}
		b.UploadsFrom([]byte(key), []byte(id), func(u *Upload) bool {
			got = append(got, ids[u.ID])
			return len(got) < max
		})
		if !slices.Equal(got, want) {
			t.Fatalf("unexpected uploads from (%q, %q); got %q; want %q", key, id, got, want)
		}
	}
	all := []string{"a/1#2", "a/2#1", "a/2#5", "b#0", "b#3", "c#6", "c\x00#4"}
	f("", "", 100, all...)
	f("", "", 2, all[:2]...)
	f("a/2", "", 100, all[1:]...)
	f("a/2", idOf("a/2#5"), 100, all[2:]...)
	f("a/2\x00", "", 100, all[3:]...)
	f("a0", "", 100, all[3:]...) // past the prefix "a/"
	f("c", "", 1, all[5])
	f("d", "", 1)
}

// The same part number from many goroutines, against completions and aborts:
// whatever wins, nothing leaks and no object is torn.
func TestUploadRaces(t *testing.T) {
	s, b := newBucketFor(t, Memory, Options{})
	for round := range 100 {
		u := mustCreateUpload(t, b, "k")
		tag := putPart(t, b, u, 1, []byte("one"))
		list := []CompletePart{{Number: 1, ETag: tag}}
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				d := newData(t, s, []byte("again"))
				p := Part{Number: 1 + i%2, Size: 5, ETag: tag, Data: d}
				if err := b.PutPart(u, p); err != nil {
					if !errors.Is(err, ErrNoSuchUpload) {
						t.Errorf("unexpected error of PutPart; got %v", err)
					}
					d.Release()
				}
			})
		}
		results := make([]Object, 3)
		errs := make([]error, 3)
		for i := range results {
			wg.Go(func() {
				results[i], errs[i] = b.Complete(u, list, CompleteOptions{Now: testNow, Size: -1})
			})
		}
		var abortErr error
		if round%2 == 0 {
			wg.Go(func() { abortErr = b.Abort(u) })
		} else {
			abortErr = ErrNoSuchUpload
		}
		wg.Wait()
		var o Object
		published := b.Get([]byte("k"), &o)
		if published == (abortErr == nil) {
			t.Fatalf("unexpected outcome; published %v, abort %v; want one of them", published, abortErr)
		}
		for i := range results {
			switch {
			case published && (errs[i] != nil || results[i] != results[0]):
				t.Fatalf("unexpected result %d; got %+v, %v; want %+v", i, results[i], errs[i], results[0])
			case !published && !errors.Is(errs[i], ErrNoSuchUpload):
				t.Fatalf("unexpected error of Complete after Abort; got %v; want %v", errs[i], ErrNoSuchUpload)
			}
		}
		if published {
			if got := string(contents(o.Data)); int64(len(got)) != o.Size || got != "one" && got != "again" {
				t.Fatalf("unexpected content; got %q of %d bytes", got, o.Size)
			}
			o.Release()
			mustDelete(t, b, "k")
		}
		wantMemory(t, s, 0)
	}
	if n := s.Stats().Uploads; n != 0 {
		t.Fatalf("unexpected open uploads; got %d; want 0", n)
	}
}

// 10,000 parts in scattered order, and parts of parts of pages.
func TestManyParts(t *testing.T) {
	const n = 10000
	s, b := newBucketFor(t, Memory, Options{})
	u := mustCreateUpload(t, b, "k")
	list := make([]CompletePart, n)
	want := []byte{}
	for i := range n {
		want = fmt.Appendf(want, "part %05d;", i+1)
	}
	for i := range n {
		j := i * 7919 % n // 7919 is prime: every part once
		p := []byte(fmt.Sprintf("part %05d;", j+1))
		list[j] = CompletePart{Number: j + 1, ETag: putPart(t, b, u, j+1, p)}
	}
	sum, err := b.Complete(u, list, CompleteOptions{Now: testNow, Size: int64(len(want))})
	if err != nil {
		t.Fatalf("cannot complete: %v", err)
	}
	if sum.ETag.Parts != n || sum.Size != int64(len(want)) {
		t.Fatalf("unexpected object; got %+v", sum)
	}
	var o Object
	b.Get([]byte("k"), &o)
	if !bytes.Equal(contents(o.Data), want) {
		t.Fatalf("unexpected content of %d parts", n)
	}
	if off, size := o.Parts.Part(n); off != 11*(n-1) || size != 11 || len(o.Parts.runs) != 1 {
		t.Fatalf("unexpected last part; got %d, %d in %d runs", off, size, len(o.Parts.runs))
	}
	o.Release()
	mustDelete(t, b, "k")
	wantMemory(t, s, 0)
}
