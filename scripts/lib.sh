# What the scripts share: where things are kept, how they speak, how something that is missing gets installed.
# Sourced, never run.
# shellcheck shell=bash
# shellcheck disable=SC2034 # root, bold, faint and plain are used by the scripts that source this file

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cache=${IBID_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ibid}
mkdir -p "$cache/locks"
cache=$(cd "$cache" && pwd -P)

if [[ -t 2 && -z ${NO_COLOR:-} && ${TERM:-dumb} != dumb ]]; then
  bold=$'\e[1m' faint=$'\e[2m' red=$'\e[31m' plain=$'\e[0m'
else
  bold='' faint='' red='' plain=''
fi

# Progress goes to standard error, so that a script's standard output stays its result.
say() { printf '%s%-8s%s %s\n' "$bold" "$1" "$plain" "$2" >&2; }

die() {
  printf '%s%-8s %s%s\n' "$red" "$1" "$2" "$plain" >&2
  exit 1
}

# quietly LABEL COMMAND...: show what the command printed only if it fails.
quietly() {
  local label=$1 log status=0
  shift
  log=$(mktemp)
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if ((status)); then
    tail -n 200 "$log" >&2
    say "$label" "failed: $*"
  fi
  rm -f "$log"
  return "$status"
}

# lock NAME: hold a lock shared by all clones until the calling (sub)shell ends.
lock() {
  exec 9>"$cache/locks/$1"
  if ! flock -n 9; then
    say "$1" "waiting for another run to finish"
    flock 9
  fi
}

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# apt LABEL ARGUMENT...: apt-get for the machine itself, as root or through sudo.
apt() {
  local label=$1 become=()
  shift
  if ((EUID)); then
    become=(sudo)
    [[ -t 0 ]] || become+=(-n)
  fi
  quietly "$label" "${become[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o DPkg::Lock::Timeout=300 "$@"
}

# install_packages LABEL PACKAGE...: install Debian packages the caller found to be missing.
install_packages() {
  local label=$1 by_hand
  shift
  by_hand="please install: $* (as root: apt-get update && apt-get install $*)"
  command -v apt-get >/dev/null || die "$label" "$by_hand"
  ((EUID == 0)) || command -v sudo >/dev/null || die "$label" "$by_hand"
  (
    lock apt
    say "$label" "installing $*"
    # A list fetched within the hour is new enough. A third-party list that cannot be fetched does no harm here.
    if [[ -z $(find "$cache/apt-updated" -mmin -60 2>/dev/null) ]]; then
      apt "$label" update || true
      touch "$cache/apt-updated"
    fi
    apt "$label" install --no-install-recommends "$@"
  ) || die "$label" "$by_hand"
}

# need COMMAND PACKAGE...: make sure a command exists.
need() {
  local name=$1
  shift
  command -v "$name" >/dev/null || install_packages "$name" "$@"
}

need_pip() {
  command -v python3 >/dev/null || install_packages python python3 python3-pip
  python3 -m pip --version >/dev/null 2>&1 || install_packages python python3-pip
}

# python_tools NAME REQUIREMENT...: print a folder that holds these Python packages and nothing of the machine's.
python_tools() {
  local name=$1 key home
  shift
  need_pip
  key=$(printf '%s\n' "$@" "$(python3 -c 'import sys, platform; print(sys.version_info[:2], platform.machine())')" | sha256sum)
  home=$cache/python/$name-${key:0:12}
  if [[ ! -e $home ]]; then
    (
      lock "$name"
      [[ ! -e $home ]] || exit 0
      say "$name" "fetching from PyPI"
      rm -rf "$home.new"
      quietly "$name" env PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 \
        python3 -m pip install --no-deps --no-compile --target "$home.new" "$@"
      mv "$home.new" "$home"
    ) || return 1
  fi
  echo "$home"
}

# stop_with_owner COMMAND...: run the command when the process $IBID_OWNER is gone, however it went.
stop_with_owner() {
  [[ -n ${IBID_OWNER:-} ]] || return 0
  # shellcheck disable=SC2016 # expanded by the inner shell
  setsid -f bash -c 'tail --pid="$IBID_OWNER" -f /dev/null; exec "$@"' watch "$@" \
    </dev/null >/dev/null 2>&1 8>&- 9>&-
}
