package sigv4

import (
	"crypto/sha256"
	"crypto/subtle"
	"sync"
	"sync/atomic"
)

// blockSize is SHA-256's block, the length of an HMAC pad (RFC 2104).
const blockSize = 64

var (
	serviceBytes    = []byte(service)
	terminatorBytes = []byte(terminator)
)

// pads is an HMAC-SHA256 key with the two paddings of RFC 2104 applied.
type pads struct{ inner, outer [blockSize]byte }

// set makes p the pads of key.
func (p *pads) set(key []byte) {
	var k [blockSize]byte
	if len(key) > blockSize {
		sum := sha256.Sum256(key)
		copy(k[:], sum[:])
	} else {
		copy(k[:], key)
	}
	for i, c := range k {
		p.inner[i] = c ^ 0x36
		p.outer[i] = c ^ 0x5c
	}
}

// sum returns HMAC-SHA256 of buf[blockSize:]. The first blockSize bytes of buf
// are overwritten: with the pad in front of the message, one call hashes both
// and no hash state needs to be kept (copying a prepared state in and out costs
// what the one saved block costs; both measured about 250 ns for 150 bytes).
func (p *pads) sum(buf []byte) [sha256.Size]byte {
	copy(buf, p.inner[:])
	var o [blockSize + sha256.Size]byte
	copy(o[:], p.outer[:])
	inner := sha256.Sum256(buf)
	copy(o[blockSize:], inner[:])
	return sha256.Sum256(o[:])
}

// signingKey is the key of one (secret, day, region). Immutable once published.
type signingKey struct {
	day    [8]byte
	region string
	pads   pads
}

// is reports whether k signs for the day and region.
func (k *signingKey) is(day, region []byte) bool {
	return string(k.day[:]) == string(day) && k.region == string(region)
}

// derive sets p to the signing key of the scope: HMAC chained over day, region,
// service and terminator ("Deriving the signing key"). secret holds the pads of
// "AWS4"+SecretKey. buf is scratch; it is returned because it may have grown.
func (p *pads) derive(secret *pads, day, region, buf []byte) []byte {
	var pad [blockSize]byte
	*p = *secret
	for _, msg := range [...][]byte{day, region, serviceBytes, terminatorBytes} {
		buf = append(append(buf[:0], pad[:]...), msg...)
		k := p.sum(buf)
		p.set(k[:])
	}
	return buf
}

const (
	// maxKeys bounds the signing keys remembered for one credential. Clients
	// use one or two regions and, around midnight, two days; a key is kept only
	// after a valid signature, so strangers cannot push anything out.
	maxKeys = 16
	// maxCachedRegion bounds the memory of a cached key. The longest AWS region
	// name has 16 characters; longer ones are verified but not remembered.
	maxCachedRegion = 64
)

// credential is a key pair with its recently used signing keys.
type credential struct {
	accessKey string
	secret    pads // of "AWS4"+SecretKey

	keys atomic.Pointer[[]*signingKey] // newest first; the slice is never changed in place
	mu   sync.Mutex                    // serialises remember
}

func newCredential(c Credential) *credential {
	n := &credential{accessKey: c.AccessKey}
	n.secret.set([]byte("AWS4" + c.SecretKey))
	return n
}

// lookup returns the remembered key, or nil. Safe for concurrent use, lock-free.
func (c *credential) lookup(day, region []byte) *signingKey {
	keys := c.keys.Load()
	if keys == nil {
		return nil
	}
	for _, k := range *keys {
		if k.is(day, region) {
			return k
		}
	}
	return nil
}

// remember keeps the pads as the key of the scope and returns it. Safe for
// concurrent use.
func (c *credential) remember(day, region []byte, p *pads) *signingKey {
	k := &signingKey{region: string(region), pads: *p}
	copy(k.day[:], day)
	if len(region) > maxCachedRegion {
		return k
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.keys.Load()
	keys := make([]*signingKey, 1, maxKeys)
	keys[0] = k
	if old != nil {
		for _, o := range *old {
			if o.is(day, region) {
				return o
			}
		}
		keys = append(keys, (*old)[:min(len(*old), maxKeys-1)]...)
	}
	c.keys.Store(&keys)
	return k
}

// equalHex compares a received hex signature with the computed one in constant time.
func equalHex(got []byte, want *[64]byte) bool {
	return subtle.ConstantTimeCompare(got, want[:]) == 1
}
