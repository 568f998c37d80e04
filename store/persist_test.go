package store

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/s3ultra/s3ultra/synth"
)

// openFor opens the database in dir, to be closed by the test's end.
func openFor(t *testing.T, dir string, opt Options, p Persistence) *Store {
	t.Helper()
	p.Dir = dir
	s, err := Open(opt, p)
	if err != nil {
		t.Fatalf("cannot open: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// kill ends the store as a kill of the process would: the journal stays as it
// is. The locks and mappings go.
func kill(t *testing.T, s *Store) {
	t.Helper()
	d := s.persist
	d.closed.Do(func() {}) // Close will do nothing
	close(d.stop)
	_ = d.journal.fail(errors.New("killed"))
	// Segments that are full may or may not be in the index by now.
	d.work.Wait()
	copyDir := d.journal.dir
	saved := map[string][]byte{}
	entries, err := os.ReadDir(copyDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(copyDir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		saved[e.Name()] = b
	}
	if err := d.closeIndex(); err != nil {
		t.Fatal(err)
	}
	for name, b := range saved {
		if err := os.WriteFile(filepath.Join(copyDir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// version is one version of an object in a snapshot, with its bytes.
type snapshotVersion struct {
	Key            string
	Object         Object
	Parts          Parts
	Body           string
	Latest, Marker bool
}

// snapshot is all that a restart must bring back.
type snapshot struct {
	Buckets   []string
	Versions  map[string][]snapshotVersion
	Uploads   map[string][]string
	Parts     map[string][]string
	Completed map[string]Object
	Len       map[string]int
	Bytes     map[string]int64
}

func snapshotOf(t *testing.T, s *Store) snapshot {
	t.Helper()
	n := snapshot{Versions: map[string][]snapshotVersion{}, Uploads: map[string][]string{}, Parts: map[string][]string{},
		Completed: map[string]Object{}, Len: map[string]int{}, Bytes: map[string]int64{}}
	for _, b := range s.Buckets() {
		n.Buckets = append(n.Buckets, fmt.Sprint(b.Name(), b.Mode(), b.Created().UnixNano(), b.Versioning()))
		for kind := range documentKinds {
			if d := b.Document(kind); d != nil {
				n.Buckets = append(n.Buckets, fmt.Sprint(kind, d.Text))
			}
		}
		n.Len[b.Name()], n.Bytes[b.Name()] = b.Len(), b.Bytes()
		c := b.VersionCursor()
		for ok := c.Seek(nil); ok; ok = c.Next() {
			v := snapshotVersion{Key: string(c.Key()), Object: *c.Object(), Latest: c.IsLatest(), Marker: c.IsMarker()}
			v.Object.Checksum.Sum = strings.Clone(v.Object.Checksum.Sum)
			v.Body = string(contents(v.Object.Data))
			if v.Object.Parts != nil {
				v.Parts = *v.Object.Parts
			}
			v.Object.Data, v.Object.Parts = nil, nil
			n.Versions[b.Name()] = append(n.Versions[b.Name()], v)
		}
		c.Close()
		b.UploadsFrom(nil, nil, func(u *Upload) bool {
			n.Uploads[b.Name()] = append(n.Uploads[b.Name()], fmt.Sprint(u.ID, u.Key, u.Meta, u.Initiated, u.Checksum))
			u.parts.Scan(func(_ int, p Part) bool {
				body := contents(p.Data)
				p.Data = nil
				n.Parts[u.ID] = append(n.Parts[u.ID], fmt.Sprintf("%+v %q", p, body))
				return true
			})
			return true
		})
	}
	s.completed.mu.Lock()
	for e := s.completed.head; e != nil; e = e.next {
		n.Completed[e.id+e.key] = e.result
	}
	s.completed.mu.Unlock()
	return n
}

// compareSnapshots reports the first field that differs.
func compareSnapshots(t *testing.T, got, want snapshot) {
	t.Helper()
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range g.NumField() {
		if !reflect.DeepEqual(g.Field(i).Interface(), w.Field(i).Interface()) {
			for _, k := range w.Field(i).MapKeys() {
				if a, b := g.Field(i).MapIndex(k), w.Field(i).MapIndex(k); !a.IsValid() || !reflect.DeepEqual(a.Interface(), b.Interface()) {
					t.Logf("at %v: got %.2000s; want %.2000s", k, fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", b))
				}
			}
			t.Fatalf("unexpected %s after the restart", g.Type().Field(i).Name)
		}
	}
}

// Random operations of every kind, with a restart or a kill now and then: the
// state is the same after each.
func TestRestartModel(t *testing.T) {
	rng := newRNG(t)
	dir := filepath.Join(t.TempDir(), "db")
	opt := Options{Seed: 7, KeepSmall: 100}
	p := Persistence{Data: true, Sync: time.Hour, Pattern: "random"}
	s := openFor(t, dir, opt, p)
	s.persist.journal.segmentSize = 64 << 10
	now := testNow
	rounds := 8
	for round := range rounds {
		for range 400 {
			now = now.Add(time.Second)
			randomOperation(t, rng, s, now)
		}
		want, used := snapshotOf(t, s), s.MemoryUsed()
		if rng.IntN(2) == 0 || round == 0 {
			kill(t, s)
		} else if err := s.Close(); err != nil {
			t.Fatalf("cannot close: %v", err)
		}
		s = openFor(t, dir, opt, p)
		compareSnapshots(t, snapshotOf(t, s), want)
		// Bodies that were shared in a way that rows cannot express take more.
		if got := s.MemoryUsed(); got < used/2 || got > used*2+1<<20 {
			t.Errorf("unexpected memory after the restart; got %d; want about %d", got, used)
		}
		s.persist.journal.segmentSize = 64 << 10
	}
}

func randomOperation(t *testing.T, rng *rand.Rand, s *Store, now time.Time) {
	t.Helper()
	name := fmt.Sprintf("bucket-%d", rng.IntN(4))
	b := s.Bucket([]byte(name))
	if b == nil {
		if _, err := s.CreateBucket(name, Mode(rng.IntN(2)), now); err != nil {
			t.Fatal(err)
		}
		return
	}
	key := []byte(randomKey(rng))
	body := func(max int) []byte {
		p := make([]byte, rng.IntN(max))
		for i := range p {
			p[i] = byte(rng.IntN(256))
		}
		return p
	}
	data := func(p []byte) *Data {
		if b.Mode() == Synth && int64(len(p)) >= s.opt.KeepSmall {
			return nil
		}
		return newData(t, s, p)
	}
	size := []int{50, 300, 300, 300, 3000, 3000, 100_000}[rng.IntN(7)]
	switch n := rng.IntN(100); {
	case n < 5:
		c := b.VersionCursor()
		var v Version
		found := c.Seek(key) && !c.IsMarker()
		if found {
			key, v = bytes.Clone(c.Key()), c.Object().Version
		}
		c.Close()
		if !found {
			return
		}
		if err := b.ChangeMeta(key, v, true, func(o *Object) (string, error) { return fmt.Sprint("t", rng.IntN(9)), nil }); err != nil {
			t.Fatal(err)
		}
	case n < 8:
		text := strings.Repeat("d", rng.IntN(3))
		if err := b.SetDocument(DocumentKind(rng.IntN(int(documentKinds))), text); err != nil {
			t.Fatal(err)
		}
	case n < 45:
		p := body(size)
		o := Object{Size: int64(len(p)), ModTime: now.UnixMilli(), Content: rng.Uint64(), Data: data(p)}
		o.ETag = DeriveETag(o.Content, o.Size, 1)
		if rng.IntN(2) == 0 {
			o.Meta = strings.Repeat("m", rng.IntN(50))
			o.ETag = ETag{Sum: [16]byte{byte(n), 1}}
		}
		if rng.IntN(4) == 0 {
			o.Checksum = Checksum{Algorithm: 3, Composite: true, Named: rng.IntN(2) == 0, Sum: "\x00abc"}
		}
		if err := b.Put(key, &o, nil); err != nil {
			t.Fatal(err)
		}
	case n < 60:
		if _, err := b.Delete(key, now, nil); err != nil {
			t.Fatal(err)
		}
	case n < 65:
		var o Object
		if b.Get(key, &o) {
			if err := b.Put([]byte(randomKey(rng)), &o, nil); err != nil { // a copy
				t.Fatal(err)
			}
		}
	case n < 72:
		c := b.VersionCursor()
		var k []byte
		var v Version
		if c.Seek(key) {
			k, v = append(k, c.Key()...), c.Object().Version
		}
		found := k != nil
		c.Close()
		if found {
			if _, err := b.DeleteVersion(k, v, nil); err != nil {
				t.Fatal(err)
			}
		}
	case n < 74:
		if err := b.SetVersioning(Versioning(rng.IntN(3))); err != nil {
			t.Fatal(err)
		}
	case n < 75:
		if err := s.DeleteBucket([]byte(name)); err != nil && !errors.Is(err, ErrBucketNotEmpty) {
			t.Fatal(err)
		}
	case n < 80:
		if _, err := b.CreateUpload(key, "meta", Checksum{Algorithm: 2, Named: true}, now); err != nil {
			t.Fatal(err)
		}
	default:
		var u *Upload
		b.UploadsFrom(key, nil, func(x *Upload) bool { u = x; return false })
		if u == nil {
			return
		}
		switch {
		case n < 94:
			p := body(size)
			part := Part{Number: 1 + rng.IntN(5), Size: int64(len(p)), ModTime: now.UnixMilli(), Data: data(p), TrueMD5: rng.IntN(2) == 0, Copied: rng.IntN(2) == 0,
				ETag: ETag{Sum: [16]byte{byte(n)}}, Checksum: Checksum{Algorithm: 2, Sum: "1234"}}
			if part.Copied {
				part.Content = 7
			}
			if err := b.PutPart(u, part); err != nil {
				t.Fatal(err)
			}
		case n < 95:
			if err := b.Abort(u); err != nil {
				t.Fatal(err)
			}
		default:
			parts, _ := b.Parts(u, 0, 10)
			var list []CompletePart
			for _, p := range parts[:(len(parts)+1)/2] {
				list = append(list, CompletePart{Number: p.Number, ETag: p.ETag})
			}
			_, err := b.Complete(u, list, CompleteOptions{Now: now, Size: -1})
			if err != nil && !errors.Is(err, ErrNoParts) {
				t.Fatal(err)
			}
		}
	}
}

// Without Persistence.Data, nothing of memory buckets but themselves is kept.
func TestMemoryBucketsNotKept(t *testing.T) {
	dir := t.TempDir()
	s := openFor(t, dir, Options{}, Persistence{Sync: SyncNone})
	b, err := s.CreateBucket("memory", Memory, testNow)
	if err != nil {
		t.Fatal(err)
	}
	mustPut(t, b, "k", Object{Size: 3, Data: newData(t, s, []byte("abc"))})
	if _, err := b.CreateUpload([]byte("u"), "", Checksum{}, testNow); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openFor(t, dir, Options{}, Persistence{Data: true, Sync: SyncNone})
	b = s.Bucket([]byte("memory"))
	if b == nil || b.Len() != 0 || b.uploads.len() != 0 {
		t.Fatalf("unexpected bucket after the restart: %+v", b)
	}
	wantMemory(t, s, 0)
	mustPut(t, b, "k", Object{Size: 3, Data: newData(t, s, []byte("abc"))})
	s.Close()
	if _, err := Open(Options{}, Persistence{Dir: dir}); !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), "--persist-data") {
		t.Fatalf("unexpected error without Data; got %v; want ErrMismatch", err)
	}
}

// Each fault of the directory is one error that says what to do about it.
func TestOpenFaults(t *testing.T) {
	made := func() string {
		dir := t.TempDir()
		s := openFor(t, dir, Options{Seed: 1}, Persistence{Pattern: "random", Sync: SyncNone})
		b, err := s.CreateBucket("abc", Synth, testNow)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 1000 {
			mustPut(t, b, fmt.Sprintf("key-%d", i), Object{Size: 1 << 30})
		}
		kill(t, s)
		return dir
	}
	f := func(name string, opt Options, p Persistence, want error, text string) {
		t.Helper()
		_, err := Open(opt, p)
		if err == nil || want != nil && !errors.Is(err, want) || !strings.Contains(err.Error(), text) || strings.Contains(err.Error(), "\n") {
			t.Errorf("unexpected error of %s; got %v; want %v with %q", name, err, want, text)
		}
	}
	p := Persistence{Dir: made(), Pattern: "random"}
	f("another seed", Options{Seed: 2}, p, ErrMismatch, "its seed is 1, not 2")
	f("another pattern", Options{Seed: 1}, Persistence{Dir: p.Dir, Pattern: "zeros"}, ErrMismatch, "its pattern is random, not zeros")
	f("too little memory", Options{Seed: 1, MemoryLimit: 1000}, p, ErrMemoryLimit, p.Dir)

	s := openFor(t, p.Dir, Options{Seed: 1}, p)
	if got := s.Bucket([]byte("abc")).Len(); got != 1000 {
		t.Errorf("unexpected objects; got %d; want 1000", got)
	}
	f("a second process", Options{Seed: 1}, p, ErrLocked, p.Dir)
	s.Close()

	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "thesis.tex"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f("a directory of something else", Options{}, Persistence{Dir: foreign}, nil, "thesis.tex")

	// Every file of the index in turn loses its end or is overwritten.
	files, err := filepath.Glob(filepath.Join(p.Dir, dirIndex, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	damaged := 0
	for _, path := range files {
		old, err := os.ReadFile(path)
		if err != nil || !strings.HasSuffix(path, ".sst") && !strings.Contains(path, "MANIFEST") {
			continue // obsolete by now, or not needed
		}
		for _, bad := range [][]byte{old[:len(old)/2], bytes.Repeat([]byte{0xa5}, len(old))} {
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := Open(Options{Seed: 1}, p)
			if err == nil {
				if got := s.Bucket([]byte("abc")); got == nil || got.Len() != 1000 {
					t.Errorf("damage of %s was not found", path)
				}
				s.Close()
			} else if damaged++; !errors.Is(err, ErrDamaged) || strings.Contains(err.Error(), "\n") {
				t.Errorf("unexpected error for damage of %s; got %v; want ErrDamaged", path, err)
			}
			if err := os.WriteFile(path, old, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if damaged == 0 {
		t.Error("no damage was found")
	}
}

// A full disk refuses writes whole, and takes them again when there is space.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	s := openFor(t, dir, Options{}, Persistence{Sync: SyncAlways})
	b, err := s.CreateBucket("abc", Synth, testNow)
	if err != nil {
		t.Fatal(err)
	}
	mustPut(t, b, "a", Object{Size: 1})
	j := &s.persist.journal
	j.mu.Lock()
	j.cur.size = j.cur.used // full
	j.create = func(string, uint64, int64) (*journalSegment, error) { return nil, errNoSpace }
	j.mu.Unlock()
	want, used := snapshotOf(t, s), s.MemoryUsed()
	for range 2 {
		if err := b.Put([]byte("a"), &Object{Size: 2, Meta: "new"}, nil); !errors.Is(err, ErrDiskFull) {
			t.Fatalf("unexpected error; got %v; want ErrDiskFull", err)
		}
		if _, err := b.Delete([]byte("a"), testNow, nil); !errors.Is(err, ErrDiskFull) {
			t.Fatalf("unexpected error; got %v; want ErrDiskFull", err)
		}
		if _, err := b.CreateUpload([]byte("u"), "", Checksum{}, testNow); !errors.Is(err, ErrDiskFull) {
			t.Fatalf("unexpected error; got %v; want ErrDiskFull", err)
		}
		if _, err := s.CreateBucket("def", Synth, testNow); !errors.Is(err, ErrDiskFull) {
			t.Fatalf("unexpected error; got %v; want ErrDiskFull", err)
		}
		if err := b.SetVersioning(VersioningEnabled); !errors.Is(err, ErrDiskFull) {
			t.Fatalf("unexpected error; got %v; want ErrDiskFull", err)
		}
	}
	compareSnapshots(t, snapshotOf(t, s), want)
	wantMemory(t, s, used)
	j.mu.Lock()
	j.create = createSegment
	j.mu.Unlock()
	mustPut(t, b, "a", Object{Size: 2})
	want = snapshotOf(t, s)
	kill(t, s)
	compareSnapshots(t, snapshotOf(t, openFor(t, dir, Options{}, Persistence{})), want)
}

// What a power loss leaves: the end of the journal is cut off anywhere, and
// the state is that after some of the writes, in order.
func TestTornJournal(t *testing.T) {
	rng := newRNG(t)
	dir := t.TempDir()
	s := openFor(t, dir, Options{}, Persistence{Sync: SyncNone})
	b, err := s.CreateBucket("abc", Synth, testNow)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		mustPut(t, b, fmt.Sprintf("key-%03d", i), Object{Size: int64(i)})
	}
	used := int(s.persist.journal.cur.used)
	kill(t, s)
	path := filepath.Join(dir, dirJournal, fmt.Sprintf("%016x%s", 1, segmentSuffix))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 30 {
		torn := append([]byte(nil), whole...)
		// Behind the header, of which some bytes mean nothing.
		at := segmentHeader + rng.IntN(used-segmentHeader)
		if rng.IntN(2) == 0 {
			clear(torn[at:]) // did not reach the disk
		} else {
			torn[at] ^= 0x55
		}
		if err := os.WriteFile(path, torn, 0o600); err != nil {
			t.Fatal(err)
		}
		s := openFor(t, dir, Options{}, Persistence{Sync: SyncNone})
		n := 0
		if b := s.Bucket([]byte("abc")); b != nil {
			c := b.Cursor()
			for ok := c.Seek(nil); ok; ok = c.Next() {
				if want := fmt.Sprintf("key-%03d", n); string(c.Key()) != want || c.Object().Size != int64(n) {
					t.Fatalf("unexpected object; got %q, %d; want %q", c.Key(), c.Object().Size, want)
				}
				n++
			}
			c.Close()
		}
		if n > 100*at/used+1 || n < 100*at/used-3 {
			t.Errorf("unexpected objects of a journal cut off at %d of %d; got %d", at, used, n)
		}
		s.Close()
		// Back to an empty index for the next cut.
		if err := os.RemoveAll(filepath.Join(dir, dirIndex)); err != nil {
			t.Fatal(err)
		}
	}
}

// Writers at once, each with its own keys and uploads and all with shared ones,
// and a kill: what each saw last is there.
func TestRestartConcurrent(t *testing.T) {
	dir := t.TempDir()
	p := Persistence{Data: true, Sync: SyncAlways}
	s := openFor(t, dir, Options{}, p)
	s.persist.journal.segmentSize = 64 << 10
	b, err := s.CreateBucket("abc", Memory, testNow)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 60 {
				key := fmt.Appendf(nil, "w%d/%d", w, i%10)
				if i%4 == 0 {
					key = []byte("shared")
				}
				body := bytes.Repeat([]byte{byte(w), byte(i)}, []int{10, 2000, 40_000}[i%3])
				o := Object{Size: int64(len(body)), Data: newData(t, s, body)}
				if err := b.Put(key, &o, nil); err != nil {
					t.Error(err)
				}
				u, err := b.CreateUpload(key, "", Checksum{}, testNow)
				if err != nil {
					t.Error(err)
					continue
				}
				part := Part{Number: 1, Size: int64(len(body)), Data: newData(t, s, body)}
				if err := b.PutPart(u, part); err != nil {
					t.Error(err)
				}
				switch i % 3 {
				case 0:
					_, err = b.Complete(u, []CompletePart{{Number: 1}}, CompleteOptions{Now: testNow, Size: -1})
				case 1:
					err = b.Abort(u)
				default:
					_, err = b.Delete(key, testNow, nil)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	want := snapshotOf(t, s)
	kill(t, s)
	compareSnapshots(t, snapshotOf(t, openFor(t, dir, Options{}, p)), want)
}

// The rows of keys come in the order of keys, and those of a key in the order
// of time, whatever bytes there are in them.
func TestObjectKeyOrder(t *testing.T) {
	rng := newRNG(t)
	for range 10000 {
		a, b := randomKey(rng), randomKey(rng)
		placeA, placeB := rng.Uint64N(3)<<rng.IntN(64), rng.Uint64N(3)<<rng.IntN(64)
		rowA := appendObjectKey(nil, 7, []byte(a), placeA)
		rowB := appendObjectKey(nil, 7, []byte(b), placeB)
		want := strings.Compare(a, b)
		if want == 0 {
			want = cmp.Compare(placeA, placeB)
		}
		if got := bytes.Compare(rowA, rowB); got != want {
			t.Fatalf("unexpected order of %q, %d and %q, %d; got %d; want %d", a, placeA, b, placeB, got, want)
		}
		key, place, ok := splitObjectKey(nil, rowA[5:])
		if !ok || string(key) != a || place != placeA {
			t.Fatalf("unexpected key; got %q, %d, %v; want %q, %d", key, place, ok, a, placeA)
		}
	}
}

// Rows that are cut off or changed are damage, never a panic.
func FuzzRows(f *testing.F) {
	names := synth.NewNames(1, "bucket")
	o := Object{Size: 5, ModTime: 9, Meta: "meta", Checksum: Checksum{Algorithm: 1, Sum: "1234"}, Parts: newParts([]Part{{Size: 2}, {Size: 3}})}
	f.Add(appendVersion(nil, &names, []byte("k"), &versionRow{Object: o}))
	f.Add(appendPartRow(nil, &Part{Size: 5, Copied: true}))
	f.Add(appendCompletedRow(nil, &names, []byte("k"), 1, &o))
	f.Add(appendUploadRow(nil, &Upload{Key: "k", Meta: "m"}))
	f.Add(appendBucketRow(nil, bucketRow{no: 1, created: 2}))
	f.Fuzz(func(t *testing.T, row []byte) {
		var r versionRow
		_ = parseVersion(row, &names, []byte("k"), &r)
		_, _, _ = parsePartRow(row)
		_, _, _, _ = parseCompletedRow(row, &names)
		_, _ = parseUploadRow(row)
		_, _ = parseBucketRow(row)
		_, _, _ = splitObjectKey(nil, row)
		for rest := row; len(rest) > 0; {
			var ok bool
			if _, _, _, rest, ok = nextChange(rest); !ok {
				break
			}
		}
		for off := int64(0); ; {
			_, next, ok, _ := nextRecord(row, off)
			if !ok {
				break
			}
			off = next
		}
	})
}
