package store

import (
	"bytes"
	"crypto/md5"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/s3ultra/s3ultra/synth"
)

// Case M08 in full: the published vectors, from bytes to object.
func TestCompleteMD5(t *testing.T) {
	s, b := newBucketFor(t, Memory, Options{MinPartSize: 5 << 20})
	bodies := [][]byte{bytes.Repeat([]byte("a"), 5<<20), bytes.Repeat([]byte("b"), 5<<20), []byte("c")}
	f := func(want string, numbers ...int) {
		t.Helper()
		u := mustCreateUpload(t, b, "k")
		for i, p := range bodies {
			part := Part{Number: i + 1, Size: int64(len(p)), ETag: ETag{Sum: md5.Sum(p)}, Data: newData(t, s, p)}
			if err := b.PutPart(u, part); err != nil {
				t.Fatalf("cannot put part: %v", err)
			}
		}
		var list []CompletePart
		var content []byte
		for _, n := range numbers {
			list = append(list, CompletePart{Number: n, ETag: ETag{Sum: md5.Sum(bodies[n-1])}})
			content = append(content, bodies[n-1]...)
		}
		sum, err := b.Complete(u, list, CompleteOptions{Now: testNow, Size: -1})
		if err != nil {
			t.Fatalf("cannot complete: %v", err)
		}
		var o Object
		if !b.Get([]byte("k"), &o) {
			t.Fatalf("object not published")
		}
		if o.ETag.String() != want || sum.ETag != o.ETag {
			t.Fatalf("unexpected ETag; got %v, %v; want %s", o.ETag, sum.ETag, want)
		}
		if o.Size != int64(len(content)) || !bytes.Equal(contents(o.Data), content) {
			t.Fatalf("unexpected content of %d bytes; want %d", o.Size, len(content))
		}
		if o.Meta != "meta" || o.ModTime != testNow.UnixMilli() || o.Parts.Count() != len(numbers) {
			t.Fatalf("unexpected object; got %+v", o)
		}
		o.Release()
		mustDelete(t, b, "k")
		wantMemory(t, s, 0)
	}
	f("0a97f1336a2298a6c3e9adaa562a9eec-3", 1, 2, 3)
	f("27ff6eb1837e1e912e886ffe1b4db342-2", 1, 3)
	f("65d79814053817eae59f7c7cee98d3f8-1", 1)
}

// Cases M01, M02, M04, M14: what is refused, with the upload left open.
func TestCompleteRefused(t *testing.T) {
	s, b := newBucketFor(t, Memory, Options{MinPartSize: 10})
	u := mustCreateUpload(t, b, "k")
	tags := map[int]ETag{}
	for n, size := range map[int]int{1: 10, 2: 9, 3: 10, 9: 1} {
		p := Part{Number: n, Size: int64(size), ETag: s.UniqueETag(1), Checksum: Checksum{Algorithm: 1, Sum: fmt.Sprint(n)}, Data: newData(t, s, pattern(size))}
		if err := b.PutPart(u, p); err != nil {
			t.Fatalf("cannot put part: %v", err)
		}
		tags[n] = p.ETag
	}
	list := func(numbers ...int) []CompletePart {
		l := []CompletePart{}
		for _, n := range numbers {
			l = append(l, CompletePart{Number: n, ETag: tags[n], Checksum: fmt.Sprint(n)})
		}
		return l
	}
	errNo := errors.New("no")
	used := s.MemoryUsed()
	f := func(what string, l []CompletePart, opt CompleteOptions, ok func(error) bool) {
		t.Helper()
		opt.Now = testNow
		if _, err := b.Complete(u, l, opt); !ok(err) {
			t.Fatalf("unexpected error of %s; got %v", what, err)
		}
		wantMemory(t, s, used)
		if b.Len() != 0 {
			t.Fatalf("object published by %s", what)
		}
		if got, err := b.Upload([]byte(u.ID), []byte("k")); err != nil || got != u {
			t.Fatalf("upload ended by %s; got %v", what, err)
		}
	}
	is := func(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }
	invalid := func(n int) func(error) bool {
		return func(err error) bool {
			e, ok := errors.AsType[*InvalidPartError](err)
			return ok && e.Number == n
		}
	}
	none := CompleteOptions{Size: -1}
	f("no parts", nil, none, is(ErrNoParts))
	f("descending parts", list(3, 1), none, is(ErrInvalidPartOrder))
	f("a part twice", list(1, 1), none, is(ErrInvalidPartOrder))
	f("a missing part", list(1, 4), none, invalid(4))
	f("part 0", list(0, 1), none, invalid(0))
	wrong := list(1, 3)
	wrong[1].ETag = tags[1]
	f("another part's ETag", wrong, none, invalid(3))
	wrong = list(1, 3)
	wrong[0].Checksum = "x"
	f("a wrong checksum", wrong, none, invalid(1))
	f("a small part", list(1, 2, 9), none, func(err error) bool {
		e, ok := errors.AsType[*EntityTooSmallError](err)
		return ok && *e == EntityTooSmallError{Size: 9, Min: 10, Number: 2}
	})
	f("a wrong size", list(1, 3), CompleteOptions{Size: 21}, is(ErrSizeMismatch))
	f("a failing check", list(1, 3), CompleteOptions{Size: 20, Check: func(old *Object) error {
		if old != nil {
			t.Errorf("unexpected old object %+v", old)
		}
		return errNo
	}}, is(errNo))
	f("a failing checksum", list(1, 3), CompleteOptions{Size: 20, Checksum: func([]Part) (Checksum, error) {
		return Checksum{}, errNo
	}}, is(errNo))

	l := list(1, 3, 9)
	l[0].Checksum = "" // need not be listed
	want := Checksum{Algorithm: 1, Composite: true, Sum: "combined"}
	o, err := b.Complete(u, l, CompleteOptions{Now: testNow, Size: 21, Checksum: func(parts []Part) (Checksum, error) {
		if len(parts) != 3 || parts[2].Number != 9 || parts[2].Checksum.Sum != "9" {
			t.Errorf("unexpected parts to combine; got %+v", parts)
		}
		return want, nil
	}})
	if err != nil || o.Checksum != want {
		t.Fatalf("unexpected result of a corrected list; got %+v, %v", o, err)
	}
	var got Object
	b.Get([]byte("k"), &got)
	if sum := string(got.Parts.Checksum(3)); sum != "9" {
		t.Fatalf("unexpected checksum of part 3; got %q; want 9", sum)
	}
	got.Release()
	mustDelete(t, b, "k")
	wantMemory(t, s, 0)
}

// Synthetic objects have a derived ETag and content hash, and keep their bytes
// only if they are small and every part kept its own.
func TestCompleteSynth(t *testing.T) {
	s, b := newBucketFor(t, Synth, Options{Seed: 7, KeepSmall: 100})
	content := synth.Hash(7, "b", "k")
	f := func(kept bool, sizes ...int) {
		t.Helper()
		u := mustCreateUpload(t, b, "k")
		list := []CompletePart{}
		total := 0
		for i, size := range sizes {
			w, err := s.NewWriter(Synth, int64(size))
			if err != nil {
				t.Fatalf("cannot make a writer: %v", err)
			}
			if _, err := w.Write(pattern(size)); err != nil {
				t.Fatalf("cannot write: %v", err)
			}
			p := Part{Number: i + 1, Size: int64(size), ETag: DeriveETag(content, int64(size), 1), Data: w.Finish()}
			if err := b.PutPart(u, p); err != nil {
				t.Fatalf("cannot put part: %v", err)
			}
			list = append(list, CompletePart{Number: p.Number, ETag: p.ETag})
			total += size
		}
		o, err := b.Complete(u, list, CompleteOptions{Now: testNow, Size: -1})
		if err != nil {
			t.Fatalf("cannot complete: %v", err)
		}
		want := DeriveETag(content, int64(total), len(sizes))
		if o.Content != content || (o.ETag == want) == kept || int(o.ETag.Parts) != len(sizes) {
			t.Fatalf("unexpected object of parts %v; got %+v; derived ETag %v", sizes, o, want)
		}
		var got Object
		b.Get([]byte("k"), &got)
		if n := got.Data.Size(); kept && n != int64(total) || !kept && n != 0 {
			t.Fatalf("unexpected data of parts %v; got %d bytes; want kept %v", sizes, n, kept)
		}
		got.Release()
		mustDelete(t, b, "k")
		wantMemory(t, s, 0)
	}
	f(false, 100)
	f(false, 5<<20, 5<<20, 1)
	f(false, 60, 60)
	f(false, 5<<20, 50)
	f(true, 60, 39)
	f(true, 99)
	f(true, 0) // case W05
}

// Parts that were hashed though their bytes were dropped give AWS's ETag, if
// all were.
func TestCompleteSynthHashed(t *testing.T) {
	_, b := newBucketFor(t, Synth, Options{Seed: 7})
	f := func(want ETag, mode ETagMode, hashed ...bool) {
		t.Helper()
		u := mustCreateUpload(t, b, "k")
		list := []CompletePart{}
		for i, h := range hashed {
			p := Part{Number: i + 1, Size: 100, ETag: ETag{Sum: [16]byte{byte(i)}}, TrueMD5: h}
			if err := b.PutPart(u, p); err != nil {
				t.Fatalf("cannot put part: %v", err)
			}
			list = append(list, CompletePart{Number: p.Number, ETag: p.ETag})
		}
		o, err := b.Complete(u, list, CompleteOptions{Now: testNow, Size: -1, ETag: mode})
		if err != nil || o.ETag != want {
			t.Fatalf("unexpected ETag of hashed parts %v; got %v, %v; want %v", hashed, o.ETag, err, want)
		}
	}
	content := synth.Hash(7, "b", "k")
	md5s := MultipartETag([][16]byte{{0}, {1}})
	f(md5s, ETagMD5, true, true)
	f(md5s, ETagFast, true, true)
	f(DeriveETag(content, 200, 2), ETagMD5, true, false)
	f(DeriveETag(content, 200, 2), ETagMD5, false, false)
	f(DeriveETag(content, 200, 2), ETagFast, false, false)
}

func TestCompleteFastETag(t *testing.T) {
	_, b := newBucketFor(t, Memory, Options{})
	seen := map[ETag]bool{}
	for range 3 {
		u := mustCreateUpload(t, b, "k")
		l := []CompletePart{
			{Number: 1, ETag: putPart(t, b, u, 1, []byte("same"))},
			{Number: 2, ETag: putPart(t, b, u, 2, []byte("bytes"))},
		}
		o, err := b.Complete(u, l, CompleteOptions{Now: testNow, Size: -1, ETag: ETagFast})
		if err != nil {
			t.Fatalf("cannot complete: %v", err)
		}
		if o.ETag.Parts != 2 || seen[o.ETag] {
			t.Fatalf("unexpected ETag; got %v; want a new one of 2 parts", o.ETag)
		}
		seen[o.ETag] = true
	}
}

// Case M06: a repeated Complete has the same answer, also after the object is
// gone, but not for another key or bucket.
func TestCompleteAgain(t *testing.T) {
	s, b := newBucketFor(t, Memory, Options{})
	u := mustCreateUpload(t, b, "k")
	list := []CompletePart{{Number: 1, ETag: putPart(t, b, u, 1, pattern(1000))}}
	putPart(t, b, u, 2, pattern(segmentSize)) // not listed: freed
	first, err := b.Complete(u, list, CompleteOptions{Now: testNow, Size: -1})
	if err != nil {
		t.Fatalf("cannot complete: %v", err)
	}
	if got := s.Stats().MemoryData; got != 1000 {
		t.Fatalf("unexpected data memory; got %d; want 1000: the part not listed must be freed", got)
	}
	mustDelete(t, b, "k")
	wantMemory(t, s, 0)
	again, err := b.Complete(u, list, CompleteOptions{Now: testNow.Add(time.Second), Size: -1})
	if err != nil || again != first {
		t.Fatalf("unexpected second result; got %+v, %v; want %+v", again, err, first)
	}
	if b.Len() != 0 {
		t.Fatalf("object published twice")
	}
	if _, err := b.Upload([]byte(u.ID), []byte("k")); !errors.Is(err, ErrNoSuchUpload) {
		t.Fatalf("unexpected error; got %v; want %v", err, ErrNoSuchUpload)
	}
	if o, ok := b.Completed([]byte(u.ID), []byte("k")); !ok || o != first {
		t.Fatalf("unexpected remembered result; got %+v, %v; want %+v", o, ok, first)
	}
	if _, ok := b.Completed([]byte(u.ID), []byte("other")); ok {
		t.Fatalf("unexpected result for another key")
	}
	if err := s.DeleteBucket([]byte("b")); err != nil {
		t.Fatalf("cannot delete bucket: %v", err)
	}
	b, err = s.CreateBucket("b", Memory, testNow)
	if err != nil {
		t.Fatalf("cannot create bucket: %v", err)
	}
	if _, ok := b.Completed([]byte(u.ID), []byte("k")); ok {
		t.Fatalf("unexpected result in a new bucket of the same name")
	}
}

// Parts that are shared by the object outlive the upload; replaced and copied
// objects share them once.
func TestCompleteSharesMemory(t *testing.T) {
	s, b := newBucketFor(t, Memory, Options{})
	u := mustCreateUpload(t, b, "k")
	p := pattern(segmentSize + 100)
	l := []CompletePart{
		{Number: 1, ETag: putPart(t, b, u, 1, p)},
		{Number: 2, ETag: putPart(t, b, u, 2, p)},
	}
	before := s.Stats().MemoryData
	if _, err := b.Complete(u, l, CompleteOptions{Now: testNow, Size: -1}); err != nil {
		t.Fatalf("cannot complete: %v", err)
	}
	var o Object
	b.Get([]byte("k"), &o)
	mustPut(t, b, "copy", o) // takes over our reference
	if got := s.Stats().MemoryData; got != before {
		t.Fatalf("unexpected data memory after complete and copy; got %d; want %d", got, before)
	}
	mustDelete(t, b, "k")
	b.Get([]byte("copy"), &o)
	if !bytes.Equal(contents(o.Data), append(bytes.Clone(p), p...)) {
		t.Fatalf("unexpected content of the copy")
	}
	o.Release()
	mustDelete(t, b, "copy")
	wantMemory(t, s, 0)
}

func TestCompletedTable(t *testing.T) {
	var table completedTable
	id := func(i int) []byte { return fmt.Appendf(nil, "id%d", i) }
	add := func(i int, now time.Time) {
		table.add(1, &Upload{ID: string(id(i)), Key: "k", result: Object{Size: int64(i)}}, now)
	}
	has := func(i int, want bool) {
		t.Helper()
		if o, ok := table.get(1, id(i), []byte("k")); ok != want || ok && o.Size != int64(i) {
			t.Fatalf("unexpected entry %d; got %+v, %v; want %v", i, o, ok, want)
		}
	}
	add(1, testNow)
	add(2, testNow.Add(completedAge))
	has(1, true)
	table.expire(testNow.Add(completedAge + 1))
	has(1, false)
	has(2, true)
	table.expire(testNow.Add(3 * completedAge))
	has(2, false)
	for i := range completedMax + 10 {
		add(i, testNow)
	}
	has(9, false)
	has(10, true)
	has(completedMax+9, true)
	if len(table.m) != completedMax {
		t.Fatalf("unexpected entries; got %d; want %d", len(table.m), completedMax)
	}
}

// TestCompleteCopied: parts that are a generated object from its first byte on
// make an object of that content, and no other parts do.
func TestCompleteCopied(t *testing.T) {
	copied := func(content uint64, off int64) Part { return Part{Copied: true, Content: content, Offset: off} }
	f := func(want bool, parts ...Part) {
		t.Helper()
		b, err := New(Options{}).CreateBucket("b", Synth, testNow)
		if err != nil {
			t.Fatalf("cannot create the bucket: %v", err)
		}
		u := mustCreateUpload(t, b, "k")
		var list []CompletePart
		for i, p := range parts {
			p.Number, p.Size = i+1, 10
			if err := b.PutPart(u, p); err != nil {
				t.Fatalf("cannot put part %d: %v", p.Number, err)
			}
			list = append(list, CompletePart{Number: p.Number})
		}
		o, err := b.Complete(u, list, CompleteOptions{Now: testNow, Size: -1})
		if err != nil {
			t.Fatalf("cannot complete: %v", err)
		}
		if got := o.Content == 7; got != want {
			t.Errorf("unexpected content %d of %+v; want that of the source: %v", o.Content, parts, want)
		}
	}
	f(true, copied(7, 0))
	f(true, copied(7, 0), copied(7, 10), copied(7, 20))
	f(false, copied(7, 10))
	f(false, copied(7, 0), copied(7, 20))
	f(false, copied(7, 0), copied(8, 10))
	f(false, copied(7, 0), Part{})
}
