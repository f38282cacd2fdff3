#!/usr/bin/env bash
# Installs the program for people: `make install`, or `make install PREFIX=/opt/ibid`.
#
#   install.sh             build, and copy everything below PREFIX (default ~/.local)
#   install.sh remove      delete exactly what that copied: `make uninstall`
#
# PREFIX/lib/ibid/files lists what was installed: files, and with a slash at the end the folders that were made for them.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/rust.sh"

prefix=${PREFIX:-$HOME/.local}
[[ $prefix == /* ]] || prefix=$PWD/$prefix
record=lib/ibid/files

# remove_listed LIST: delete the files of a list, then its folders, the innermost first, unless others put something there.
remove_listed() {
  local entry
  while IFS= read -r entry; do
    [[ -n $entry && $entry != /* && /$entry/ != */../* ]] || die install "$prefix/$record names $entry, which is not below $prefix"
    [[ $entry == */ ]] || rm -f -- "$prefix/$entry"
  done <"$1"
  grep '/$' "$1" | LC_ALL=C sort -r | while IFS= read -r entry; do
    rmdir -- "$prefix/$entry" 2>/dev/null || true
  done
}

remove() {
  local copy
  [[ -e $prefix/$record ]] || die install "nothing is installed in $prefix: $prefix/$record is missing"
  copy=$(mktemp)
  cp "$prefix/$record" "$copy"
  remove_listed "$copy"
  rm -f "$copy"
  say install "removed Ibid from $prefix; your library in ~/.local/share/ibid stays"
}

# missing_folders FOLDER: the folders below PREFIX that have to be made for this one, and those made by an earlier install.
missing_folders() {
  local folder=$1
  while [[ $folder != . ]]; do
    if [[ ! -d $prefix/$folder ]] || grep -qxF "$folder/" "$prefix/$record" 2>/dev/null; then echo "$folder/"; fi
    folder=$(dirname "$folder")
  done
}

# copy_staged FOLDER: every file under its final name at once, so that a program that runs meanwhile sees the old or the new.
copy_staged() {
  local stage=$1 file temporary new=$1.files
  mkdir -p "$prefix"
  (cd "$stage" && find . -type f -printf '%P\n' | LC_ALL=C sort) >"$new"
  while IFS= read -r file; do missing_folders "$(dirname "$file")"; done <"$new" | sort -u >"$new.folders"
  echo "$record" | cat "$new.folders" - >>"$new"
  while IFS= read -r file; do
    [[ $file != */ && $file != "$record" ]] || continue
    mkdir -p "$prefix/$(dirname "$file")"
    temporary=$(mktemp "$prefix/$(dirname "$file")/.ibid.XXXXXX")
    cp "$stage/$file" "$temporary"
    chmod --reference="$stage/$file" "$temporary"
    mv -f "$temporary" "$prefix/$file"
  done <"$new"
  if [[ -e $prefix/$record ]]; then
    # What only the version before had.
    LC_ALL=C comm -23 <(LC_ALL=C sort "$prefix/$record") <(LC_ALL=C sort "$new") >"$new.gone"
    remove_listed "$new.gone"
  fi
  cp "$new" "$prefix/$record.new"
  mv -f "$prefix/$record.new" "$prefix/$record"
}

advise() {
  local found
  if [[ :$PATH: != *:$prefix/bin:* ]]; then
    say install "$prefix/bin is not on your PATH. Add this line to ~/.profile, and open a new terminal:"
    # shellcheck disable=SC2016 # the reader's shell expands it
    printf '\n    export PATH="%s/bin:$PATH"\n\n' "$prefix" >&2
  else
    found=$(type -P ibid || true)
    if [[ -n $found && ! $found -ef $prefix/bin/ibid ]]; then
      say install "your PATH finds another ibid first: $found"
    fi
  fi
}

case ${1:-} in
  '') ;;
  remove)
    remove
    exit
    ;;
  *) die install "usage: install.sh [remove]" ;;
esac

cd "$root"
[[ -n ${IBID_BIN:-} ]] || build_for_people
work=$(mktemp -d "${TMPDIR:-/tmp}/ibid-install.XXXXXX")
trap 'rm -rf "$work"' EXIT
"$root/scripts/stage.sh" "$work/stage"
[[ -n ${IBID_BIN:-} ]] || release_target
copy_staged "$work/stage"
say install "installed Ibid $(cut -d' ' -f1 "$prefix/lib/ibid/build") ($(du -shc "$work/stage" | awk 'END { print $1 }')) in $prefix:"
for place in bin/ibid lib/ibid share/man/man1 share/doc/ibid share/applications/ibid.desktop; do say '' "$prefix/$place"; done
say install "and completions for bash, zsh and fish; make uninstall PREFIX=$prefix removes all of it"
advise
