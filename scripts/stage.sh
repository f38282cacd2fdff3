#!/usr/bin/env bash
# Lays out the program and everything it needs below the folder DEST, as it is installed everywhere: stage.sh DEST
#
# The program is $IBID_BIN, or what cargo built with the profile $IBID_PROFILE (default: people). It finds its libraries
# and models in ../lib/ibid, seen from its own place: so the folder works wherever it is moved.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/rust.sh"

target=${CARGO_TARGET_DIR:-$cache/target}
program=${IBID_BIN:-$target/${IBID_PROFILE:-people}/ibid}
[[ $# == 1 ]] || die stage "usage: stage.sh DEST"
[[ -x $program ]] || die stage "$program is not there: build it first, or name it in IBID_BIN"
mkdir -p "$1"
dest=$(cd "$1" && pwd -P)
[[ -z $(ls -A "$dest") ]] || die stage "$dest is not empty"

# put MODE FILE PLACE: one file, at a place below DEST.
put() {
  [[ -e $2 ]] || die stage "$2 is missing"
  install -D -m "$1" "$2" "$dest/$3"
}

put 755 "$program" bin/ibid

for tool in model onnxruntime pdfium; do "$root/scripts/$tool.sh"; done
put 644 "$cache/lib/libonnxruntime.so" lib/ibid/libonnxruntime.so
put 644 "$cache/lib/libpdfium.so" lib/ibid/libpdfium.so
for file in model.int8.onnx tokenizer.json; do
  put 644 "$cache/models/all-MiniLM-L6-v2/$file" "lib/ibid/models/all-MiniLM-L6-v2/$file"
done
for file in judge.int8.onnx tokenizer.json; do
  put 644 "$cache/models/judge/$file" "lib/ibid/models/judge/$file"
done
version=$(python3 -B "$root/packaging/release.py" version)
echo "$version $(source_hash)" >"$dest/lib/ibid/build"
[[ $("$dest/bin/ibid" --version) == "ibid $version" ]] || die stage "$program is not version $version; build it again"

mkdir -p "$dest/share/man/man1"
quietly stage "$dest/bin/ibid" man "$dest/share/man/man1"
while read -r shell place; do
  mkdir -p "$dest/share/$(dirname "$place")"
  "$dest/bin/ibid" completions "$shell" >"$dest/share/$place"
done <<'PLACES'
bash bash-completion/completions/ibid
zsh zsh/site-functions/_ibid
fish fish/vendor_completions.d/ibid.fish
PLACES

put 644 "$root/packaging/ibid.desktop" share/applications/ibid.desktop
put 644 "$root/web/public/favicon.svg" share/icons/hicolor/scalable/apps/ibid.svg
for file in README.md LICENSE-MIT LICENSE-APACHE; do put 644 "$root/$file" "share/doc/ibid/$file"; done

# Only what is compiled for this kind of machine; everything is here already, because it was compiled.
metadata=$(mktemp)
trap 'rm -f "$metadata"' EXIT
for site in web docs; do "$root/scripts/$site.sh" install; done
(cd "$root" && cargo metadata --format-version 1 --locked --offline \
  --filter-platform "$(rustc -vV | sed -n 's/^host: //p')") >"$metadata"
python3 -B "$root/packaging/third_party.py" "$metadata" "$root" "$dest/share/doc/ibid/THIRD-PARTY.md"

find "$dest" -type d -exec chmod 755 {} +
find "$dest" -type f ! -path "$dest/bin/*" -exec chmod 644 {} +
