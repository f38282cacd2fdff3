"""Passages, questions and vectors to measure search with; made once and kept in the cache.

    scripts/bench/passages.py            makes what is not there yet

From each of some passages one sentence is cut out before it is indexed; half of that sentence's words, drawn by chance,
are the question. The passage it was cut from is the answer. Vectors are the local model's, the same for everyone.
"""

import gzip
import json
import os
import random
import re
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from embed import PEER, ROOT, in_shell  # noqa: F401  PEER is for those who use this module

QUESTIONS = 1000


def data() -> Path:
    return Path(os.environ.get("IBID_EVAL_DATA", ROOT.parent / "shared/data"))


def cache() -> Path:
    folder = Path(in_shell('echo "$cache/bench"'))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def corpus() -> tuple[list[dict], list[dict]]:
    """Passages `{id, source_title, text}`, and questions `{text, answer}` where `answer` is a passage's place."""
    chance = random.Random(7)
    with gzip.open(data() / "corpus/passages.jsonl.gz", "rt", encoding="utf-8") as lines:
        passages = [json.loads(line) for line in lines]
    questions = []
    for place in chance.sample(range(len(passages)), len(passages)):
        if len(questions) == QUESTIONS:
            break
        sentences = re.split(r"(?<=[.!?])\s+(?=[A-Z])", passages[place]["text"])
        if len(sentences) < 4:
            continue
        cut = sentences.pop(chance.randrange(len(sentences)))
        words = cut.split()
        if len(words) < 10:
            continue
        kept = sorted(chance.sample(range(len(words)), len(words) // 2))
        passages[place]["text"] = " ".join(sentences)
        questions.append({"text": " ".join(words[at] for at in kept), "answer": place})
    return passages, questions


def embedded(texts: list[str]):
    """Runs in a process of its own."""
    import numpy
    import onnxruntime
    import tokenizers

    home = Path(os.environ["IBID_BENCH_MODEL"])
    tokenizer = tokenizers.Tokenizer.from_file(str(home / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(512)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(home / "model.int8.onnx"), options, providers=["CPUExecutionProvider"])
    found = numpy.zeros((len(texts), 384), numpy.float32)
    tokens = [encoding.ids for encoding in tokenizer.encode_batch(texts)]
    for number in sorted(range(len(texts)), key=lambda number: len(tokens[number])):
        ids = numpy.array([tokens[number]], numpy.int64)
        (vectors,) = session.run(None, {"input_ids": ids, "attention_mask": numpy.ones_like(ids)})
        found[number] = vectors[0]
    return found


def vectors(name: str, texts: list[str]):
    """The vectors of texts, from the cache if they are there."""
    import numpy

    path = cache() / f"{name}.npy"
    if path.exists():
        kept = numpy.load(path)
        if len(kept) == len(texts):
            return kept
    os.environ["IBID_BENCH_MODEL"] = in_shell('echo "$cache/models/all-MiniLM-L6-v2"')
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    batches = [texts[at : at + 500] for at in range(0, len(texts), 500)]
    made = []
    with ProcessPoolExecutor(int(os.environ.get("IBID_BENCH_EMBED", os.cpu_count() or 1))) as pool:
        for batch in pool.map(embedded, batches):
            made.append(batch)
            print(f"\rembedding {name}: {sum(map(len, made))} of {len(texts)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    made = numpy.concatenate(made)
    numpy.save(path, made)
    return made


def retrieval(name: str) -> tuple[list[dict], list[dict]]:
    """A judged collection: passages `{id, source_title, text}` and questions `{id, text}`."""
    folder = data() / "retrieval" / name
    read = lambda file: [json.loads(line) for line in (folder / file).open(encoding="utf-8")]  # noqa: E731
    passages = [{"id": one["_id"], "source_title": one["title"] or "Untitled", "text": one["text"] or one["title"]}
                for one in read("corpus.jsonl")]
    return passages, [{"id": one["_id"], "text": one["text"]} for one in read("queries.jsonl")]


def memory() -> tuple[dict[str, list[dict]], dict[str, list[dict]]]:
    """Conversations: turns `{id, source_title, text}` and questions `{id, text}` of each."""
    folder = data() / "memory"
    turns, questions = {}, {}
    for line in (folder / "turns.jsonl").open(encoding="utf-8"):
        turn = json.loads(line)
        text = f"{turn['speaker']}: {turn['text']}"
        if turn["image_caption"]:
            text += f" [{turn['image_caption']}]"
        title = f"{turn['session']}, {turn['when']}"
        turns.setdefault(turn["conv"], []).append({"id": turn["id"], "source_title": title, "text": text})
    for line in (folder / "questions.jsonl").open(encoding="utf-8"):
        one = json.loads(line)
        questions.setdefault(one["conv"], []).append({"id": one["qid"], "text": one["question"]})
    return turns, questions


def main() -> None:
    for name in ("cisi", "cacm"):
        passages, questions = retrieval(name)
        vectors(f"{name}-passages", [f"{one['source_title']}\n{one['text']}" for one in passages])
        vectors(f"{name}-questions", [one["text"] for one in questions])
    turns, questions = memory()
    for name in turns:
        vectors(f"{name}-passages", [one["text"] for one in turns[name]])
        vectors(f"{name}-questions", [one["text"] for one in questions[name]])
    passages, questions = corpus()
    vectors("corpus-questions", [one["text"] for one in questions])
    vectors("corpus-passages", [one["text"] for one in passages])


if __name__ == "__main__":
    main()
