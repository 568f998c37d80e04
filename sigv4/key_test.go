package sigv4

import (
	"crypto/hmac"
	stdsha256 "crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestPadsAgainstStdlib(t *testing.T) {
	for _, size := range []int{1, 32, 63, 64, 65, 200} {
		key := []byte(strings.Repeat("k", size))
		msg := []byte(strings.Repeat("m", size*3))
		var p pads
		p.set(key)
		got := p.sum(append(make([]byte, blockSize), msg...))
		m := hmac.New(stdsha256.New, key)
		m.Write(msg)
		if want := m.Sum(nil); hex.EncodeToString(got[:]) != hex.EncodeToString(want) {
			t.Errorf("key of %d bytes: unexpected sum; got %x; want %x", size, got, want)
		}
	}
}

// Strangers must not fill the cache, and owners cannot fill it beyond maxKeys.
func TestKeyCacheIsBounded(t *testing.T) {
	v := newVerifier(t, Config{})
	cred := v.credentials[exampleCredential.AccessKey]
	count := func() int {
		if k := cred.keys.Load(); k != nil {
			return len(*k)
		}
		return 0
	}
	var a Auth
	var g Signer
	for i := range 10 * maxKeys {
		r := request("GET", "/b", "h")
		g.SignHeader(r, Credential{exampleCredential.AccessKey, "guess"}, fmt.Sprint("region-", i), exampleTime, emptySHA256)
		if err := v.Verify(&a, r, exampleTime); err == nil {
			t.Fatal("unexpected success")
		}
	}
	if n := count(); n != 0 {
		t.Fatalf("unexpected cached keys of wrong signatures; got %d; want 0", n)
	}
	for i := range 10 * maxKeys {
		r := request("GET", "/b", "h")
		g.SignHeader(r, exampleCredential, fmt.Sprint("region-", i), exampleTime, emptySHA256)
		for range 2 {
			if err := v.Verify(&a, r, exampleTime); err != nil {
				t.Fatalf("unexpected error: %v", err)
			}
		}
	}
	if n := count(); n != maxKeys {
		t.Fatalf("unexpected cached keys; got %d; want %d", n, maxKeys)
	}
	r := request("GET", "/b", "h")
	g.SignHeader(r, exampleCredential, strings.Repeat("r", maxCachedRegion+1), exampleTime, emptySHA256)
	if err := v.Verify(&a, r, exampleTime); err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	if k := (*cred.keys.Load())[0]; len(k.region) > maxCachedRegion {
		t.Fatalf("unexpected region of %d bytes in the cache", len(k.region))
	}
}

// Meant for -race.
func TestVerifierConcurrently(t *testing.T) {
	v := newVerifier(t, Config{})
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			var a Auth
			var g Signer
			for i := range 300 {
				r := request("GET", "/b", "h")
				at := exampleTime.Add(time.Duration(i%3) * 24 * time.Hour)
				g.SignHeader(r, exampleCredential, fmt.Sprint("region-", (i+w)%20), at, emptySHA256)
				if err := v.Verify(&a, r, at); err != nil {
					t.Errorf("unexpected error: %v", err)
					return
				}
			}
		})
	}
	wg.Wait()
}
