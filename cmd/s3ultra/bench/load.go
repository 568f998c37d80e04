package bench

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/s3ultra/s3ultra/sigv4"
)

const (
	kib = 1 << 10
	mib = 1 << 20

	// retinaNetSize is the mean size of the images of MLPerf Storage's
	// RetinaNet, the training load most object servers are judged by.
	retinaNetSize = 322957

	// chunkSize is the chunk of aws-chunked uploads that most SDKs use.
	chunkSize = 64 << 10

	// pageKeys is the most keys that S3 puts on a page.
	pageKeys = 1000
	// listKeys makes four pages that start at different keys possible.
	listKeys = 2 * pageKeys
)

// load is one kind of request.
type load struct {
	name  string // for --loads
	title string // in the table
	// perOp: the cost is for each request, else for each byte moved.
	perOp bool
	// upload: every request leaves size bytes at the server.
	upload bool
	size   int64 // of an object, or of what one request moves
	floor  floorKind
	// onRequest: only when named, as it adds little to the default's rows.
	onRequest bool
	// sharedModes: both modes do the same, so one row is enough.
	sharedModes bool
	// make returns the requests that connection number worker sends in turn.
	make func(p *preparation, worker int) ([]exchange, error)
}

// loads are all that there are, in the order of the table: next to those that
// have the same floor, so that they are measured close in time.
func loads() []load {
	return []load{
		{name: "get-1m", title: "GET 1 MiB", size: mib, floor: floorWrite, make: (*preparation).get},
		{name: "get-8m", title: "GET 8 MiB", size: 8 * mib, floor: floorWrite, make: (*preparation).get},
		{name: "get-range-1m", title: "GET 1 MiB ranges of 8 MiB", size: mib, floor: floorWrite, make: (*preparation).getRange},
		{name: "get-323k", title: "GET 323 KB", size: retinaNetSize, floor: floorWrite, make: (*preparation).get},
		{name: "put-8m", title: "PUT 8 MiB unsigned", size: 8 * mib, upload: true, floor: floorRead, make: (*preparation).putUnsigned},
		{name: "part-32m", title: "UploadPart 32 MiB unsigned", size: 32 * mib, upload: true, floor: floorRead, make: (*preparation).uploadPart},
		{name: "put-8m-literal", title: "PUT 8 MiB SHA-256", size: 8 * mib, upload: true, floor: floorReadHash, make: (*preparation).putLiteral},
		{name: "put-8m-stream", title: "PUT 8 MiB signed chunks", size: 8 * mib, upload: true, floor: floorReadHash, make: (*preparation).putStream},
		{name: "get-4k", title: "GET 4 KiB", perOp: true, size: 4 * kib, floor: floorGet4K, make: (*preparation).get},
		{name: "get-1k", title: "GET 1 KiB", perOp: true, size: kib, floor: floorGet1K, make: (*preparation).get},
		{name: "head", title: "HEAD", perOp: true, size: 4 * kib, floor: floorHead, sharedModes: true, make: (*preparation).head},
		{name: "put-4k", title: "PUT 4 KiB SHA-256", perOp: true, size: 4 * kib, upload: true, floor: floorPut4K, make: (*preparation).putLiteral},
		{name: "put-1k", title: "PUT 1 KiB unsigned", perOp: true, size: kib, upload: true, floor: floorPut1K, make: (*preparation).putUnsigned},
		{name: "list", title: "LIST page of 1,000", perOp: true, floor: floorList, sharedModes: true, make: (*preparation).list},
	}
}

// LoadNames returns the names --loads takes.
func LoadNames() []string {
	var names []string
	for _, l := range loads() {
		names = append(names, l.name)
	}
	return names
}

// selectLoads returns the loads of the given names, in the table's order; none
// given means the default ones. A name may end in * (get-*).
func selectLoads(names []string) ([]load, error) {
	var chosen []load
	used := make([]bool, len(names))
	for _, l := range loads() {
		named := false
		for i, name := range names {
			prefix, star := strings.CutSuffix(name, "*")
			if l.name == name || star && strings.HasPrefix(l.name, prefix) {
				named, used[i] = true, true
			}
		}
		if named || len(names) == 0 && !l.onRequest {
			chosen = append(chosen, l)
		}
	}
	if i := slices.Index(used, false); i >= 0 {
		return nil, fmt.Errorf("unknown load %q; there are: %s", names[i], strings.Join(LoadNames(), " "))
	}
	return chosen, nil
}

// maxKeys bounds the distinct requests that one connection sends in turn. They
// differ so that a server cannot answer from the last request's state; more
// would only fill the client's cache.
const maxKeys = 16

// objectCount returns how many objects of a size are read: few of large ones,
// as a server that keeps bytes keeps them all.
func objectCount(size int64) int {
	return int(min(max(64*mib/max(size, 1), 1), 64))
}

func objectKey(size int64, i int) string {
	return fmt.Sprintf("bench/get-%d/object-%04d.bin", size, i%objectCount(size))
}

func listKey(i int) string {
	return fmt.Sprintf("%strain/image-%07d.jpg", listPrefix, i)
}

const listPrefix = "bench/list/"

// preparation makes the exchanges of one row against one target.
type preparation struct {
	ctx    context.Context
	target *target
	load   *load
	conns  int
	wire   *wire
	block  []byte // of random bytes: what bodies repeat
	// uploads are the multipart uploads to abort afterwards: key and id.
	uploads [][2]string
}

// requests returns for every connection what it sends.
func (p *preparation) requests() ([][]exchange, error) {
	all := make([][]exchange, p.conns)
	for i := range all {
		var err error
		if all[i], err = p.load.make(p, i); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// each makes n exchanges.
func each(n int, one func(i int) exchange) ([]exchange, error) {
	list := make([]exchange, n)
	for i := range list {
		list[i] = one(i)
	}
	return list, nil
}

func (p *preparation) get(worker int) ([]exchange, error) {
	return each(min(objectCount(p.load.size), maxKeys), func(i int) exchange {
		x := p.target.plain(ask{method: "GET", key: objectKey(p.load.size, worker+i)}, 200, p.load.size)
		x.payload = p.load.size
		return x
	})
}

func (p *preparation) getRange(worker int) ([]exchange, error) {
	const of = 8 * mib
	return each(int(of/p.load.size), func(i int) exchange {
		off := int64(worker+i) % (of / p.load.size) * p.load.size
		x := p.target.plain(ask{
			method: "GET", key: objectKey(of, worker),
			headers: []header{{"Range", fmt.Sprintf("bytes=%d-%d", off, off+p.load.size-1)}},
		}, 206, p.load.size)
		x.payload = p.load.size
		return x
	})
}

func (p *preparation) head(worker int) ([]exchange, error) {
	return each(maxKeys, func(i int) exchange {
		return p.target.plain(ask{method: "HEAD", key: objectKey(p.load.size, worker+i)}, 200, p.load.size)
	})
}

func (p *preparation) list(worker int) ([]exchange, error) {
	return each(4, func(i int) exchange {
		after := listKey((worker + i) % 4 * (listKeys - pageKeys) / 4)
		return p.target.plain(listAsk(after), 200, p.target.listBody)
	})
}

// listAsk asks for the page of pageKeys keys after the key.
func listAsk(after string) ask {
	query := "list-type=2&max-keys=" + strconv.Itoa(pageKeys) +
		"&prefix=" + string(sigv4.AppendEncoded(nil, listPrefix, false)) +
		"&start-after=" + string(sigv4.AppendEncoded(nil, after, false))
	return ask{method: "GET", query: query}
}

// putKey names the i-th object that a connection overwrites again and again.
func (p *preparation) putKey(worker, i int) string {
	key := fmt.Sprintf("bench/put-%d/%04d-%02d.bin", p.load.size, worker, i)
	p.target.made(key)
	return key
}

// putCount is how many objects a connection overwrites in turn: one large one,
// as a server that keeps bytes keeps them all.
func (p *preparation) putCount() int {
	if p.load.size < mib {
		return maxKeys
	}
	return 1
}

func (p *preparation) put(worker int, payload string) ([]exchange, error) {
	return each(p.putCount(), func(i int) exchange {
		a := ask{method: "PUT", key: p.putKey(worker, i), payload: payload}
		return p.target.withBody(a, p.block, p.load.size, 200)
	})
}

func (p *preparation) putUnsigned(worker int) ([]exchange, error) {
	return p.put(worker, sigv4.PayloadUnsigned.String())
}

func (p *preparation) putLiteral(worker int) ([]exchange, error) {
	return p.put(worker, bodySHA256(p.block, p.load.size))
}

func (p *preparation) putStream(worker int) ([]exchange, error) {
	return each(p.putCount(), func(i int) exchange {
		return p.target.chunked(ask{method: "PUT", key: p.putKey(worker, i)}, p.block, p.load.size, chunkSize, 200)
	})
}

// uploadPart gives every connection an upload of its own, of which it sends
// the first part again and again: a part that is replaced frees the old one.
func (p *preparation) uploadPart(worker int) ([]exchange, error) {
	key := fmt.Sprintf("bench/part-%d/%04d.bin", p.load.size, worker)
	create := p.target.plain(ask{method: "POST", key: key, query: "uploads="}, 200, -1)
	body, err := p.target.call(p.ctx, p.wire, create, "create a multipart upload")
	if err != nil {
		return nil, err
	}
	id := xmlText(body, "UploadId")
	if id == "" {
		return nil, fmt.Errorf("cannot create a multipart upload on %s: there is no UploadId in the reply", p.target.address)
	}
	p.uploads = append(p.uploads, [2]string{key, id})
	query := "partNumber=1&uploadId=" + string(sigv4.AppendEncoded(nil, id, false))
	a := ask{method: "PUT", key: key, query: query, payload: sigv4.PayloadUnsigned.String()}
	return []exchange{p.target.withBody(a, p.block, p.load.size, 200)}, nil
}

// end aborts the uploads, which frees what the server keeps of them.
func (p *preparation) end() error {
	for _, u := range p.uploads {
		query := "uploadId=" + string(sigv4.AppendEncoded(nil, u[1], false))
		x := p.target.plain(ask{method: "DELETE", key: u[0], query: query}, 204, -1)
		if _, err := p.target.call(p.ctx, p.wire, x, "abort a multipart upload"); err != nil {
			return err
		}
	}
	p.uploads = nil
	return nil
}

// bodySHA256 returns the hex digest of a body made of block.
func bodySHA256(block []byte, size int64) string {
	h := sha256.New()
	for _, part := range appendBody(nil, block, size) {
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}
