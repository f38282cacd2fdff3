#!/usr/bin/env bash
# Writes docs/openapi.json and the other pages that are made from the server's code, then the web app's client types from that.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/rust.sh"

cd "$root"
need_rust
claim_target
# The profile of the tests, so that what they compiled is used. The web app's types are made below: an empty folder stands in for the app until then.
mkdir -p web/dist docs
say openapi "writing docs/openapi.json, errors.md, settings.json and commands.json"
new=$(mktemp docs/.openapi.XXXXXX)
trap 'rm -f "$new"' EXIT
write() {
  local page=$1
  shift
  cargo run --quiet --profile test --bin ibid -- "$@" >"$new"
  cp "$new" "docs/$page"
}
write openapi.json openapi
for page in errors.md settings.json commands.json; do write "$page" reference "${page%.*}"; done
# The pages of the guide that are made from them.
node docs/site/generate.mjs
if [[ -e web/package.json ]]; then
  say openapi "writing the web app's types"
  "$root/scripts/web.sh" install
  quietly openapi npm --prefix web run generate
fi
