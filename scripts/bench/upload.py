"""Uploads and downloads against what the machine can do.

Starts a server on a library in a temporary folder and sends it a large file. Throughput is printed as a ratio to
`sha256sum` of the same file in the same run, memory as growth over the idle server.
"""

import argparse
import http.client
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

MIB = 1 << 20


def memory(pid: int, field: str) -> int:
    """A line of /proc/PID/status, in bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise ValueError(field)


class Server:
    def __init__(self, binary: str, data: Path):
        self.process = subprocess.Popen(
            [binary, "serve", "--listen", "127.0.0.1:0", "--data", str(data), "--log", "error"],
            stdout=subprocess.PIPE,
            text=True,
        )
        line = self.process.stdout.readline()
        self.address = line.rsplit("http://", 1)[1].strip()

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.address, timeout=600)

    def upload(self, path: Path) -> dict:
        """Sends a file as the raw body, without it passing through this process."""
        size = path.stat().st_size
        host, port = self.address.split(":")
        with socket.create_connection((host, int(port))) as connection, path.open("rb") as file:
            connection.sendall(
                f"POST /api/v1/artifacts HTTP/1.1\r\nHost: {self.address}\r\nContent-Length: {size}\r\n\r\n".encode()
            )
            connection.sendfile(file)
            response = http.client.HTTPResponse(connection)
            response.begin()
            body = response.read()
            assert response.status in (200, 201), body
            return json.loads(body)

    def download(self, sha256: str) -> int:
        connection = self.connect()
        connection.request("GET", f"/api/v1/artifacts/{sha256}/content")
        response = connection.getresponse()
        buffer, total = bytearray(MIB), 0
        while read := response.readinto(buffer):
            total += read
        return total

    def requests_per_second(self, path: str, count: int) -> float:
        connection = self.connect()
        began = time.monotonic()
        for _ in range(count):
            connection.request("GET", path)
            connection.getresponse().read()
        return count / (time.monotonic() - began)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


def timed(work):
    began = time.monotonic()
    result = work()
    return result, time.monotonic() - began


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


def row(name: str, value: str, ratio: str) -> None:
    print(f"{name:<22}{value:>18}   {ratio}")


if __name__ == "__main__":
    main()
