package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

const (
	kib  = 1 << 10
	mib  = 1 << 20
	part = 8 * mib
	big  = 8*mib + 1
)

// errMissing and errRange are what adapters return for a key that is not there and a range past the end.
var (
	errMissing = errors.New("no such key or bucket")
	errRange   = errors.New("range not satisfiable")
)

type entry struct {
	key  string
	size int64
	etag string
}

// client is one client library behind the calls that all have.
type client interface {
	name() string
	version() string
	bucketExists(bucket string) (bool, error)
	createBucket(bucket string) error
	deleteBucket(bucket string) error
	put(bucket, key string, data []byte) (etag string, err error)
	get(bucket, key string) (data []byte, etag string, err error)
	// getRange reads [from, to); from < 0 asks for the last -from bytes.
	getRange(bucket, key string, from, to int) ([]byte, error)
	head(bucket, key string) (entry, error)
	remove(bucket, key string) error
	list(bucket, prefix, delimiter string) (entries []entry, prefixes []string, err error)
	copyObject(bucket, source, target string) error
	removeMany(bucket string, keys []string) error
	// putMultipart uploads data in parts of 8 MiB.
	putMultipart(bucket, key string, data []byte) (etag string, err error)
	presign(bucket, key, method string) (url string, err error)
	// more has the checks that only this client can make; a name gives the column, as in "list: version 1".
	more() []check
}

type check struct {
	name string
	run  func(t *testing.T, s *server, c client, bucket string)
}

var common = []check{
	{"bucket", checkBucket},
	{"objects", checkObjects},
	{"etags", checkETags},
	{"multipart", checkMultipart},
	{"ranges", checkRanges},
	{"list", checkList},
	{"delimiter", checkDelimiter},
	{"copy", checkCopy},
	{"batch-delete", checkBatchDelete},
	{"presign", checkPresign},
	{"odd-keys", checkOddKeys},
}

// TestClients runs every check of every client in both modes.
func TestClients(t *testing.T) {
	for _, mode := range modes() {
		t.Run(mode, func(t *testing.T) {
			s := startServer(t, mode)
			clients := []client{newAWS(s), newMinio(t, s)}
			fillListing(t, s, clients[0])
			for _, c := range clients {
				bucket := s.bucket(strings.ReplaceAll(strings.ToLower(c.name()), " ", "-"))
				must(t, c.createBucket(bucket))
				for _, k := range append(slices.Clone(common), c.more()...) {
					t.Run(c.name()+"/"+k.name, func(t *testing.T) {
						column, _, _ := strings.Cut(k.name, ":")
						record(t, result{Client: c.name(), Version: c.version(), Mode: mode, Check: column})
						k.run(t, s, c, bucket)
					})
				}
			}
		})
	}
}

// modes are those to test: both, or memory alone against another server.
func modes() []string {
	if os.Getenv("E2E_ENDPOINT") != "" {
		return []string{"memory"}
	}
	return []string{"synth", "memory"}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// listingKeys has 2,500 keys: 1,200 directories of two and 100 at the root, so that the delimiter listing has two
// pages too.
func listingKeys() []string {
	var keys []string
	for i := range 1200 {
		keys = append(keys, fmt.Sprintf("p%04d/a", i), fmt.Sprintf("p%04d/b", i))
	}
	for i := range 100 {
		keys = append(keys, fmt.Sprintf("r%03d", i))
	}
	return keys
}

func fillListing(t *testing.T, s *server, c client) {
	bucket := s.bucket("listing")
	must(t, c.createBucket(bucket))
	keys := make(chan string)
	failed := make(chan error, 4)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for key := range keys {
				if _, err := c.put(bucket, key, []byte("x")); err != nil {
					failed <- err
					for range keys { // the sender must not block
					}
					return
				}
			}
		})
	}
	for _, key := range listingKeys() {
		keys <- key
	}
	close(keys)
	workers.Wait()
	select {
	case err := <-failed:
		t.Fatalf("cannot fill the listing bucket: %v", err)
	default:
	}
}

func checkBucket(t *testing.T, s *server, c client, _ string) {
	bucket := s.bucket(strings.ReplaceAll(strings.ToLower(c.name()), " ", "-") + "-life")
	exists := func(want bool) {
		t.Helper()
		got, err := c.bucketExists(bucket)
		must(t, err)
		if got != want {
			t.Fatalf("unexpected existence of the bucket; got %v; want %v", got, want)
		}
	}
	exists(false)
	must(t, c.createBucket(bucket))
	exists(true)
	_, err := c.put(bucket, "k", []byte("v"))
	must(t, err)
	if err := c.deleteBucket(bucket); err == nil {
		t.Error("a bucket with an object in it was deleted")
	}
	must(t, c.remove(bucket, "k"))
	must(t, c.deleteBucket(bucket))
	exists(false)
}

func checkRead(t *testing.T, s *server, c client, bucket, key string, data []byte) {
	t.Helper()
	got, _, err := c.get(bucket, key)
	must(t, err)
	same(t, got, s.expected(bucket, key, data), key)
}

func checkObjects(t *testing.T, s *server, c client, bucket string) {
	for _, size := range []int{0, 1, 511, kib, big} { // 511: the last size whose bytes a synthetic server keeps
		key := fmt.Sprintf("objects/%d", size)
		// An overwrite of another length must show at once.
		for _, data := range [][]byte{payload(c.name(), size), payload(c.name(), size+1)} {
			_, err := c.put(bucket, key, data)
			must(t, err)
			head, err := c.head(bucket, key)
			must(t, err)
			if head.size != int64(len(data)) {
				t.Errorf("unexpected size of %s; got %d; want %d", key, head.size, len(data))
			}
			checkRead(t, s, c, bucket, key, data)
		}
		must(t, c.remove(bucket, key))
		if _, err := c.head(bucket, key); !errors.Is(err, errMissing) {
			t.Errorf("unexpected answer to HEAD of a deleted object; got %v; want %v", err, errMissing)
		}
		if _, _, err := c.get(bucket, key); !errors.Is(err, errMissing) {
			t.Errorf("unexpected answer to GET of a deleted object; got %v; want %v", err, errMissing)
		}
	}
}

func checkETags(t *testing.T, s *server, c client, bucket string) {
	for _, size := range []int{0, 1, kib, 64 * kib} {
		key, data := fmt.Sprintf("etags/%d", size), payload(c.name(), size)
		put, err := c.put(bucket, key, data)
		must(t, err)
		_, get, err := c.get(bucket, key)
		must(t, err)
		head, err := c.head(bucket, key)
		must(t, err)
		listed, _, err := c.list(bucket, key, "")
		must(t, err)
		if len(listed) != 1 {
			t.Fatalf("unexpected listing of %s; got %v", key, listed)
		}
		for _, etag := range []string{put, get, head.etag, listed[0].etag} {
			if strings.Trim(etag, `"`) != strings.Trim(put, `"`) {
				t.Errorf("ETags of %s differ: PUT %s, GET %s, HEAD %s, LIST %s", key, put, get, head.etag, listed[0].etag)
			}
		}
		s.checkETag(t, put, data, 0)
	}
}

func checkMultipart(t *testing.T, s *server, c client, bucket string) {
	key, data := "multipart/3x8MiB", payload(c.name(), 3*part)
	etag, err := c.putMultipart(bucket, key, data)
	must(t, err)
	s.checkETag(t, etag, data, part)
	head, err := c.head(bucket, key)
	must(t, err)
	if head.size != int64(len(data)) || strings.Trim(head.etag, `"`) != strings.Trim(etag, `"`) {
		t.Errorf("unexpected head; got %v; want %d bytes and %s", head, len(data), etag)
	}
	checkRead(t, s, c, bucket, key, data)
}

func checkRanges(t *testing.T, s *server, c client, bucket string) {
	key, data := "ranges/big", payload(c.name(), big)
	_, err := c.put(bucket, key, data)
	must(t, err)
	whole := s.expected(bucket, key, data)
	f := func(what string, from, to int) {
		t.Helper()
		got, err := c.getRange(bucket, key, from, to)
		must(t, err)
		want := whole[max(from, 0):min(to, big)]
		if from < 0 {
			want = whole[big+from:]
		}
		same(t, got, want, what)
	}
	f("first byte", 0, 1)
	f("first", 0, 100)
	f("unaligned", 3, 13)
	f("middle over a MiB border", mib-7, mib+9)
	f("middle, long", 3*mib+1, 6*mib+2)
	f("last byte", big-1, big)
	f("whole", 0, big)
	f("end past the end", big-10, big+100)
	f("last 1", -1, big)
	f("last 100", -100, big)
	f("last MiB and 3", -mib-3, big)
	if _, err := c.getRange(bucket, key, big, big+5); !errors.Is(err, errRange) {
		t.Errorf("unexpected answer to a range past the end; got %v; want %v", err, errRange)
	}
}

func listedKeys(t *testing.T, c client, bucket, prefix, delimiter string) (keys, prefixes []string) {
	t.Helper()
	entries, prefixes, err := c.list(bucket, prefix, delimiter)
	must(t, err)
	for _, e := range entries {
		keys = append(keys, e.key)
	}
	return keys, prefixes
}

func checkList(t *testing.T, s *server, c client, _ string) {
	f := func(prefix string, want ...string) {
		t.Helper()
		if got, _ := listedKeys(t, c, s.bucket("listing"), prefix, ""); !slices.Equal(got, want) {
			t.Errorf("unexpected listing of %q; got %d keys; want %d", prefix, len(got), len(want))
		}
	}
	f("", listingKeys()...)
	f("p0007/", "p0007/a", "p0007/b")
	f("nothing/")
}

func checkDelimiter(t *testing.T, s *server, c client, _ string) {
	var wantPrefixes []string
	for i := range 1200 {
		wantPrefixes = append(wantPrefixes, fmt.Sprintf("p%04d/", i))
	}
	keys, prefixes := listedKeys(t, c, s.bucket("listing"), "", "/")
	if len(keys) != 100 || keys[0] != "r000" || keys[99] != "r099" || !slices.Equal(prefixes, wantPrefixes) {
		t.Errorf("unexpected listing; got %d keys and %d prefixes; want 100 and 1200", len(keys), len(prefixes))
	}
	keys, prefixes = listedKeys(t, c, s.bucket("listing"), "p0007/", "/")
	if !slices.Equal(keys, []string{"p0007/a", "p0007/b"}) || len(prefixes) != 0 {
		t.Errorf("unexpected listing of p0007/; got %v and %v", keys, prefixes)
	}
}

func checkCopy(t *testing.T, s *server, c client, bucket string) {
	for _, size := range []int{100, big} {
		source, target := fmt.Sprintf("copy/source %d +é", size), fmt.Sprintf("copy/target %d", size)
		data := payload(c.name(), size)
		_, err := c.put(bucket, source, data)
		must(t, err)
		must(t, c.copyObject(bucket, source, target))
		got, _, err := c.get(bucket, target)
		must(t, err)
		// A copy has its source's bytes, also where they are generated from the source's name.
		same(t, got, s.expected(bucket, source, data), target)
	}
}

func checkBatchDelete(t *testing.T, _ *server, c client, bucket string) {
	var keys []string
	for i := range 20 {
		keys = append(keys, fmt.Sprintf("batch/%02d <+&é", i))
	}
	for _, key := range append(slices.Clone(keys), "batch/kept") {
		_, err := c.put(bucket, key, []byte("x"))
		must(t, err)
	}
	must(t, c.removeMany(bucket, append(keys, "batch/never was there")))
	if got, _ := listedKeys(t, c, bucket, "batch/", ""); !slices.Equal(got, []string{"batch/kept"}) {
		t.Errorf("unexpected keys left; got %v; want batch/kept", got)
	}
}

func checkPresign(t *testing.T, s *server, c client, bucket string) {
	key, data := "presign/a b+é", payload(c.name(), 100*kib)
	send := func(method, url string, body []byte) (int, []byte) {
		t.Helper()
		request, err := http.NewRequest(method, url, bytes.NewReader(body))
		must(t, err)
		reply, err := http.DefaultClient.Do(request)
		must(t, err)
		defer reply.Body.Close()
		got, err := io.ReadAll(reply.Body)
		must(t, err)
		return reply.StatusCode, got
	}
	link, err := c.presign(bucket, key, http.MethodPut)
	must(t, err)
	if status, text := send(http.MethodPut, link, data); status != http.StatusOK {
		t.Fatalf("unexpected status of a presigned PUT; got %d %s; want 200", status, text)
	}
	link, err = c.presign(bucket, key, http.MethodGet)
	must(t, err)
	status, got := send(http.MethodGet, link, nil)
	if status != http.StatusOK {
		t.Fatalf("unexpected status of a presigned GET; got %d %s; want 200", status, got)
	}
	same(t, got, s.expected(bucket, key, data), "presigned GET")
	if status, _ := send(http.MethodGet, strings.Replace(link, "presign", "presigm", 1), nil); status != http.StatusForbidden {
		t.Errorf("unexpected status of a tampered link; got %d; want 403", status)
	}
}

func checkOddKeys(t *testing.T, s *server, c client, bucket string) {
	// The field's usual casualties: plus sign and space, UTF-8, an empty path segment, a percent sign that must not be
	// decoded twice; then their relatives.
	keys := []string{"a+b c", "é", "a//b", "%2F", "100%", "q?x=1&y#z", "tab'\"<&>", "..dots..", "a=b:c@d,e;f$g!(h)*"}
	var want []string
	for _, key := range keys {
		key = "odd/" + key
		want = append(want, key)
		data := payload(key, 700)
		_, err := c.put(bucket, key, data)
		must(t, err)
		head, err := c.head(bucket, key)
		must(t, err)
		if head.size != int64(len(data)) {
			t.Errorf("unexpected size of %q; got %d; want %d", key, head.size, len(data))
		}
		checkRead(t, s, c, bucket, key, data)
	}
	got, _ := listedKeys(t, c, bucket, "odd/", "")
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("unexpected listing; got %q; want %q", got, want)
	}
	for _, key := range want {
		must(t, c.remove(bucket, key))
	}
	if got, _ := listedKeys(t, c, bucket, "odd/", ""); len(got) != 0 {
		t.Errorf("unexpected keys after their deletion: %q", got)
	}
}
