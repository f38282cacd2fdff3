#!/usr/bin/env bash
# Clients that others' generators make from the server's OpenAPI document: openapi-typescript, openapi-python-client and
# openapi-generator (TypeScript and Java). Each is compiled and used against the binary that $IBID_BIN names. The
# generators are kept in the cache.
. "$(dirname "$0")/lib.sh"

generators() {
  local pins
  mapfile -t pins < <(grep -v '^#' "$root/scripts/generated/requirements.txt")
  python_tools generated "${pins[@]}"
}

# Prints the folder that holds openapi-typescript, openapi-fetch and the TypeScript compiler.
typescript() {
  local key home
  command -v npm >/dev/null || die generated "npm is missing: install Node.js 20.19 or newer"
  key=$(cat "$root"/scripts/generated/package{,-lock}.json | sha256sum)
  home=$cache/openapi-typescript-${key:0:12}
  if [[ ! -e $home ]]; then
    (
      lock openapi-typescript
      [[ ! -e $home ]] || exit 0
      say generated "fetching openapi-typescript from npm"
      rm -rf "$home.new"
      mkdir "$home.new"
      cp "$root"/scripts/generated/package{,-lock}.json "$home.new"
      quietly generated npm --prefix "$home.new" ci --no-audit --no-fund --ignore-scripts || exit 1
      mv "$home.new" "$home"
    ) || return 1
  fi
  echo "$home"
}

# Prints the class path of the Java client. Jackson, which it needs too, is part of the generator's own jar.
java_libraries() {
  local jars=/usr/share/java name path=''
  need javac default-jdk-headless
  [[ -e $jars/httpmime.jar && -e $jars/jakarta-annotation-api.jar ]] ||
    install_packages generated libhttpmime-java libjakarta-annotation-api-java
  for name in httpmime httpclient httpcore commons-logging jakarta-annotation-api; do path+=:$jars/$name.jar; done
  echo "${path#:}"
}

packages=$(generators)
IBID_TYPESCRIPT=$(typescript)/node_modules
IBID_JAVA_LIBRARIES=$(java_libraries)
export IBID_TYPESCRIPT IBID_JAVA_LIBRARIES
# openapi-python-client formats what it makes with the ruff that it finds.
PATH=$packages/bin:$PATH PYTHONPATH=$packages PYTHONNOUSERSITE=1 \
  exec python3 -B -m unittest discover -s "$root/scripts/generated" "$@"
