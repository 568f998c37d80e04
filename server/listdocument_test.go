package server

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/s3ultra/s3ultra/sigv4"
	"github.com/s3ultra/s3ultra/store"
	"github.com/s3ultra/s3ultra/synth"
)

// listDocument is the document of a listing as it was first written: entry by
// entry, with no text shared between them. What a page really takes from the
// entry before must not show.
type listDocument struct {
	bucket, prefix, delimiter string
	api                       string // v1, v2 or versions
	url, owner                bool
	ownerID                   string
	max                       int
	strings.Builder
}

// text is a name in the document's encoding.
func (d *listDocument) text(s string) string {
	var b strings.Builder
	if d.url {
		for _, c := range []byte(s) {
			if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.~/", c) >= 0 {
				b.WriteByte(c)
			} else {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
		return b.String()
	}
	for _, r := range s { // what is not UTF-8 becomes U+FFFD, byte by byte
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"':
			b.WriteString("&quot;")
		case r == '\'':
			b.WriteString("&#39;")
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, "&#x%x;", r)
		case r == 0xfffe || r == 0xffff:
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func (d *listDocument) element(name, text string) {
	d.WriteString("<" + name + ">" + text + "</" + name + ">")
}

// described writes what follows the key in an entry.
func (d *listDocument) described(o *store.Object) {
	d.element("LastModified", time.Unix(o.ModTime/1000, 0).UTC().Format("2006-01-02T15:04:05.000Z"))
	d.element("ETag", "&quot;"+o.ETag.String()+"&quot;")
	if o.Checksum.Algorithm != 0 {
		d.element("ChecksumAlgorithm", checksumAlgorithm(o.Checksum.Algorithm).String())
		d.element("ChecksumType", checksumTypeName(o.Checksum.Composite))
	}
	d.element("Size", fmt.Sprint(o.Size))
	d.writeOwner()
	d.element("StorageClass", storageClassOf(o.Meta))
}

func (d *listDocument) writeOwner() {
	if d.owner {
		d.WriteString("<Owner>")
		d.element("ID", d.ownerID)
		d.element("DisplayName", d.ownerID)
		d.WriteString("</Owner>")
	}
}

// page is the first page of a listing of the objects, of which there is one
// for each key; with the api versions they are versions, as in a bucket that
// never had versioning.
func (d *listDocument) page(objects map[string]*store.Object) string {
	keys := make([]string, 0, len(objects))
	for k := range objects {
		if strings.HasPrefix(k, d.prefix) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	root := "ListBucketResult"
	if d.api == "versions" {
		root = "ListVersionsResult"
	}
	d.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<" + root + ` xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`)
	d.element("Name", d.bucket)
	d.element("Prefix", d.text(d.prefix))
	d.element("MaxKeys", fmt.Sprint(d.max))
	if d.delimiter != "" {
		d.element("Delimiter", d.text(d.delimiter))
	}
	if d.url {
		d.element("EncodingType", "url")
	}
	switch d.api {
	case "v1":
		d.element("Marker", "")
	case "versions":
		d.element("KeyMarker", "")
		d.element("VersionIdMarker", "")
	}
	var groups []string
	n, last, truncated := 0, "", false
	for _, k := range keys {
		group := ""
		if i := strings.Index(k[len(d.prefix):], d.delimiter); d.delimiter != "" && i >= 0 {
			group = k[:len(d.prefix)+i+len(d.delimiter)]
			if len(groups) > 0 && groups[len(groups)-1] == group {
				continue
			}
		}
		if truncated = n == d.max; truncated {
			break
		}
		n++
		if group != "" {
			groups, last = append(groups, group), group
			continue
		}
		last = k
		if d.api == "versions" {
			d.WriteString("<Version>")
			d.element("Key", d.text(k))
			d.element("VersionId", "null")
			d.element("IsLatest", "true")
			d.described(objects[k])
			d.WriteString("</Version>")
			continue
		}
		d.WriteString("<Contents>")
		d.element("Key", d.text(k))
		d.described(objects[k])
		d.WriteString("</Contents>")
	}
	if d.api == "v2" {
		d.element("KeyCount", fmt.Sprint(n))
	}
	d.element("IsTruncated", fmt.Sprint(truncated))
	if truncated {
		switch d.api {
		case "v1":
			d.element("NextMarker", d.text(last))
		case "v2":
			d.element("NextContinuationToken", string(appendToken(nil, []byte(last))))
		case "versions":
			d.element("NextKeyMarker", d.text(last))
			d.element("NextVersionIdMarker", "null")
		}
	}
	for _, g := range groups {
		d.WriteString("<CommonPrefixes>")
		d.element("Prefix", d.text(g))
		d.WriteString("</CommonPrefixes>")
	}
	d.WriteString("</" + root + ">")
	return d.String()
}

// oddKeys are keys that resemble each other but for what an encoding changes.
func oddKeys(rnd *rand.Rand, n int) []string {
	pieces := []string{"a", "b", "0", "/", "~", "_", "-", ".", "%", "+", " ", "&", "<", ">", "\"", "'", "\t", "\r", "\n",
		"\x00", "\x1f", "\x7f", "\x80", "\xff", "\xc3", "é", "漢", "\u2028", "\ufffe", "\uffff", "\U0001f600", "\xed\xa0\x80", "@", "[", "`", "{"}
	stems := []string{"", "data/train/img_", "data/train/img_0000", "data/train/x&y/", "ключи/", strings.Repeat("long/", 60)}
	keys := make([]string, n)
	for i := range keys {
		k := stems[rnd.IntN(len(stems))]
		switch rnd.IntN(3) {
		case 0: // numbered
			k += fmt.Sprintf("%0*d.jpg", rnd.IntN(9), rnd.IntN(2000))
		case 1: // numbered, with one odd piece somewhere
			k += fmt.Sprintf("%08d_of_00002000", rnd.IntN(2000))
			at := rnd.IntN(len(k) + 1)
			k = k[:at] + pieces[rnd.IntN(len(pieces))] + k[at:]
		default:
			for range 1 + rnd.IntN(12) {
				k += pieces[rnd.IntN(len(pieces))]
			}
		}
		if k == "" {
			k = "k"
		}
		keys[i] = k
	}
	return keys
}

// oddObject is an object of a kind that lists show in some way of their own,
// or, mostly, like the last one.
func oddObject(rnd *rand.Rand, seed uint64, mode store.Mode, bucket, key string, last *store.Object) *store.Object {
	o := *last
	if rnd.IntN(4) == 0 {
		o.Size = rnd.Int64N(1 << rnd.IntN(44))
	}
	if rnd.IntN(8) == 0 {
		o.ModTime = 1_700_000_000_000 + rnd.Int64N(5000)
	}
	if rnd.IntN(16) == 0 {
		o.ModTime = rnd.Int64N(4_000_000_000_000)
	}
	o.Checksum, o.Meta = store.Checksum{}, ""
	switch rnd.IntN(10) {
	case 0:
		o.Checksum = store.Checksum{Algorithm: uint8(1 + rnd.IntN(5)), Composite: rnd.IntN(2) == 0, Sum: "\x01\x02\x03\x04"}
	case 1:
		o.Meta = string(appendMetaHeader([]byte{metaHasStorageClass}, []byte(storageClassHeader), []byte("GLACIER")))
	case 2, 3, 4:
		o.Meta = string(appendMetaHeader([]byte{0}, []byte("Content-Type"), []byte("image/jpeg")))
	}
	o.Content = synth.Hash(seed, bucket, key)
	o.ETag = store.DeriveETag(o.Content, o.Size, 1)
	if mode == store.Memory || rnd.IntN(8) == 0 {
		o.ETag = store.ETag{Parts: uint16(rnd.IntN(3) * rnd.IntN(5000))}
		for i := range o.ETag.Sum {
			o.ETag.Sum[i] = byte(rnd.Uint32())
		}
	}
	return &o
}

// document runs a signed request and returns the body of the reply.
func (h *hotRequest) document(t testing.TB) string {
	t.Helper()
	var wire bytes.Buffer
	h.run(t)
	h.src.Reset(h.wire)
	h.br.Reset(&h.src)
	if err := h.ctx.Request.Header.Read(h.br); err != nil {
		t.Fatalf("cannot read the header: %v", err)
	}
	h.server.handle(&h.ctx)
	h.bw.Reset(&wire)
	if err := h.ctx.Response.Write(h.bw); err != nil {
		t.Fatalf("cannot write the reply: %v", err)
	}
	h.bw.Flush()
	h.ctx.Request.Reset()
	h.ctx.Response.Reset()
	reply, err := http.ReadResponse(bufio.NewReader(&wire), nil)
	if err != nil {
		t.Fatalf("cannot read the reply: %v", err)
	}
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatalf("cannot read the body: %v", err)
	}
	return string(body)
}

// compareLists compares first pages of a bucket in all forms with listDocument.
func compareLists(t *testing.T, rnd *rand.Rand, s *Server, bucket string, objects map[string]*store.Object) {
	t.Helper()
	cred := s.cfg.Credentials[0]
	for range 16 {
		d := &listDocument{bucket: bucket, ownerID: s.ownerID, max: maxListKeys}
		d.api = []string{"v1", "v2", "versions"}[rnd.IntN(3)]
		d.url = rnd.IntN(2) == 0
		d.owner = d.api != "v2" || rnd.IntN(2) == 0
		d.prefix = []string{"", "", "data/", "data/train/img_0000"}[rnd.IntN(4)]
		d.delimiter = []string{"", "", "/", "0"}[rnd.IntN(4)]
		if rnd.IntN(2) == 0 {
			d.max = 1 + rnd.IntN(maxListKeys)
		}
		target := fmt.Sprintf("/%s?delimiter=%s&max-keys=%d&prefix=%s", bucket, strings.ReplaceAll(d.delimiter, "/", "%2F"), d.max, strings.ReplaceAll(d.prefix, "/", "%2F"))
		switch {
		case d.api == "versions":
			target += "&versions"
		case d.api == "v2" && d.owner:
			target += "&list-type=2&fetch-owner=true"
		case d.api == "v2":
			target += "&list-type=2"
		}
		if d.url {
			target += "&encoding-type=url"
		}
		want := d.page(objects)
		got := newHotRequest(t, s, cred, target, "GET", target, "", nil, 0).document(t)
		if got != want {
			at := 0
			for at < min(len(got), len(want)) && got[at] == want[at] {
				at++
			}
			t.Fatalf("unexpected document of %s, of %d bytes instead of %d, from byte %d;\n got %.400q\nwant %.400q",
				target, len(got), len(want), at, got[max(at-100, 0):], want[max(at-100, 0):])
		}
	}
}

// TestListDocument compares pages, byte for byte, with listDocument.
func TestListDocument(t *testing.T) {
	source := uint64(time.Now().UnixNano())
	t.Logf("seed %d", source)
	rnd := rand.New(rand.NewPCG(source, 1))
	cred := sigv4.Credential{AccessKey: "AKIDHOT", SecretKey: "hot-secret"}
	for round := range 12 {
		s, err := New(Config{
			Credentials: []sigv4.Credential{cred},
			Seed:        rnd.Uint64(),
			Buckets:     []BucketSpec{{Name: "synth"}, {Name: "memory", Mode: store.Memory}},
		})
		if err != nil {
			t.Fatalf("cannot make the server: %v", err)
		}
		for _, bucket := range []string{"synth", "memory"} {
			b := s.store.Bucket([]byte(bucket))
			objects := map[string]*store.Object{}
			o := &store.Object{ModTime: 1_700_000_000_000, Size: 322_957}
			for _, k := range oddKeys(rnd, 10<<round%1200) {
				o = oddObject(rnd, s.cfg.Seed, b.Mode(), bucket, k, o)
				objects[k] = o
				put := *o
				if err := b.Put([]byte(k), &put, nil); err != nil {
					t.Fatalf("cannot put %q: %v", k, err)
				}
			}
			compareLists(t, rnd, s, bucket, objects)
		}
	}
}

// TestListDocumentDatasets is the same for data sets, some objects of which are
// written over or deleted.
func TestListDocumentDatasets(t *testing.T) {
	source := uint64(time.Now().UnixNano())
	t.Logf("seed %d", source)
	rnd := rand.New(rand.NewPCG(source, 2))
	var rules []synth.Rule
	for _, r := range []synth.Rule{
		{Bucket: "sss", Key: "data/img_{i}_of_{n}.jpg", Count: 5000, Size: synth.Size{Mean: 322_957}},
		{Bucket: "ttt", Key: "data/{f:d}/img {i:d}.jpg", Count: 700, Folders: 12, Size: synth.Size{Distribution: synth.Uniform, Min: 1, Max: 1 << 40}},
		{Bucket: "ttt", Key: "data/x&y-{i:d}-{f}-{i:07}", First: 90, Count: 300, Folders: 101, Size: synth.Size{Mean: 5}},
		{Bucket: "ttt", Key: "<{i}>", Count: 30, Size: synth.Size{Mean: 1 << 33}},
		{Bucket: "uuu", Key: "{f}/{i:d}_", Count: 400, Folders: 3, Size: synth.Size{Mean: 7}},
		{Bucket: "uuu", Key: "{f}/{i:d}_{n}", Count: 400, Folders: 3, Size: synth.Size{Mean: 70}},
		{Bucket: "uuu", Key: "one", Count: 1, Size: synth.Size{Mean: 70}},
	} {
		r.LastModified = time.Unix(1_700_000_000+rnd.Int64N(100), 0)
		rules = append(rules, r)
	}
	s, err := New(Config{Credentials: []sigv4.Credential{{AccessKey: "AKIDHOT", SecretKey: "hot-secret"}}, Seed: rnd.Uint64(), Datasets: rules})
	if err != nil {
		t.Fatalf("cannot make the server: %v", err)
	}
	for _, bucket := range []string{"sss", "ttt", "uuu"} {
		b := s.store.Bucket([]byte(bucket))
		objects := map[string]*store.Object{}
		for _, d := range b.Datasets() {
			for pos := range d.Len() {
				key := string(d.KeyAt(nil, pos))
				o := &store.Object{Size: d.Size(d.Index(pos)), ModTime: d.ModTime(), Content: synth.Hash(s.cfg.Seed, bucket, key)}
				o.ETag = store.DeriveETag(o.Content, o.Size, 1)
				objects[key] = o
			}
		}
		compareLists(t, rnd, s, bucket, objects)
		keys := slices.Sorted(maps.Keys(objects))
		o := &store.Object{ModTime: 1_700_000_000_000}
		for range 60 {
			key := keys[rnd.IntN(len(keys))]
			if rnd.IntN(3) == 0 {
				if _, err := b.Delete([]byte(key), time.Now(), nil); err != nil {
					t.Fatalf("cannot delete %q: %v", key, err)
				}
				delete(objects, key)
				continue
			}
			if rnd.IntN(2) == 0 {
				key += "x"
			}
			o = oddObject(rnd, s.cfg.Seed, store.Synth, bucket, key, o)
			objects[key] = o
			put := *o
			if err := b.Put([]byte(key), &put, nil); err != nil {
				t.Fatalf("cannot put %q: %v", key, err)
			}
		}
		compareLists(t, rnd, s, bucket, objects)
	}
}
