"""What all packages share: the version, the names of the machine, the time of their files, and archives that come out
the same, byte for byte, for the same input.

    release.py version     print the version of Cargo.toml
"""

import dataclasses
import gzip
import hashlib
import io
import os
import pathlib
import platform
import subprocess
import sys
import tarfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What Debian, npm and OCI call a machine that the kernel calls by the first name.
NAMES = {"x86_64": ("amd64", "x64", "amd64"), "aarch64": ("arm64", "arm64", "arm64")}

# A zip file knows no time before this.
FIRST_TIME = 315532800

# For lists of packages.
SUMMARY = "evidence engine: answers from your documents, each with its exact source"


def version():
    return tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]


def source_time():
    """Seconds since 1970 that every packed file bears: $SOURCE_DATE_EPOCH, or the time of the last commit."""
    if os.environ.get("SOURCE_DATE_EPOCH"):
        return max(FIRST_TIME, int(os.environ["SOURCE_DATE_EPOCH"]))
    log = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"], capture_output=True, text=True)
    return max(FIRST_TIME, int(log.stdout or 0))


def paragraphs(count):
    """The first paragraphs of the README, each on one line."""
    parts = (ROOT / "README.md").read_text(encoding="utf-8").split("\n\n")
    return [" ".join(part.split()) for part in parts[1:1 + count]]


@dataclasses.dataclass
class Release:
    """What is packed, and how hard."""

    stage: pathlib.Path
    out: pathlib.Path
    base: pathlib.Path | None = None
    quick: bool = False
    version: str = dataclasses.field(default_factory=version)
    time: int = dataclasses.field(default_factory=source_time)
    machine: str = dataclasses.field(default_factory=platform.machine)

    def __post_init__(self):
        if self.machine not in NAMES:
            raise SystemExit(f"there are no packages for {self.machine}; there are for {', '.join(NAMES)}")

    @property
    def level(self):
        """How hard gzip tries. Tests take what is quick."""
        return 1 if self.quick else 9

    @property
    def debian(self):
        return NAMES[self.machine][0]

    @property
    def npm(self):
        return NAMES[self.machine][1]

    @property
    def oci(self):
        return NAMES[self.machine][2]

    def files(self):
        """The staged files with their places, in the order of their names."""
        found = (path for path in self.stage.rglob("*") if path.is_file())
        return sorted((path.relative_to(self.stage).as_posix(), path) for path in found)


class Tar:
    """A tar archive whose bytes depend only on names, contents and modes: no owner, no time, no order of a disk."""

    def __init__(self, stream, time):
        self.archive = tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT)
        self.time = time
        self.folders = set()

    def entry(self, name, kind, mode, owner=0):
        info = tarfile.TarInfo(name)
        info.type, info.mode, info.mtime, info.uid, info.gid = kind, mode, self.time, owner, owner
        info.uname = info.gname = "root" if owner == 0 else ""
        return info

    def folder(self, name, mode=0o755, owner=0):
        name = name.strip("/")
        if not name or name in self.folders:
            return
        self.folder(os.path.dirname(name))
        self.folders.add(name)
        self.archive.addfile(self.entry(name, tarfile.DIRTYPE, mode, owner))

    def file(self, name, content, mode=0o644, owner=0):
        self.folder(os.path.dirname(name))
        info = self.entry(name, tarfile.REGTYPE, mode, owner)
        if isinstance(content, pathlib.Path):
            info.size = content.stat().st_size
            with content.open("rb") as stream:
                self.archive.addfile(info, stream)
        else:
            content = content.encode() if isinstance(content, str) else content
            info.size = len(content)
            self.archive.addfile(info, io.BytesIO(content))

    def link(self, name, target):
        self.folder(os.path.dirname(name))
        info = self.entry(name, tarfile.SYMTYPE, 0o777)
        info.linkname = target
        self.archive.addfile(info)

    def close(self):
        self.archive.close()


class Hashed:
    """A stream that hashes and counts what is written through it."""

    def __init__(self, stream):
        self.stream, self.sha256, self.size = stream, hashlib.sha256(), 0

    def write(self, data):
        self.sha256.update(data)
        self.size += len(data)
        return self.stream.write(data)

    def flush(self):
        self.stream.flush()

    def tell(self):
        return self.size


def gzipped(stream, level):
    """A gzip stream without name and time."""
    return gzip.GzipFile(filename="", mode="wb", compresslevel=level, fileobj=stream, mtime=0)


def write_tar_gz(path, time, level, fill):
    """Writes the archive that fill(tar) describes; it appears under its name only when it is whole."""
    part = path.with_name(path.name + ".part")
    with part.open("wb") as raw, gzipped(raw, level) as packed:
        tar = Tar(packed, time)
        fill(tar)
        tar.close()
    part.replace(path)
    return path


if __name__ == "__main__":
    if sys.argv[1:] != ["version"]:
        raise SystemExit(__doc__)
    print(version())
