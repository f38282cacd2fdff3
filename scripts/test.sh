#!/usr/bin/env bash
# Every test: `make test`, or some stages of it: `make test STAGE="lint rust"`.
#
# Brings up what the tests need, runs the stages in order, stops at the first that fails, and takes everything down
# again however it ends. The last line counts the tests of all stages.
# shellcheck disable=SC2317,SC2329 # the stages are called by name
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/rust.sh"

declare -A about=(
  [scripts]="the tests of these scripts"
  [format]="rustfmt"
  [lint]="clippy, warnings are errors"
  [licences]="licences, names and sources of all dependencies"
  [rust]="every Rust test, on SQLite and PostgreSQL"
  [unit]="Rust tests"
  [fuzz]="half a minute of random texts for the parsers of citations"
  [mcp]="the MCP server with the official SDK and the inspector"
  [clients]="the examples, OpenAI's client and the AI SDK"
  [generated]="clients made from the OpenAPI document by three generators"
  [packages]="the tarball, the .deb, the wheel, npm and the image, each installed where nothing else is"
  [docs]="links and pages of the guide"
  [web]="lint, types and unit tests of the web app"
  [types]="types of the web app"
  [browser]="the app in Chromium"
)

stages=("$@")
((${#stages[@]})) || stages=(scripts format lint licences rust fuzz mcp clients generated packages docs web browser)

stage_scripts() {
  PYTHONPATH=scripts python3 -B -m unittest discover -s scripts/tests
  if command -v shellcheck >/dev/null; then shellcheck scripts/*.sh .ci/run; fi
}

stage_format() { cargo fmt --all --check; }

# Where the tests follow, clippy is the compiler of our crates: what it has looked at is what is tested, and dependencies
# are compiled once and not checked a second time.
lint_while_compiling() {
  export RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
}

stage_lint() {
  if wants rust; then
    lint_while_compiling
    cargo test --workspace --no-run --quiet
  else
    cargo clippy --workspace --all-targets -- -D warnings
  fi
}

stage_licences() { scripts/deny.sh; }

# The same tree has the same result, however often it is tested; the fuzzer is what looks further every time.
export PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-7319}

stage_rust() {
  if wants lint; then lint_while_compiling; fi
  if cargo nextest --version >/dev/null 2>&1; then
    cargo nextest run --workspace --no-fail-fast --status-level slow
    cargo test --workspace --doc --no-fail-fast --quiet # nextest leaves these out
  else
    cargo test --workspace --no-fail-fast --quiet
  fi
}

# The inner loop's part of `rust`: no doc tests, and no services but a PostgreSQL that is there already.
stage_unit() {
  if cargo nextest --version >/dev/null 2>&1; then
    cargo nextest run --workspace --status-level slow
  else
    cargo test --workspace --lib --bins --tests --quiet
  fi
}

stage_fuzz() { scripts/fuzz.sh 30 citations; }

stage_mcp() {
  wants rust || build_server # else the Rust tests have just built it
  IBID_BIN=$CARGO_TARGET_DIR/debug/ibid scripts/mcp.sh
}

stage_clients() {
  wants rust || build_server # else the Rust tests have just built it
  IBID_BIN=$CARGO_TARGET_DIR/debug/ibid scripts/clients.sh
}

stage_generated() {
  wants rust || build_server # else the Rust tests have just built it
  IBID_BIN=$CARGO_TARGET_DIR/debug/ibid scripts/generated.sh
}

stage_packages() {
  wants rust || build_server # else the Rust tests have just built it
  IBID_BIN=$CARGO_TARGET_DIR/debug/ibid scripts/packages.sh
}

stage_docs() { npm --prefix docs/site run --silent check; }

stage_web() { npm --prefix web run --silent check; }

# The inner loop's part of `web`.
stage_types() { (cd web && node_modules/.bin/tsc --noEmit); }

stage_browser() {
  wants rust || build_server # else the Rust tests have just built it
  IBID_BIN=$CARGO_TARGET_DIR/debug/ibid npm --prefix web run --silent e2e
}

# wants STAGE...: whether any of these will run.
wants() {
  local stage
  for stage in "${stages[@]}"; do
    if [[ " $* " == *" $stage "* ]]; then return 0; fi
  done
  return 1
}

clean_up() {
  trap '' INT TERM HUP # once is enough
  scripts/s3.sh stop
  scripts/postgres.sh stop
  rm -rf "$run"
}

start() {
  local exports
  exports=$("scripts/$1.sh" start)
  eval "$exports"
}

# run_stage NAME: sets $status, and appends to the summary.
run_stage() {
  local began=$SECONDS passed failed tests log=$run/$1.log
  say "$1" "${about[$1]}"
  set +e
  (
    set -e
    "stage_$1"
  ) 2>&1 | tee "$log"
  status=${PIPESTATUS[0]}
  set -e
  read -r passed failed < <(python3 -B scripts/count_tests.py "$log")
  tests=$((passed + failed))
  ((tests)) || tests=-
  # Something failed that is no test: formatting, or a crate that does not compile.
  if ((status && !failed)); then failed=1; fi
  all_passed=$((all_passed + passed)) all_failed=$((all_failed + failed))
  summary+=$(printf '%-10s %7d %7s' "$1" $((SECONDS - began)) "$tests")$'\n'
}

cd "$root"
for stage in "${stages[@]}"; do
  [[ -n ${about[$stage]:-} ]] || die test "there is no stage $stage; there are: ${!about[*]}"
done
if [[ ! -e web/package.json ]]; then
  kept=()
  for stage in "${stages[@]}"; do [[ $stage =~ ^(web|types|browser)$ ]] || kept+=("$stage"); done
  stages=("${kept[@]}")
fi
if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
  export CARGO_TERM_COLOR=always FORCE_COLOR=1 # the output goes through tee
else
  export NO_COLOR=1
fi

status=0 all_passed=0 all_failed=0 summary=''
run=$(mktemp -d "${TMPDIR:-/tmp}/ibid-test.XXXXXX")
# What is stopped at the end is only what is started here, and that stops too if this script is killed.
unset IBID_TEST_POSTGRES_DATA IBID_TEST_S3_DATA
export IBID_OWNER=$$
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
stop_with_owner rm -rf "$run"

need_rust
if wants format; then need_component fmt rustfmt rustfmt; fi
if wants lint; then need_component clippy clippy rust-clippy; fi
if wants lint rust unit mcp clients generated packages docs browser; then
  claim_target
  scripts/web.sh
  scripts/docs.sh
elif wants web types; then
  scripts/web.sh install
fi
if wants rust unit mcp clients generated packages browser; then
  for tool in model onnxruntime pdfium; do "scripts/$tool.sh"; done
fi
if wants rust browser; then
  start s3
  start postgres
elif wants unit && scripts/postgres.sh prepared; then
  start postgres
fi
if wants browser; then
  IBID_CHROMIUM=$(scripts/chromium.sh)
  export IBID_CHROMIUM
fi

for stage in "${stages[@]}"; do
  run_stage "$stage"
  if ((status)); then break; fi
done

printf '\n%-10s %7s %7s\n%s' stage seconds tests "$summary"
if ((status)); then
  printf '\n%s failed. To run only that again: make test STAGE=%s\n' "$stage" "$stage"
fi
printf '\n%d passed, %d failed\n' "$all_passed" "$all_failed"
exit "$status"
