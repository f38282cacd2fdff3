"""ibid-VERSION-oci.tar: an image for any container engine (OCI image layout 1.1), made without one.

Two layers: the few Debian packages that the program needs, and the program. The server listens on loopback only, because
it has no sign-in: with an engine's own network it is reached from inside the container alone. So the image is for
`--network host`, for `mcp` over standard input and output, and for the other commands.
"""

import datetime
import hashlib
import json
import os
import pathlib
import stat
import tempfile

from release import SUMMARY, Hashed, Tar, gzipped

USER = 7319
ANNOTATIONS = {
    "org.opencontainers.image.title": "ibid",
    "org.opencontainers.image.description": f"{SUMMARY}. The server listens on loopback: run it with the host's network",
    "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
}
# Beside the manifest of the image specification, the one that older engines load.
OLD_MANIFEST = "manifest.json"


def dumps(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def fill_base(tar, base):
    """The unpacked packages, and what their installation would have made."""
    for path in sorted(base.rglob("*")):
        place, about = path.relative_to(base).as_posix(), path.lstat()
        if stat.S_ISLNK(about.st_mode):
            tar.link(place, os.readlink(path))
        elif stat.S_ISDIR(about.st_mode):
            tar.folder(place, about.st_mode & 0o7777)
        elif stat.S_ISREG(about.st_mode):
            tar.file(place, path, about.st_mode & 0o777)
    tar.file("etc/passwd", "root:x:0:0:root:/root:/usr/sbin/nologin\n"
             f"ibid:x:{USER}:{USER}:Ibid:/var/lib/ibid:/usr/sbin/nologin\n")
    tar.file("etc/group", f"root:x:0:\nibid:x:{USER}:\n")
    tar.file("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n")
    tar.folder("tmp", 0o1777)


def fill_program(tar, release):
    for place, path in release.files():
        tar.file(f"usr/{place}", path, 0o755 if place.startswith("bin/") else 0o644)
    tar.folder("var/lib/ibid", 0o700, USER)


class Layout:
    """The folder of an image: every blob under its hash."""

    def __init__(self, folder):
        self.blobs = folder / "blobs/sha256"
        self.blobs.mkdir(parents=True)
        self.folder = folder

    def add(self, media_type, content):
        digest = hashlib.sha256(content).hexdigest()
        (self.blobs / digest).write_bytes(content)
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(content)}

    def add_layer(self, release, fill):
        """Returns the descriptor and the hash of the archive before it was packed."""
        part = self.blobs / "part"
        with part.open("wb") as raw:
            packed = Hashed(raw)
            with gzipped(packed, release.level) as inner:
                plain = Hashed(inner)
                tar = Tar(plain, release.time)
                fill(tar)
                tar.close()
        digest = packed.sha256.hexdigest()
        part.rename(self.blobs / digest)
        descriptor = {"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", "digest": f"sha256:{digest}",
                      "size": packed.size}
        return descriptor, f"sha256:{plain.sha256.hexdigest()}"


def config(release, diff_ids):
    created = datetime.datetime.fromtimestamp(release.time, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "created": created,
        "architecture": release.oci,
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "Env": ["PATH=/usr/bin", "HOME=/var/lib/ibid", "IBID_DATA=/var/lib/ibid", "LANG=C.UTF-8"],
            "Entrypoint": ["/usr/bin/ibid"],
            "Cmd": ["serve"],
            "WorkingDir": "/var/lib/ibid",
            "Volumes": {"/var/lib/ibid": {}},
            "StopSignal": "SIGTERM",
            "Labels": {**ANNOTATIONS, "org.opencontainers.image.version": release.version},
        },
        "rootfs": {"type": "layers", "diff_ids": diff_ids},
        "history": [{"created": created, "comment": "Debian packages"}, {"created": created, "comment": "Ibid"}],
    }


def build(release):
    if release.base is None:
        raise SystemExit("the image needs a base: pass --base, a folder made by scripts/debian.sh")
    out = release.out / f"ibid-{release.version}-oci.tar"
    part = out.with_name(out.name + ".part")
    with tempfile.TemporaryDirectory(dir=release.out) as folder:
        layout = Layout(pathlib.Path(folder))
        layers = [layout.add_layer(release, lambda tar: fill_base(tar, release.base)),
                  layout.add_layer(release, lambda tar: fill_program(tar, release))]
        about = layout.add("application/vnd.oci.image.config.v1+json",
                           dumps(config(release, [diff_id for _, diff_id in layers])))
        annotations = {**ANNOTATIONS, "org.opencontainers.image.version": release.version}
        manifest = layout.add("application/vnd.oci.image.manifest.v1+json", dumps({
            "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": about,
            "layers": [descriptor for descriptor, _ in layers], "annotations": annotations,
        }))
        manifest["platform"] = {"architecture": release.oci, "os": "linux"}
        manifest["annotations"] = {"org.opencontainers.image.ref.name": release.version}
        blob = "blobs/sha256/{}".format
        with part.open("wb") as raw:
            tar = Tar(raw, release.time)
            tar.file("oci-layout", dumps({"imageLayoutVersion": "1.0.0"}))
            tar.file("index.json", dumps({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
                                          "manifests": [manifest]}))
            tar.file(OLD_MANIFEST, dumps([{
                "Config": blob(about["digest"][7:]), "RepoTags": [f"ibid:{release.version}"],
                "Layers": [blob(descriptor["digest"][7:]) for descriptor, _ in layers],
            }]))
            for path in sorted(layout.blobs.iterdir()):
                tar.file(blob(path.name), path)
            tar.close()
    part.replace(out)
    return [out]
