"""How far verdicts and answers can be trusted, over HTTP as a user gets them.

    scripts/bench/trust.py BINARY [verdicts] [languages] [answers] [--questions 400]

`verdicts` checks labelled pairs of claims and passages: those of $IBID_EVAL_DATA/support (default ../shared/data), and of
support_train those that the judge was not trained on. `answers` uploads the articles of $IBID_EVAL_DATA/answers and asks
the questions that the judge was not trained on, in English, German and Spanish; the peer is the sentence that a plain BM25
picks among all sentences of the same articles. `languages` checks the table of claims in seven languages that is in the
tests. Data that is absent is skipped. docs/TRUST.md says what the figures mean.
"""

import argparse
import gzip
import json
import random
import re
import sys
import tempfile
import time
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

from passages import ROOT, data
from picks import Index
from server import Server
from support import auc, verified

sys.path.insert(0, str(ROOT / "models/judge"))
from data import is_held_claim, is_held_question  # noqa: E402

VERDICTS = ["supported", "partial", "contradicted", "unsupported", "unverifiable"]
WAYS = {"with the judge": (), "words and meaning": ("--judge", "words"), "words alone": ("--judge", "words", "--embedder", "none")}
SEED = 1


def share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "-"


# ---- verdicts ----


def labelled() -> dict[str, list[dict]]:
    """The pairs that nothing was trained on, by the name of their group."""
    groups = {}
    public = data() / "support/pairs.jsonl"
    if public.exists():
        groups["public pairs"] = [json.loads(line) for line in public.open(encoding="utf-8")]
    trained = data() / "support_train/pairs.jsonl.gz"
    if trained.exists():
        pairs = [json.loads(line) for line in gzip.open(trained, "rt", encoding="utf-8")]
        unlicensed = lambda pair: pair["set"].startswith(("healthver", "covidfact"))  # noqa: E731
        groups["held out of training"] = [pair for pair in pairs if not unlicensed(pair) and is_held_claim(pair)]
        others = [pair for pair in pairs if unlicensed(pair)]
        groups["other sets"] = random.Random(SEED).sample(others, min(1000, len(others)))
    return groups


def verdict_rows(pairs: list[dict], found: list[dict]) -> list[str]:
    yes = [one for pair, one in zip(pairs, found) if pair["label"] == "supported"]
    no = [one for pair, one in zip(pairs, found) if pair["label"] != "supported"]
    told = lambda ones, verdict: sum(one["verdict"] == verdict for one in ones)  # noqa: E731
    against = [one for pair, one in zip(pairs, found) if pair["label"] == "contradicted"]
    ranked = auc([one["score"] for one in yes], [one["score"] for one in no])
    return [
        f"{ranked:.3f}",
        share(told(no, "supported"), len(no)),
        share(told(yes, "supported"), len(yes)),
        share(told(against, "contradicted"), len(against)),
        share(told(yes, "contradicted"), len(yes)),
    ]


def confusion(pairs: list[dict], found: list[dict]) -> None:
    counts = defaultdict(Counter)
    for pair, one in zip(pairs, found):
        counts[pair["label"]][one["verdict"]] += 1
    print(f"    {'label':<16}" + "".join(f"{verdict:>14}" for verdict in VERDICTS))
    for label, row in sorted(counts.items()):
        print(f"    {label:<16}" + "".join(f"{row[verdict]:>14}" for verdict in VERDICTS))


def verdicts(binary: str) -> None:
    groups = labelled()
    if not groups:
        print("verdicts: skipped, there is no data in IBID_EVAL_DATA")
        return
    head = ["AUC", "false support", "recall", "contradicted", "false alarms", "ms a pair"]
    print(f"{'':<44}" + "".join(f"{name:>15}" for name in head))
    for way, arguments in WAYS.items():
        for name, pairs in groups.items():
            with tempfile.TemporaryDirectory() as folder:
                server = Server(binary, Path(folder), *arguments)
                try:
                    verified(server, pairs[:5])  # the first pairs load the models
                    began = time.monotonic()
                    found = verified(server, pairs)
                    took = (time.monotonic() - began) / len(pairs) * 1e3
                finally:
                    server.stop()
            cells = verdict_rows(pairs, found) + [f"{took:.1f}"]
            print(f"{way + ', ' + name + f' ({len(pairs)})':<44}" + "".join(f"{cell:>15}" for cell in cells))
            if not arguments:
                confusion(pairs, found)


# ---- the table of seven languages ----


def languages(binary: str) -> None:
    table = tomllib.loads((ROOT / "crates/claims/tests/it/cases/languages.toml").read_text())["case"]
    codes = [code for code in table[0] if len(code) == 2]
    with tempfile.TemporaryDirectory() as folder:
        server = Server(binary, Path(folder))
        try:
            right = {}
            for code in codes:
                pairs = [{"passage": case[code][0], "claim": case[code][1]} for case in table]
                found = verified(server, pairs)
                right[code] = sum(one["verdict"] == case["verdict"] for case, one in zip(table, found))
        finally:
            server.stop()
    print("claims in seven languages: " + "  ".join(f"{code} {share(right[code], len(table))}" for code in codes))


# ---- answers ----


def sentences(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"(?<=[.!?])\s+(?=[\"“(\[]?[A-ZÀ-Ý0-9])|\n+", text) if part.strip()]


def upload(server: Server, name: str, text: str) -> None:
    edge = "part-of-an-upload"
    head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: text/markdown\r\n\r\n'
    body = head.encode() + text.encode() + f"\r\n--{edge}--\r\n".encode()
    server.request("POST", "/api/v1/sources/upload", body, f"multipart/form-data; boundary={edge}")


def wait_for_jobs(server: Server) -> None:
    while True:
        jobs = json.loads(server.request("GET", "/api/v1/jobs?limit=200"))["items"]
        if not any(job["state"] in ("queued", "running") for job in jobs):
            return
        time.sleep(1)


def ask(server: Server, question: str) -> dict:
    """The answer in a conversation of its own, as the message that is kept."""
    conversation = json.loads(server.request("POST", "/api/v1/conversations", b"{}"))["id"]
    path = f"/api/v1/conversations/{conversation}/messages"
    server.request("POST", path, json.dumps({"content": question}).encode())
    return json.loads(server.request("GET", path))["items"][-1]


def answers(binary: str, most: int) -> None:
    path = data() / "answers/questions.jsonl.gz"
    if not path.exists():
        print("answers: skipped, there is no data in IBID_EVAL_DATA")
        return
    every = [json.loads(line) for line in gzip.open(path, "rt", encoding="utf-8")]
    head = ["first quote", "any quote", "BM25", "refused", "wrongly", "exact", "p95 ms"]
    print(f"{'':<34}" + "".join(f"{name:>13}" for name in head))
    for name in dict.fromkeys(question["set"] for question in every):
        of_set = [question for question in every if question["set"] == name]
        held = [question for question in of_set if is_held_question(question)] if name.startswith("squad") else of_set
        asked = random.Random(SEED).sample(held, min(most, len(held)))
        articles = defaultdict(dict)
        for question in of_set:
            articles[question["article"]][question["context"]] = None
        for way, arguments in WAYS.items():
            if way == "words alone":
                continue
            with tempfile.TemporaryDirectory() as folder:
                server = Server(binary, Path(folder), *arguments)
                try:
                    for article, parts in articles.items():
                        title = article.replace("_", " ")
                        upload(server, article.replace("/", "_") + ".md", f"# {title}\n\n" + "\n\n".join(parts) + "\n")
                    wait_for_jobs(server)
                    texts = {}
                    cells = answer_cells(server, asked, [text for parts in articles.values() for text in parts], texts)
                finally:
                    server.stop()
            print(f"{name + f' ({len(asked)}), ' + way:<34}" + "".join(f"{cell:>13}" for cell in cells))


def answer_cells(server: Server, asked: list[dict], paragraphs: list[str], texts: dict[str, str]) -> list[str]:
    # The sentence of all articles that shares most words with a question.
    every = [sentence for text in paragraphs for sentence in sentences(text)]
    peer = Index([{"source": number, "title": "", "text": sentence} for number, sentence in enumerate(every)])
    count, took = Counter(), []
    for question in asked:
        began = time.monotonic()
        message = ask(server, question["question"])
        took.append(time.monotonic() - began)
        quotes = [one for one in message["citations"] if one["quote"]]
        refused = not any(one["verdict"] == "supported" or one["verdict"] == "partial" for one in quotes)
        for one in quotes:
            text = texts.get(one["text_sha256"])
            if text is None:
                text = server.request("GET", f"/api/v1/artifacts/{one['text_sha256']}/content").decode()
                texts[one["text_sha256"]] = text
            count["exact"] += text[one["start_char"] : one["end_char"]] == one["quote"]
            count["quotes"] += 1
        if question["is_impossible"]:
            count["impossible"] += 1
            count["refused"] += refused
            continue
        count["answerable"] += 1
        count["wrongly"] += refused
        has = lambda text: any(answer in text for answer in question["answers"])  # noqa: E731
        count["first"] += not refused and has(quotes[0]["quote"])
        count["any"] += not refused and any(has(one["quote"]) for one in quotes)
        count["peer"] += any(has(one["text"]) for one in peer.search(question["question"])[:1])
    p95 = sorted(took)[min(len(took) - 1, int(len(took) * 0.95))]
    answerable = count["answerable"]
    return [
        share(count["first"], answerable),
        share(count["any"], answerable),
        share(count["peer"], answerable),
        share(count["refused"], count["impossible"]),
        share(count["wrongly"], answerable),
        share(count["exact"], count["quotes"]),
        f"{p95 * 1e3:.0f}",
    ]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("binary")
    arguments.add_argument("parts", nargs="*", choices=["verdicts", "languages", "answers"])
    arguments.add_argument("--questions", type=int, default=400, help="how many questions of each set are asked")
    chosen = arguments.parse_args()
    parts = chosen.parts or ["verdicts", "languages", "answers"]
    if "verdicts" in parts:
        verdicts(chosen.binary)
    if "languages" in parts:
        languages(chosen.binary)
    if "answers" in parts:
        answers(chosen.binary, chosen.questions)


if __name__ == "__main__":
    main()
