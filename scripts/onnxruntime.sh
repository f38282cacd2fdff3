#!/usr/bin/env bash
# Fetches ONNX Runtime (MIT), the library that runs the local embedding model, into the cache. Without it the server
# still works, with text search only, and says so: that is why a failure here is a warning.
. "$(dirname "$0")/lib.sh"

version=1.31.1
library=$cache/lib/libonnxruntime.so

fetch() {
  local work
  mkdir -p "$cache/lib"
  work=$(mktemp -d "$cache/lib/.new.XXXXXX")
  # shellcheck disable=SC2064 # the folder's name is known now
  trap "rm -rf '$work'" EXIT
  quietly onnx env PIP_ROOT_USER_ACTION=ignore \
    python3 -m pip download --no-deps --no-cache-dir --only-binary :all: -d "$work" "onnxruntime==$version"
  python3 - "$work"/*.whl "$work/library" <<'PYTHON'
import re, shutil, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    (name,) = [name for name in wheel.namelist() if re.fullmatch(r"onnxruntime/capi/libonnxruntime\.so[.\d]*", name)]
    with wheel.open(name) as packed, open(sys.argv[2], "wb") as unpacked:
        shutil.copyfileobj(packed, unpacked)
PYTHON
  chmod 755 "$work/library"
  mv "$work/library" "$library"
  echo "$version" >"$library.version"
}

ready() { [[ -e $library && $(cat "$library.version" 2>/dev/null) == "$version" ]]; }

if [[ -n ${IBID_ONNXRUNTIME_FETCHING:-} ]]; then
  need_pip
  lock onnxruntime
  ready || fetch
elif ! ready; then
  say onnx "fetching ONNX Runtime $version (20 MB, once)"
  # A process of its own, so that whatever fails in there ends only that.
  IBID_ONNXRUNTIME_FETCHING=1 "$0" || say onnx "not fetched: search will be by words only until the next try succeeds"
fi
