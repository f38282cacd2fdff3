"""How often answers in the words of the sources quote what answers, and how often they rightly say that nothing does.

    scripts/bench/picks.py EXAMPLE [--meaning]

EXAMPLE is the example `answers` of ibid-claims. Questions come from $IBID_EVAL_DATA (default ../shared/data); where
it is absent only the time is measured. Passages are found by a plain BM25 of this script, twenty a question, in windows
of 220 words that overlap by half. With --meaning the local model compares the sentences with the question; that needs
the Python packages that the embedder is compared with (PYTHONPATH).

The sets: `memory` are turns of conversations; `sentences` are those sentences of a passage that say what a supported
claim says beyond its question; of `passages`, `cisi` and `cacm` only the passage or the document is known, any sentence
of it counts. Unanswerable are the questions of one collection put to another one. Two sets are harder than that:
`without` asks after everything that answers was taken away, and `adversarial` asks what was said of somebody else. The
weights were fitted on part of these questions, so that the figures are rather too good.
"""

import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from passages import ROOT, data, embedded, in_shell

LITTLE = set("a an and are as at be by did do does for from had has have he her his how i in is it its of on or that the "
             "their they this to was were what when where which who whom whose why will with would you your".split())
FOUND = 20
WINDOW = 220
# Of the many unanswerable ones so many a set.
UNANSWERABLE = 150
WHOLE = [0, 10**9]


def words(text: str) -> list[str]:
    found = []
    for word in re.findall(r"\w+", text.lower()):
        end = next((end for end in ("ing", "ed", "es", "s") if len(word) > len(end) + 3 and word.endswith(end)), "")
        if word not in LITTLE:
            found.append(word[: len(word) - len(end)])
    return found


def windows(source: int, title: str, text: str) -> list[dict]:
    places = [match.span() for match in re.finditer(r"\S+", text)]
    made = []
    for at in range(0, max(1, len(places) - WINDOW // 2), WINDOW // 2):
        part = places[at : at + WINDOW] or [(0, 0)]
        made.append({"source": source, "title": title, "start": part[0][0], "text": text[part[0][0] : part[-1][1]]})
    return made


class Index:
    def __init__(self, passages: list[dict]):
        self.passages, self.postings, self.lengths = passages, defaultdict(list), []
        for number, passage in enumerate(passages):
            counts = Counter(words(f"{passage['title']} {passage['text']}"))
            self.lengths.append(sum(counts.values()) or 1)
            for word, count in counts.items():
                self.postings[word].append((number, count))
        self.average = sum(self.lengths) / len(self.lengths)

    def search(self, question: str, without: set[int] = frozenset()) -> list[dict]:
        scores = defaultdict(float)
        for word in set(words(question)):
            having = self.postings.get(word, [])
            rarity = math.log(1 + (len(self.passages) - len(having) + 0.5) / (len(having) + 0.5))
            for number, count in having:
                length = self.lengths[number] / self.average
                scores[number] += rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length))
        kept = [(score, number) for number, score in scores.items() if self.passages[number]["source"] not in without]
        best = sorted(kept, reverse=True)[:FOUND]
        if not best:
            return []
        most, least = best[0][0], best[-1][0]
        # As search does: places between the first and the twenty-first, read off the scores.
        place = lambda score: 1 + 20 * (most - score) / ((most - least) or 1)  # noqa: E731
        return [self.passages[number] | {"score": 2 / (60 + place(score))} for score, number in best]


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.open(encoding="utf-8")]


def conversations() -> tuple[dict, list[dict]]:
    """An index of each conversation, with the place of every turn, and the questions."""
    sessions = defaultdict(lambda: defaultdict(list))
    for turn in lines(data() / "memory/turns.jsonl"):
        sessions[turn["conv"]][turn["session"]].append(turn)
    made = {}
    for name, parts in sessions.items():
        passages, places = [], {}
        for source, (session, turns) in enumerate(parts.items()):
            text = ""
            for turn in turns:
                said = f"{turn['speaker']}: {turn['text'].strip()}\n"
                places[turn["id"]] = [source, len(text), len(text) + len(said) - 1]
                text += said
            passages += windows(source, f"{session}, {turns[0]['when']}", text)
        made[name] = (Index(passages), places)
    return made, lines(data() / "memory/questions.jsonl")


def judged(name: str) -> tuple[Index, list[tuple[str, list]]]:
    folder = data() / "retrieval" / name
    documents = lines(folder / "corpus.jsonl")
    numbers = {document["_id"]: number for number, document in enumerate(documents)}
    right = defaultdict(list)
    for line in (folder / "qrels.tsv").read_text().splitlines()[1:]:
        question, document, score = line.split("\t")
        if int(score) > 0:
            right[question].append([numbers[document], *WHOLE])
    passages = []
    for number, document in enumerate(documents):
        passages += windows(number, document["title"], document["text"])
    asked = [(one["text"], right[one["_id"]]) for one in lines(folder / "queries.jsonl")]
    return Index(passages), [one for one in asked if one[1]]


def sentences_of(passage: str, question: str, claim: str) -> list[list[int]]:
    """Where the sentences stand that say most of what a claim says beyond its question."""
    new = set(words(claim)) - set(words(question))
    found = []
    for match in re.finditer(r"\S.*?(?:[.!?](?=\s|$)|\n|$)", passage):
        share = len(new & set(words(match[0]))) / len(new) if new else 0
        found.append((share, list(match.span())))
    most = max((share for share, _ in found), default=0)
    return [span for share, span in found if share >= max(0.5, most - 0.1)]


def cases() -> list[dict]:
    made, counts = [], Counter()

    def add(name: str, question: str, found: list[dict], evidence: list) -> None:
        counts[name] += 1
        if evidence or counts[name] <= UNANSWERABLE:
            made.append({"set": name, "question": question, "passages": found, "evidence": evidence})

    talks, questions = conversations()
    judgements = {name: judged(name) for name in ("cisi", "cacm")}
    pairs = lines(data() / "support/pairs.jsonl")
    texts = {text: number for number, text in enumerate(dict.fromkeys(pair["passage"] for pair in pairs))}
    library = Index([one for text, number in texts.items() for one in windows(number, "", text)])
    others = {"cisi": judgements["cisi"][0], "cacm": judgements["cacm"][0]}

    names = list(talks)
    for one in questions:
        index, places = talks[one["conv"]]
        evidence = [places[turn] for turn in one["evidence"] if turn in places]
        if one["category"] == "adversarial":
            add("adversarial", one["question"], index.search(one["question"]), [])
        elif evidence:
            add("memory", one["question"], index.search(one["question"]), evidence)
            elsewhere = talks[names[(names.index(one["conv"]) + 1) % len(names)]][0]
            for name, other in {"another memory": elsewhere, "support": library, **others}.items():
                add(f"memory of {name}", one["question"], other.search(one["question"]), [])
    for name, (index, asked) in judgements.items():
        for question, evidence in asked:
            add(name, question, index.search(question), evidence)
            add(f"{name} of support", question, library.search(question), [])
    asked, said = defaultdict(set), defaultdict(list)
    for pair in pairs:
        if question := pair.get("question"):
            number = texts[pair["passage"]]
            asked[question].add(number)
            if pair["label"] == "supported":
                said[question] += [[number, *span] for span in sentences_of(pair["passage"], question, pair["claim"])]
    for question, sources in asked.items():
        found = library.search(question)
        add("passages", question, found, [[source, *WHOLE] for source in sources])
        if said[question]:
            add("sentences", question, found, said[question])
        add("without", question, library.search(question, sources), [])
        for name, other in {"memory": talks[names[0]][0], **others}.items():
            add(f"support of {name}", question, other.search(question), [])
    return made


def compare(example: str, path: str, made: list[dict]) -> None:
    """Adds how alike the sentences are to their questions."""
    os.environ["IBID_BENCH_MODEL"] = in_shell('echo "$cache/models/all-MiniLM-L6-v2"')
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    listed = subprocess.run([example, "--texts", path], check=True, stdout=subprocess.PIPE, text=True).stdout
    wanted = [json.loads(line) for line in listed.splitlines()]
    texts = sorted({text for one in wanted for text in one} | {case["question"] for case in made})
    vectors = dict(zip(texts, embedded(texts)))
    for case, sentences in zip(made, wanted):
        case["similarities"] = [float(vectors[case["question"]] @ vectors[text]) for text in sentences]


def write(path: str, made: list[dict]) -> None:
    Path(path).write_text("".join(json.dumps(case) + "\n" for case in made), encoding="utf-8")


def main() -> None:
    example, meaning = sys.argv[1], "--meaning" in sys.argv[2:]
    if not (data() / "memory/questions.jsonl").exists():
        print(f"answers: only the time, there is no data in IBID_EVAL_DATA ({ROOT.parent / 'shared/data'})")
        subprocess.run([example], check=True)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/cases.jsonl"
        made = cases()
        write(path, made)
        print("by words alone", flush=True)
        subprocess.run([example, path], check=True)
        if meaning:
            compare(example, path, made)
            write(path, made)
            print("\nby words and meaning", flush=True)
            subprocess.run([example, path], check=True)


if __name__ == "__main__":
    main()
