package server

import "testing"

func TestMatchWildcard(t *testing.T) {
	f := func(pattern, text string, want bool) {
		t.Helper()
		if got := matchWildcard(pattern, []byte(text)); got != want {
			t.Errorf("unexpected match of %q with %q; got %v; want %v", pattern, text, got, want)
		}
	}
	f("", "", true)
	f("", "a", false)
	f("*", "", true)
	f("*", "a/b", true)
	f("?", "", false)
	f("?", "a", true)
	f("a", "a", true)
	f("a", "ab", false)
	f("ab", "a", false)
	f("a*", "a", true)
	f("a*c", "abc", true)
	f("a*c", "abcd", false)
	f("a*c*", "abcd", true)
	f("*a*b", "aabab", true)
	f("*ab", "aab", true)
	f("a?c*", "abcabc", true)
	f("a?c", "ac", false)
	f("bkt/dir/*", "bkt/dir", false)
	f("bkt/dir/*", "bkt/dir/", true)
	// Not in exponential time.
	f("*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false)
}

// What a policy says must be read without a panic, whatever it is.
func FuzzParsePolicy(f *testing.F) {
	for _, text := range []string{
		`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::bkt/*"}]}`,
		`{"Statement":{"Effect":"Deny","NotPrincipal":{"AWS":["*"]},"NotAction":["s3:*"],"NotResource":["arn:aws:s3:::bkt/${x}"],` +
			`"Condition":{"IpAddress":{"aws:SourceIp":["::1/128","10.0.0.1"]},"Null":{"s3:prefix":true},"ForAnyValue:StringLikeIfExists":{"s3:prefix":[1]}}}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := parsePolicy(text, "bkt")
		if (p == nil) != (err != nil) {
			t.Fatalf("unexpected policy %v with error %v", p, err)
		}
		if p != nil {
			p.isPublic()
		}
	})
}
