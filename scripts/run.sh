#!/usr/bin/env bash
# Builds everything and starts the server: `make run`, or `make run ARGS="--listen 127.0.0.1:8000"`.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/rust.sh"

cd "$root"
need_rust
"$root/scripts/web.sh"
"$root/scripts/model.sh"
"$root/scripts/onnxruntime.sh"
"$root/scripts/pdfium.sh"
claim_target
say rust "building"
build_server people
release_target
exec "$CARGO_TARGET_DIR/people/ibid" serve "$@"
