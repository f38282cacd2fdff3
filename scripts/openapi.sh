#!/usr/bin/env bash
# Writes docs/openapi.json and docs/errors.md from the server's code, then the web app's client types from that.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/rust.sh"

cd "$root"
need_rust
claim_target
# The profile of the tests, so that what they compiled is used. The web app's types are made below: an empty folder stands in for the app until then.
mkdir -p web/dist docs
say openapi "writing docs/openapi.json and docs/errors.md"
new=$(mktemp docs/.openapi.XXXXXX)
trap 'rm -f "$new"' EXIT
for page in openapi.json errors.md; do
  cargo run --quiet --profile test --bin ibid -- "${page%.*}" >"$new"
  cp "$new" "docs/$page"
done
if [[ -e web/package.json ]]; then
  say openapi "writing the web app's types"
  "$root/scripts/web.sh" install
  quietly openapi npm --prefix web run generate
fi
