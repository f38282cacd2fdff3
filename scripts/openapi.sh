#!/usr/bin/env bash
# Writes docs/openapi.json from the server's code, then the web app's client types from that.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/rust.sh"

cd "$root"
need_rust
claim_target
# The types that the web app is built with are made below: an empty folder stands in for the app until then.
mkdir -p web/dist docs
say openapi "writing docs/openapi.json"
new=$(mktemp docs/.openapi.XXXXXX)
trap 'rm -f "$new"' EXIT
cargo run --quiet --bin ibid -- openapi >"$new"
chmod 644 "$new"
mv "$new" docs/openapi.json
if [[ -e web/package.json ]]; then
  say openapi "writing the web app's types"
  "$root/scripts/web.sh" install
  quietly openapi npm --prefix web run generate
fi
