#!/usr/bin/env bash
# cargo, in the target folder that `make run` and `make test` use: scripts/cargo.sh nextest run -p ibid-store
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/rust.sh"

need_rust
claim_target
cd "$root"
cargo "$@"
