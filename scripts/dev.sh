#!/usr/bin/env bash
# The quick loop: builds the server as the tests have it, which they share, and starts it: `make dev`.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/rust.sh"

cd "$root"
need_rust
"$root/scripts/web.sh"
for tool in model onnxruntime pdfium; do "$root/scripts/$tool.sh"; done
claim_target
build_server
release_target
exec "$CARGO_TARGET_DIR/debug/ibid" serve "$@"
