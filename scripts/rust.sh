# What the scripts that compile share: the toolchain, and the target folder that all clones use. Sourced, never run.
# shellcheck shell=bash
# shellcheck disable=SC2154 # root and cache come from lib.sh

# need_rust: cargo, and the C compiler that some crates call.
need_rust() {
  command -v cargo >/dev/null || die rust "cargo is missing: install Rust, for example with rustup"
  if ! command -v cc >/dev/null || ! command -v pkg-config >/dev/null; then
    install_packages rust build-essential pkg-config
  fi
}

# need_component COMMAND COMPONENT PACKAGE: a part of the toolchain that a minimal install leaves out.
need_component() {
  cargo "$1" --version >/dev/null 2>&1 && return
  if command -v rustup >/dev/null; then
    say rust "installing $2"
    quietly rust rustup component add "$2"
  else
    install_packages rust "$3"
  fi
}

# hold_target MODE: take the lock on the target folder, shared (-s) or alone (-x), waiting for it if need be.
hold_target() {
  if ! flock -n "$1" 8; then
    say rust "waiting for another clone that compiles in $CARGO_TARGET_DIR"
    flock "$1" 8
  fi
}

# claim_target: keep the shared target folder for this clone until this script ends.
#
# Sharing it means that dependencies are compiled once for all clones. But cargo tells a changed source only by its
# time, and names our crates by their place in the workspace: in a second clone it would take the first one's build of
# our crates for its own. So a clone that comes after another one throws away the builds of our crates, and only those,
# and no other clone compiles here meanwhile. Several runs in one clone do not wait for each other.
claim_target() {
  export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$cache/target}
  local clone stamp=$CARGO_TARGET_DIR/.ibid-clone
  [[ ${IBID_TARGET_CLAIMED:-} != "$root" ]] || return 0
  mkdir -p "$CARGO_TARGET_DIR"
  CARGO_TARGET_DIR=$(cd "$CARGO_TARGET_DIR" && pwd -P)
  exec 8>"$CARGO_TARGET_DIR/.ibid-lock"
  clone="$root $(stat -c '%i %W' "$root")"
  hold_target -s
  while [[ $(cat "$stamp" 2>/dev/null) != "$clone" ]]; do
    hold_target -x
    if [[ -d $CARGO_TARGET_DIR/debug || -d $CARGO_TARGET_DIR/people ]]; then
      say rust "another clone compiled here last: keeping the dependencies, dropping its crates"
      quietly rust cargo clean --workspace
      quietly rust cargo clean --workspace --profile people
    fi
    echo "$clone" >"$stamp"
    hold_target -s
  done
  export IBID_TARGET_CLAIMED=$root
}

# release_target: let others compile; for a script that goes on to run what it built.
release_target() {
  exec 8>&-
  unset IBID_TARGET_CLAIMED
}

# build_server [PROFILE]: the binary as the tests have it, or with `people` as people run it.
build_server() { cargo build --workspace --bin ibid --profile "${1:-test}"; }

# build_for_people: everything that the binary has in it, and the binary, with progress. Its time is mostly that of the
# dependencies, which are compiled once.
build_for_people() {
  need_rust
  claim_target
  if [[ ! -e $CARGO_TARGET_DIR/people/ibid ]]; then
    say ibid "building the web app, the guide and about 700 crates: 10 to 15 minutes on two cores, once"
  fi
  "$root/scripts/web.sh"
  "$root/scripts/docs.sh"
  python3 -B "$root/scripts/cargo_progress.py" --workspace --bin ibid --profile people
}

# source_hash: one hash of every file of the source tree, changed and new ones too, but of nothing that was built.
source_hash() (
  cd "$root" || exit
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    list=(git ls-files -z --cached --others --exclude-standard)
  else
    list=(find . \( -name node_modules -o -name dist -o -name target -o -name __pycache__ \) -prune -o -type f -print0)
  fi
  # A file that git still lists may be deleted already.
  "${list[@]}" | LC_ALL=C sort -z | { xargs -0 -r sha256sum 2>/dev/null || true; } | sha256sum | cut -d' ' -f1
)

# installed_program: prints the program that `make install` made of these very sources; fails if there is none.
installed_program() {
  local prefix=${PREFIX:-$HOME/.local} hash
  [[ -r $prefix/lib/ibid/build ]] || return 1
  read -r _ hash <"$prefix/lib/ibid/build"
  [[ -x $prefix/bin/ibid && $hash == "$(source_hash)" ]] || return 1
  echo "$prefix/bin/ibid"
}
