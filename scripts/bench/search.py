"""Search: how fast, how cheap and how good, beside what others do in-process with the same passages and vectors.

    scripts/bench/search.py BINARY [PART ...] [--large] [--cached-peers] [--passages 50000]

Parts, all of them by default: peers, ibid (with the recall of its vectors), clients, fresh, growth, quality. Ibid is
asked over HTTP and by its own server's processor time; the peers (peers.py) are called in-process. Vectors always come
from outside (`--embedder external`), so that the model is not measured. `--large` (or IBID_BENCH_LARGE=1) grows to a
million passages, which takes minutes. Ratios count only within one run: `--cached-peers` takes the figures of the last
run that measured the same versions, to be quick while something is being worked on.
"""

import argparse
import contextlib
import importlib.util
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

import passages as made
import peers
from ingest import Library
from server import MIB, memory, row

HERE = Path(__file__).resolve().parent
PARTS = ("peers", "ibid", "clients", "fresh", "growth", "quality")
COUNT = 50_000
TAG = "one-percent"
TICKS = os.sysconf("SC_CLK_TCK")


def processor(server: Library) -> float:
    """Seconds of processor time of the server so far, all its threads."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def anonymous(server: Library) -> int:
    """Memory that no file stands behind, in bytes."""
    rollup = Path(f"/proc/{server.process.pid}/smaps_rollup").read_text()
    return int(re.search(r"^Anonymous:\s+(\d+)", rollup, re.MULTILINE)[1]) * 1024


def disk(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            total += path.stat().st_blocks * 512
    return total


@contextlib.contextmanager
def started(binary: str, folder: Path):
    """A server on an empty library that takes vectors from outside; its folder is `server.data`."""
    data = folder / uuid.uuid4().hex
    server = Library(binary, data, "--embedder", "external")
    server.data = data
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(data, ignore_errors=True)


def numbers(vector) -> list[float]:
    """As they are sent: six decimals."""
    return vector.astype(float).round(6).tolist()


def line(passage: dict, vector, tags: list[str] = []) -> bytes:
    told = {name: passage[name] for name in ("id", "source_title", "text")} | {"vector": numbers(vector)}
    if tags:
        told["metadata"] = {"tags": tags}
    return json.dumps(told, ensure_ascii=False).encode() + b"\n"


def blocks(lines, size: int = MIB // 4):
    kept, length = [], 0
    for one in lines:
        kept.append(one)
        length += len(one)
        if length >= size:
            yield b"".join(kept)
            kept, length = [], 0
    if kept:
        yield b"".join(kept)


def bring(server: Library, body) -> float:
    """Imports blocks of NDJSON; the seconds until they are durable and can be found."""
    connection = server.connect()
    headers = {"Content-Type": "application/x-ndjson", "Transfer-Encoding": "chunked"}
    began = time.monotonic()
    connection.request("POST", "/api/v1/import/passages", body, headers, encode_chunked=True)
    response = connection.getresponse()
    told = response.read()
    took = time.monotonic() - began
    assert response.status == 200, told[:1000]
    told = json.loads(told)
    assert told["imported"] == told["received"], told
    return took


def body(text: str, vector=None, limit: int = peers.LIMIT, **more) -> bytes:
    if vector is not None:
        more["query_vector"] = numbers(vector)
    return json.dumps({"query": text, "limit": limit, **more}).encode()


class Asking:
    """Asks over one connection that is kept, by Python's own client."""

    def __init__(self, server: Library):
        self.connection = server.connect()
        self.connection.connect()

    def __call__(self, body: bytes) -> bytes:
        self.connection.request("POST", "/api/v1/search", body, {"Content-Type": "application/json"})
        response = self.connection.getresponse()
        answer = response.read()
        if response.status != 200:
            raise Refused(answer.decode("utf-8", "replace")[:1000])
        return answer


class AskingPlainly(Asking):
    """The same without Python's client, which takes about as long as a search: what any other client would see."""

    def __init__(self, server: Library):
        super().__init__(server)
        self.head = f"POST /api/v1/search HTTP/1.1\r\nHost: {server.address}\r\nContent-Type: application/json\r\n"

    def __call__(self, body: bytes) -> bytes:
        socket = self.connection.sock
        socket.sendall(f"{self.head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        got = socket.recv(MIB)
        while (end := got.find(b"\r\n\r\n")) < 0:
            got += receive(socket)
        length = re.search(rb"\r\ncontent-length:\s*(\d+)", got[:end], re.IGNORECASE)
        if not got.startswith(b"HTTP/1.1 200") or not length:
            raise Refused(got.decode("utf-8", "replace")[:1000])
        while len(got) < end + 4 + int(length[1]):
            got += receive(socket)
        return got[end + 4 :]


class Refused(Exception):
    """The server does not answer so."""


def receive(socket) -> bytes:
    more = socket.recv(MIB)
    if not more:
        raise Refused("the connection was closed")
    return more


def found(answer: bytes) -> list[str]:
    return [one.get("external_id") for one in json.loads(answer)["primary_results"]]


class Corpus:
    """The passages and questions with their vectors, and the passages as they are sent."""

    def __init__(self, count: int):
        whole, questions = made.corpus()
        vectors = made.vectors("corpus-passages", [one["text"] for one in whole])
        asked = made.vectors("corpus-questions", [one["text"] for one in questions])
        self.passages, self.questions = peers.corpus(count)
        self.vectors, self.asked = vectors[:count], asked[[one["place"] for one in self.questions]]
        self.answers = [self.passages[one["answer"]]["id"] for one in self.questions]
        self.bodies = [body(one["text"], vector) for one, vector in zip(self.questions, self.asked, strict=True)]

    def tagged(self, place: int) -> bool:
        return place % 100 == 0

    def write(self, path: Path) -> None:
        """Written before it is sent, so that making JSON is not what is measured."""
        with path.open("wb") as file:
            for place, (passage, vector) in enumerate(zip(self.passages, self.vectors, strict=True)):
                file.write(line(passage, vector, [TAG] if self.tagged(place) else []))


def measure_peers(count: int, cached: bool) -> dict[str, dict]:
    kept = made.cache() / "peers.json"
    known = json.loads(kept.read_text()) if kept.exists() else {}
    figures = {}
    for name, peer in peers.PEERS.items():
        key = f"{count} {' '.join(peer.requirements)}"
        result, earlier = known.get(key) if cached else None, " (of an earlier run)"
        if not result:
            result, earlier = peers.run(name, count), ""
            if "reason" not in result:
                known[key] = result
                kept.write_text(json.dumps(known))
        if "reason" in result:
            row(name, "", f"not here: {result['reason']}")
            continue
        figures[name] = result
        row(name, f"{result['p50_ms']:.2f} ms", f"{told(result)}{earlier}")
    return figures


def told(result: dict) -> str:
    return f"{result['cpu_ms']:.2f} CPU ms, hit@10 {result['hit']:.3f}, imports {result['rate']:.0f} passages/s"


def measure_ibid(server: Library, corpus: Corpus, rate: float, figures: dict[str, dict]) -> None:
    answers, p50, cpu = peers.rounds(Asking(server), corpus.bodies, lambda: processor(server))
    _, plain, plain_cpu = peers.rounds(AskingPlainly(server), corpus.bodies, lambda: processor(server))
    hit = sum(id in found(answer) for id, answer in zip(corpus.answers, answers, strict=True)) / len(answers)
    row("Ibid, over HTTP", f"{p50:.2f} ms", told({"cpu_ms": cpu, "hit": hit, "rate": rate}))
    row("by a plain socket", f"{plain:.2f} ms", f"{plain_cpu:.2f} CPU ms")
    if figures:
        def beside(name: str, value: float, unit: str, field: str, better, bar: str) -> None:
            peer = better(figures, key=lambda one: figures[one][field])
            row(name, f"{value:.4g} {unit}".strip(), f"{value / figures[peer][field]:.2f} × {peer}{bar}")

        beside("p50", p50, "ms", "p50_ms", min, " (at most 0.50)")
        beside("p50, plain socket", plain, "ms", "p50_ms", min, "")
        beside("CPU of a question", cpu, "ms", "cpu_ms", min, " (at most 0.50)")
        beside("hit@10", hit, "", "hit", max, " (at least 1.00)")
        beside("import", rate, "passages/s", "rate", max, " (at least 1.00)")


def measure_recall(server: Library, corpus: Corpus) -> None:
    import numpy

    tagged = numpy.array([place for place in range(len(corpus.passages)) if corpus.tagged(place)])
    ask = AskingPlainly(server)
    for name, places, more in (("recall@10 of vectors", numpy.arange(len(corpus.passages)), {}),
                               ("recall@10 among 1 %", tagged, {"filters": {"tags": [TAG]}})):
        total, times = 0.0, []
        scores = corpus.asked @ corpus.vectors[places].T
        exact = numpy.argsort(-scores, axis=1, kind="stable")[:, : peers.LIMIT]
        for one, vector, best in zip(corpus.questions, corpus.asked, exact, strict=True):
            question = body(one["text"], vector, lists=["vectors"], **more)
            began = time.perf_counter()
            try:
                answer = ask(question)
            except Refused as refused:
                row(name, "", f"skipped, the server says {refused}")
                return
            times.append(time.perf_counter() - began)
            wanted = {corpus.passages[places[at]]["id"] for at in best}
            total += len(wanted & set(found(answer))) / len(wanted)
        row(name, f"{total / len(times):.3f}", f"against exact search; p50 {statistics.median(times) * 1000:.2f} ms")


def measure_clients(server: Library, corpus: Corpus, folder: Path) -> None:
    bodies = folder / "bodies"
    bodies.write_bytes(b"\n".join(corpus.bodies))
    results = {}
    for clients in (1, 32):
        command = [sys.executable, "-B", HERE / "clients.py", server.address, bodies, str(clients), "8"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            begun, ended = ((process.stdout.readline(), processor(server))[1] for _ in ("measuring", "measured"))
            result = results[clients] = json.loads(process.stdout.readline())
        used = (ended - begun) * 1000 / max(1, result["answers"])
        row(f"{clients} client{'s' * (clients > 1)}", f"{result['rate']:.0f} answers/s",
            f"p50 {result['p50_ms'] or 0:.2f} ms, p95 {result['p95_ms'] or 0:.2f} ms; "
            f"CPU of one: server {used:.2f} ms, client {result['cpu_ms']:.2f} ms")
    errors = sum(result["errors"] for result in results.values())
    reason = next((result["reason"] for result in results.values() if result["reason"]), "")
    row("errors", str(errors), f"none {reason}".strip())
    ratio = results[32]["rate"] / max(results[1]["rate"], 1e-9)
    row("32 to one", f"{ratio:.2f}", f"at least 1.7 on {os.cpu_count()} processors, of which the clients take part")


def measure_fresh(server: Library, corpus: Corpus) -> None:
    times, ask = [], AskingPlainly(server)
    for number in range(20):
        mark = f"needle{number}x{random.randint(1000, 9999)}"
        text = f"{corpus.passages[number]['text']} Here stands {mark}. {corpus.passages[number + 1]['text']}"
        question = body(mark, lists=["words"])
        began = time.monotonic()
        status, brought = server.ask("POST", "/api/v1/sources", {"title": f"Fresh {number}", "content": text})
        assert status in (200, 201), brought
        while not any(mark in one["content"] for one in json.loads(ask(question))["primary_results"]):
            assert time.monotonic() - began < 60, "not found within a minute"
            time.sleep(0.005)
        times.append(time.monotonic() - began)
    tail = statistics.quantiles(times, n=20)[-1]
    row("found by words, p95", f"{tail * 1000:.0f} ms", "at most 1 s after it was sent")


def grown(corpus: Corpus, begin: int, end: int):
    """Passages made of two: half the sentences of each, and a mixture of their vectors that is a little off."""
    import numpy

    whole = [re.split(r"(?<=[.!?])\s+(?=[A-Z])", one["text"]) for one in corpus.passages]
    for at in range(begin, end, 1000):
        count = min(1000, end - at)
        chance, noise = random.Random(at), numpy.random.default_rng(at)
        first = [(at + number) % len(whole) for number in range(count)]
        second = [chance.randrange(len(whole)) for _ in range(count)]
        share = noise.uniform(0.55, 0.85, (count, 1)).astype(numpy.float32)
        mixed = share * corpus.vectors[first] + (1 - share) * corpus.vectors[second]
        mixed += noise.standard_normal(mixed.shape, numpy.float32) * 0.01
        mixed /= numpy.linalg.norm(mixed, axis=1, keepdims=True)
        for number, (one, other) in enumerate(zip(first, second, strict=True)):
            sentences = whole[one][chance.randrange(2) :: 2] + whole[other][chance.randrange(2) :: 2]
            chance.shuffle(sentences)
            text = " ".join(sentences) or corpus.passages[one]["text"]
            told = {"id": f"grown-{at + number}", "source_title": corpus.passages[one]["source_title"], "text": text}
            yield line(told, mixed[number])


def measure_growth(binary: str, folder: Path, corpus: Corpus, large: bool) -> None:
    sizes = [10_000, 100_000, 1_000_000] if large else [10_000, 100_000]
    with started(binary, folder) as server:
        pid, before, begin = server.process.pid, None, 0
        idle = (memory(pid, "VmRSS"), anonymous(server), disk(server.data))
        for size in sizes:
            rate = (size - begin) / bring(server, blocks(grown(corpus, begin, size)))
            _, p50, cpu = peers.rounds(AskingPlainly(server), corpus.bodies, lambda: processor(server))
            step = f"{p50 / before:.2f} × the size before (at most 3.0); " if before else ""
            row(f"{size:,} passages", f"{p50:.2f} ms", f"{step}{cpu:.2f} CPU ms; made and taken in at {rate:.0f}/s")
            before, begin = p50, size
        now = (memory(pid, "VmRSS"), anonymous(server), disk(server.data))
        for name, empty, full in zip(("memory, resident", "of it anonymous", "disk"), idle, now, strict=True):
            per = (full - empty) * 1_000_000 / sizes[-1]
            beside = f"{full / MIB:.0f} MiB at {sizes[-1]:,}, {empty / MIB:.0f} MiB empty"
            row(name, f"{per / MIB:.0f} MiB per 1M", beside)


LISTS = {"BM25": {"lists": ["words"]}, "vectors": {"lists": ["vectors"]}, "fused": {}}


def ranked(binary: str, folder: Path, passages: list[dict], vectors, questions: list[dict], asked) -> dict[str, dict]:
    """What each list finds for each question, in a library of these passages."""
    with started(binary, folder) as server:
        bring(server, blocks(line(one, vector) for one, vector in zip(passages, vectors, strict=True)))
        ask = AskingPlainly(server)
        return {
            name: {one["id"]: found(ask(body(one["text"], vector, **lists)))
                   for one, vector in zip(questions, asked, strict=True)}
            for name, lists in LISTS.items()
        }


def scorer(folder: Path):
    spec = importlib.util.spec_from_file_location(f"score_{folder.name}", folder / "score.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compare(name: str, measure: str, scores: dict[str, float]) -> None:
    best = max(scores["BM25"], scores["vectors"], 1e-9)
    for kind, score in scores.items():
        beside = f"{score / best:.3f} × the better of the two alone (above 1.00)" if kind == "fused" else ""
        row(f"{name}: {kind}", f"{measure} {score:.3f}", beside)


def measure_quality(binary: str, folder: Path) -> None:
    judge = scorer(made.data() / "retrieval")
    for name in ("cisi", "cacm"):
        passages, questions = made.retrieval(name)
        vectors = made.vectors(f"{name}-passages", [f"{one['source_title']}\n{one['text']}" for one in passages])
        asked = made.vectors(f"{name}-questions", [one["text"] for one in questions])
        runs = ranked(binary, folder, passages, vectors, questions, asked)
        truth = judge.load(made.data() / "retrieval" / name)
        compare(name, "nDCG@10", {kind: judge.score(truth, run)["ndcg@10"] for kind, run in runs.items()})
    judge = scorer(made.data() / "memory")
    turns, questions = made.memory()
    runs = {kind: {} for kind in LISTS}
    for name in turns:
        vectors = made.vectors(f"{name}-passages", [one["text"] for one in turns[name]])
        asked = made.vectors(f"{name}-questions", [one["text"] for one in questions[name]])
        for kind, run in ranked(binary, folder, turns[name], vectors, questions[name], asked).items():
            runs[kind] |= run
    truth = [json.loads(one) for one in (made.data() / "memory/questions.jsonl").open(encoding="utf-8")]
    compare("memory", "recall@10", {kind: judge.score(truth, run)["ALL"]["recall@10"] for kind, run in runs.items()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--large", action="store_true", default=os.environ.get("IBID_BENCH_LARGE") == "1")
    parser.add_argument("--cached-peers", action="store_true")
    parser.add_argument("--passages", type=int, default=COUNT, help="how many of them the peers and Ibid get")
    arguments = parser.parse_args()
    parts = arguments.parts or PARTS
    if not (made.data() / "corpus").is_dir():
        print("search: skipped, there is no data in IBID_EVAL_DATA")
        return
    sys.path.insert(0, made.in_shell("python_tools embed-peer " + " ".join(made.PEER)))
    sys.stdout.reconfigure(line_buffering=True)
    corpus = Corpus(arguments.passages) if set(parts) - {"quality"} else None
    folder = Path(tempfile.mkdtemp(prefix="ibid-bench-"))
    try:
        figures = {}
        if "peers" in parts or ("ibid" in parts and arguments.cached_peers):
            figures = measure_peers(arguments.passages, arguments.cached_peers)
        if {"ibid", "clients", "fresh"} & set(parts):
            with started(arguments.binary, folder) as server:
                corpus.write(folder / "passages")
                with (folder / "passages").open("rb") as file:
                    took = bring(server, iter(lambda: file.read(MIB // 4), b""))
                if "ibid" in parts:
                    measure_ibid(server, corpus, len(corpus.passages) / took, figures)
                    measure_recall(server, corpus)
                if "clients" in parts:
                    measure_clients(server, corpus, folder)
                if "fresh" in parts:
                    measure_fresh(server, corpus)
            (folder / "passages").unlink()
        if "growth" in parts:
            measure_growth(arguments.binary, folder, corpus, arguments.large)
        if "quality" in parts:
            measure_quality(arguments.binary, folder)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
