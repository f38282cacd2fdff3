# An apt of our own, for packages that are unpacked into the cache: nothing of the machine is touched. Sourced, never run.
# shellcheck shell=bash

debian_keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# The archives this machine's own apt knows for its release (or, with -security, for its security part).
archives() {
  local codename
  # shellcheck source=/dev/null
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  apt-get update --print-uris 2>/dev/null |
    sed -n "s|^'\([^']*/\)dists/$codename$1/main/binary-.*|\1|p" | sort -u
}

# private_apt FOLDER ARCHIVE RELEASE: an apt of our own: its own lists, an empty machine, one release.
private_apt() {
  local apt=$1 main=$2 release=$3 security
  mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/preferences"
  : >"$apt/status"
  echo "deb [signed-by=$debian_keyring] $main $release main" >"$apt/sources.list"
  for security in $(archives -security); do
    echo "deb [signed-by=$debian_keyring] $security $release-security main" >>"$apt/sources.list"
  done
  cat >"$apt/apt.conf" <<CONFIG
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
Dir::State "$apt/state";
Dir::State::lists "$apt/state/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferencesparts "$apt/preferences";
APT::Sandbox::User "root";
APT::Install-Recommends "0";
APT::Update::Error-Mode "any";
CONFIG
  apt-get -q -c "$apt/apt.conf" update >"$apt/log" 2>&1 </dev/null
}

# find_archive FOLDER RELEASE: a private apt for this release. A third party may serve a release of the same name: the archive
# is the one that Debian's key vouches for.
find_archive() {
  local main
  for main in $(archives ''); do
    if private_apt "$1" "$main" "$2"; then return; fi
  done
  tail -n 20 "$1/log" >&2 2>/dev/null || true
  return 1
}
