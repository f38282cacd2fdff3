"""ibid_VERSION_ARCH.deb: the tree below /usr, a systemd unit and a user for it."""

import gzip
import hashlib
import pathlib
import shutil
import subprocess
import tempfile
import textwrap

import elf
from release import ROOT, SUMMARY, paragraphs

HERE = pathlib.Path(__file__).parent / "debian"


def compress(path, content, time):
    """As Debian wants man pages and changelogs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as raw, gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=raw, mtime=0) as packed:
        packed.write(content)


def control(release, size_kib):
    depends = elf.depends(*elf.needs(elf.bundle(release.stage)))
    description = []
    for paragraph in paragraphs(2):
        description.append(textwrap.indent(textwrap.fill(paragraph, 78, break_on_hyphens=False), " "))
    return "\n".join([
        "Package: ibid",
        f"Version: {release.version}",
        f"Architecture: {release.debian}",
        "Maintainer: The Ibid contributors",
        f"Installed-Size: {size_kib}",
        f"Depends: {', '.join([*depends, 'adduser'])}",
        "Recommends: ca-certificates",
        "Section: text",
        "Priority: optional",
        f"Description: {SUMMARY}",
        "\n .\n".join(description),
        "",
    ])


def copyright():
    """Ours in full, with the place of what belongs to others."""
    def indented(text):
        return "\n".join(f" {line}" if line.strip() else " ." for line in text.strip().splitlines())

    text = (HERE / "copyright").read_text()
    return text.replace("@MIT@", indented((ROOT / "LICENSE-MIT").read_text().split("\n\n", 2)[2]))


def fill(release, root):
    for place, path in release.files():
        target = root / "usr" / place
        if place.startswith("share/man/"):
            compress(target.with_name(target.name + ".gz"), path.read_bytes(), release.time)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
        target.chmod(0o755 if place.startswith("bin/") else 0o644)
    docs = root / "usr/share/doc/ibid"
    compress(docs / "changelog.gz", (ROOT / "CHANGELOG.md").read_bytes(), release.time)
    (docs / "copyright").write_text(copyright())
    unit = root / "usr/lib/systemd/system/ibid.service"
    unit.parent.mkdir(parents=True)
    shutil.copy(HERE / "ibid.service", unit)


def build(release):
    out = release.out / f"ibid_{release.version}_{release.debian}.deb"
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "root"
        root.mkdir(mode=0o755)
        fill(release, root)
        files = sorted(path for path in root.rglob("*") if path.is_file())
        sums = [f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(root)}\n" for path in files]
        size = sum(-(-path.stat().st_size // 1024) for path in files)
        about = root / "DEBIAN"
        about.mkdir()
        (about / "control").write_text(control(release, size))
        (about / "md5sums").write_text("".join(sums))
        for script in ("postinst", "prerm", "postrm"):
            shutil.copy(HERE / script, about / script)
            (about / script).chmod(0o755)
        for path in root.rglob("*"):
            if path.is_dir():
                path.chmod(0o755)
            elif path.parent != about and path.parent != root / "usr/bin":
                path.chmod(0o644)
        packing = ["-Zgzip", "-z1"] if release.quick else ["-Zxz"]
        subprocess.run(["dpkg-deb", "--root-owner-group", *packing, "--build", root, out], check=True,
                       stdout=subprocess.DEVNULL, env={"PATH": "/usr/bin:/bin", "SOURCE_DATE_EPOCH": str(release.time)})
    return [out]
