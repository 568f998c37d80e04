#!/bin/sh
# Builds the program of releases and images: static, so that it runs in an image
# of nothing else and on any distribution, and small.
#
#   VERSION=v1.2.3 COMMIT=0123456789ab cmd/build.sh OUTPUT
#
# GO, GOOS and GOARCH are taken from the environment too. `go build ./cmd/s3ultra`
# makes the same program, a megabyte larger.
set -eu

# What no S3 request waits for: encoding of descriptors, errors and settings, the
# admin server, TLS of the clients. Not copying its small functions into their
# callers saves 650 KB (measured with Go 1.26 on amd64).
cold='google.golang.org/protobuf/... github.com/gogo/protobuf/... github.com/prometheus/...
github.com/cockroachdb/errors/... github.com/cockroachdb/redact/... github.com/getsentry/...
golang.org/x/text/... github.com/kr/... go.yaml.in/...
net/http net/http/pprof internal/profile runtime/pprof log/slog crypto/tls crypto/x509 encoding/asn1 math/big'
flags=
for packages in $cold; do
  flags="$flags -gcflags=$packages=-l"
done

# nethttpomithttp2: HTTP/2 is spoken over TLS, which is not served. 530 KB.
# shellcheck disable=SC2086 # $flags are words
CGO_ENABLED=0 exec "${GO:-go}" build -trimpath -buildvcs=false -tags nethttpomithttp2 $flags \
  -ldflags "-s -w -X main.linkedVersion=${VERSION:-} -X main.linkedCommit=${COMMIT:-}" -o "$1" ./cmd/s3ultra
