#!/usr/bin/env bash
# A local S3 server for tests, in memory, on a free loopback port.
#
#   s3.sh prepare          fetch it into the cache
#   s3.sh start            start it; prints the exports IBID_TEST_S3_URL and IBID_TEST_S3_DATA
#   s3.sh stop             stop the one that $IBID_TEST_S3_DATA names
#
# It accepts any credentials and has no bucket. If IBID_TEST_S3_URL is set already, that server is used instead.
. "$(dirname "$0")/lib.sh"

prepare() {
  local pins
  mapfile -t pins < <(grep -v '^#' "$root/scripts/s3.requirements.txt")
  python_tools s3 "${pins[@]}"
}

ready() {
  python3 - "$1" <<'PYTHON'
import sys, urllib.request
urllib.request.build_opener(urllib.request.ProxyHandler({})).open(sys.argv[1] + "/moto-api/", timeout=2)
PYTHON
}

discard() {
  local pid
  pid=$(cat "$1/pid" 2>/dev/null || true)
  if [[ -n $pid ]] && grep -qs moto.server "/proc/$pid/cmdline"; then
    kill -KILL "$pid" 2>/dev/null || true
  fi
  rm -rf "$1"
}

start() {
  local packages data port url
  packages=$(prepare)
  data=$(mktemp -d "${TMPDIR:-/tmp}/ibid-s3.XXXXXX")
  # shellcheck disable=SC2064 # the folder's name is known now
  trap "discard '$data'" EXIT
  for _ in 1 2 3; do
    port=$(free_port)
    url=http://127.0.0.1:$port
    TMPDIR=$data PYTHONPATH=$packages PYTHONNOUSERSITE=1 PYTHONDONTWRITEBYTECODE='' \
      setsid python3 -m moto.server -H 127.0.0.1 -p "$port" </dev/null >"$data/log" 2>&1 8>&- 9>&- &
    echo $! >"$data/pid"
    for _ in {1..300}; do
      kill -0 "$!" 2>/dev/null || break
      if ready "$url" 2>/dev/null; then
        trap - EXIT
        stop_with_owner env IBID_TEST_S3_DATA="$data" "$root/scripts/s3.sh" stop
        say s3 "ready on 127.0.0.1:$port"
        printf 'export IBID_TEST_S3_URL=%q IBID_TEST_S3_DATA=%q\n' "$url" "$data"
        return
      fi
      sleep 0.2
    done
  done
  tail -n 20 "$data/log" >&2
  die s3 "did not start"
}

case ${1:-} in
  prepare)
    [[ -n ${IBID_TEST_S3_URL:-} ]] || prepare >/dev/null
    ;;
  start)
    if [[ -n ${IBID_TEST_S3_URL:-} ]]; then
      say s3 "using IBID_TEST_S3_URL"
    else
      start
    fi
    ;;
  stop)
    if [[ ${IBID_TEST_S3_DATA:-} == */ibid-s3.* && -d $IBID_TEST_S3_DATA ]]; then
      discard "$IBID_TEST_S3_DATA"
    fi
    ;;
  *) die s3 "usage: s3.sh prepare|start|stop" ;;
esac
