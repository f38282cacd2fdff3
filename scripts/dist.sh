#!/usr/bin/env bash
# Packs the program for people: `make dist`. Writes into dist/ a relocatable archive, a Debian package, a Python wheel,
# npm packages and a container image, each with the program, its libraries and its models, and SHA256SUMS.
#
#   dist.sh [FORMAT...]    only some of: tarball deb wheel npm oci
#
# $IBID_DIST is another folder to write into. $IBID_BIN is a program that is built already; otherwise it is built with the
# profile $IBID_PROFILE (default: release). IBID_DIST_QUICK=1 compresses less, for tests.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/rust.sh"

cd "$root"
export IBID_PROFILE=${IBID_PROFILE:-release}
out=${IBID_DIST:-$root/dist}
command -v dpkg-deb >/dev/null || die dist "dpkg-deb is missing: this takes a Debian machine"
need readelf binutils
if [[ -z ${IBID_BIN:-} ]]; then
  need_rust
  claim_target
  "$root/scripts/web.sh"
  "$root/scripts/docs.sh"
  say rust "building with the profile $IBID_PROFILE"
  build_server "$IBID_PROFILE"
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/ibid-dist.XXXXXX")
trap 'rm -rf "$work"' EXIT
"$root/scripts/stage.sh" "$work/stage"
[[ -n ${IBID_BIN:-} ]] || release_target

options=()
[[ -z ${IBID_DIST_QUICK:-} ]] || options+=(--quick)
if (($# == 0)) || [[ " $* " == *" oci "* ]]; then
  options+=(--base "$("$root/scripts/debian.sh" base base-files ca-certificates libc6 libgcc-s1 libstdc++6)")
fi
say dist "packing"
python3 -B "$root/packaging/build.py" --stage "$work/stage" --out "$out" "${options[@]}" "$@"
say dist "written to $out"
