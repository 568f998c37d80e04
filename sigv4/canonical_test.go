package sigv4

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func canonicalQuery(query string, plusIsSpace bool) string {
	var s scratch
	s.setQuery([]byte(query), plusIsSpace)
	var parts []string
	for _, p := range s.params {
		parts = append(parts, string(s.enc[p.name:p.end]))
	}
	return strings.Join(parts, "&")
}

// Covers S06.
func TestCanonicalQuery(t *testing.T) {
	f := func(query, want string) {
		t.Helper()
		if got := canonicalQuery(query, true); got != want {
			t.Errorf("%q: unexpected query; got %q; want %q", query, got, want)
		}
	}
	f("", "")
	f("&&", "")
	f("uploads", "uploads=")
	f("uploads=", "uploads=")
	f("=v", "=v")
	f("a=b=c", "a=b%3Dc")
	f("b=1&a=2", "a=2&b=1")
	f("a=2&a=1&a", "a=&a=1&a=2")
	f("uploadId=x&partNumber=1", "partNumber=1&uploadId=x")
	// By name first: "a" before "a-", though "a-" sorts before "a=".
	f("a-=1&a=2", "a=2&a-=1")
	f("B=1&a=1&A=1", "A=1&B=1&a=1")
	f("p=a+b", "p=a%20b")
	f("p=a%2bb", "p=a%2Bb")
	f("p=%41%7e~", "p=A~~")
	f("p=%&q=%4&r=%zz", "p=%25&q=%254&r=%25zz")
	f("p=/:\xff", "p=%2F%3A%FF")
	if got := canonicalQuery("p=a+b", false); got != "p=a%2Bb" {
		t.Errorf("unexpected query; got %q", got)
	}
}

func TestFolding(t *testing.T) {
	f := func(value, want string) {
		t.Helper()
		if got := string(appendFolded(nil, trim([]byte(value)))); got != want {
			t.Errorf("%q: unexpected value; got %q; want %q", value, got, want)
		}
	}
	f("", "")
	f("  ", "")
	f("a", "a")
	f(" a b ", "a b")
	f("a  b   c    d", "a b c d")
	f("\ta\t", "a")
}

func TestAppendEncoded(t *testing.T) {
	f := func(in string, keepSlash bool, want string) {
		t.Helper()
		if got := string(AppendEncoded(nil, in, keepSlash)); got != want {
			t.Errorf("%q: unexpected encoding; got %q; want %q", in, got, want)
		}
	}
	f("/a b+c%~-_.", true, "/a%20b%2Bc%25~-_.")
	f("/é", false, "%2F%C3%A9")
}

func FuzzCanonical(f *testing.F) {
	for _, s := range []string{"", "a=b&c", "%2f%zz%", "a+b=c d&&=", examplePresignedQuery, "/b//x/../%2e?"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, plus := range []bool{false, true} {
			for _, slash := range []bool{false, true} {
				once := appendRecoded(nil, in, slash, plus)
				if twice := appendRecoded(nil, once, slash, plus); !bytes.Equal(once, twice) {
					t.Fatalf("%q: recoding is not stable: %q, %q", in, once, twice)
				}
				if plus || !slash {
					continue
				}
				if !canonicalPath(once) {
					t.Fatalf("%q: unexpected verdict on the canonical %q", in, once)
				}
				if canonicalPath(in) && !bytes.Equal(in, once) {
					t.Fatalf("%q: unexpected verdict, recodes to %q", in, once)
				}
				if a, b := appendDecoded(nil, in), appendDecoded(nil, once); !bytes.Equal(a, b) {
					t.Fatalf("%q: recoding changed the meaning: %q, %q", in, a, b)
				}
			}
		}
		q := canonicalQuery(string(in), true)
		if again := canonicalQuery(q, true); again != q {
			t.Fatalf("%q: unstable query: %q, %q", in, q, again)
		}
	})
}

// Whatever stands in the places an attacker controls, Verify answers without
// panic and without accepting.
func FuzzVerify(f *testing.F) {
	r := signed("GET", "/b/k?x=1", emptySHA256)
	f.Add("/b/k", "x=1", get(r, "authorization"), get(r, "x-amz-date"), emptySHA256, "h")
	f.Add("/test.txt", examplePresignedQuery, "", "", "", "h:80")
	f.Add("/b", "AWSAccessKeyId=a&Signature=b", "AWS a:b", "Fri, 24 May 2013 00:00:00 GMT", nameUnsigned, "[::1]")
	v := newVerifier(f, strictConfig)
	open := newVerifier(f, Config{SkipVerify: true})
	f.Fuzz(func(t *testing.T, path, query, auth, date, sha, host string) {
		r := request("GET", path+"?"+query, host)
		for _, h := range [][2]string{{"Authorization", auth}, {"X-Amz-Date", date}, {"X-Amz-Content-Sha256", sha}} {
			if h[1] != "" {
				r.Header = append(r.Header, fields(h[0], h[1])...)
			}
		}
		var a Auth
		if err := v.Verify(&a, r, exampleTime.Add(time.Second)); err == nil {
			// The corpus holds true signatures; nothing else may pass.
			if !strings.Contains(auth+query, exampleCredential.AccessKey) {
				t.Fatalf("unexpected success")
			}
		} else if err.Error() == "" {
			t.Fatalf("error without text")
		}
		_ = open.Verify(&a, r, exampleTime)
	})
}
