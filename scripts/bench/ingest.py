"""Taking sources in: how well pages and files are read, how fast, how much memory, how soon they are found.

Quality is measured on the public collections in $IBID_EVAL_DATA (default ../shared/data), through the server, as a user
gets it; where they are absent that part is skipped.
"""

import argparse
import contextlib
import gzip
import json
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from pathlib import Path

from server import MIB, Server, memory, row, timed

WORDS = (
    "evidence passage claim source reader archive window river stone letter engine pattern method sample garden market "
    "signal border winter bridge island copper thread margin harbour lantern meadow orchard pepper quarry ribbon saddle"
).split()


class Library(Server):
    def ask(self, method: str, path: str, body: object = None, kind: str = "application/json"):
        connection = self.connect()
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        connection.request(method, path, data, {"Content-Type": kind} if data is not None else {})
        response = connection.getresponse()
        content = response.read()
        return response.status, json.loads(content) if content else None

    def bring(self, files: dict[str, bytes]) -> list[dict]:
        boundary = uuid.uuid4().hex
        parts = b"".join(
            b'--%s\r\nContent-Disposition: form-data; name="file"; filename="%s"\r\n\r\n%s\r\n'
            % (boundary.encode(), name.encode(), content)
            for name, content in files.items()
        )
        body = parts + f"--{boundary}--\r\n".encode()
        status, brought = self.ask("POST", "/api/v1/sources/upload", body, f"multipart/form-data; boundary={boundary}")
        assert status in (200, 201), brought
        return brought["items"]

    def until(self, source: str, reached, every: float = 0.005) -> dict:
        while True:
            _, now = self.ask("GET", f"/api/v1/sources/{source}")
            if reached(now):
                return now
            time.sleep(every)

    def settle(self, status: str = "pending") -> None:
        while self.ask("GET", f"/api/v1/sources?status={status}&limit=1")[1]["items"]:
            time.sleep(0.02)


@contextlib.contextmanager
def library(binary: str, folder: Path, *arguments: str):
    server = Library(binary, folder / uuid.uuid4().hex, *arguments)
    try:
        yield server
    finally:
        server.stop()


def prose(words: int, seed: int) -> str:
    """Text that no compressor or cache knows yet."""
    chance = random.Random(seed)
    sentences = []
    while words > 0:
        length = min(words, chance.randint(6, 18))
        sentence = [chance.choice(WORDS) + (str(chance.randint(1, 999)) if chance.random() < 0.05 else "") for _ in range(length)]
        sentences.append(" ".join(sentence).capitalize() + ".")
        words -= length
    return "".join(sentence + ("\n\n" if index % 6 == 5 else " ") for index, sentence in enumerate(sentences))


def score(data: Path, answers: list[dict]) -> str:
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for answer in answers:
            file.write(json.dumps(answer) + "\n")
        file.flush()
        return subprocess.run([sys.executable, str(data / "score.py"), file.name], check=True, capture_output=True, text=True).stdout


def pages(server: Library, data: Path) -> None:
    truth = [json.loads(line) for line in (data / "truth.jsonl").read_text().splitlines()]
    answers = []
    for page in truth:
        html = gzip.decompress((data / page["file"]).read_bytes()).decode("utf-8", "replace")
        status, told = server.ask("POST", "/api/v1/sources/extract", {"html": html, "url": page["url"]})
        if status == 200:
            date = told["publication_date"]
            answers.append({"id": page["id"], "title": told["title"], "authors": told["authors"], "date": date, "text": told["text"]})
    result = json.loads(score(data, answers))
    for name, bar in [("title_soft", 0.90), ("authors_exact", 0.65), ("body_F1", 0.96), ("segment_F1", None)]:
        row(f"page: {name}", f"{result[name]:.3f}", f"at least {bar}" if bar else "")
    for name in sorted(name for name in result if name.startswith("date_") and name.endswith("_exact")):
        wrong = result[name.replace("_exact", "_wrong_rate")]
        row(f"page: {name.removesuffix('_exact')}", f"{result[name]:.3f}", f"at least 0.9; {wrong:.3f} are given and wrong")


def documents(server: Library, data: Path) -> None:
    truth = [json.loads(line) for line in (data / "truth.jsonl").read_text().splitlines()]
    answers = []
    for document in truth:
        path = data / document["file"]
        [source] = server.bring({path.name: path.read_bytes()})
        read = server.until(source["id"], lambda now: now["status"] != "pending")
        text = server.ask("GET", f"/api/v1/sources/{source['id']}/text")[1] if read["text_sha256"] else {"text": ""}
        answers.append({"file": document["file"], "text": text["text"], "title": read["title"]})
    for line in score(data, answers).splitlines():
        kind, figures = line.split(" ", 1)
        figures = json.loads(figures)
        bar = "at least 0.9" if kind == "ALL" else ""
        row(f"file strings: {kind}", f"{figures['contains']:.3f}", f"{bar} of {figures['strings']} in {figures['files']} files")


def reading_speed(readers: Path, data: Path) -> None:
    """Pages per second of one processor, in one process."""
    truth = [json.loads(line) for line in (data / "truth.jsonl").read_text().splitlines()]
    lines = "".join(json.dumps({"id": page["id"], "path": str(data / page["file"]), "url": page["url"]}) + "\n" for page in truth)
    began = os.times()
    subprocess.run([readers / "read_pages"], input=lines, text=True, check=True, stdout=subprocess.DEVNULL)
    ended = os.times()
    cpu = ended.children_user + ended.children_system - began.children_user - began.children_system
    size = sum(len(gzip.decompress((data / page["file"]).read_bytes())) for page in truth)
    began = time.process_time()
    import html.parser

    parser = html.parser.HTMLParser()
    for page in truth[:40]:
        parser.feed(gzip.decompress((data / page["file"]).read_bytes()).decode("utf-8", "replace"))
    peer = 40 / (time.process_time() - began)
    row("pages read", f"{len(truth) / cpu:.0f} pages/CPU s", f"{len(truth) / cpu / peer:.1f} × Python's html.parser only walking them; {size / MIB / cpu:.1f} MiB/s")


def indexing_speed(binary: str, folder: Path) -> None:
    texts = {f"text-{number}.txt": prose(20_000, number).encode() for number in range(24)}
    with library(binary, folder, "--embedder", "none") as server:
        began = time.monotonic()
        items = server.bring(texts)
        server.settle()
        took = time.monotonic() - began
        chunks = []
        for item in items:
            cursor = ""
            while cursor is not None:
                page = server.ask("GET", f"/api/v1/sources/{item['id']}/chunks?limit=500&cursor={cursor}")[1]
                chunks += [chunk["content"] for chunk in page["items"]]
                cursor = page["next_cursor"]
    # The least it can cost: the same passages into a full-text index, nothing else, in one go.
    base = sqlite3.connect(folder / "peer.db")
    base.execute("PRAGMA journal_mode = WAL")
    base.execute("CREATE VIRTUAL TABLE words USING fts5 (content)")

    def insert():
        base.executemany("INSERT INTO words VALUES (?)", ((chunk,) for chunk in chunks))
        base.commit()

    _, floor = timed(insert)
    row("read, cut and indexed", f"{len(chunks) / took:.0f} chunks/s", f"{floor / took:.2f} × SQLite only indexing the same chunks")


def tree_memory(pid: int) -> int:
    """What a process and its children hold now, in bytes."""
    total = 0
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError, ValueError, IndexError):
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            if int(entry.name) == pid or parent == pid:
                total += memory(int(entry.name), "VmRSS")
    return total


def large_pdf(folder: Path) -> bytes:
    import typst

    source = folder / "large.typ"
    text = "\n\n".join(f"= Chapter {number}\n\n{prose(2600, number)}" for number in range(106))
    source.write_text('#set page(paper: "a4")\n' + text)
    return typst.compile(str(source))


def large_file(binary: str, folder: Path) -> None:
    content = large_pdf(folder)
    with library(binary, folder) as server:
        # Idle is with the model loaded, as after the first document.
        [small] = server.bring({"small.txt": prose(500, 1).encode()})
        server.until(small["id"], lambda now: now["embedding"] in ("ready", "failed"))
        pid = server.process.pid
        idle, peak, stop = tree_memory(pid), 0, threading.Event()

        def watch():
            nonlocal peak
            while not stop.is_set():
                peak = max(peak, tree_memory(pid))
                time.sleep(0.01)

        watching = threading.Thread(target=watch)
        watching.start()
        began = time.monotonic()
        [source] = server.bring({"large.pdf": content})
        read = server.until(source["id"], lambda now: now["status"] != "pending", 0.05)
        reading = time.monotonic() - began
        server.until(source["id"], lambda now: now["embedding"] != "pending", 0.2)
        took = time.monotonic() - began
        stop.set()
        watching.join()
    pages = read["page_count"] or 0
    row("a large PDF", f"{pages} pages", f"{pages / reading:.0f} pages/s until found by words; {read['chunk_count'] / took:.1f} chunks/s embedded")
    row("memory over idle", f"{(peak - idle) / MIB:.0f} MiB", "less than 300 MiB, all processes together")


def latency(binary: str, folder: Path) -> None:
    by_words, by_meaning = [], []
    with library(binary, folder) as server:
        [first] = server.bring({"first.txt": prose(200, 99).encode()})
        server.until(first["id"], lambda now: now["embedding"] in ("ready", "failed"))
        for number in range(20):
            mark = f"needle{number}x{random.randint(1000, 9999)}"
            content = prose(5000, 1000 + number).replace("river", mark, 1).encode()
            began = time.monotonic()
            [source] = server.bring({f"ten-pages-{number}.txt": content})
            while not server.ask("GET", f"/api/v1/sources?q={mark}")[1]["items"]:
                time.sleep(0.005)
            by_words.append(time.monotonic() - began)
            now = server.until(source["id"], lambda now: now["embedding"] != "pending", 0.02)
            by_meaning.append(time.monotonic() - began)
            assert now["embedding"] == "ready", now["embedding_error"]
    tail = lambda times: statistics.quantiles(times, n=20)[-1]
    row("found by words, p95", f"{tail(by_words) * 1000:.0f} ms", "less than 1 s after POST, ten pages, idle server")
    row("by meaning, p95", f"{tail(by_meaning) * 1000:.0f} ms", "less than 5 s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("readers", type=Path, help="folder of the example programs")
    arguments = parser.parse_args()
    data = Path(os.environ.get("IBID_EVAL_DATA", "../shared/data"))
    folder = Path(tempfile.mkdtemp(prefix="ibid-bench-"))
    try:
        if (data / "web").is_dir() and (data / "documents").is_dir():
            with library(arguments.binary, folder, "--embedder", "none") as server:
                pages(server, data / "web")
                documents(server, data / "documents")
            reading_speed(arguments.readers, data / "web")
        else:
            print("quality of reading: skipped, there is no data in IBID_EVAL_DATA")
        indexing_speed(arguments.binary, folder)
        latency(arguments.binary, folder)
        large_file(arguments.binary, folder)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
