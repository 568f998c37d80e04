package server

import (
	"testing"
	"time"

	"github.com/s3ultra/s3ultra/sigv4"
)

// BenchmarkAccount is what counting a request costs, all of it: two looks at
// the clock, the counters, and the journal's entry.
func BenchmarkAccount(b *testing.B) {
	for _, row := range []struct {
		name    string
		journal int
	}{{"counters", 0}, {"counters and journal", DefaultJournalSize}} {
		b.Run(row.name, func(b *testing.B) {
			s, err := New(Config{Journal: row.journal})
			if err != nil {
				b.Fatal(err)
			}
			r := s.requests.Get().(*request)
			h := newHotRequest(b, s, sigv4.Credential{AccessKey: "A", SecretKey: "s"}, "", "GET", "/bkt/data/train/img_00000007_of_00001500.jpg", "", nil, 0)
			h.ctx.Response.SetStatusCode(200)
			r.ctx, r.srv, r.op, r.method = &h.ctx, s, opGetObject, "GET"
			r.target.bucket, r.target.key = []byte("bkt"), []byte("data/train/img_00000007_of_00001500.jpg")
			body, src := new(replyBody), new(objectBody)
			b.ReportAllocs()
			for b.Loop() {
				r.now = time.Now()
				r.newAccount(s)
				r.begin()
				body.src, body.size, body.sent = src, 4096, 4096
				r.body = body
				r.replied()
				body.closeAccount()
			}
		})
	}
}
