#!/usr/bin/env bash
# Builds everything and starts the server: `make run`, or `make run ARGS="--listen 127.0.0.1:8000"`. What `make install`
# made of the same sources is used as it is.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/rust.sh"

cd "$root"
if program=$(installed_program); then
  say ibid "starting $program, which was installed from these sources"
  exec "$program" serve "$@"
fi
for tool in model onnxruntime pdfium; do "$root/scripts/$tool.sh"; done
build_for_people
release_target
exec "$CARGO_TARGET_DIR/people/ibid" serve "$@"
