package server

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/s3ultra/s3ultra/store"
)

func TestHexDigits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		var e store.ETag
		for i := range e.Sum {
			e.Sum[i] = byte(rng.Uint32())
		}
		e.Parts = uint16(rng.IntN(3))
		if got, want := string(appendETagParts(appendETagDigits(nil, &e), &e)), e.String(); got != want {
			t.Fatalf("unexpected text of an ETag; got %s; want %s", got, want)
		}
		var words [etagDigits]byte
		putHexWords(&words, &e.Sum)
		if got, want := string(words[:]), e.String()[:etagDigits]; got != want {
			t.Fatalf("unexpected digits by words; got %s; want %s", got, want)
		}
	}
	for x := range uint32(256) {
		v := hexDigits(x * 0x01010101)
		got := string([]byte{byte(v), byte(v >> 8)})
		if want := fmt.Sprintf("%02x", x); got != want {
			t.Errorf("unexpected digits of %#x; got %s; want %s", x, got, want)
		}
	}
}
