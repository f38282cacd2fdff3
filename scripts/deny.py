"""Checks the dependencies of the workspace against deny.toml: licences, banned crates, wildcards, sources, yanked versions.

Understands the part of cargo-deny's format that deny.toml uses, and refuses the rest rather than ignoring it.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tomllib

UNDERSTOOD = {
    "graph": {"targets", "all-features"},
    "licenses": {"allow", "exceptions", "clarify", "unused-allowed-license"},
    "bans": {"multiple-versions", "wildcards", "allow-wildcard-paths", "deny"},
    "sources": {"unknown-registry", "unknown-git"},
    "advisories": {"yanked", "ignore"},
}


def licence_allowed(expression, allowed):
    """Whether an SPDX expression can be satisfied with the allowed licences. AND binds tighter than OR; `/` is OR."""
    tokens = re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR "))
    position = 0

    def take():
        nonlocal position
        position += 1
        return tokens[position - 1]

    def next_is(word):
        return position < len(tokens) and tokens[position] == word

    def term():
        if next_is("("):
            take()
            value = either()
            take()
            return value
        name = take()
        if next_is("WITH"):
            take()
            name += " WITH " + take()
        return name in allowed

    def both():
        value = term()
        while next_is("AND"):
            take()
            value = term() and value
        return value

    def either():
        value = both()
        while next_is("OR"):
            take()
            value = both() or value
        return value

    try:
        return either() and position == len(tokens)
    except IndexError:
        return False


def name_of(entry):
    return entry if isinstance(entry, str) else entry.get("name") or entry.get("crate")


def by_name(entries, field):
    return {name_of(entry): entry[field] for entry in entries}


def compiled(tree):
    """The (name, version) pairs in the output of `cargo tree`. cargo metadata names crates that no feature turns on."""
    return {(name, version.removeprefix("v")) for name, version in (line.split()[:2] for line in tree.splitlines() if line)}


def problems(config, metadata, used):
    """Yields (package, what is wrong with it) for every package in `used`."""
    licences = config.get("licenses", {})
    bans = config.get("bans", {})
    allowed = set(licences.get("allow", []))
    exceptions = by_name(licences.get("exceptions", []), "allow")
    clarified = by_name(licences.get("clarify", []), "expression")
    banned = {name_of(e): e.get("reason", "") if isinstance(e, dict) else "" for e in bans.get("deny", [])}
    members = set(metadata["workspace_members"])

    for package in metadata["packages"]:
        name = package["name"]
        if (name, package["version"]) not in used:
            continue
        licence = clarified.get(name) or package.get("license")
        if not licence:
            yield package, "names no licence: read it, then add it to licenses.clarify"
        elif not licence_allowed(licence, allowed | set(exceptions.get(name, []))):
            yield package, f"has the licence {licence}, which is not allowed"
        if name in banned:
            yield package, "is banned" + (f": {banned[name]}" if banned[name] else "")
        source = package["source"] or ""
        if source.startswith("git+"):
            yield package, "comes from a git repository"
        elif source and not re.fullmatch(r"(registry|sparse)\+.*(/crates\.io-index|//index\.crates\.io/)", source):
            yield package, "comes from a registry other than crates.io"
        if package["id"] in members and bans.get("wildcards") == "deny":
            # As cargo-deny has it: a path without a version is fine in a crate that is never published.
            private = package.get("publish") == []
            for dependency in package["dependencies"]:
                if dependency["req"] == "*" and not (dependency.get("path") and private):
                    hint = "; set publish = false" if dependency.get("path") else ""
                    yield package, f"asks for any version of {dependency['name']}{hint}"


def index_file(name):
    """The place of a crate in cargo's index: by the first characters of its name."""
    folders = {1: ["1"], 2: ["2"], 3: ["3", name[:1]]}.get(len(name), [name[:2], name[2:4]])
    return pathlib.PurePath(*folders, name)


def yanked_versions(index, name):
    """The versions of a crate that its author took back, as far as cargo's own copy of the index knows; None if it has none.

    A cached entry is a header, then for each version its number and its JSON, each ended by a NUL.
    """
    try:
        cached = (index / index_file(name.lower())).read_bytes()
    except OSError:
        return None
    entries = (json.loads(part) for part in cached.split(b"\0") if part.startswith(b"{"))
    return {entry["vers"] for entry in entries if entry.get("yanked")}


def yanked(packages, used, indexes):
    """Yields (package, what is wrong with it) for every package in `used` that was taken back after it was locked."""
    for package in packages:
        if package["source"] and (package["name"], package["version"]) in used:
            known = [versions for index in indexes if (versions := yanked_versions(index, package["name"])) is not None]
            if any(package["version"] in versions for versions in known):
                yield package, "was yanked by its author: run `cargo update -p` for it"


def chain(metadata, wanted, used):
    """How a package got in: the names from a workspace member down to it."""
    names = {p["id"]: p["name"] for p in metadata["packages"] if (p["name"], p["version"]) in used}
    edges = {node["id"]: [d for d in node["dependencies"] if d in names] for node in metadata["resolve"]["nodes"]}
    queue = [[member] for member in metadata["workspace_members"]]
    seen = set(metadata["workspace_members"])
    for path in queue:
        if path[-1] == wanted:
            return " > ".join(names[step] for step in path)
        for step in edges.get(path[-1], []):
            if step not in seen:
                seen.add(step)
                queue.append([*path, step])
    return names[wanted]


def not_understood(config):
    """The settings of a deny.toml that this script would have to ignore."""
    return [
        f"{section}.{key}"
        for section, table in config.items()
        for key in table
        if key not in UNDERSTOOD.get(section, ())
    ]


def cargo(*arguments):
    run = subprocess.run(["cargo", *arguments, "--locked", "--color=never"], stdout=subprocess.PIPE, text=True)
    if run.returncode:
        sys.exit(run.returncode)
    return run.stdout


def main():
    with open("deny.toml", "rb") as file:
        config = tomllib.load(file)
    if unknown := not_understood(config):
        sys.exit(f"deny.toml: {', '.join(unknown)}: not understood by scripts/deny.py; install cargo-deny or teach it")
    graph = config.get("graph", {})
    features = ["--all-features"] if graph.get("all-features") else []
    targets = graph.get("targets", [])
    metadata = json.loads(cargo("metadata", "--format-version=1", *features, *(f"--filter-platform={t}" for t in targets)))
    used = compiled(
        cargo("tree", "--workspace", "--prefix=none", "--format={p}", "--edges=normal,build,dev", *features,
              *(f"--target={t}" for t in targets or ["all"]))
    )

    wrong = list(problems(config, metadata, used))
    if config.get("advisories", {}).get("yanked") == "deny":
        home = pathlib.Path(os.environ.get("CARGO_HOME") or pathlib.Path.home() / ".cargo")
        wrong += yanked(metadata["packages"], used, list(home.glob("registry/index/*/.cache")))
    failed = False
    for package, problem in wrong:
        failed = True
        print(f"error: {package['name']} {package['version']} {problem}\n       {chain(metadata, package['id'], used)}")
    if failed:
        sys.exit(1)
    print(f"{len(used)} crates: licences, names and sources are as deny.toml wants them, and none is known to be yanked")


if __name__ == "__main__":
    main()
