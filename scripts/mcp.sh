#!/usr/bin/env bash
# The MCP server as clients of others meet it: the official Python SDK and the MCP inspector, over standard input and
# output and over HTTP, against the binary that $IBID_BIN names. Both are kept in the cache.
. "$(dirname "$0")/lib.sh"

sdk() {
  local pins
  mapfile -t pins < <(grep -v '^#' "$root/scripts/mcp/requirements.txt")
  python_tools mcp "${pins[@]}"
}

# Prints the folder that holds the inspector.
inspector() {
  local key home
  command -v npm >/dev/null || die mcp "npm is missing: install Node.js 20.19 or newer"
  key=$(cat "$root"/scripts/mcp/package{,-lock}.json | sha256sum)
  home=$cache/inspector-${key:0:12}
  if [[ ! -e $home ]]; then
    (
      lock inspector
      [[ ! -e $home ]] || exit 0
      say mcp "fetching the inspector from npm"
      rm -rf "$home.new"
      mkdir "$home.new"
      cp "$root"/scripts/mcp/package{,-lock}.json "$home.new"
      # Only its command line runs, which needs nothing that is built on installing.
      quietly mcp npm --prefix "$home.new" ci --no-audit --no-fund --ignore-scripts --omit=optional || exit 1
      mv "$home.new" "$home"
    ) || return 1
  fi
  echo "$home"
}

packages=$(sdk)
IBID_INSPECTOR=$(inspector)/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js
export IBID_INSPECTOR
PYTHONPATH=$packages PYTHONNOUSERSITE=1 exec python3 -B -m unittest discover -s "$root/scripts/mcp" "$@"
