"""Trains the judge: train.py BASE DATA OUTPUT [--rounds N] [--steps N] [--minutes N].

BASE is the folder of the sentence encoder (scripts/model.sh fetches it), DATA the folder with the sets that
manifest.json lists, OUTPUT a folder for checkpoints; a run that was ended goes on at its last checkpoint. Seeds are
fixed. Prints how it does on what was kept aside.
"""

import argparse
import gzip
import hashlib
import json
import pickle
import time
from collections import Counter
from functools import partial
from pathlib import Path
from random import Random

import jax
import jax.numpy as jnp
import numpy as np
from tokenizers import Tokenizer

import data
import network

SEED = 20261117
ROUNDS = 2
STEPS = 2000
PEAK_RATE = 1e-4
WARM_UP = 0.05
DECAY = 0.01
DROPOUT = 0.1
TOKENS_A_STEP = 3072
LENGTHS = [48, 64, 80, 96, 128, 160, 224]


def check_files(base: Path, folder: Path) -> None:
    """Ends the program if a file is not the one that the manifest describes."""
    manifest = json.loads((Path(__file__).parent / "manifest.json").read_text())
    wanted = {folder / name: sha256 for name, sha256 in manifest["files"].items()}
    wanted[base / manifest["base"]["file"]] = manifest["base"]["sha256"]
    for path, sha256 in wanted.items():
        if hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
            raise SystemExit(f"{path} is not the file that manifest.json describes")


# ---- examples as numbers ----


class Encoded:
    """One example as token numbers. The span is in tokens; (0, 0) where there is none."""

    __slots__ = ("ids", "types", "task", "target", "span", "allowed")

    def __init__(self, tokenizer: Tokenizer, example: data.Example):
        pair = tokenizer.encode(example.first, example.passage)
        self.ids, self.types = pair.ids, pair.type_ids
        self.task, self.span = example.task, (0, 0)
        self.allowed = [int(kind == 1) for kind in pair.type_ids]
        if example.task == "claim":
            self.target = example.target
            return
        self.target = float(example.target is not None)
        if example.target is not None:
            inside = [
                number
                for number, (start, end) in enumerate(pair.offsets)
                if pair.sequence_ids[number] == 1 and start < example.target[1] and end > example.target[0]
            ]
            if inside:
                self.span = (inside[0], inside[-1])
            else:  # the answer was cut off
                self.target = 0.0


def batches(encoded: list[Encoded], random: Random) -> list[list[Encoded]]:
    """Batches of about the same number of tokens, each of examples of similar length, in random order."""
    by_length = {length: [] for length in LENGTHS}
    for example in encoded:
        by_length[next(length for length in LENGTHS if len(example.ids) <= length)].append(example)
    found = []
    for length, examples in by_length.items():
        random.shuffle(examples)
        size = TOKENS_A_STEP // length
        found += [examples[at : at + size] for at in range(0, len(examples), size)]
    random.shuffle(found)
    return found


def as_arrays(batch: list[Encoded]) -> dict[str, np.ndarray]:
    length = next(length for length in LENGTHS if max(len(example.ids) for example in batch) <= length)
    size = TOKENS_A_STEP // length
    arrays = {name: np.zeros((size, length), "i4") for name in ("ids", "types", "mask", "allowed")}
    arrays |= {"verdict": np.zeros((size, 3), "f4"), "answers": np.zeros(size, "f4"), "span": np.zeros((size, 2), "i4")}
    arrays |= {"is_claim": np.zeros(size, "f4"), "is_question": np.zeros(size, "f4")}
    arrays["mask"][:, 0] = 1
    for row, example in enumerate(batch):
        count = len(example.ids)
        arrays["ids"][row, :count], arrays["types"][row, :count] = example.ids, example.types
        arrays["mask"][row, :count], arrays["allowed"][row, :count] = 1, example.allowed
        if example.task == "claim":
            arrays["is_claim"][row], arrays["verdict"][row] = 1, example.target
        else:
            arrays["is_question"][row], arrays["answers"][row], arrays["span"][row] = 1, example.target, example.span
    return arrays


# ---- the step ----


def loss(parameters, heads, batch, key):
    verdict, answers, span = network.run(parameters, heads, batch["ids"], batch["types"], batch["mask"], key, DROPOUT)
    claims = -(batch["verdict"] * jax.nn.log_softmax(verdict)).sum(-1) * batch["is_claim"]
    asked = batch["answers"]
    said = -(asked * jax.nn.log_sigmoid(answers) + (1 - asked) * jax.nn.log_sigmoid(-answers)) * batch["is_question"]
    places = jax.nn.log_softmax(jnp.where(batch["allowed"][:, :, None] > 0, span, -1e9), axis=1)
    rows = jnp.arange(len(asked))
    found = -(places[rows, batch["span"][:, 0], 0] + places[rows, batch["span"][:, 1], 1]) / 2
    found = jnp.where(batch["answers"] * batch["is_question"] > 0, found, 0)
    return (claims + said + 0.5 * found).sum() / (batch["is_claim"] + batch["is_question"]).sum()


@partial(jax.jit, static_argnums=(2,), donate_argnums=(0, 1))
def step(parameters, moments, heads, batch, key, number, rate):
    value, gradient = jax.value_and_grad(loss)(parameters, heads, batch, key)
    norm = jnp.sqrt(sum((g**2).sum() for g in jax.tree.leaves(gradient)))
    shrink = jnp.minimum(1.0, 1.0 / (norm + 1e-6))

    def update(p, g, m, v):
        g = g * shrink
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        change = (m / (1 - 0.9**number)) / (jnp.sqrt(v / (1 - 0.999**number)) + 1e-8)
        decay = DECAY if p.ndim == 2 else 0.0
        return p - rate * (change + decay * p), m, v

    updated = jax.tree.map(update, parameters, gradient, moments[0], moments[1])
    pick = lambda part: jax.tree.map(lambda leaf: leaf[part], updated, is_leaf=lambda leaf: isinstance(leaf, tuple))
    return pick(0), (pick(1), pick(2)), value


@partial(jax.jit, static_argnums=(1,))
def judge(parameters, heads, ids, types, mask):
    return network.run(parameters, heads, ids, types, mask)


# ---- measuring ----


def area(scores, positives) -> float:
    """The area under the ROC curve."""
    scores, positives = np.asarray(scores), np.asarray(positives, bool)
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    for value in np.unique(scores):
        tied = scores == value
        ranks[tied] = ranks[tied].mean()
    many, few = positives.sum(), (~positives).sum()
    return float((ranks[positives].sum() - many * (many + 1) / 2) / (many * few))


def outputs(parameters, heads, encoded: list[Encoded]) -> list[tuple]:
    """Verdict shares, whether it answers, and the span's logits for each example, in order."""
    found = [None] * len(encoded)
    order = sorted(range(len(encoded)), key=lambda number: len(encoded[number].ids))
    at = 0
    while at < len(order):
        length = next(n for n in LENGTHS if len(encoded[order[at]].ids) <= n)
        chosen = [n for n in order[at : at + TOKENS_A_STEP // length] if len(encoded[n].ids) <= length]
        arrays = as_arrays([encoded[n] for n in chosen])
        verdict, answers, span = judge(parameters, heads, arrays["ids"], arrays["types"], arrays["mask"])
        shares, answers = np.asarray(jax.nn.softmax(verdict)), np.asarray(jax.nn.sigmoid(answers))
        for row, n in enumerate(chosen):
            found[n] = shares[row], float(answers[row]), np.asarray(span[row])
        at += len(chosen)
    return found


def measure(parameters, heads, kept: dict[str, list]) -> str:
    lines = []
    for name, rows in kept.items():
        found = outputs(parameters, heads, [row[0] for row in rows])
        if name == "questions":
            told = [row[1] for row in rows]
            lines.append(f"{name} answered {area([f[1] for f in found], told):.3f}")
        else:
            labels = [row[1] for row in rows]
            line = f"{name} support {area([f[0][0] for f in found], [label == 'supported' for label in labels]):.3f}"
            if "contradicted" in labels and len(set(labels)) > 2:
                line += f" contradiction {area([f[0][1] for f in found], [label == 'contradicted' for label in labels]):.3f}"
            lines.append(line)
    return "; ".join(lines)


def kept_aside(tokenizer, folder: Path, pairs: list[dict], asked: list[dict]) -> dict[str, list]:
    """What is measured while training: the parts that were held out, and sets that are never trained on."""
    random, kept = Random(SEED), {}

    def claims(name, rows, limit):
        rows = random.sample(rows, min(limit, len(rows)))
        windows = [data.best_window(row["claim"], row["passage"], 100) for row in rows]
        kept[name] = [
            (Encoded(tokenizer, data.Example("claim", row["claim"], window, data.SILENT)), row["label"])
            for row, window in zip(rows, windows)
        ]

    for name in data.CLAIM_SETS:
        claims(name.split(" ")[0], [pair for pair in pairs if pair["set"] == name and data.is_held_claim(pair)], 300)
    for name in ("healthver", "covidfact"):
        claims(name, [pair for pair in pairs if pair["set"].startswith(name)], 300)
    public = folder / "support" / "pairs.jsonl"
    if public.exists():
        claims("public", [json.loads(line) for line in public.open(encoding="utf-8")], 503)
    held = [question for question in asked if data.is_held_question(question)]
    kept["questions"] = []
    for question in random.sample(held, min(400, len(held))):
        window = data.best_window(question["question"], question["context"], 130)
        example = Encoded(tokenizer, data.Example("question", question["question"], window, None))
        answered = not question["is_impossible"] and any(answer in window for answer in question["answers"])
        kept["questions"].append((example, answered))
    return kept


# ---- the run ----


def examples_of_round(folder: Path, pairs, asked, number: int) -> list[data.Example]:
    random = Random(SEED + number)
    plain = [json.loads(line)["text"] for line in gzip.open(folder / "corpus" / "passages.jsonl.gz", "rt", encoding="utf-8")]
    articles = [question["context"] for question in asked if not data.is_held_question(question)]
    articles += [pair["passage"] for pair in pairs if pair["set"] in data.CLAIM_SETS and not data.is_held_claim(pair)]
    found = data.claim_examples(pairs, random)
    found += data.sentence_examples(sorted(set(plain)), random, 2000)
    found += data.sentence_examples(sorted(set(articles)), random, 2500)
    found += data.question_examples(asked, random)
    found += data.questions_from_claims(pairs, random)
    found += data.questions_from_text(sorted(set(plain)), random, 2500)
    found += data.questions_from_text(sorted(set(articles)), random, 5000)
    return found


def save(path: Path, state) -> None:
    unfinished = path.with_suffix(".new")
    unfinished.write_bytes(pickle.dumps(jax.tree.map(np.asarray, state), protocol=5))
    unfinished.replace(path)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("base", type=Path)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("output", type=Path)
    arguments.add_argument("--rounds", type=int, default=ROUNDS, help="how often the data is gone through")
    arguments.add_argument("--steps", type=int, default=STEPS, help="the most steps")
    arguments.add_argument("--minutes", type=float, default=1e9, help="end after this time, at a checkpoint")
    chosen = arguments.parse_args()
    check_files(chosen.base, chosen.data)
    chosen.output.mkdir(parents=True, exist_ok=True)
    began, checkpoint = time.monotonic(), chosen.output / "checkpoint.pickle"

    tokenizer = Tokenizer.from_file(str(chosen.base / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LENGTHS[-1], strategy="only_second")
    pairs = data.claim_pairs(chosen.data / "support_train" / "pairs.jsonl.gz")
    asked = data.questions(chosen.data / "answers" / "questions.jsonl.gz")
    kept = kept_aside(tokenizer, chosen.data, pairs, asked)

    plan = []
    for number in range(chosen.rounds):
        examples = examples_of_round(chosen.data, pairs, asked, number)
        print(f"round {number}: {len(examples)} examples, {Counter(example.task for example in examples)}", flush=True)
        plan += batches([Encoded(tokenizer, example) for example in examples], Random(SEED + number))
    plan = plan[: chosen.steps]
    parameters, heads = network.base_parameters(chosen.base, SEED)
    moments = (jax.tree.map(np.zeros_like, parameters), jax.tree.map(np.zeros_like, parameters))
    done = 0
    if checkpoint.exists():
        parameters, moments, done = pickle.loads(checkpoint.read_bytes())
    print(f"{len(plan)} steps, {done} done", flush=True)

    recent, last_saved, last_measured = [], time.monotonic(), time.monotonic()
    for number in range(int(done), len(plan)):
        share = number / len(plan)
        rate = PEAK_RATE * min(1, (number + 1) / (WARM_UP * len(plan))) * (1 - share)
        key = jax.random.fold_in(jax.random.key(SEED), number)
        parameters, moments, value = step(parameters, moments, heads, as_arrays(plan[number]), key, number + 1.0, rate)
        recent.append(float(value))
        if number % 20 == 19:
            passed = (time.monotonic() - began) / 60
            print(f"{number + 1}/{len(plan)} loss {np.mean(recent[-20:]):.4f} {passed:.1f} min", flush=True)
        last = number + 1 == len(plan)
        over = time.monotonic() - began > 60 * chosen.minutes
        if last or over or time.monotonic() - last_saved > 300:
            save(checkpoint, (parameters, moments, number + 1))
            last_saved = time.monotonic()
        if last or time.monotonic() - last_measured > 1800:
            print(measure(parameters, heads, kept), flush=True)
            last_measured = time.monotonic()
        if over:
            return
    save(chosen.output / "judge.pickle", parameters)


if __name__ == "__main__":
    main()
