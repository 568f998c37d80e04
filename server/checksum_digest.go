package server

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"hash/crc32"
	"sync"

	"github.com/minio/crc64nvme"
	md5simd "github.com/minio/md5-simd"

	"github.com/s3ultra/s3ultra/server/sha256lanes"
)

// castagnoli is crc32's own table for CRC32C, which selects its accelerated code.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// hashPools holds idle hashes of the algorithms whose state is too large for a digest.
var hashPools = [checksumCount]sync.Pool{
	checksumSHA1:   {New: func() any { return sha1.New() }},
	checksumSHA256: {New: func() any { return sha256.New() }},
	checksumMD5:    {New: func() any { return md5.New() }},
}

// digest computes one sum over a body. The zero digest is of checksumNone: it ignores what is
// written and has an empty sum. A digest is used by one goroutine and is not copied between Reset
// and Release. It allocates nothing but a SHA or MD5 state, which is pooled.
type digest struct {
	algorithm checksumAlgorithm
	crc       uint64
	hash      hash.Hash

	lanes *md5Lanes         // set by md5Lanes.start, which Release tells
	lane  md5simd.Hasher    // hash, when it is a lane
	sha   *sha256lanes.Hash // hash, when it was opened by shaLanes.start
}

// Reset starts a sum of algorithm a, ending what the digest was used for before.
func (d *digest) Reset(a checksumAlgorithm) {
	if d.hash != nil && d.algorithm != a {
		d.Release()
	}
	d.algorithm, d.crc = a, 0
	switch a {
	case checksumSHA1, checksumSHA256, checksumMD5:
		if d.hash == nil {
			d.hash = hashPools[a].Get().(hash.Hash)
		}
		d.hash.Reset()
	}
}

// Release gives the state back to its pool; the digest is then of checksumNone. It may be called
// any number of times.
func (d *digest) Release() {
	if d.lanes != nil {
		d.lanes.end(d)
	}
	if d.sha != nil {
		d.sha.Close()
		d.hash = nil
	}
	if d.hash != nil {
		hashPools[d.algorithm].Put(d.hash)
	}
	*d = digest{}
}

// Write adds p to the sum and keeps no reference to it.
func (d *digest) Write(p []byte) {
	switch d.algorithm {
	case checksumNone:
	case checksumCRC32:
		d.crc = uint64(crc32.Update(uint32(d.crc), crc32.IEEETable, p))
	case checksumCRC32C:
		d.crc = uint64(crc32.Update(uint32(d.crc), castagnoli, p))
	case checksumCRC64NVME:
		d.crc = crc64nvme.Update(d.crc, p)
	default:
		d.hash.Write(p)
	}
}

// Sum appends the raw sum of what was written so far, algorithm.size() bytes, to dst. More may be
// written afterwards.
func (d *digest) Sum(dst []byte) []byte {
	switch d.algorithm {
	case checksumNone:
		return dst
	case checksumCRC32, checksumCRC32C:
		return binary.BigEndian.AppendUint32(dst, uint32(d.crc))
	case checksumCRC64NVME:
		return binary.BigEndian.AppendUint64(dst, d.crc)
	}
	return d.hash.Sum(dst)
}
