#!/usr/bin/env bash
# Measures: `make bench`. Every figure is a ratio to a peer or to what the machine can do, taken in the same run.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/rust.sh"

cd "$root"
need_rust
scripts/web.sh
claim_target
say rust "building"
build_server
exec python3 -B scripts/bench/upload.py "$CARGO_TARGET_DIR/debug/ibid" "$@"
