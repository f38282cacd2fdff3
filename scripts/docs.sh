#!/usr/bin/env bash
# Builds the guide into docs/site/dist, which the server embeds: so this runs before cargo. Does nothing when neither the
# sources nor the dependencies changed.
#
#   docs.sh                 install the dependencies and build
#   docs.sh install         only install the dependencies
. "$(dirname "$0")/lib.sh"

cd "$root/docs/site" 2>/dev/null || exit 0
[[ -e package.json ]] || exit 0

command -v npm >/dev/null || die docs "npm is missing: install Node.js 20.19 or newer"
node=$(node --version)
node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
  die docs "Node.js 20.19 or newer is needed, this is $node"

# changed STAMP KEY: whether what was made under KEY is not the last thing made.
changed() { [[ $(cat "$1" 2>/dev/null) != "$2" ]]; }

installed=$({ echo "$node"; cat package.json package-lock.json; } | sha256sum)
if changed node_modules/.ibid-stamp "$installed"; then
  say docs "installing dependencies"
  quietly docs npm ci --no-audit --no-fund
  echo "$installed" >node_modules/.ibid-stamp
fi

[[ ${1:-} != install ]] || exit 0

# The generated pages first: they are sources of the site.
quietly docs node generate.mjs
sources=$(find . ../guide ../*.json ../*.png \( -name node_modules -o -name dist -o -name .cache -o -name .temp -o \
  -name openapi.json \) -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum)
if changed dist/.ibid-stamp "$installed $sources"; then
  say docs "building"
  rm -f dist/.ibid-stamp
  quietly docs npm run build
  echo "$installed $sources" >dist/.ibid-stamp
fi
