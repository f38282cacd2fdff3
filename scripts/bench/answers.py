"""Answers: how soon the first sign, how soon the whole, what a streamed token costs, and how many can stream at once.

    scripts/bench/answers.py BINARY [PART ...] [--passages 50000] [--seconds 60] [--streams 200]

Parts, all of them by default: extractive, tokens, streams. The passages are those of $IBID_EVAL_DATA/corpus (default
../shared/data); where they are absent the first part is skipped. Passages are found by their words and sentences compared
with the question by the local model. The model of the other parts is a scripted one in this process.
"""

import argparse
import asyncio
import http.client
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

import passages as made
from server import MIB, Server, memory, row

TICKS = os.sysconf("SC_CLK_TCK")
QUESTIONS = 150
TOKENS = 5000


def processor(server: Server) -> float:
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def post(connection: http.client.HTTPConnection, path: str, body: dict) -> http.client.HTTPResponse:
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    return connection.getresponse()


def conversation(server: Server) -> str:
    response = post(server.connect(), "/api/v1/conversations", {})
    return json.loads(response.read())["id"]


def asked(server: Server, path: str, question: str) -> tuple[float, float, str]:
    """Seconds to the first event and to the last, and the name of the last."""
    connection = server.connect()
    began = time.monotonic()
    response = post(connection, path, {"content": question})
    first, last = None, ""
    for line in response:
        if line.startswith(b"event:"):
            first = first or time.monotonic() - began
            last = line[6:].strip().decode()
    return first, time.monotonic() - began, last


def extractive(binary: str, folder: Path, count: int) -> None:
    if not (made.data() / "corpus/passages.jsonl.gz").exists():
        print("extractive answers: skipped, there is no corpus in IBID_EVAL_DATA")
        return
    texts, questions = made.corpus()
    # No workers: the passages stay without vectors, so that nothing is embedded beside what is measured.
    server = Server(binary, folder / "extractive", "--embedder", "local", "--workers", "0")
    try:
        lines = (json.dumps({k: one[k] for k in ("id", "source_title", "text")}).encode() + b"\n" for one in texts[:count])
        connection = server.connect()
        headers = {"Content-Type": "application/x-ndjson", "Transfer-Encoding": "chunked"}
        connection.request("POST", "/api/v1/import/passages", lines, headers, encode_chunked=True)
        response = connection.getresponse()
        assert response.status == 200, response.read()[:500]
        response.read()
        path = f"/api/v1/conversations/{conversation(server)}/messages"
        questions = [f"What is known about {one['text']}?" for one in questions[: QUESTIONS + 10]]
        for question in questions[:10]:
            asked(server, path, question)
        found = [asked(server, path, question) for question in questions[10:]]
        assert all(last == "run_completed" for *_, last in found)
        search, connection = [], server.connect()
        for question in questions[10:60]:
            began = time.monotonic()
            post(connection, "/api/v1/search", {"query": question, "limit": 20}).read()
            search.append(time.monotonic() - began)
        alone = statistics.median(search)
        first, whole = [one[0] for one in found], [one[1] for one in found]
        p95 = percentile(first, 0.95)
        row("first event, p95", f"{p95 * 1e3:.1f} ms", f"{p95 / 0.05:.2f} x the bound of 50 ms")
        p95 = percentile(whole, 0.95)
        row("whole answer, p95", f"{p95 * 1e3:.1f} ms", f"{p95 / 0.3:.2f} x the bound of 300 ms")
        middle = statistics.median(whole)
        row("whole answer, p50", f"{middle * 1e3:.1f} ms", f"{middle / alone:.1f} x the search alone ({alone * 1e3:.1f} ms)")
        ground(server, texts)
    finally:
        server.stop()
    # With workers the same library is embedded, which takes much longer than the questions do.
    server = Server(binary, folder / "extractive", "--embedder", "local")
    try:
        path = f"/api/v1/conversations/{conversation(server)}/messages"
        for question in questions[:10]:
            asked(server, path, question)
        busy = [asked(server, path, question)[1] for question in questions[10:]]
        assert json.loads(server.request("GET", "/api/v1/jobs?limit=1&state=running"))["items"], "indexing ended before the questions"
        row("… while indexing, p50", f"{statistics.median(busy) * 1e3:.1f} ms", f"{statistics.median(busy) / middle:.1f} x idle")
        slow = percentile(busy, 0.95)
        row("… while indexing, p95", f"{slow * 1e3:.1f} ms", f"{slow / p95:.1f} x idle")
    finally:
        server.stop()


def ground(server: Server, texts: list[dict]) -> None:
    """A draft of twenty statements, each the first sentence of a passage without some of its words."""
    claims = []
    for one in texts[:: len(texts) // 20][:20]:
        words = one["text"].split(". ")[0].split()
        claims.append(" ".join(word for place, word in enumerate(words) if place % 7 != 3) + ".")
    draft = {"text": "\n\n".join(claims)}
    post(server.connect(), "/api/v1/citations/ground", draft).read()
    draft["text"] = draft["text"].replace("the ", "")  # not the pairs that were judged just now
    began = time.monotonic()
    post(server.connect(), "/api/v1/citations/ground", draft).read()
    took = time.monotonic() - began
    row("grounding 20 claims", f"{took * 1e3:.0f} ms", f"{took:.2f} x the bound of 1 s")


class Model:
    """A model that says what it is told to, as fast as it is told to, over OpenAI's protocol."""

    def __init__(self, tokens: int, pause: float):
        self.tokens, self.pause = tokens, pause
        self.ready = threading.Event()
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.run, daemon=True).start()
        self.ready.wait()

    def run(self) -> None:
        asyncio.set_event_loop(self.loop)
        server = self.loop.run_until_complete(asyncio.start_server(self.answer, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        self.loop.run_forever()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
                asked = json.loads(await reader.readexactly(length))
                if not asked.get("stream"):
                    return
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
                for at in range(self.tokens):
                    self.chunk(writer, {"choices": [{"index": 0, "delta": {"content": f"w{at} "}}]})
                    if self.pause:
                        await asyncio.sleep(self.pause)
                    elif at % 50 == 0:
                        await writer.drain()
                self.chunk(writer, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
                writer.write(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    @staticmethod
    def chunk(writer: asyncio.StreamWriter, body: dict) -> None:
        text = b"data: " + json.dumps(body).encode() + b"\n\n"
        writer.write(f"{len(text):x}\r\n".encode() + text + b"\r\n")


def generating(binary: str, folder: Path, model: Model) -> Server:
    url = f"http://127.0.0.1:{model.port}/v1"
    arguments = ("--embedder", "none", "--chat", "compatible", "--chat-model", "scripted", "--chat-url", url, "--workers", "0")
    server = Server(binary, folder, *arguments)
    body = {"title": "Notes", "content": "The harbour of Selde was built in 1874."}
    post(server.connect(), "/api/v1/sources", body).read()
    return server


def tokens(binary: str, folder: Path) -> None:
    model = Model(TOKENS, 0)
    server = generating(binary, folder / "tokens", model)
    try:
        path = f"/api/v1/conversations/{conversation(server)}/messages"
        asked(server, path, "Who built the harbour?")
        rounds, before = 5, processor(server)
        for _ in range(rounds):
            *_, last = asked(server, path, "Who built the harbour?")
            assert last == "run_completed", last
        each = (processor(server) - before) / (rounds * TOKENS)
        row("a streamed token", f"{each * 1e6:.1f} µs", f"{each / 20e-6:.2f} x the bound of 20 µs of processor time, all of it")
    finally:
        server.stop()


async def follow(server: Server, path: str, words: int) -> tuple[int, int]:
    """Events, and how many were lost, doubled or out of order."""
    host, port = server.address.split(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 22)
    body = json.dumps({"content": "Who built the harbour?"}).encode()
    writer.write(
        f"POST {path} HTTP/1.1\r\nHost: {server.address}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
        + body
    )
    expected, wrong, text, last = 1, 0, [], ""
    async for line in reader:
        if line.startswith(b"id:"):
            wrong += int(line[3:]) != expected
            expected += 1
        elif line.startswith(b"data:"):
            event = json.loads(line[5:])
            last = event["type"]
            if last == "content_delta":
                text.append(event["data"]["text"])
    writer.close()
    whole = "".join(text).strip() == " ".join(f"w{at}" for at in range(words))
    return expected - 1, wrong + (not whole) + (last != "run_completed")


async def streams(binary: str, folder: Path, count: int, seconds: int) -> None:
    pause = 0.05
    words = int(seconds / pause)
    server = generating(binary, folder / "streams", Model(words, pause))
    try:
        paths = [f"/api/v1/conversations/{conversation(server)}/messages" for _ in range(count)]
        await follow(server, paths[0], words) if seconds <= 5 else None
        samples, busy, began = [], processor(server), time.monotonic()
        work = asyncio.gather(*(follow(server, path, words) for path in paths))
        while not work.done():
            await asyncio.sleep(1)
            samples.append(memory(server.process.pid, "VmRSS"))
        found = await work
        took, busy = time.monotonic() - began, processor(server) - busy
        events, wrong = sum(one[0] for one in found), sum(one[1] for one in found)
        early, late = statistics.median(samples[len(samples) // 4 : len(samples) // 2]), statistics.median(samples[-len(samples) // 4 :])
        row(f"{count} streams", f"{took:.0f} s", f"{events} events, {wrong} lost or out of order")
        row("their memory", f"{late / MIB:.0f} MiB", f"{late / early:.2f} x that of the second quarter")
        row("their processor", f"{busy / took:.2f} cores", f"{busy / (count * words) * 1e6:.0f} µs a token")
    finally:
        server.stop()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("parts", nargs="*", default=[])
    parser.add_argument("--passages", type=int, default=50_000)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--streams", type=int, default=200)
    said = parser.parse_args()
    parts = said.parts or ["extractive", "tokens", "streams"]
    with tempfile.TemporaryDirectory() as folder:
        if "extractive" in parts:
            extractive(said.binary, Path(folder), said.passages)
        if "tokens" in parts:
            tokens(said.binary, Path(folder))
        if "streams" in parts:
            asyncio.run(streams(said.binary, Path(folder), said.streams, said.seconds))


if __name__ == "__main__":
    sys.exit(main())
