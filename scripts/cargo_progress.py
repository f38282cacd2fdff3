"""Runs cargo build and says how far it is: cargo_progress.py [argument of cargo build ...].

On a terminal one line counts the crates; elsewhere a line is printed for every tenth. Errors are shown as cargo shows
them. The exit code is cargo's.
"""

import json
import subprocess
import sys
import time


def count_units(packages: list[dict], wanted: set[str]) -> int:
    """How many things are compiled: each crate, and each script that prepares one."""
    units = 0
    for package in packages:
        if package["id"] in wanted:
            kinds = [kind for target in package["targets"] for kind in target["kind"]]
            units += any(kind in ("lib", "rlib", "proc-macro", "bin") for kind in kinds) + ("custom-build" in kinds)
    return units


def reachable(resolve: dict, root: str) -> set[str]:
    """The packages that the program needs to be built, without those of its tests."""
    nodes = {node["id"]: node for node in resolve["nodes"]}
    found, todo = set(), [root]
    while todo:
        one = todo.pop()
        if one in found:
            continue
        found.add(one)
        for dependency in nodes[one]["deps"]:
            if any(kind["kind"] != "dev" for kind in dependency["dep_kinds"]):
                todo.append(dependency["pkg"])
    return found


def expected_units() -> int:
    host = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    host = next(line.split()[1] for line in host.splitlines() if line.startswith("host:"))
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", host]
    told = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    (root,) = [package["id"] for package in told["packages"] if package["name"] == "ibid"]
    return count_units(told["packages"], reachable(told["resolve"], root))


class Progress:
    """Shows a count: over and over on one line of a terminal, or now and then in a log."""

    def __init__(self, total: int, out, clock=time.monotonic):
        self.total, self.out, self.clock = max(total, 1), out, clock
        self.began, self.done, self.told = clock(), 0, 0
        self.is_terminal = out.isatty()

    def step(self, name: str) -> None:
        self.done += 1
        share = min(99, 100 * self.done // self.total)
        minutes, seconds = divmod(int(self.clock() - self.began), 60)
        line = f"{'rust':<8} {share:>2} %, {self.done} of about {self.total} crates, {minutes}:{seconds:02}"
        if self.is_terminal:
            self.out.write(f"\r\x1b[2K{line}  {name[:40]}")
            self.out.flush()
        elif share >= self.told + 10:
            self.told = share - share % 10
            self.out.write(line + "\n")
            self.out.flush()

    def end(self) -> None:
        if self.is_terminal:
            self.out.write("\r\x1b[2K")
            self.out.flush()


def main() -> int:
    progress = Progress(expected_units(), sys.stderr)
    command = ["cargo", "build", "--quiet", "--message-format", "json-render-diagnostics", *sys.argv[1:]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as cargo:
        for line in cargo.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if message.get("reason") == "compiler-artifact":
                progress.step(message["target"]["name"])
    progress.end()
    return cargo.returncode


if __name__ == "__main__":
    sys.exit(main())
