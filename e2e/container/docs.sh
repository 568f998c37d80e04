#!/usr/bin/env bash
# Runs what docs/ci.md tells to run and what needs no container engine: the
# steps of the plain binary, the test file and the journal's lines, from the
# page's own text.
#
#   e2e/container/docs.sh PYTHON      # PYTHON has boto3
#
# Port 9000 is free in a network of its own; needs Linux and root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
page=$PWD/docs/ci.md

if [ "${2:-}" != inside ]; then
  python=$(realpath --no-symlinks "$(command -v "${1:?the Python to use}")")
  make --silent build
  exec unshare --net --mount --propagation private --pid --fork --kill-child --mount-proc "$PWD/e2e/container/docs.sh" "$python" inside
fi
ip link set lo up
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What `go install` and setup-python would put on the path.
mkdir "$work/bin"
cp bin/s3ultra "$work/bin/"
ln -s "$1" "$work/bin/python"
export PATH=$work/bin:$PATH
cd "$work"

# fenced LANGUAGE HEADING: the first block of that language after the heading.
fenced() { awk -v lang="$1" -v heading="$2" '$0 == heading {on=1} on && $0 == "```" lang {take=1; next} take && $0 == "```" {exit} take' "$page"; }
# step NAME: the lines of "run:" of the step with that name, in what is read.
step() { awk -v name="      - name: $1" '$0 == name {on=1; next} on && /run: \|/ {take=1; next} take && !/^          / {exit} take {print substr($0, 11)}'; }

fenced python "## A test to try it with" >test_s3.py
fenced yaml "### 1. Plain binary" >workflow.yaml
fenced sh "## Assertions on requests" >journal.sh
step "Start S3" <workflow.yaml >start.sh
step Test <workflow.yaml | grep -v '^pip install' >test.sh
for file in test_s3.py start.sh test.sh journal.sh; do
  [ -s $file ] || { echo "ci.md: nothing found for $file" >&2; exit 1; }
done
# As the runner: each step is a script of its own, with -e.
bash -e start.sh
bash -e test.sh | tee test.out
grep -qx ok test.out
bash -e journal.sh | tee journal.out
grep -q GetObject journal.out
echo "ci.md: 3 passed, 0 failed"
