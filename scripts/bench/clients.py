"""Many clients at once, in one process of their own that does as little as it can:

    scripts/bench/clients.py ADDRESS BODIES CLIENTS SECONDS

Each client keeps one connection and asks again as soon as it has its answer. BODIES is a file, one body a line. Prints
JSON: answers a second, errors with the first reason, the median and p95 in ms, and this process' own processor time.
"""

import asyncio
import json
import statistics
import sys
import time
from pathlib import Path

WARM = 1.0


class Client(asyncio.Protocol):
    def __init__(self, requests: list[bytes], start: int, until: float, results: dict):
        self.requests, self.next, self.until, self.results = requests, start, until, results
        self.done, self.left = asyncio.get_running_loop().create_future(), False

    def connection_made(self, transport):
        self.transport = transport
        self.ask()

    def ask(self):
        self.got, self.need = b"", 0
        self.asked = time.perf_counter()
        self.transport.write(self.requests[self.next % len(self.requests)])
        self.next += 1

    def data_received(self, data):
        self.got = self.got + data if self.got else data
        if not self.need:
            end = self.got.find(b"\r\n\r\n")
            if end < 0:
                return
            head = self.got[:end].lower()
            at = head.find(b"\r\ncontent-length:")
            if not head.startswith(b"http/1.1 200") or at < 0:
                self.fail(f"answered {self.got[:300].decode('utf-8', 'replace')!r}")
                return
            self.need = end + 4 + int(head[at + 17 :].split(b"\r\n", 1)[0])
        if len(self.got) < self.need:
            return
        now = time.perf_counter()
        self.results["times"].append((now, now - self.asked))
        if now < self.until:
            self.ask()
        else:
            self.leave()

    def leave(self):
        self.left = True
        self.transport.close()

    def fail(self, reason: str):
        self.results["errors"].append(reason)
        self.leave()

    def connection_lost(self, exception):
        if not self.left:
            self.results["errors"].append(f"connection lost: {exception}")
        self.done.set_result(None)


async def run(address: str, bodies: list[bytes], clients: int, seconds: float) -> dict:
    host, port = address.split(":")
    head = f"POST /api/v1/search HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: "
    requests = [f"{head}{len(body)}\r\n\r\n".encode() + body for body in bodies]
    began = time.perf_counter()
    results = {"times": [], "errors": []}
    loop, all = asyncio.get_running_loop(), []
    for number in range(clients):
        start = number * len(requests) // clients
        make = lambda start=start: Client(requests, start, began + WARM + seconds, results)  # noqa: E731
        _, client = await loop.create_connection(make, host, int(port))
        all.append(client)
    await asyncio.sleep(max(0.0, began + WARM - time.perf_counter()))
    print("measuring", flush=True)  # The one that started this process reads the server's processor time now.
    processor = time.process_time()
    await asyncio.sleep(max(0.0, began + WARM + seconds - time.perf_counter()))
    processor = time.process_time() - processor
    print("measured", flush=True)
    await asyncio.wait([client.done for client in all], timeout=60)
    times = [took for at, took in results["times"] if began + WARM <= at < began + WARM + seconds]
    stuck = sum(not client.done.done() for client in all)
    errors = results["errors"] + ["no answer for a minute"] * stuck
    return {
        "rate": len(times) / seconds,
        "answers": len(times),
        "errors": len(errors),
        "reason": errors[0] if errors else None,
        "p50_ms": statistics.median(times) * 1000 if times else None,
        "p95_ms": statistics.quantiles(times, n=20)[-1] * 1000 if len(times) > 1 else None,
        "cpu_ms": processor * 1000 / max(1, len(times)),
    }


if __name__ == "__main__":
    address, file, clients, seconds = sys.argv[1:]
    print(json.dumps(asyncio.run(run(address, Path(file).read_bytes().splitlines(), int(clients), float(seconds)))))
