"""ibid-VERSION-py3-none-manylinux_X_Y_MACHINE.whl: the program as a script, its bundle as data, and a small module.

An installer puts `.data/scripts` into PREFIX/bin and `.data/data` below the same PREFIX, in a virtual environment, in a
user's home and in the system alike: that is all the layout that the program needs.
"""

import base64
import hashlib
import pathlib
import stat
import time
import zipfile

import elf
from release import ROOT, SUMMARY, paragraphs

HERE = pathlib.Path(__file__).parent / "python"


class Wheel:
    """A zip file that writes its own RECORD."""

    def __init__(self, path, info, seconds, level):
        self.archive = zipfile.ZipFile(path, "w")
        self.level = level
        self.info = info
        self.date = time.gmtime(seconds)[:6]
        self.record = []

    def add(self, name, content, executable=False):
        content = content.encode() if isinstance(content, str) else content
        entry = zipfile.ZipInfo(name, self.date)
        entry.create_system = 3  # Unix: the mode below counts
        entry.external_attr = (stat.S_IFREG | (0o755 if executable else 0o644)) << 16
        self.archive.writestr(entry, content, zipfile.ZIP_DEFLATED, self.level)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(content)}\n")

    def close(self):
        name = f"{self.info}/RECORD"
        record = "".join([*self.record, f"{name},,\n"])
        self.add(name, record)
        self.archive.close()


def tag(release):
    """The oldest glibc that has what the program and its libraries need, as installers compare it."""
    major, minor = elf.glibc(elf.needs(elf.bundle(release.stage))[1])
    return f"py3-none-manylinux_{major}_{minor}_{release.machine}"


def metadata(release):
    description = "\n\n".join([
        "# Ibid", *paragraphs(2),
        "This package holds the program for Linux, with its libraries and models: after installing it, `ibid` works "
        "without a network. From Python:",
        "```python\nimport ibid\n\nwith ibid.start_server() as server:\n    print(server.url)\n```",
    ])
    return (
        f"Metadata-Version: 2.4\nName: ibid\nVersion: {release.version}\nSummary: {SUMMARY}\n"
        "License-Expression: MIT OR Apache-2.0\nLicense-File: LICENSE-MIT\nLicense-File: LICENSE-APACHE\n"
        "Requires-Python: >=3.9\nClassifier: Operating System :: POSIX :: Linux\nClassifier: Environment :: Console\n"
        "Classifier: Programming Language :: Python :: 3\nDescription-Content-Type: text/markdown\n\n" + description + "\n"
    )


def build(release):
    tags = tag(release)
    name = f"ibid-{release.version}"
    out = release.out / f"{name}-{tags}.whl"
    part = out.with_name(out.name + ".part")
    wheel = Wheel(part, f"{name}.dist-info", release.time, release.level)
    for path in sorted((HERE / "ibid").iterdir()):
        if path.is_file():
            wheel.add(f"ibid/{path.name}", path.read_bytes())
    for place, path in release.files():
        if place == "bin/ibid":
            wheel.add(f"{name}.data/scripts/ibid", path.read_bytes(), executable=True)
        else:
            wheel.add(f"{name}.data/data/{place}", path.read_bytes())
    wheel.add(f"{name}.dist-info/METADATA", metadata(release))
    wheel.add(f"{name}.dist-info/WHEEL",
              f"Wheel-Version: 1.0\nGenerator: ibid\nRoot-Is-Purelib: false\nTag: {tags}\n")
    for licence in ("LICENSE-MIT", "LICENSE-APACHE"):
        wheel.add(f"{name}.dist-info/licenses/{licence}", (ROOT / licence).read_bytes())
    wheel.close()
    part.replace(out)
    return [out]
