#!/usr/bin/env bash
# The inner loop, about a minute: formatting, lints, the Rust tests on SQLite (and on PostgreSQL once `make test` has
# fetched it), the web app's types. No browser, no S3.
exec "$(dirname "$0")/test.sh" format lint unit types
