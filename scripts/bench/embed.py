"""The local embedder against Python's onnxruntime and tokenizers, on the same model file and the same passages.

Both sides tokenize, run and get vectors of length one. The peer may cut its batches as it likes: it is measured with
one passage at a time and with batches of passages of like length, and its best figure counts. Rounds of the two sides
alternate, and each side's best round counts, so that what else the machine does weighs less.

    scripts/bench/embed.py [--passages 256] [--rounds 3] [--binary target/people/examples/embed]

Passages are taken from $IBID_EVAL_DATA/corpus/passages.jsonl.gz (by default ../shared/data), else they are made up.
"""

import argparse
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PEER = ["numpy==2.4.6", "onnxruntime==1.31.1", "tokenizers==0.23.3"]
# Tokens in one batch of the peer; 1 is one passage at a time.
BUDGETS = (1, 512, 2048)


def passages(count: int) -> list[str]:
    path = Path(os.environ.get("IBID_EVAL_DATA", ROOT.parent / "shared/data")) / "corpus/passages.jsonl.gz"
    if path.exists():
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            return [json.loads(line)["text"] for line, _ in zip(lines, range(count))]
    words = "the river a source of every old report was found near that small town and its people who read it".split()
    chance = random.Random(1)
    return [" ".join(chance.choices(words, k=chance.randint(60, 140))) + "." for _ in range(count)]


def peer(file: str, threads: int, budget: int) -> None:
    """Runs in a process of its own, and prints what it took."""
    import time

    import numpy
    import onnxruntime
    import tokenizers

    home = Path(os.environ["IBID_BENCH_MODEL"])
    tokenizer = tokenizers.Tokenizer.from_file(str(home / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(512)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # burns processor time and gains none
    session = onnxruntime.InferenceSession(str(home / "model.int8.onnx"), options, providers=["CPUExecutionProvider"])
    texts = [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]

    def embed(texts: list[str]) -> list:
        found = [None] * len(texts)
        tokens = [encoding.ids for encoding in tokenizer.encode_batch(texts)]
        order = sorted(range(len(texts)), key=lambda number: len(tokens[number]))
        while order:
            size = 1
            while size < len(order) and (size + 1) * len(tokens[order[size]]) <= budget:
                size += 1
            batch, order = order[:size], order[size:]
            ids = numpy.zeros((size, len(tokens[batch[-1]])), numpy.int64)
            mask = numpy.zeros_like(ids)
            for row, number in enumerate(batch):
                ids[row, : len(tokens[number])] = tokens[number]
                mask[row, : len(tokens[number])] = 1
            (vectors,) = session.run(None, {"input_ids": ids, "attention_mask": mask})
            for row, number in enumerate(batch):
                found[number] = vectors[row]
        return found

    embed(texts[:8])
    wall, processor = time.monotonic(), time.process_time()
    for at in range(0, len(texts), 64):
        embed(texts[at : at + 64])
    report = {"cpu_seconds": time.process_time() - processor, "wall_seconds": time.monotonic() - wall}
    print(json.dumps({"passages": len(texts), **report}))


def measured(command: list[str], environment: dict[str, str]) -> dict:
    done = subprocess.run(command, env=os.environ | environment, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def in_shell(script: str) -> str:
    done = subprocess.run(["bash", "-c", f". scripts/lib.sh; {script}"], cwd=ROOT, check=True, stdout=subprocess.PIPE,
                          text=True)
    return done.stdout.strip()


def row(name: str, value: str, ratio: str) -> None:
    print(f"{name:<32}{value:>24}   {ratio}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--binary", help="the example `embed` of ibid-models; built if not given")
    arguments = parser.parse_args()
    for script in ("model.sh", "onnxruntime.sh"):
        subprocess.run([ROOT / "scripts" / script], check=True)
    binary = arguments.binary
    if not binary:
        cargo = [ROOT / "scripts/cargo.sh", "build", "-q", "-p", "ibid-models", "--example", "embed"]
        subprocess.run(cargo, check=True)
        binary = in_shell('echo "${CARGO_TARGET_DIR:-$cache/target}/people/examples/embed"')
    environment = {
        "PYTHONPATH": in_shell("python_tools embed-peer " + " ".join(PEER)),
        "IBID_BENCH_MODEL": in_shell('echo "$cache/models/all-MiniLM-L6-v2"'),
        "TOKENIZERS_PARALLELISM": "false",
    }
    cores = os.cpu_count() or 1
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.writelines(json.dumps(text) + "\n" for text in passages(arguments.passages))
        file.flush()
        for threads, measure in ((1, "cpu_seconds"), (cores, "wall_seconds")):
            ours, theirs = [], {budget: [] for budget in BUDGETS}
            for _ in range(arguments.rounds):
                ours.append(measured([binary, file.name, "--threads", str(threads)], {}))
                for budget in BUDGETS:
                    command = [sys.executable, "-B", __file__, "--peer", file.name, str(threads), str(budget)]
                    theirs[budget].append(measured(command, environment))
            rate = lambda runs: max(run["passages"] / run[measure] for run in runs)  # noqa: E731
            unit = "passages / CPU s" if measure == "cpu_seconds" else "passages / s"
            label = "one thread" if threads == 1 else f"{threads} threads"
            best = max(rate(runs) for runs in theirs.values())
            for budget, runs in theirs.items():
                how = "one at a time" if budget == 1 else f"batches of {budget} tokens"
                row(f"Python, {label}", f"{rate(runs):.1f} {unit}", how)
            row(f"Ibid, {label}", f"{rate(ours):.1f} {unit}", f"{rate(ours) / best:.2f} × Python's best (at least 1.00)")
            if threads == 1:
                least = lambda name: min(run[name] for run in ours)  # noqa: E731
                row("one question", f"{least('query_ms'):.1f} ms", "less than 10 ms")
                row("one beside passages", f"{least('query_beside_passages_ms'):.1f} ms", "")
            row("memory at most", f"{max(run['peak_mib'] for run in ours):.0f} MiB", f"{threads} threads and the questions'")
            if cores == 1:
                break


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peer"]:
        peer(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        main()
