# Building and testing s3ultra needs Go (the version in go.mod or any newer
# one; Go 1.21 and later fetch it themselves). `make e2e` also needs Python and
# Node.js, `make page` Node.js and Chromium.

GO ?= go

# Also serves without .git (a source archive), then as "devel".
VERSION ?= $(shell git describe --tags --dirty --always 2>/dev/null)
COMMIT  ?= $(shell git rev-parse --short=12 HEAD 2>/dev/null)
# HTTP/2 needs TLS, which nothing here serves; half a megabyte.
TAGS    := nethttpomithttp2
LDFLAGS := -s -w -X main.linkedVersion=$(VERSION) -X main.linkedCommit=$(COMMIT)

# Pinned, so that a new release cannot turn a green tree red.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

# Flags for `make run`, such as ARGS="--port 9001", and for `make container`.
ARGS ?=

# What `make bench` runs, and for how long each; flags of its second half, such
# as BENCHARGS="--rounds 5".
BENCH     ?= .
BENCHTIME ?= 1s
BENCHARGS ?=

# The browser of `make page`.
CHROMIUM ?= /usr/bin/chromium

.PHONY: build run test race kill vet lint fmt bench e2e page docker container man completion clean need-go

# A static binary: it runs in a scratch image and on any distribution.
build: need-go
	CGO_ENABLED=0 $(GO) build -tags $(TAGS) -trimpath -buildvcs=false -ldflags '$(LDFLAGS)' -o bin/ ./cmd/s3ultra

# Serves a demo on 127.0.0.1:9000 until Ctrl-C and prints commands to try.
run: build
	@exec bin/s3ultra serve --demo $(ARGS)

test: need-go
	$(GO) test ./...

# The race detector needs a C compiler.
race: need-go
	$(GO) test -race ./...

# `make test` kills a server that writes four times, this fifty times.
kill: need-go
	KILL_ROUNDS=50 $(GO) test -count=1 -v -run TestKilledServerLosesNothing ./cmd/s3ultra

# The end-to-end tests have their own module and build tag; run.sh vets them.
vet: need-go
	$(GO) vet ./...

lint: vet
	@unformatted=$$(gofmt -l cmd server sigv4 store synth e2e 2>/dev/null | grep -v node_modules); \
	if [ -n "$$unformatted" ]; then echo "not formatted, run make fmt:"; echo "$$unformatted"; exit 1; fi
	$(GO) run $(STATICCHECK) ./...

fmt: need-go
	$(GO) fmt ./...

# The packages' own benchmarks, then the whole server beside the least that any
# program needs on this machine (docs/cli.md, bench).
bench: build
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -benchmem ./...
	bin/s3ultra bench $(BENCHARGS)

# Real clients against the real binary; prints the matrix of docs/clients.md.
e2e: build
	./e2e/run.sh

# The live page in a headless Chromium beside a bounded load, a minute. Not part
# of make test or make e2e: it needs a browser (Debian: chromium) and Node.js.
# Leaves screenshots in e2e/out/page.
page: build
	cd e2e/page && npm ci --silent --no-audit --no-fund && E2E_CHROMIUM=$(CHROMIUM) node --test page.test.js

docker:
	docker build -f docker/Dockerfile --build-arg VERSION=$(VERSION) --build-arg COMMIT=$(COMMIT) -t s3ultra .

# The image of docker/Dockerfile, built and run by buildah (Linux, as root).
container: need-go
	./e2e/container/run.sh $(ARGS)

man: build
	bin/s3ultra man >bin/s3ultra.1

completion: build
	bin/s3ultra completion bash >bin/s3ultra.bash
	bin/s3ultra completion zsh >bin/_s3ultra
	bin/s3ultra completion fish >bin/s3ultra.fish

clean:
	rm -rf bin e2e/out

need-go:
	@command -v $(GO) >/dev/null 2>&1 || { \
	  echo "s3ultra: Go is missing; install Go $$(awk '/^go /{print $$2}' go.mod) or newer (https://go.dev/doc/install) and put it on the PATH" >&2; exit 1; }
