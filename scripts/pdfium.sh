#!/usr/bin/env bash
# Fetches pdfium (BSD-3-Clause and Apache-2.0), which reads PDF, into the cache. Without it the server still works and
# says which files it cannot read: that is why a failure here is a warning.
. "$(dirname "$0")/lib.sh"

package=pypdfium2==5.14.0
home=$cache/lib/libpdfium.so

fetch() {
  local work sum
  case $(uname -m) in
    x86_64) sum=fd4de9f91f183476d04b1bc3fd17dacd95aba349c55d2c376512d95e082b441e ;;
    aarch64) sum=2c6b186b84596e1e6c370b9058c8dfd64b3d944f4878e51993b3cddb160209e2 ;;
    *) sum= ;;
  esac
  mkdir -p "$cache/lib"
  work=$(mktemp -d "$cache/lib/.new.XXXXXX")
  # shellcheck disable=SC2064 # the folder's name is known now
  trap "rm -rf '$work'" EXIT
  quietly pdfium env PIP_ROOT_USER_ACTION=ignore python3 -m pip download --no-deps --no-cache-dir -d "$work" "$package"
  python3 -m zipfile -e "$work"/*.whl "$work/unpacked"
  cd "$work/unpacked/pypdfium2_raw"
  # Other machines get what the registry serves for them.
  [[ -z $sum ]] || sha256sum --check --quiet <<<"$sum  libpdfium.so" >&2
  mv libpdfium.so "$home"
}

if [[ -n ${IBID_PDFIUM_FETCHING:-} ]]; then
  need_pip
  lock pdfium
  [[ -e $home ]] || fetch
elif [[ ! -e $home ]]; then
  say pdfium "fetching the reader of PDF (8 MB, once)"
  # A process of its own, so that whatever fails in there ends only that.
  IBID_PDFIUM_FETCHING=1 "$0" || say pdfium "not fetched: PDF files cannot be read until the next try succeeds"
fi
