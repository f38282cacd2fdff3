#!/usr/bin/env bash
# A folder with packages of this machine's own Debian release, unpacked: nothing of the machine is touched. Prints it.
#
#   debian.sh root PACKAGE...   these packages and all they need, and a dpkg that knows them: to chroot into, for tests
#   debian.sh base PACKAGE...   these packages alone, without documentation: to make a container image from
#
# A root is kept in the cache for good. A base is fetched again after a day, because what it holds is handed to people.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/debian_archive.sh"

recipe=1 # count up when what this script makes changes
# shellcheck source=/dev/null
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")

# unpack APT TARGET PACKAGE...: into a folder whose /bin, /lib … lead into /usr, as on every Debian of today.
unpack() {
  local apt=$1 target=$2 folder package
  shift 2
  (cd "$apt/cache" && apt-get -q -c "$apt/apt.conf" download "$@" >"$apt/log" 2>&1) ||
    { tail -n 20 "$apt/log" >&2; return 1; }
  for folder in bin sbin lib lib64; do
    mkdir -p "$target/usr/$folder"
    ln -s "usr/$folder" "$target/$folder"
  done
  for package in "$apt"/cache/*.deb; do dpkg-deb -x "$package" "$target" || return 1; done
}

# What installing ca-certificates makes: all certificates in one file.
bundle_certificates() {
  [[ -d $1/usr/share/ca-certificates ]] || return 0
  mkdir -p "$1/etc/ssl/certs"
  find "$1/usr/share/ca-certificates" -name '*.crt' | LC_ALL=C sort | xargs cat >"$1/etc/ssl/certs/ca-certificates.crt"
}

make_base() {
  local apt=$1 target=$2 package name
  shift 2
  unpack "$apt" "$target" "$@"
  bundle_certificates "$target"
  mkdir -p "$target/var/lib/dpkg/status.d"
  for package in "$apt"/cache/*.deb; do
    # Where scanners of images look for what is inside.
    name=$(dpkg-deb -f "$package" Package)
    dpkg-deb -f "$package" >"$target/var/lib/dpkg/status.d/$name"
    # Licences stay.
    find "$target/usr/share/doc/$name" -mindepth 1 ! -name copyright -delete 2>/dev/null || true
  done
  rm -rf "${target:?}"/usr/share/{man,locale,i18n,lintian,info,gcc,gdb} "${target:?}"/usr/lib/*/{gconv,audit} "${target:?}"/usr/sbin/update-ca-certificates
}

# Enough of /var/lib/dpkg, /etc and /dev that packages can be installed and removed.
make_root() {
  local apt=$1 target=$2 packages package name qualified
  shift 2
  packages=$(apt-get -q -c "$apt/apt.conf" -s install "$@" | awk '$1 == "Inst" { print $2 }')
  # shellcheck disable=SC2086 # one name is one word
  unpack "$apt" "$target" $packages
  bundle_certificates "$target"
  mkdir -p "$target"/var/lib/dpkg/{info,updates,triggers,alternatives}
  echo 1 >"$target/var/lib/dpkg/info/format"
  : >"$target/var/lib/dpkg/available"
  for package in "$apt"/cache/*.deb; do
    name=$(dpkg-deb -f "$package" Package)
    qualified=$name
    if [[ $(dpkg-deb -f "$package" Multi-Arch) == same ]]; then qualified=$name:$(dpkg-deb -f "$package" Architecture); fi
    dpkg-deb -f "$package" | sed '1a Status: install ok installed'
    echo
    dpkg-deb --fsys-tarfile "$package" | tar -t | sed 's|^\.||; s|/$||; s|^$|/.|' >"$target/var/lib/dpkg/info/$qualified.list"
  done >"$target/var/lib/dpkg/status"
  cp "$target/usr/share/base-passwd/passwd.master" "$target/etc/passwd"
  cp "$target/usr/share/base-passwd/group.master" "$target/etc/group"
  [[ -e $target/bin/sh ]] || ln -s dash "$target/bin/sh"
  echo '127.0.0.1 localhost' >"$target/etc/hosts"
  mkdir -p "$target"/{dev,opt,proc,root,run,tmp,usr/local/bin}
  chmod 1777 "$target/tmp"
  rm -rf "${target:?}"/usr/share/{doc,man,locale,i18n,lintian,info}/*
}

kind=${1:-}
shift || true
[[ $kind =~ ^(root|base)$ && $# -gt 0 ]] || die debian "usage: debian.sh root|base PACKAGE..."
if [[ -z $release ]] || ! command -v apt-get >/dev/null; then die debian "this takes a Debian machine"; fi
[[ -e $debian_keyring ]] || install_packages debian debian-archive-keyring
key=$(printf '%s\n' "$recipe" "$kind" "$release" "$@" | sha256sum)
home=$cache/debian/$kind-$release-${key:0:12}

fresh() {
  [[ -e $home ]] || return 1
  [[ $kind == root || -n $(find "$home" -maxdepth 0 -mmin -1440) ]]
}

fetch() {
  local work
  lock debian
  ! fresh || return 0
  say debian "fetching packages of $release"
  mkdir -p "$cache/debian"
  work=$(mktemp -d "$cache/debian/.new.XXXXXX")
  # shellcheck disable=SC2064 # the folder's name is known now
  trap "rm -rf '$work'" EXIT
  mkdir -m 755 "$work/root"
  find_archive "$work/apt" "$release" || die debian "reached no Debian archive through apt's sources"
  "make_$kind" "$work/apt" "$work/root" "$@"
  touch "$work/root"
  if [[ -e $home ]]; then mv "$home" "$work/old"; fi
  mv "$work/root" "$home"
}

if [[ -n ${IBID_DEBIAN_FETCHING:-} ]]; then
  fetch "$@"
  exit
fi
# A process of its own, so that whatever fails in there ends only that: yesterday's base is better than none.
if ! fresh && ! IBID_DEBIAN_FETCHING=1 "$0" "$kind" "$@"; then
  [[ -e $home ]] || die debian "cannot fetch packages of $release"
  say debian "using the packages that were fetched before"
fi
echo "$home"
