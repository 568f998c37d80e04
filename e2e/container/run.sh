#!/usr/bin/env bash
# Builds both images of docker/Dockerfile with buildah and runs them. No
# registry and no container engine is needed: the images that the build starts
# from are put together here, from this machine's Go, busybox and curl, and
# everything runs in a network of its own, so that ports 9000 and 9001 are free.
#
#   e2e/container/run.sh               # the machine's architecture
#   e2e/container/run.sh --arm64       # builds for arm64 too; a minute more
#
# Needs Linux, root, Go, and Debian's buildah, busybox-static, curl, iproute2
# and util-linux. Nothing of it is left, nor does it touch root's own images.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
self=$PWD/e2e/container/run.sh

# Unpacked. 6.5 MB of it are the library that keeps the index of --db-path, with
# what that imports; TestNoTemplates tells what would make all of it a third
# larger, cmd/build.sh what makes it smaller.
MAX_IMAGE_BYTES=20000000
# Ten times what is promised, as a machine under test is busy: it still tells a
# server that waits for something from one that does not.
MAX_READY_MS=250

# The image's variables, compared with the image below.
image_env=('S3ULTRA_BIND=*' S3ULTRA_ADMIN_LISTEN=:9001)
chroot=$(command -v chroot)

passed=0
failed=0
say() { printf 'container: %s\n' "$*"; }
die() { say "$*" >&2; exit 1; }
# check NAME COMMAND...: goes on after a failure, so that one run shows all.
check() {
  local name=$1 out
  shift
  if out=$("$@" 2>&1); then
    passed=$((passed + 1))
    say "ok      $name"
  else
    failed=$((failed + 1))
    say "FAILED  $name"
    printf '%s\n' "$out" | tail -n 20
  fi
}

# --- the images --------------------------------------------------------------

b() { buildah --root "$STORE/root" --runroot "$STORE/run" --storage-driver vfs "$@"; }

# base NAME FUNCTION: an image of what FUNCTION puts below the folder it gets.
base() {
  local name=$1 fill=$2 container root
  container=$(b from scratch)
  root=$(b mount "$container")
  mkdir -p "$root"/{bin,etc,root,tmp,usr/bin,usr/local}
  cp "$(command -v busybox)" "$root/bin/busybox"
  chroot "$root" /bin/busybox --install -s /bin
  "$fill" "$root"
  b umount "$container" >/dev/null
  b config --env PATH=/usr/local/go/bin:/usr/bin:/bin --env HOME=/root --env GOPATH=/go --env GOTOOLCHAIN=local "$container"
  b commit --quiet --rm "$container" "$name" >/dev/null
}

go_base() {
  mkdir -p "$1/usr/local/go"
  # What a build reads.
  tar -C "$(go env GOROOT)" -c VERSION go.env bin pkg src lib | tar -C "$1/usr/local/go" -x
}

# curl with the libraries that it names.
shell_base() {
  cp "$(command -v curl)" "$1/usr/bin/curl"
  ldd "$(command -v curl)" | grep -o '/[^ ]*' | while read -r library; do
    mkdir -p "$1$(dirname "$library")"
    cp -L "$library" "$1$library"
  done
}

# build TARGET ARCHITECTURE: with this machine's caches of modules and builds.
build() {
  local machine
  machine=$(go env GOARCH)
  b build --isolation chroot --pull-never --format docker --file docker/Dockerfile --ignorefile docker/Dockerfile.dockerignore \
    --platform "linux/$2" --build-arg BUILDPLATFORM="linux/$machine" --build-arg TARGETOS=linux --build-arg TARGETARCH="$2" \
    --build-arg GO_IMAGE=localhost/base-go --build-arg SHELL_IMAGE=localhost/base-shell \
    --build-arg GOPROXY="$(go env GOPROXY)" --build-arg VERSION=container-test --build-arg COMMIT=none \
    --volume "$(go env GOMODCACHE):/go/pkg/mod" --volume "$(go env GOCACHE):/root/.cache/go-build" \
    --target "$1" --tag "localhost/$1-$2" .
}

inspect() { b inspect --type image --format "$2" "localhost/$1"; }

expect() { # expect GOT WANT
  [ "$1" = "$2" ] || { echo "got '$1', want '$2'"; return 1; }
}

# The configuration that engines read.
check_config() {
  local image=$1
  check "$image: user" expect "$(inspect "$image" '{{.Docker.Config.User}}')" 65532:65532
  check "$image: entrypoint and command" expect "$(inspect "$image" '{{.Docker.Config.Entrypoint}} {{.Docker.Config.Cmd}}')" "[/s3ultra] [serve]"
  check "$image: health check without a shell" expect "$(inspect "$image" '{{.Docker.Config.Healthcheck.Test}}')" "[CMD /s3ultra health]"
  check "$image: variables" sh -c 'case "$1" in *" $2]") ;; *) echo "got $1"; false ;; esac' sh \
    "$(inspect "$image" '{{.Docker.Config.Env}}' | sed 's/^\[/ /')" "${image_env[*]}"
  check "$image: ports" expect "$(inspect "$image" '{{.Docker.Config.ExposedPorts}}')" "map[9000/tcp:{} 9001/tcp:{}]"
}

# check_size IMAGE ROOT: what is below the mounted root.
check_size() {
  local bytes
  bytes=$(du --bytes --summarize "$2" | cut -f 1)
  say "$1: $bytes bytes, $(tar -C "$2" -c . | gzip -6 | wc -c) to pull"
  check "$1: at most $MAX_IMAGE_BYTES bytes" test "$bytes" -le "$MAX_IMAGE_BYTES"
}

# --- running them, in a network namespace ------------------------------------

wait_http() { # wait_http URL
  local i
  for i in $(seq 100); do
    curl --silent --fail --output /dev/null --max-time 2 "$1" && return
    sleep 0.05
  done
  echo "no answer from $1 in 5 s"
  return 1
}

# s3 METHOD KEY PATH [DATA]: a request signed by curl.
s3() {
  curl --silent --show-error --fail --max-time 10 --aws-sigv4 aws:amz:us-east-1:s3 --user "$2" \
    --header 'x-amz-content-sha256: UNSIGNED-PAYLOAD' -X "$1" ${4+--data-binary "$4"} "http://127.0.0.1:9000$3"
}

# run_image IMAGE [VAR=VALUE...] -- ARG...: by buildah, with the image's own
# user, variables and entrypoint; without ARG its command. Sets container, pid.
run_image() {
  local image=$1 env=()
  shift
  while [ "$1" != -- ]; do env+=(--env "$1"); shift; done
  shift
  [ $# -gt 0 ] || set -- serve
  container=$(b from --pull-never "localhost/$image")
  b run --isolation chroot ${env[@]+"${env[@]}"} "$container" -- /s3ultra "$@" >"$STORE/log" 2>&1 &
  pid=$!
  wait_http http://127.0.0.1:9000/_s3ultra/health || { cat "$STORE/log"; return 1; }
}

# The health check of the image, run as engines do.
image_health() { b run --isolation chroot "$container" -- /s3ultra health; }

# In this script's own process namespace no other is to be seen.
server_pid() { pgrep --newest --exact s3ultra; }

# All users of the process, real and effective.
is_nobody() { expect "$(awk '/^Uid:/{print $2, $3}' "/proc/$(server_pid)/status")" "65532 65532"; }

end() { # end NAME
  local code=0
  kill -TERM "$(server_pid)" || true
  wait "$pid" || code=$?
  check "$1: SIGTERM ends it, exit code 0" expect "$code" 0
}

# rooted ROOT ARG...: the program with the image's variables and user as process
# 1 in ROOT, where there is nothing but itself and /proc. Sets pid.
rooted() {
  unshare --pid --fork --kill-child --mount sh -c 'mount -t proc proc "$1/proc" && shift && exec "$@"' sh "$1" \
    env -i "${image_env[@]}" "$chroot" --userspec=65532:65532 "$1" /s3ultra "${@:2}" >"$STORE/log" 2>&1 &
  pid=$!
}

inside() {
  local arch=$1 root best i begin line
  ip link set lo up

  run_image "s3ultra-$arch" --
  check "plain: health check inside" image_health
  check "plain: not root" is_nobody
  check "plain: admin port" wait_http http://127.0.0.1:9001/readyz
  check "plain: all addresses" curl --silent --fail "http://[::1]:9000/_s3ultra/health"
  end plain

  run_image "s3ultra-$arch" MINIO_ROOT_USER=ci-user MINIO_ROOT_PASSWORD=ci-password MINIO_DEFAULT_BUCKETS=one,two --
  check "MinIO's variables: live" wait_http http://127.0.0.1:9000/minio/health/live
  check "MinIO's variables: buckets are there" s3 GET ci-user:ci-password /two?list-type=2
  check "MinIO's variables: put" s3 PUT ci-user:ci-password /one/key "$(printf 'x%.0s' $(seq 2000))"
  check "MinIO's variables: get what was put" expect "$(s3 GET ci-user:ci-password /one/key | wc -c)" 2000
  end "MinIO's variables"

  run_image "s3ultra-$arch" -- server /data --console-address :9001
  check "server /data: default keys" s3 PUT minioadmin:minioadmin /bucket
  end "server /data"

  run_image "shell-$arch" --
  check "shell: curl as --health-cmd" b run --isolation chroot "$container" -- sh -c 'curl -f http://localhost:9000/minio/health/live'
  check "shell: by the names scripts use" b run --isolation chroot "$container" -- sh -c 'minio version && s3ultra version'
  end shell

  # Engines can forbid writing; buildah run cannot. So: the image's root,
  # mounted read-only.
  container=$(b from --pull-never "localhost/s3ultra-$arch")
  root=$(b mount "$container")
  mkdir -p "$root/proc"
  mount --bind "$root" "$root"
  mount -o remount,bind,ro "$root"
  check "read-only: the root is" expect "$(touch "$root/x" 2>&1 | grep -c 'Read-only file system')" 1
  rooted "$root" serve
  check "read-only: serves" wait_http http://127.0.0.1:9000/_s3ultra/health
  check "read-only: ready" wait_http http://127.0.0.1:9001/readyz
  check "read-only: not root" is_nobody
  check "read-only: nothing was logged as failed" sh -c '! grep -i "level=error\|\"ERROR\"\|read-only" "$0"' "$STORE/log"
  end read-only

  # A port of the command line: the image's health check has to follow it.
  rooted "$root" server /data --address :9123
  check "other port: serves" wait_http http://127.0.0.1:9123/_s3ultra/health
  check "other port: health check inside" nsenter --target "$(server_pid)" --pid --mount "$chroot" --userspec=65532:65532 "$root" /s3ultra health
  end "other port"

  best=
  for i in 1 2 3 4 5; do
    begin=${EPOCHREALTIME/./}
    exec 3< <(exec env -i "${image_env[@]}" S3ULTRA_BUCKET=one,two "$chroot" --userspec=65532:65532 "$root" /s3ultra serve 2>/dev/null)
    read -r line <&3 || line=
    [[ $line == "s3ultra ready: "* ]] || die "no ready line in a read-only root, but '$line'"
    i=$(((${EPOCHREALTIME/./} - begin) / 1000))
    kill -TERM "$(server_pid)"
    cat <&3 >/dev/null
    exec 3<&-
    [ -n "$best" ] && [ "$best" -le "$i" ] || best=$i
  done
  say "start to ready: $best ms (the best of five)"
  check "start to ready: at most $MAX_READY_MS ms" test "$best" -le "$MAX_READY_MS"
  umount "$root"
  b umount "$container" >/dev/null
  b rm "$container" >/dev/null

  echo "$passed $failed" >"$STORE/counts"
}

if [ "${1:-}" = inside ]; then
  inside "$2"
  exit
fi

# --- from here on: the machine's own network ---------------------------------

[ "$(uname -s)" = Linux ] || die "needs Linux"
[ "$(id -u)" -eq 0 ] || die "needs root, to mount images and make namespaces: try sudo -E $0"
missing=
for tool in buildah busybox curl ip unshare nsenter go pgrep; do
  command -v $tool >/dev/null || missing="$missing $tool"
done
[ -z "$missing" ] || die "missing:$missing; on Debian or Ubuntu: apt-get install buildah busybox-static curl iproute2 procps"
unshare --net --mount --pid --fork true 2>/dev/null || die "this machine forbids namespaces (unshare); the images cannot be run here"
curl --help all | grep -q -e --aws-sigv4 || die "curl is too old: needs --aws-sigv4 (7.75)"

# Mounts and processes end with this script, however it ends.
if [ -z "${S3ULTRA_CONTAINER_TEST:-}" ]; then
  exec env S3ULTRA_CONTAINER_TEST=namespaces unshare --mount --propagation private --pid --fork --kill-child --mount-proc "$self" "$@"
fi
unset S3ULTRA_CONTAINER_TEST

STORE=$(mktemp -d)
export STORE
trap 'rm -rf --one-file-system "$STORE"' EXIT

arch=$(go env GOARCH)
say "putting together the images to start from"
base localhost/base-go go_base
base localhost/base-shell shell_base
say "building"
for target in s3ultra shell; do
  check "$target-$arch: builds" build "$target" "$arch"
done
[ "$failed" -eq 0 ] || exit 1
for image in "s3ultra-$arch" "shell-$arch"; do
  check_config "$image"
done
container=$(b from --pull-never "localhost/s3ultra-$arch")
check_size "s3ultra-$arch" "$(b mount "$container")"
b umount "$container" >/dev/null
b rm "$container" >/dev/null

if [ "${1:-}" = --arm64 ]; then
  check "s3ultra-arm64: builds" build s3ultra arm64
  check "s3ultra-arm64: is one" expect "$(inspect s3ultra-arm64 '{{.OCIv1.Architecture}}')" arm64
  container=$(b from --pull-never --arch arm64 localhost/s3ultra-arm64)
  # Bytes 18 and 19 of an ELF file are the machine; 183 is AArch64.
  check_size s3ultra-arm64 "$(b mount "$container")"
  check "s3ultra-arm64: so is the program" expect "$(od -An -j18 -N2 -tu2 "$(b mount "$container")/s3ultra" | tr -d ' ')" 183
  b umount "$container" >/dev/null
fi

say "running"
unshare --net "$self" inside "$arch"
read -r inside_passed inside_failed <"$STORE/counts"
passed=$((passed + inside_passed))
failed=$((failed + inside_failed))
echo "container: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
