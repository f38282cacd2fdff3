"""What the benches share: a server on a library of its own, and how a figure is printed."""

import http.client
import json
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

MIB = 1 << 20


def memory(pid: int, field: str) -> int:
    """A line of /proc/PID/status, in bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise ValueError(field)


class Server:
    def __init__(self, binary: str, data: Path, *arguments: str):
        self.process = subprocess.Popen(
            [binary, "serve", "--listen", "127.0.0.1:0", "--data", str(data), "--log", "error", *arguments],
            stdout=subprocess.PIPE,
            text=True,
        )
        line = self.process.stdout.readline()
        self.address = line.rsplit("http://", 1)[1].strip()

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.address, timeout=600)

    def request(self, method: str, path: str, body: bytes | None = None, kind: str = "application/json") -> bytes:
        """The body of a response that must be a success."""
        connection = self.connect()
        connection.request(method, path, body, {"Content-Type": kind} if body is not None else {})
        response = connection.getresponse()
        read = response.read()
        assert response.status < 300, (path, response.status, read[:500])
        return read

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


@contextmanager
def running(binary: str, data: Path, *arguments: str):
    """A server that finds by words alone."""
    server = Server(binary, data, "--embedder", "none", *arguments)
    try:
        yield server
    finally:
        server.stop()


def timed(work):
    began = time.monotonic()
    result = work()
    return result, time.monotonic() - began


def row(name: str, value: str, ratio: str) -> None:
    print(f"{name:<22}{value:>18}   {ratio}")
