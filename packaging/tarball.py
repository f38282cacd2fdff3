"""ibid-VERSION-linux-MACHINE.tar.gz: the tree, to be unpacked anywhere."""

import pathlib

import elf
from release import write_tar_gz

HERE = pathlib.Path(__file__).parent


def build(release):
    top = f"ibid-{release.version}-linux-{release.machine}"
    _, newest = elf.needs(elf.bundle(release.stage))
    install = (HERE / "INSTALL").read_text().format(top=top, glibc=".".join(map(str, elf.glibc(newest))))

    def fill(tar):
        tar.file(f"{top}/INSTALL", install)
        for place, path in release.files():
            tar.file(f"{top}/{place}", path, 0o755 if place.startswith("bin/") else 0o644)

    return [write_tar_gz(release.out / f"{top}.tar.gz", release.time, release.level, fill)]
