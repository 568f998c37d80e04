package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// checkTree fails the test if the tree is not in order: every page whole,
// every key between the separators above it, no page lost.
func checkTree(t testing.TB, tr *packed) {
	t.Helper()
	if tr.root == 0 {
		if tr.count != 0 || tr.pages() != 0 || tr.height != 0 {
			t.Fatalf("unexpected empty tree; got %d entries, %d pages, height %d", tr.count, tr.pages(), tr.height)
		}
		return
	}
	pages, entries := 0, 0
	var walk func(id uint32, level int, low, high []byte)
	walk = func(id uint32, level int, low, high []byte) {
		pages++
		p := tr.page(id)
		if int(p[pageLevel]) != level {
			t.Fatalf("unexpected level of page %d; got %d; want %d", id, p[pageLevel], level)
		}
		checkPage(t, p)
		n := p.count()
		if level == 0 {
			entries += n
			if n == 0 {
				t.Fatalf("unexpected empty leaf %d", id)
			}
		}
		at := low
		for i := range n {
			key := p.appendKey(nil, i)
			if bytes.Compare(key, low) < 0 || high != nil && bytes.Compare(key, high) >= 0 {
				t.Fatalf("unexpected key %q in a page of [%q, %q)", key, low, high)
			}
			if level > 0 {
				walk(p.child(i), level-1, at, key)
				at = key
			}
		}
		if level > 0 {
			walk(p.child(n), level-1, at, high)
		}
	}
	walk(tr.root, tr.height-1, nil, nil)
	if pages != tr.pages() || entries != tr.count {
		t.Fatalf("unexpected totals; got %d pages, %d entries; want %d, %d", tr.pages(), tr.count, pages, entries)
	}
}

// checkPage checks what a page says of itself.
func checkPage(t testing.TB, p page) {
	t.Helper()
	live, extras := 0, 0
	var last []byte
	for i := range p.count() {
		key := p.appendKey(nil, i)
		if i > 0 && bytes.Compare(key, last) <= 0 {
			t.Fatalf("unexpected order in a page; got %q after %q", key, last)
		}
		last = key
		if at, found := p.find(key); !found || at != i {
			t.Fatalf("unexpected place of %q; got %d, %v; want %d", key, at, found, i)
		}
		live += p.entryLen(key, p.payload(i))
		if p.leaf() && hasExtra(p.payload(i)) {
			extras++
		}
	}
	if heap := len(p) - p.u16(pageHeap); live+p.u16(pageDead) != heap {
		t.Fatalf("unexpected bytes of a page; got %d dead and %d live; want %d together", p.u16(pageDead), live, heap)
	}
	if p.room() < 0 || p.extras() != extras {
		t.Fatalf("unexpected page; got room %d, extras %d; want extras %d", p.room(), p.extras(), extras)
	}
}

// keyKinds are shapes of keys that are hard in different ways.
var keyKinds = map[string]func(rng *rand.Rand) string{
	"dense": func(rng *rand.Rand) string { return fmt.Sprintf("train/img_%08d_of_50203282.jpg", rng.IntN(5000)) },
	"short": randomKey,
	"suffix": func(rng *rand.Rand) string {
		return fmt.Sprintf("%d%s", rng.IntN(3000), strings.Repeat("x", rng.IntN(300)))
	},
	"deep": func(rng *rand.Rand) string {
		return strings.Repeat("directory/", rng.IntN(100)) + fmt.Sprint(rng.IntN(50))
	},
	"long": func(rng *rand.Rand) string {
		k := strings.Repeat(string(rune('a'+rng.IntN(3))), MaxKeyLen-5-rng.IntN(3)) + fmt.Sprintf("%05d", rng.IntN(2000))
		return k[len(k)-min(len(k), MaxKeyLen):]
	},
	"mixed": func(rng *rand.Rand) string {
		switch rng.IntN(4) {
		case 0:
			return fmt.Sprintf("%x", rng.Uint64()&0xffff)
		case 1:
			return fmt.Sprintf("a/%d/b.jpg", rng.IntN(3000))
		case 2:
			return fmt.Sprintf("a/%d/b.json", rng.IntN(3000))
		}
		return strings.Repeat("z", rng.IntN(MaxKeyLen))
	},
}

// randomObject has any of an object's attributes.
func randomObject(rng *rand.Rand, b *Bucket, key string, step int) Object {
	o := Object{
		Size:    int64(rng.Uint64() >> (1 + rng.IntN(63))),
		ModTime: testNow.UnixMilli() + int64(step) - rng.Int64N(2)*rng.Int64N(1<<40),
		Meta:    []string{"", "x", "y", fmt.Sprint(rng.IntN(50))}[rng.IntN(4)],
	}
	if rng.IntN(4) == 0 {
		o.Parts = newParts([]Part{{Size: 3}, {Size: o.Size}})
	}
	if rng.IntN(4) == 0 {
		o.Content, o.ETag = rng.Uint64(), ETag{Sum: [16]byte{byte(step)}, Parts: uint16(rng.IntN(1 << 16))}
	} else {
		r := record{size: o.Size, parts: o.Parts}
		r.derive(&rawRecord{}, b.index.names.Hash([]byte(key)))
		o.Content, o.ETag = r.content, ETag{Sum: r.etag, Parts: r.etagParts}
	}
	if rng.IntN(3) == 0 {
		o.Checksum = Checksum{Algorithm: uint8(rng.IntN(8)), Composite: rng.IntN(2) == 0, Named: rng.IntN(2) == 0, Sum: strings.Repeat("s", []int{0, 4, 32, maxInlineSum, maxInlineSum + 1, 500}[rng.IntN(6)])}
	}
	return o
}

func TestPackedModel(t *testing.T) {
	for name, newKey := range keyKinds {
		for _, size := range []int{minPageSize, maxPageSize} {
			t.Run(fmt.Sprintf("%s/%d", name, size), func(t *testing.T) {
				packedModel(t, newKey, size)
			})
		}
	}
}

func packedModel(t *testing.T, newKey func(*rand.Rand) string, size int) {
	rng := newRNG(t)
	s, b := newBucketFor(t, Synth, Options{Seed: 7})
	b.index.tree.size = size
	m := model{}
	const steps = 12000
	for step := range steps {
		key := newKey(rng)
		_, had := m[key]
		if rng.IntN(100) < 20+40*(step/(steps/4)%2) {
			if d, err := b.Delete([]byte(key), testNow, nil); err != nil || d.Existed != had {
				t.Fatalf("unexpected result of deleting %q; got %+v, %v; want %v", key, d, err, had)
			}
			delete(m, key)
		} else {
			o := randomObject(rng, b, key, step)
			mustPut(t, b, key, o)
			m[key] = o
		}
		if step%(steps/8) == 0 {
			checkTree(t, &b.index.tree)
		}
	}
	checkTree(t, &b.index.tree)
	comparePacked(t, rng, b, m, newKey)
	for _, key := range m.keys() {
		mustDelete(t, b, key)
		if rng.IntN(500) == 0 {
			checkTree(t, &b.index.tree)
		}
	}
	checkTree(t, &b.index.tree)
	wantMemory(t, s, 0)
}

// comparePacked reads all through Get and a Cursor, and seeks.
func comparePacked(t *testing.T, rng *rand.Rand, b *Bucket, m model, newKey func(*rand.Rand) string) {
	t.Helper()
	keys := m.keys()
	var o Object
	for key, want := range m {
		if !b.Get([]byte(key), &o) || o != want {
			t.Fatalf("unexpected object at %q; got %+v; want %+v", key, o, want)
		}
	}
	c := b.Cursor()
	defer c.Close()
	i := 0
	for ok := c.Seek(nil); ok; ok = c.Next() {
		if i == len(keys) || string(c.Key()) != keys[i] || *c.Object() != m[keys[i]] {
			t.Fatalf("unexpected object %d under the cursor; got %q, %+v", i, c.Key(), c.Object())
		}
		i++
	}
	if i != len(keys) {
		t.Fatalf("unexpected keys under the cursor; got %d; want %d", i, len(keys))
	}
	for range 2000 {
		key := newKey(rng)
		if n := len(key); n > 0 && rng.IntN(2) == 0 {
			key = key[:rng.IntN(n)]
		}
		i, _ := slices.BinarySearch(keys, key)
		if ok := c.Seek([]byte(key)); ok != (i < len(keys)) || ok && string(c.Key()) != keys[i] {
			t.Fatalf("unexpected key after seeking %q; got %v, %q", key, ok, c.Key())
		}
	}
}

// What a directory of data is loaded in, and how full the pages are then.
func TestPackedFill(t *testing.T) {
	const n = 50_000
	// In bytes an object; pages included.
	sum := ""
	f := func(name string, want float64, at func(i int) int) {
		t.Helper()
		_, b := newBucketFor(t, Synth, Options{})
		tr := &b.index.tree
		for i := range n {
			key := fmt.Sprintf("train/img_%08d_of_50203282.jpg", at(i))
			r := record{size: 100_000, modTime: testNow.UnixMilli() + int64(i)}
			r.derive(&rawRecord{}, b.index.names.Hash([]byte(key)))
			o := Object{}
			r.fill(&o)
			if sum != "" {
				o.Checksum = Checksum{Algorithm: 1, Sum: sum}
			}
			mustPut(t, b, key, o)
		}
		checkTree(t, tr)
		got := float64(tr.pages()*tr.size) / n
		t.Logf("%.1f B an object, %s", got, name)
		if got > want {
			t.Errorf("unexpected memory of an object, %s; got %.1f B; want at most %.1f", name, got, want)
		}
	}
	rng := newRNG(t)
	perm := rng.Perm(n)
	f("ascending", 15, func(i int) int { return i })
	f("descending", 15, func(i int) int { return n - i })
	f("random", 22.5, func(i int) int { return perm[i] })
	f("64 clients, nearly in order", 22, func(i int) int { return i/64*64 + (i%64)*37%64 })
	f("8 directories at once", 16, func(i int) int { return i%8*1_000_000 + i/8 })
	sum = "crc3" // as SDKs send by default
	f("ascending with checksums", 21.5, func(i int) int { return i })
	f("random with checksums", 32, func(i int) int { return perm[i] })
}

// Objects come and go while cursors walk: those that stay are seen once each,
// in order, whole.
func TestCursorConcurrent(t *testing.T) {
	rng := newRNG(t)
	s, b := newBucketFor(t, Memory, Options{})
	const n = 3000
	key := func(i int) string { return fmt.Sprintf("dir/%05d", i) }
	put := func(i, size int) {
		o := Object{Size: int64(size), Meta: fmt.Sprint(size % 7), Data: newData(t, s, bytes.Repeat([]byte{1}, size))}
		if err := b.Put([]byte(key(i)), &o, nil); err != nil {
			t.Errorf("cannot put: %v", err)
		}
	}
	for i := 0; i < n; i += 10 {
		put(i, 1+i%100)
	}
	var wg, writers sync.WaitGroup
	var done atomic.Bool
	for range 2 {
		seed := rng.Uint64()
		writers.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 1))
			for range 5000 {
				i := rng.IntN(n)
				if i%10 == 0 || rng.IntN(2) == 0 {
					put(i, 1+rng.IntN(100))
				} else if _, err := b.Delete([]byte(key(i)), testNow, nil); err != nil {
					t.Errorf("cannot delete: %v", err)
				}
			}
		})
		wg.Go(func() {
			for !done.Load() {
				c := b.Cursor()
				stay, last := 0, ""
				for ok := c.Seek(nil); ok; ok = c.Next() {
					k, o := string(c.Key()), c.Object()
					if k <= last {
						t.Errorf("unexpected order; got %q after %q", k, last)
					}
					last = k
					if strings.HasSuffix(k, "0") {
						stay++
					}
					if o.Data.Size() != o.Size || o.Meta != fmt.Sprint(o.Size%7) {
						t.Errorf("unexpected object under the cursor; got %+v", o)
					}
				}
				c.Close()
				if stay != n/10 {
					t.Errorf("unexpected number of the objects that stay; got %d; want %d", stay, n/10)
				}
			}
		})
	}
	writers.Wait()
	done.Store(true)
	wg.Wait()
	checkTree(t, &b.index.tree)
	for i := range n {
		if _, err := b.Delete([]byte(key(i)), testNow, nil); err != nil {
			t.Fatalf("cannot delete: %v", err)
		}
	}
	wantMemory(t, s, 0)
}

func TestKeyTooLong(t *testing.T) {
	_, b := newBucketFor(t, Synth, Options{})
	mustPut(t, b, strings.Repeat("k", MaxKeyLen), Object{})
	if err := b.Put(bytes.Repeat([]byte("k"), MaxKeyLen+1), &Object{}, nil); err != ErrKeyTooLong {
		t.Fatalf("unexpected error; got %v; want %v", err, ErrKeyTooLong)
	}
	if b.Get(bytes.Repeat([]byte("k"), MaxKeyLen+1), new(Object)) {
		t.Fatalf("unexpected object")
	}
}

// FuzzPackedRecord: what is packed is read back, also relative to another base.
func FuzzPackedRecord(f *testing.F) {
	f.Add(int64(1000), int64(5), int64(7), uint32(1), uint32(2), uint32(3), uint64(9), []byte("etagetagetagetag"), []byte("sum"), uint64(1), uint32(0), uint8(0xff))
	f.Add(int64(0), int64(-1), int64(1)<<62, uint32(0), uint32(0), uint32(1)<<31, uint64(0), []byte{}, []byte{}, uint64(0), uint32(1)<<31, uint8(0))
	f.Fuzz(func(t *testing.T, size, mod, other int64, meta, base, base2 uint32, content uint64, etag, sum []byte, place uint64, sideID uint32, flags uint8) {
		r := rawRecord{flags: flags & (flagContent | flagETag | flagSum | flagPlace | flagSide), size: size, modTime: mod, meta: meta}
		if r.flags&flagContent != 0 {
			r.content = content
		}
		if r.flags&flagETag != 0 {
			copy(r.etag.Sum[:], etag)
			r.etag.Parts = uint16(content)
		}
		if r.flags&flagSum != 0 {
			r.sumKind, r.sum = byte(place), sum[:min(len(sum), maxInlineSum)]
		}
		if r.flags&flagPlace != 0 {
			r.place = place
		}
		if r.flags&flagSide != 0 {
			r.side = sideID
		}
		from, to := pageBase{mod: other, meta: base}, pageBase{mod: int64(content), meta: base2}
		check := func(p []byte, base pageBase) {
			t.Helper()
			if len(p) > maxPayload || recordLen(append(p[:len(p):len(p)], 0xff)) != len(p) {
				t.Fatalf("unexpected length; got %d, %d", len(p), recordLen(p))
			}
			var got rawRecord
			got.parse(p, base)
			want := r
			want.flags = got.flags
			if got.flags&^(flagMeta|flagBaseMeta) != r.flags || fmt.Sprintf("%+v", got.plain()) != fmt.Sprintf("%+v", want.plain()) {
				t.Fatalf("unexpected record; got %+v; want %+v", got, want)
			}
			if recordMod(p, base) != r.modTime || recordMeta(p, base) != r.meta {
				t.Fatalf("unexpected fields; got %d, %d; want %d, %d", recordMod(p, base), recordMeta(p, base), r.modTime, r.meta)
			}
			if id, ok := recordSide(p); ok != (r.flags&flagSide != 0) || id != r.side {
				t.Fatalf("unexpected side; got %d, %v; want %d", id, ok, r.side)
			}
		}
		p := r.append(nil, from)
		check(p, from)
		check(rebase(nil, p, from, to), to)
	})
}

// plain makes records comparable: an empty sum is nil.
func (r rawRecord) plain() rawRecord {
	r.sum = append([]byte(nil), r.sum...)
	return r
}

// FuzzPackedTree drives a tree with keys of the fuzzer's choice.
func FuzzPackedTree(f *testing.F) {
	f.Add([]byte("abc\x00abd\x00\x01abc"))
	f.Add(bytes.Repeat([]byte("data/train/img_1.jpg data/train/img_2.jpg data/train/img_1.jpg "), 20))
	f.Fuzz(func(t *testing.T, in []byte) {
		s, b := newBucketFor(t, Synth, Options{})
		m := map[string]bool{}
		for i, word := range bytes.Fields(in) {
			// Repeated, so that a few of them fill a page.
			key := string(bytes.Repeat(word, 1+i%7))
			key = key[:min(len(key), MaxKeyLen)]
			if word[0]%4 == 0 {
				d, err := b.Delete([]byte(key), testNow, nil)
				if err != nil || d.Existed != m[key] {
					t.Fatalf("unexpected result of deleting %q; got %+v, %v; want %v", key, d, err, m[key])
				}
				delete(m, key)
				continue
			}
			mustPut(t, b, key, Object{Size: int64(i), Meta: string(word)})
			m[key] = true
		}
		checkTree(t, &b.index.tree)
		if b.Len() != len(m) {
			t.Fatalf("unexpected objects; got %d; want %d", b.Len(), len(m))
		}
		for key := range m {
			mustDelete(t, b, key)
		}
		wantMemory(t, s, 0)
	})
}
