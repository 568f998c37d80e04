package bench

import (
	"fmt"
	"slices"
	"strings"
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
	// listKeys are enough for listPages full pages that overlap and that others
	// follow; a page's cost does not depend on how many more there are.
	listKeys  = 2 * pageKeys
	listPages = 4
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
		{name: "part-32m", title: "UploadPart 32 MiB unsigned", size: 32 * mib, upload: true, floor: floorRead, make: (*preparation).partUnsigned},
		{name: "put-8m-trailer", title: "PUT 8 MiB CRC-32 trailer", size: 8 * mib, upload: true, floor: floorRead, onRequest: true, make: (*preparation).putTrailer},
		{name: "put-8m-literal", title: "PUT 8 MiB SHA-256", size: 8 * mib, upload: true, floor: floorReadHash, make: (*preparation).putLiteral},
		{name: "put-8m-stream", title: "PUT 8 MiB signed chunks", size: 8 * mib, upload: true, floor: floorReadHash, make: (*preparation).putStream},
		{name: "part-32m-stream", title: "UploadPart 32 MiB signed chunks", size: 32 * mib, upload: true, floor: floorReadHash, onRequest: true, make: (*preparation).partStream},
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
	return fmt.Sprintf("%sget-%d/object-%04d.bin", keyPrefix, size, i%objectCount(size))
}

func listKey(i int) string {
	return fmt.Sprintf("%strain/image-%07d.jpg", listPrefix, i)
}

const (
	// keyPrefix begins every key, so that somebody's own objects in the bucket
	// are not touched.
	keyPrefix  = "s3ultra-bench/"
	listPrefix = keyPrefix + "list/"
)
