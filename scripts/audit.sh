#!/usr/bin/env bash
# Asks the public databases for known faults of the dependencies: RustSec's for the Rust crates, npm's for the web app.
# Both are outside of the package registries, so this is no part of `make test`; run it before a release.
. "$(dirname "$0")/lib.sh"

cd "$root"
failed=0
if cargo deny --version >/dev/null 2>&1; then
  say audit "Rust crates, by cargo-deny"
  cargo deny --locked check advisories || failed=1
elif cargo audit --version >/dev/null 2>&1; then
  say audit "Rust crates, by cargo-audit"
  cargo audit --deny warnings || failed=1
else
  say audit "cargo-deny is missing: cargo install --locked cargo-deny"
  failed=1
fi
say audit "packages of the web app, by npm"
npm --prefix web audit --omit=dev || failed=1
exit "$failed"
