package server

// healthPath answers without a signature. No bucket can have this name: bucket
// names hold no underscore.
const healthPath = "/_s3ultra/health"

func isHealthPath(path []byte) bool { return string(path) == healthPath }

// health answers 200 once the server accepts requests, which it does when it
// can answer at all.
func (r *request) health() error {
	r.setRequestID()
	r.ctx.Response.Header.SetContentType("text/plain; charset=utf-8")
	if r.method == "HEAD" {
		r.ctx.Response.SkipBody = true
		r.ctx.Response.Header.SetContentLength(len("ok\n"))
		return nil
	}
	r.ctx.Response.SetBodyString("ok\n")
	return nil
}
