#!/usr/bin/env bash
# The files of docker/ and the metrics, judged by the programs that read them: a
# Prometheus that scrapes a server, compose's own loader, the schemas of
# Kubernetes, systemd.
#
#   e2e/operate/run.sh
#
# Needs the built binary, Go, Python 3 with venv, and Debian's prometheus and
# systemd (nothing of it is started but a Prometheus on a free port of the
# loopback). Leaves e2e/operate/.venv.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
here=e2e/operate

# What docker compose reads files with, and so what it says of them.
COMPOSE_LOADER=github.com/compose-spec/compose-go/v2/cmd@v2.16.2

missing=
for tool in prometheus promtool systemd-analyze go python3; do
  command -v $tool >/dev/null || missing="$missing $tool"
done
[ -z "$missing" ] || { echo "operate: missing:$missing; on Debian or Ubuntu: apt-get install prometheus systemd" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
# check NAME COMMAND...: goes on after a failure, so that one run shows all. Any
# output of a command is a complaint.
check() {
  local name=$1 out
  shift
  if out=$("$@" 2>&1) && [ -z "$out" ]; then
    echo "operate: ok      $name"
  else
    failed=$((failed + 1))
    printf 'operate: FAILED  %s\n%s\n' "$name" "$out"
  fi
}

if [ "$(cat $here/.venv/stamp 2>/dev/null)" != "$(cksum <$here/requirements.txt)" ]; then
  python3 -m venv $here/.venv
  $here/.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input -r $here/requirements.txt
  cksum <$here/requirements.txt >$here/.venv/stamp
fi

compose() {
  # From the file's folder, as docker compose takes its paths.
  (cd docker && go run "$COMPOSE_LOADER" -format json compose.yaml) >"$work/compose.json" 2>"$work/err" || { cat "$work/err"; return 1; }
  local source
  grep -o '"source": *"[^"]*"' "$work/compose.json" | cut -d '"' -f 4 | while read -r source; do
    [ -e "$source" ] || echo "$source is mounted and does not exist"
  done
}
check "compose.yaml" compose

# Fields that the schema does not know are refused; a cluster would drop them.
check "kubernetes/s3ultra.yaml" $here/.venv/bin/kubernetes-validate --strict --quiet docker/kubernetes/s3ultra.yaml

# The program and its manual page are not installed here.
sed "s|^ExecStart=/usr/local/bin/s3ultra|ExecStart=$PWD/bin/s3ultra|; /^Documentation=man:/d" docker/systemd/s3ultra.service >"$work/s3ultra.service"
check "systemd/s3ultra.service" systemd-analyze verify "$work/s3ultra.service"

python3 $here/prometheus.py bin/s3ultra || failed=$((failed + 1))
echo "operate: $failed failed"
[ "$failed" -eq 0 ]
