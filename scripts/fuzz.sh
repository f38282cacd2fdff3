#!/usr/bin/env bash
# Fuzzes the parsers: scripts/fuzz.sh [SECONDS] [TARGET], by default 60 seconds of citations.
#
# Works on a stable toolchain: the counters that libFuzzer steers by are a pass of LLVM's that any compiler can run.
# What it found interesting is kept in the cache and built upon by the next run.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/rust.sh"

seconds=${1:-60} target=${2:-citations}
need_rust
command -v c++ >/dev/null || install_packages fuzz build-essential
cd "$root/fuzz"
coverage="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
coverage+=" -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
coverage+=" -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing"
features=()
[[ $target == query ]] && features=(--features query)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$cache/target}/fuzz
# With a target named, what runs while compiling goes without the counters.
host=$(rustc -vV | sed -n 's/^host: //p')
RUSTFLAGS=$coverage cargo build --locked --release --target "$host" --bin "$target" "${features[@]}"
corpus=$cache/fuzz/$target
mkdir -p "$corpus"
"$CARGO_TARGET_DIR/$host/release/$target" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
  -print_final_stats=1 -verbosity=0 -artifact_prefix="$corpus-" "$corpus"
