#!/usr/bin/env bash
# Ibid as clients of OpenAI's protocol meet it, and the examples: the official Python client and the AI SDK, against the
# binary that $IBID_BIN names. Both are kept in the cache.
. "$(dirname "$0")/lib.sh"

client() {
  local pins
  mapfile -t pins < <(grep -v '^#' "$root/scripts/clients/requirements.txt")
  python_tools openai "${pins[@]}"
}

# Prints the folder that holds the packages of the TypeScript examples.
ai_sdk() {
  local examples=$root/examples/typescript key home
  command -v npm >/dev/null || die clients "npm is missing: install Node.js 20.19 or newer"
  key=$(cat "$examples"/package{,-lock}.json | sha256sum)
  home=$cache/ai-sdk-${key:0:12}
  if [[ ! -e $home ]]; then
    (
      lock ai-sdk
      [[ ! -e $home ]] || exit 0
      say clients "fetching the AI SDK from npm"
      rm -rf "$home.new"
      mkdir "$home.new"
      cp "$examples"/package{,-lock}.json "$home.new"
      quietly clients npm --prefix "$home.new" ci --no-audit --no-fund --ignore-scripts || exit 1
      mv "$home.new" "$home"
    ) || return 1
  fi
  echo "$home"
}

packages=$(client)
IBID_AI_SDK=$(ai_sdk)/node_modules
export IBID_AI_SDK
PYTHONPATH=$packages PYTHONNOUSERSITE=1 exec python3 -B -m unittest discover -s "$root/scripts/clients" "$@"
