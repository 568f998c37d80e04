package server

import "bytes"

// Health paths answer without a signature and are in no log. No bucket can be
// called _s3ultra: bucket names hold no underscore. The others are MinIO's,
// which images and CI files ask; they hide a few keys of a bucket called minio
// from path-style reads.
//
// Source: https://min.io/docs/minio/linux/operations/monitoring/healthcheck-probe.html
const (
	healthPath        = "/_s3ultra/health"
	minioHealthPrefix = "/minio/health/"
	minioLive         = "live"
)

// isHealthPath tells whether t is a health path; a virtual-host request for
// such a key is for the key.
func isHealthPath(t *target) bool {
	if string(t.path) == healthPath {
		return true
	}
	if !bytes.HasPrefix(t.path, []byte(minioHealthPrefix)) || string(t.bucket) != "minio" {
		return false
	}
	switch string(t.path[len(minioHealthPrefix):]) {
	case minioLive, "ready", "cluster", "cluster/read":
		return true
	}
	return false
}

// minioAdminPrefix is what the paths of MinIO's admin API begin with: "v" and
// the API's version follow. Like the health paths they hide keys of a bucket
// called minio.
const minioAdminPrefix = "/minio/admin/v"

// isMinioAdminPath tells whether t is a call of MinIO's admin API. It is
// answered before its signature is looked at, which names no region and would
// be called malformed: that is not what its sender should hear.
func isMinioAdminPath(t *target) bool {
	return bytes.HasPrefix(t.path, []byte(minioAdminPrefix)) && string(t.bucket) == "minio"
}

// health answers 200 when the server can answer at all, and MinIO's ready and
// cluster 503 while it is not ready.
func (r *request) health() error {
	r.setRequestID()
	if bytes.HasPrefix(r.target.path, []byte(minioHealthPrefix)) && !bytes.HasSuffix(r.target.path, []byte(minioLive)) && r.srv.Ready() != nil {
		r.ctx.Response.SetStatusCode(503)
		return nil
	}
	r.ctx.Response.Header.SetContentType("text/plain; charset=utf-8")
	if r.method == "HEAD" {
		r.ctx.Response.SkipBody = true
		r.ctx.Response.Header.SetContentLength(len("ok\n"))
		return nil
	}
	r.ctx.Response.SetBodyString("ok\n")
	return nil
}
