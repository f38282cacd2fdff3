"""What programs and libraries need of the machine they run on, read from their symbol versions with readelf."""

import re
import subprocess

# The release of GCC whose libstdc++ first had these symbols.
GLIBCXX = {19: "4.8", 20: "4.9", 21: "5", 22: "6", 23: "7", 24: "7.2", 25: "8", 26: "9", 27: "9.3", 28: "9.3", 29: "11",
           30: "12", 31: "13.1", 32: "13.2", 33: "14", 34: "15"}
CXXABI = {8: "4.9", 9: "5", 10: "6", 11: "7", 12: "9", 13: "11", 14: "13.1", 15: "14", 16: "15"}
# Debian's packages of the libraries that every glibc machine has.
PACKAGES = {"libc.so.6": "libc6", "libm.so.6": "libc6", "libdl.so.2": "libc6", "librt.so.1": "libc6",
            "libpthread.so.0": "libc6", "libgcc_s.so.1": "libgcc-s1", "libstdc++.so.6": "libstdc++6",
            "libz.so.1": "zlib1g"}


def number(version):
    return tuple(int(part) for part in version.split("."))


def parse(text):
    """The libraries and symbol versions that `readelf -dVW` says are needed: (names, {prefix: newest version})."""
    libraries = set(re.findall(r"\(NEEDED\)\s+Shared library: \[([^\]]+)\]", text))
    newest = {}
    # Only what is needed: what a library itself defines stands in another section.
    needs = text.split(".gnu.version_r", 1)[-1] if ".gnu.version_r" in text else ""
    for prefix, version in re.findall(r"Name: ([A-Z]+)_(\d+(?:\.\d+)*)\b", needs):
        if number(version) > number(newest.get(prefix, "0")):
            newest[prefix] = version
    return libraries, newest


def needs(files):
    """The same of several files together."""
    libraries, newest = set(), {}
    for file in files:
        text = subprocess.run(["readelf", "-dVW", file], check=True, capture_output=True, text=True).stdout
        some, versions = parse(text)
        libraries |= some
        for prefix, version in versions.items():
            if number(version) > number(newest.get(prefix, "0")):
                newest[prefix] = version
    return {name for name in libraries if not name.startswith("ld-linux")}, newest


def glibc(newest):
    """The oldest glibc that has all symbols, as (major, minor)."""
    return number(newest["GLIBC"])[:2]


def gcc_of(prefix, releases, newest):
    """The oldest GCC whose libstdc++ has a symbol of this version; what is older than the table is in every one."""
    last = (number(newest.get(prefix, "0.0.0")) + (0, 0))[2]
    found = [release for symbol, release in releases.items() if symbol >= last]
    if not found:
        raise SystemExit(f"packaging/elf.py does not know which GCC has {prefix}_{newest[prefix]}")
    return found[0]


def depends(libraries, newest):
    """Debian's packages with their oldest versions, as a Depends field has them."""
    found = {}
    for library in sorted(libraries):
        if library not in PACKAGES:
            raise SystemExit(f"the program needs {library}, and packaging/elf.py does not know which package has it")
        found[PACKAGES[library]] = None
    found["libc6"] = newest["GLIBC"]
    if "libgcc-s1" in found:
        found["libgcc-s1"] = newest.get("GCC", "3.0")
    if "libstdc++6" in found:
        found["libstdc++6"] = max(gcc_of("GLIBCXX", GLIBCXX, newest), gcc_of("CXXABI", CXXABI, newest), key=number)
    return [f"{name} (>= {oldest})" if oldest else name for name, oldest in sorted(found.items())]


def bundle(stage):
    """The files of a staged tree that the loader reads."""
    return [stage / "bin/ibid", *sorted((stage / "lib/ibid").glob("*.so"))]
