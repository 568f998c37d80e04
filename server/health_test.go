package server_test

import (
	"strings"
	"testing"

	"github.com/s3ultra/s3ultra/store"
)

// MinIO's administration client signs without a region and prints the message
// of the error that it gets.
func TestMinioAdminAPI(t *testing.T) {
	f := start(t, testConfig(store.Memory))
	for _, method := range []string{"GET", "PUT", "POST"} {
		header := "Authorization: AWS4-HMAC-SHA256 Credential=x/20260101//s3/aws4_request, SignedHeaders=host, Signature=" + strings.Repeat("0", 64)
		r := f.send(t, call{method: method, target: "/minio/admin/v3/info", header: []string{header}, anonymous: true})
		if doc := r.wantError(501, "NotImplemented"); !strings.Contains(doc.Message, "no MinIO admin API") {
			t.Errorf("unexpected message; got %q", doc.Message)
		}
	}
	// Nothing else of a bucket of that name is hidden.
	f.do(t, "PUT", "/minio", "").want(200)
	f.put(t, "/minio/admin/x", "y")
	f.do(t, "GET", "/minio/admin/x", "").wantBody(200, "y")
	f.send(t, call{method: "GET", target: "/admin/x", host: "minio.localhost"}).wantBody(200, "y")
}
