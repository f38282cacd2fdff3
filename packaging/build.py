"""Packs a staged tree: build.py --stage FOLDER --out FOLDER [--base FOLDER] [--quick] [FORMAT...]

Formats: tarball, deb, wheel, npm, oci; all of them by default. --quick compresses less, for tests. Writes SHA256SUMS.
"""

import argparse
import hashlib
import pathlib
import time

import deb
import elf
import npm
import oci
import tarball
import wheel
from release import Release

FORMATS = {"tarball": tarball, "deb": deb, "wheel": wheel, "npm": npm, "oci": oci}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("formats", nargs="*")
    parser.add_argument("--stage", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--base", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    if unknown := set(given.formats) - set(FORMATS):
        parser.error(f"there is no format {', '.join(sorted(unknown))}")
    given.out.mkdir(parents=True, exist_ok=True)
    release = Release(given.stage, given.out, given.base, given.quick)
    made = []
    for name in given.formats or FORMATS:
        began = time.monotonic()
        for path in FORMATS[name].build(release):
            made.append(path)
            print(f"{path.name:<52} {path.stat().st_size / 1e6:7.1f} MB {time.monotonic() - began:6.1f} s", flush=True)
    libraries, newest = elf.needs(elf.bundle(given.stage))
    print(f"needs glibc {newest['GLIBC']}; {', '.join(elf.depends(libraries, newest))}")
    sums = []
    for path in sorted(made):
        with path.open("rb") as stream:
            sums.append(f"{hashlib.file_digest(stream, 'sha256').hexdigest()}  {path.name}\n")
    (given.out / "SHA256SUMS").write_text("".join(sums))


if __name__ == "__main__":
    main()
