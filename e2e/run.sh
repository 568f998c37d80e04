#!/usr/bin/env bash
# Real clients against the real binary, in both modes: prints the matrix of docs/clients.md and exits with 1 if a cell
# fails.
#
#   e2e/run.sh           everything
#   e2e/run.sh --docs    and puts the matrix into docs/clients.md
#
# Needs Go, Python 3.11 or newer with venv, Node.js 20 with npm. E2E_BINARY names another binary than the one it builds.
# What it leaves is in e2e/.venv, e2e/node/node_modules and e2e/out (logs, results, matrix.md).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

docs=()
[ "${1:-}" = --docs ] && docs=(--docs ../docs/clients.md)

export E2E_OUT="$PWD/out"
export E2E_RESULTS="$E2E_OUT/results.jsonl"
# A suite takes two to four minutes on two busy cores.
SUITE_SECONDS=900

for tool in go python3 node npm; do
  command -v "$tool" >/dev/null || { echo "e2e: $tool is missing" >&2; exit 1; }
done
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "e2e: Python 3.11 or newer is needed" >&2; exit 1; }

# Everything that runs belongs to this process group, the servers too.
trap 'trap - TERM; kill 0' INT TERM

rm -rf "$E2E_OUT"
mkdir -p "$E2E_OUT"
: >"$E2E_RESULTS"

# changed STAMP FILE: whether FILE differs from the one of the last successful install.
changed() { [ "$(cat "$1" 2>/dev/null)" != "$(cksum <"$2")" ]; }

python_packages() {
  local stamp=.venv/requirements.cksum
  changed $stamp python/requirements.txt || return 0
  [ -x .venv/bin/python ] || python3 -m venv .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input -r python/requirements.txt
  cksum <python/requirements.txt >$stamp
}

node_packages() {
  local stamp=node/node_modules/lock.cksum
  changed $stamp node/package-lock.json || return 0
  npm --prefix node ci --silent --no-audit --no-fund
  cksum <node/package-lock.json >$stamp
}

binary() {
  if [ -z "${E2E_BINARY:-}" ]; then
    make --silent -C .. build
  fi
  go -C go vet ./...
}

echo "e2e: installing the clients"
python_packages & python_pid=$!
node_packages & node_pid=$!
binary
wait "$python_pid"
wait "$node_pid"
export E2E_BINARY="${E2E_BINARY:-$PWD/../bin/s3ultra}"

# Not everywhere; there a suite that hangs is ended by hand.
command -v timeout >/dev/null || timeout() { shift 3; "$@"; }

# suite NAME COMMAND...: the matrix tells what failed; a suite that died shows as cells that did not run.
suite() {
  local name=$1 status=0 begin=$SECONDS
  shift
  timeout --foreground --kill-after=20 "$SUITE_SECONDS" "$@" >"$E2E_OUT/$name.log" 2>&1 || status=$?
  if [ "$status" -eq 0 ]; then
    echo "e2e: $name passed in $((SECONDS - begin)) s"
  else
    printf 'e2e: %s failed with %s after %s s\n%s\n' "$name" "$status" "$((SECONDS - begin))" "$(tail -n 150 "$E2E_OUT/$name.log")"
  fi
}
pytest() { suite "python-$1" .venv/bin/python -m pytest --mode "$1" --durations=10; }

# Two lanes for two cores. The JavaScript and Go suites take both modes in turn.
echo "e2e: running them"
{
  pytest synth
  suite go go test -C go -count=1 -v ./...
} &
lane=$!
{
  suite javascript node --test node/client.test.js
  pytest memory
}
wait "$lane"

echo
python3 matrix.py "$E2E_RESULTS" --markdown "$E2E_OUT/matrix.md" ${docs[@]+"${docs[@]}"}
