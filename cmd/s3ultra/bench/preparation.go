package bench

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"strconv"

	"github.com/s3ultra/s3ultra/sigv4"
)

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
	return each(listPages, func(i int) exchange {
		after := listKey((worker + i) % listPages * (listKeys - pageKeys) / listPages)
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
	key := fmt.Sprintf("%sput-%d/%04d-%02d.bin", keyPrefix, p.load.size, worker, i)
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
		return p.target.withBody(a, p.block, p.load.size)
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
		a := ask{method: "PUT", key: p.putKey(worker, i)}
		return p.target.chunked(a, sigv4.PayloadStreamingSigned, p.block, p.load.size, nil)
	})
}

// putTrailer sends what SDKs do since 2025 unless told otherwise.
func (p *preparation) putTrailer(worker int) ([]exchange, error) {
	crc := crc32.NewIEEE()
	for _, part := range appendBody(nil, p.block, p.load.size) {
		crc.Write(part)
	}
	sum := base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, crc.Sum32()))
	trailer := []sigv4.Field{{Name: []byte("x-amz-checksum-crc32"), Value: []byte(sum)}}
	return each(p.putCount(), func(i int) exchange {
		a := ask{method: "PUT", key: p.putKey(worker, i), headers: []header{{"X-Amz-Trailer", string(trailer[0].Name)}}}
		return p.target.chunked(a, sigv4.PayloadStreamingUnsignedTrailer, p.block, p.load.size, trailer)
	})
}

// part makes an upload for a connection, which sends the first part again and
// again: a part that is replaced frees the old one.
func (p *preparation) part(worker int) (ask, error) {
	key := fmt.Sprintf("%spart-%d/%04d.bin", keyPrefix, p.load.size, worker)
	create := p.target.plain(ask{method: "POST", key: key, query: "uploads="}, 200, -1)
	body, err := p.target.call(p.ctx, p.wire, create, "create a multipart upload")
	if err != nil {
		return ask{}, err
	}
	id := xmlText(body, "UploadId")
	if id == "" {
		return ask{}, fmt.Errorf("cannot create a multipart upload on %s: there is no UploadId in the reply", p.target.address)
	}
	p.uploads = append(p.uploads, [2]string{key, id})
	query := "partNumber=1&uploadId=" + string(sigv4.AppendEncoded(nil, id, false))
	return ask{method: "PUT", key: key, query: query}, nil
}

func (p *preparation) partUnsigned(worker int) ([]exchange, error) {
	a, err := p.part(worker)
	if err != nil {
		return nil, err
	}
	a.payload = sigv4.PayloadUnsigned.String()
	return []exchange{p.target.withBody(a, p.block, p.load.size)}, nil
}

func (p *preparation) partStream(worker int) ([]exchange, error) {
	a, err := p.part(worker)
	if err != nil {
		return nil, err
	}
	return []exchange{p.target.chunked(a, sigv4.PayloadStreamingSigned, p.block, p.load.size, nil)}, nil
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
