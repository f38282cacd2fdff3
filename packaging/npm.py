"""Two npm packages: `ibid`, a little JavaScript for every machine, and `@ibid/linux-…`, the tree for one kind.

npm installs of the optional dependencies only the one whose `os` and `cpu` fit.
"""

import json
import pathlib

from release import NAMES, ROOT, SUMMARY, paragraphs, write_tar_gz

HERE = pathlib.Path(__file__).parent / "npm"
# npm's own archives bear this time.
TIME = 499162500


def manifest(release, **more):
    return json.dumps({"version": release.version, "license": "MIT OR Apache-2.0", **more}, indent=2) + "\n"


def readme(*parts):
    return "\n\n".join(["# Ibid", *parts]) + "\n"


def build(release):
    every = [f"@ibid/linux-{npm}" for _, npm, _ in NAMES.values()]
    licences = ["LICENSE-MIT", "LICENSE-APACHE"]

    def fill_main(tar):
        tar.file("package/package.json", manifest(
            release, name="ibid", description=SUMMARY, main="index.js", types="index.d.ts", bin={"ibid": "bin/ibid.js"},
            files=["bin", "index.js", "index.d.ts", *licences], engines={"node": ">=18"},
            optionalDependencies={name: release.version for name in every},
        ))
        tar.file("package/README.md", readme(*paragraphs(2), (HERE / "USAGE.md").read_text().strip()))
        tar.file("package/bin/ibid.js", HERE / "bin/ibid.js", 0o755)
        for name in ("index.js", "index.d.ts"):
            tar.file(f"package/{name}", HERE / name)
        for name in licences:
            tar.file(f"package/{name}", ROOT / name)

    def fill_platform(tar):
        tar.file("package/package.json", manifest(
            release, name=f"@ibid/linux-{release.npm}", description=f"The program ibid for Linux on {release.machine}",
            os=["linux"], cpu=[release.npm], libc=["glibc"], preferUnplugged=True, files=["bin", "lib", "share"],
        ))
        tar.file("package/README.md", readme("The program for one kind of machine. Install the package `ibid`, not this one."))
        for place, path in release.files():
            tar.file(f"package/{place}", path, 0o755 if place.startswith("bin/") else 0o644)

    return [
        write_tar_gz(release.out / f"ibid-{release.version}.tgz", TIME, release.level, fill_main),
        write_tar_gz(release.out / f"ibid-linux-{release.npm}-{release.version}.tgz", TIME, release.level, fill_platform),
    ]
