#!/usr/bin/env bash
# Every package as people meet it: makes all of them from the binary that $IBID_BIN names, installs each where nothing
# else is, and uses it. Names of tests may follow: packages.sh test_packages.Deb
#
# It takes root, or sudo, for roots and networks of its own. $IBID_TEST_PACKAGES is a folder of packages that are made
# already, by scripts/dist.sh.
. "$(dirname "$0")/lib.sh"

[[ -x ${IBID_BIN:-} ]] || die packages "IBID_BIN must name the program"
become=()
if ((EUID)); then
  command -v sudo >/dev/null || die packages "this takes root: it makes roots and networks of its own"
  become=(sudo -E)
  [[ -t 0 ]] || become+=(-n)
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/ibid-packages.XXXXXX")
trap '"${become[@]}" rm -rf "$work"' EXIT
# A test build carries what debuggers want, which takes longer to pack than everything else together.
strip --strip-debug -o "$work/ibid" "$IBID_BIN"
export IBID_BIN=$work/ibid
if [[ -z ${IBID_TEST_PACKAGES:-} ]]; then
  IBID_DIST=$work/dist IBID_DIST_QUICK=1 "$root/scripts/dist.sh"
  export IBID_TEST_PACKAGES=$work/dist
fi
IBID_TEST_ROOT=$("$root/scripts/debian.sh" root adduser base-files base-passwd coreutils dash diffutils dpkg findutils grep gzip \
  libc-bin libstdc++6 passwd perl-base python3-venv sed tar)
export IBID_TEST_ROOT IBID_TEST_HIDE=$cache
cd "$root/packaging"
if (($# == 0)); then set -- test_packages; fi
"${become[@]}" "$(command -v python3)" -B -m unittest "$@"
