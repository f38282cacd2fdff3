"""Uploads and downloads against what the machine can do.

Starts a server on a library in a temporary folder and sends it a large file. Throughput is printed as a ratio to
`sha256sum` of the same file in the same run, memory as growth over the idle server.
"""

import argparse
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from server import MIB, Server, memory, row, timed


def write_random(path: Path, size: int) -> None:
    with path.open("wb") as file:
        for _ in range(size // MIB):
            file.write(os.urandom(MIB))


def write_and_sync(source: Path, target: Path) -> None:
    """The least that keeping a file durably can cost."""
    with source.open("rb") as read, target.open("wb") as write:
        shutil.copyfileobj(read, write, 4 * MIB)
        write.flush()
        os.fsync(write.fileno())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--mib", type=int, default=2048, help="size of the file (default 2048)")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="ibid-bench-"))
    try:
        run(arguments.binary, arguments.mib * MIB, folder)
    finally:
        shutil.rmtree(folder)


def run(binary: str, size: int, folder: Path) -> None:
    large, small = folder / "large", folder / "small"
    write_random(large, size)
    write_random(small, MIB)
    os.sync()
    subprocess.run(["sha256sum", large], check=True, stdout=subprocess.DEVNULL)  # into the page cache
    digest, hashing = timed(lambda: subprocess.run(["sha256sum", large], check=True, capture_output=True, text=True))
    sha256 = digest.stdout.split()[0]
    # The copy stays until the end: blocks that were just freed can be far faster to write than new ones, and the
    # upload would get them.
    _, copying = timed(lambda: write_and_sync(large, folder / "copy"))
    server = Server(binary, folder / "library")
    try:
        pid = server.process.pid
        server.upload(small)
        idle = memory(pid, "VmHWM")
        artifact, uploading = timed(lambda: server.upload(large))
        assert artifact["sha256"] == sha256, "the server hashed something else"
        grown = memory(pid, "VmHWM") - idle
        downloaded, downloading = timed(lambda: server.download(sha256))
        assert downloaded == size
        known, again = timed(lambda: server.upload(large))
        assert known["sha256"] == sha256
        rate = server.requests_per_second(f"/api/v1/artifacts/{sha256}", 3000)
        floor = server.requests_per_second("/health", 3000)
    finally:
        server.stop()
    row("sha256sum", f"{size / MIB / hashing:.0f} MiB/s", "1.00 ×")
    row("write + fsync", f"{size / MIB / copying:.0f} MiB/s", f"{hashing / copying:.2f} × sha256sum")
    row("upload", f"{size / MIB / uploading:.0f} MiB/s", f"{hashing / uploading:.2f} × sha256sum (at least 0.60)")
    row("upload, known bytes", f"{size / MIB / again:.0f} MiB/s", f"{hashing / again:.2f} × sha256sum")
    row("download", f"{size / MIB / downloading:.0f} MiB/s", f"{hashing / downloading:.2f} × sha256sum")
    row("memory over idle", f"{grown / MIB:.1f} MiB", "less than 64 MiB")
    row("read one row", f"{rate:.0f} requests/s", f"{rate / floor:.2f} × a request that reads nothing")


if __name__ == "__main__":
    main()
