"""The training pairs of the judge: what people labelled, and variations of it made by rule.

Each example is (task, first text, passage, target): for "claim" the target is the share of each verdict (supports,
contradicts, does not address); for "question" it is the character range of the answer in the passage, or None where
the passage does not answer. The same seed gives the same examples.
"""

import gzip
import hashlib
import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from math import log
from pathlib import Path
from random import Random

SUPPORTS, CONTRADICTS, SILENT = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)

# Which sets may be trained on, and what their labels mean. A refuted claim of FEVER is labelled `not_supported` in this
# copy: its evidence speaks against it.
CLAIM_SETS = {
    "fever dev (as in covidfact)": {"supported": SUPPORTS, "not_supported": CONTRADICTS},
    "fever-symmetric dev": {"supported": SUPPORTS, "contradicted": CONTRADICTS},
    "fool-me-twice dev": {"supported": SUPPORTS, "contradicted": CONTRADICTS},
    "wice dev": {"supported": SUPPORTS, "partial": (0.35, 0.05, 0.6), "not_supported": SILENT},
}


@dataclass(frozen=True)
class Example:
    task: str
    first: str
    passage: str
    target: tuple | None


def held_out(key: str, share: float) -> bool:
    """Whether what has this key is kept for measuring; decided by a hash, so that it never changes."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big") / 2**32 < share


# ---- text ----

ABBREVIATIONS = re.compile(r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Jr|Sr|vs|No|Inc|Ltd|Co|Prof|Gen|Col|Sen|Rep|Gov|al|etc|ca|cf|eg|ie|e\.g|i\.e|U\.S))\.$")


def sentences(text: str) -> list[tuple[int, int]]:
    """The ranges of the sentences of a text."""
    found, start = [], 0
    for match in re.finditer(r"[.!?][\"')\]”’]*\s+(?=[\"'(“‘\[]?[A-Z0-9`])|\n+", text):
        if text[match.start()] == "." and ABBREVIATIONS.search(text[start : match.start() + 1]):
            continue
        if text[start : match.end()].strip():
            found.append((start, start + len(text[start : match.end()].rstrip())))
        start = match.end()
    if text[start:].strip():
        found.append((start, len(text.rstrip())))
    return found


def clean(text: str) -> str:
    """Text as people write it: FEVER's is cut into tokens ("( 2009 ) .", "`` word ''")."""
    text = re.sub(r"-LRB-\s*", "(", text)
    text = re.sub(r"\s*-RRB-", ")", text)
    text = re.sub(r"``\s*|\s*''", '"', text)
    text = re.sub(r"\s+([.,;:!?)\]%])", r"\1", text)
    text = re.sub(r"([(\[$£€])\s+", r"\1", text)
    text = re.sub(r"\s+(n't|'s|'re|'ve|'d|'ll)\b", r"\1", text)
    return re.sub(r"\s+", " ", text).strip()


def words(text: str) -> list[str]:
    return [word[:6] for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in COMMON]


COMMON = set(
    "a an the of in on at to for from by with and or is are was were be been being it its he she they his her their this "
    "that these those as which who whom what when where how why did do does has have had not no s".split()
)

# ---- variations ----

OPPOSITES = [
    pair.split("/")
    for pair in """increased/decreased increase/decrease increases/decreases rose/fell higher/lower high/low more/fewer more/less
most/least largest/smallest larger/smaller large/small first/last before/after early/late earlier/later won/lost winning/losing
north/south northern/southern east/west eastern/western male/female men/women man/woman husband/wife father/mother son/daughter
brother/sister always/never all/none many/few above/below over/under begin/end began/ended started/stopped opened/closed
founded/dissolved accepted/rejected allowed/prohibited legal/illegal public/private true/false positive/negative success/failure
successful/unsuccessful popular/unpopular old/new older/younger oldest/youngest inside/outside internal/external maximum/minimum
majority/minority buy/sell bought/sold import/export strong/weak stronger/weaker fast/slow faster/slower left/right upper/lower
domestic/foreign rural/urban rich/poor same/different similar/different arrived/departed joined/left entered/left gained/lost
supported/opposed support/oppose agreed/disagreed improved/worsened improve/worsen outperforms/underperforms better/worse best/worst
possible/impossible known/unknown complete/incomplete direct/indirect active/inactive permanent/temporary ancient/modern
built/demolished born/died alive/dead friend/enemy peace/war winter/summer morning/evening day/night heavy/light hot/cold""".split()
]
OPPOSITE = defaultdict(list)
for left, right in OPPOSITES:
    OPPOSITE[left].append(right)
    OPPOSITE[right].append(left)

NUMBER_WORDS = "two three four five six seven eight nine ten eleven twelve".split()
MONTHS = "January February March April May June July August September October November December".split()
NAME = re.compile(r"\b[A-Z][\w'’.-]*(?:\s+(?:(?:of|the|de|von|van|and)\s+)?[A-Z][\w'’-]*)*")


def other_number(text: str, random: Random) -> str:
    """A number that differs from the one in `text`, of its form."""
    plain = text.replace(",", "")
    if re.fullmatch(r"1[0-9]{3}|20[0-9]{2}", plain):
        return str(int(plain) + random.choice([-30, -12, -10, -7, -5, -3, -2, -1, 1, 2, 3, 4, 6, 8, 10, 11, 20]))
    if random.random() < 0.25 and len(plain) == 2 and plain[0] != plain[1] and plain[1] != "0":
        return plain[::-1]
    value = float(plain)
    found = value * random.choice([0.2, 0.5, 0.7, 0.8, 0.9, 1.1, 1.2, 1.5, 2, 3, 10])
    if "." in plain:
        return f"{found:.{len(plain.split('.')[1])}f}"
    found = round(found)
    if found == value:
        found += random.choice([1, 2])
    return f"{found:,}" if "," in text else str(found)


def altered(text: str, random: Random, names: list[str], against: str) -> tuple[str, tuple] | None:
    """`text`, which `against` supports, changed in one place so that it is not supported any more."""
    changes = []
    for match in re.finditer(r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?![\w-])", text):
        if match.group() in against:
            new = other_number(match.group().rstrip(","), random)
            if new not in against:
                changes.append((4, match.start(), match.start() + len(match.group().rstrip(",")), new, CONTRADICTS))
    for match in re.finditer(r"[A-Za-z]+", text):
        word = match.group()
        if word.lower() in OPPOSITE:
            new = random.choice(OPPOSITE[word.lower()])
            changes.append((3, *match.span(), new.capitalize() if word[0].isupper() else new, CONTRADICTS))
        elif word.lower() in NUMBER_WORDS:
            new = random.choice([other for other in NUMBER_WORDS if other != word.lower()])
            changes.append((3, *match.span(), new.capitalize() if word[0].isupper() else new, CONTRADICTS))
        elif word in MONTHS:
            changes.append((2, *match.span(), random.choice([other for other in MONTHS if other != word]), CONTRADICTS))
    verb = re.search(r"\b(is|was|are|were|has|have|had|can|could|will|would|does|did)\b(?! (?:not|never|no)\b)", text)
    if verb and not re.search(r"\b(not|never|no)\b|n't", text):
        changes.append((1.5, verb.end(), verb.end(), random.choice([" not", " not", " never"]), CONTRADICTS))
    found = [match for match in NAME.finditer(text) if match.start() > 0 and match.group() in against]
    for match in found:
        new = random.choice(names)
        if new not in against and new not in text:
            changes.append((2, *match.span(), new, CONTRADICTS))
    subject = NAME.match(text)
    if subject and len(subject.group()) > 3 and subject.group().lower() not in COMMON:
        new = random.choice(names)
        if new not in against:
            changes.append((1, *subject.span(), new, SILENT))
    if not changes:
        return None
    _, start, end, new, target = random.choices(changes, [change[0] for change in changes])[0]
    return text[:start] + new + text[end:], target


def shortened(text: str, random: Random) -> str:
    """A sentence with parts left out that its truth does not need."""
    kept = re.sub(r"\s*\([^()]*\)", "", text)
    kept = re.sub(r"^(?:However|Moreover|Furthermore|In addition|Therefore|Thus|Also|Finally|Additionally|Meanwhile),\s*", "", kept)
    if random.random() < 0.5:
        kept = re.sub(r",\s*(?:which|who|where|including|such as)\b[^,.]*(?=[,.]|$),?", "", kept)
    if random.random() < 0.4 and len(kept) > 80:
        cut = None
        for match in re.finditer(r",\s+(?:and|but|while|although|because|so)\s", kept):
            if match.start() > 40:
                cut = match
                break
        if cut:
            kept = kept[: cut.start()] + "."
    kept = kept.strip()
    return kept[:1].upper() + kept[1:]


class Neighbours:
    """Finds the passages that share the rarest words with a text."""

    def __init__(self, passages: list[str]):
        self.passages = passages
        self.lists = defaultdict(list)
        for number, passage in enumerate(passages):
            for word in set(words(passage)):
                self.lists[word].append(number)

    def nearest(self, text: str, count: int) -> list[str]:
        scores = Counter()
        for word in sorted(set(words(text))):
            holders = self.lists.get(word, ())
            if len(holders) < 2000:
                weight = log(len(self.passages) / (1 + len(holders)))
                for number in holders:
                    scores[number] += weight
        return [self.passages[number] for number, _ in scores.most_common(count)]


# ---- claims ----


def best_window(claim: str, passage: str, limit: int) -> str:
    """The consecutive sentences of at most `limit` words that share most with the claim."""
    ranges, wanted = sentences(passage), Counter(words(claim))
    best, best_score = passage, -1.0
    for first in range(len(ranges)):
        for last in range(first, len(ranges)):
            text = passage[ranges[first][0] : ranges[last][1]]
            if last > first and len(text.split()) > limit:
                break
            score = sum((Counter(words(text)) & wanted).values()) - 0.002 * len(text.split())
            if score > best_score:
                best, best_score = text, score
    return " ".join(best.split()[: limit + 40])


def differs(other: str, passage: str, claim: str) -> bool:
    """Whether another passage can be taken to leave the claim open: not cut from the same text, not saying all of it."""
    wanted, known, found = set(words(claim)), set(words(passage)), set(words(other))
    return len(found & known) < 0.5 * min(len(found), len(known)) and len(wanted & found) < 0.75 * len(wanted)


def claim_pairs(path: Path) -> list[dict]:
    pairs = [json.loads(line) for line in gzip.open(path, "rt", encoding="utf-8")]
    for pair in pairs:
        pair["claim"], pair["passage"] = clean(pair["claim"]), clean(pair["passage"])
    return pairs


def is_held_claim(pair: dict) -> bool:
    # By the passage, so that no two claims about one passage are on both sides.
    return held_out("claim " + pair["passage"][:60], 0.08)


def claim_examples(pairs: list[dict], random: Random) -> list[Example]:
    pairs = [pair for pair in pairs if pair["set"] in CLAIM_SETS and not is_held_claim(pair)]
    names = sorted({name for pair in pairs for name in NAME.findall(pair["claim"]) if 3 < len(name) < 40 and " " in name})
    passages = sorted({pair["passage"] for pair in pairs if len(pair["passage"].split()) < 120})
    neighbours, found = Neighbours(passages), []
    for pair in pairs:
        claim, target = pair["claim"], CLAIM_SETS[pair["set"]][pair["label"]]
        rare = pair["set"] != "fever dev (as in covidfact)"
        if not rare and random.random() < 0.5:
            continue  # the largest set by far: half of it each round
        passage = best_window(claim, pair["passage"], random.choice([50, 90, 130]))
        found.append(Example("claim", claim, passage, target))
        if rare:
            found.append(Example("claim", claim, best_window(claim, pair["passage"], random.choice([60, 100, 140])), target))
        if target == SUPPORTS and random.random() < 0.6:
            change = altered(claim, random, names, passage)
            if change:
                found.append(Example("claim", change[0], passage, change[1]))
        if random.random() < 0.35:
            others = [other for other in neighbours.nearest(claim, 8) if differs(other, pair["passage"], claim)]
            if others:
                # A neighbour may say the same in other words: the label is not quite certain.
                found.append(Example("claim", claim, best_window(claim, random.choice(others[:3]), 90), (0.05, 0.05, 0.9)))
        if random.random() < 0.12:
            # The evidence among other sentences.
            other = random.choice(passages)
            mixed = f"{other} {passage}" if random.random() < 0.5 else f"{passage} {other}"
            if len(mixed.split()) < 140:
                found.append(Example("claim", claim, mixed, target))
    return found


def sampled_sentence(texts: list[str], random: Random, words: range, longest: int) -> tuple[str, str, str] | None:
    """A sentence of a text, some of the text around it, and that without the sentence; None if they do not fit."""
    text = random.choice(texts)
    ranges = sentences(text)
    if len(ranges) < 2:
        return None
    at = random.randrange(len(ranges))
    first, last = max(0, at - random.randrange(3)), min(len(ranges) - 1, at + random.randrange(3))
    window, sentence = text[ranges[first][0] : ranges[last][1]], text[slice(*ranges[at])]
    if len(sentence.split()) not in words or len(window.split()) > longest:
        return None
    rest = text[ranges[first][0] : ranges[at][0]] + text[ranges[at][1] : ranges[last][1]]
    return sentence, window, rest.strip()


def sentence_examples(texts: list[str], random: Random, count: int) -> list[Example]:
    """Sentences of plain text as claims about the text they stand in, true and altered."""
    names = sorted({name for text in texts for name in NAME.findall(text) if " " in name and 5 < len(name) < 40})
    found = []
    while len(found) < count:
        sampled = sampled_sentence(texts, random, range(6, 41), 140)
        if sampled is None:
            continue
        sentence, window, rest = sampled
        claim, kind = shortened(sentence, random), random.random()
        if kind < 0.4:
            found.append(Example("claim", claim, window, SUPPORTS))
        elif kind < 0.8:
            change = altered(claim, random, names, window)
            if change:
                found.append(Example("claim", change[0], window, change[1]))
        else:
            if len(rest.split()) > 8:
                found.append(Example("claim", claim, rest, SILENT))
    return found


# ---- questions ----


def questions(path: Path) -> list[dict]:
    found = [json.loads(line) for line in gzip.open(path, "rt", encoding="utf-8")]
    return [question for question in found if question["set"] == "squad2-dev"]


def is_held_question(question: dict) -> bool:
    return held_out("question " + question["article"], 0.08)


def answer_range(context: str, question: dict) -> tuple[int, int] | None:
    """Where the answer stands; of several places the one whose sentence shares most with the question."""
    wanted, best = set(words(question["question"])), None
    for answer in question["answers"]:
        for match in re.finditer(re.escape(answer), context):
            for start, end in sentences(context):
                if start <= match.start() < end:
                    shared = len(wanted & set(words(context[start:end])))
                    if best is None or shared > best[0]:
                        best = (shared, match.span())
    return best and best[1]


def window_around(context: str, at: int, random: Random) -> tuple[int, int]:
    """A range of whole sentences that holds sentence number `at`."""
    ranges = sentences(context)
    before, after = random.choice([(0, 0), (1, 0), (1, 1), (0, 1), (2, 1), (9, 9)])
    first, last = max(0, at - before), min(len(ranges) - 1, at + after)
    while first < last and len(context[ranges[first][0] : ranges[last][1]].split()) > 130:
        if at - first > last - at:
            first += 1
        else:
            last -= 1
    return ranges[first][0], ranges[last][1]


def question_examples(found_questions: list[dict], random: Random) -> list[Example]:
    chosen = [question for question in found_questions if not is_held_question(question)]
    names = defaultdict(set)
    for question in chosen:
        for name in NAME.findall(question["context"]):
            if 3 < len(name) < 40 and name.lower() not in COMMON:
                names[question["article"]].add(name)
    contexts = defaultdict(set)
    for question in chosen:
        contexts[question["article"]].add(question["context"])
    found = []

    def add(question, text, context, window, answer=None):
        passage = context[window[0] : window[1]]
        title = question["article"].replace("_", " ") + ". "
        prefix = title if random.random() < 0.4 else ""
        target = None
        if answer is not None:
            target = (answer[0] - window[0] + len(prefix), answer[1] - window[0] + len(prefix))
        found.append(Example("question", text, prefix + passage, target))

    for question in chosen:
        context, text = question["context"], question["question"]
        ranges, wanted = sentences(context), set(words(text))
        ranked = sorted(range(len(ranges)), key=lambda n: -len(wanted & set(words(context[slice(*ranges[n])]))))
        answer = answer_range(context, question) if not question["is_impossible"] else None
        if question["is_impossible"]:
            add(question, text, context, window_around(context, ranked[0], random))
            if random.random() < 0.5:
                add(question, text, context, window_around(context, random.choice(ranked[:3]), random))
        elif answer:
            at = next(n for n, (start, end) in enumerate(ranges) if start <= answer[0] < end)
            for _ in range(2):
                window = window_around(context, at, random)
                if answer[1] <= window[1]:
                    add(question, text, context, window, answer)
            if random.random() < 0.5:
                # The paragraph without the sentence that answers.
                rest = (context[: ranges[at][0]] + context[ranges[at][1] :]).strip()
                if rest and not any(a in rest for a in question["answers"]):
                    near = best_window(text, rest, random.choice([50, 90, 120]))
                    found.append(Example("question", text, near, None))
            others = [n for n in ranked if n != at and not any(a in context[slice(*ranges[n])] for a in question["answers"])]
            if others:
                add(question, text, context, ranges[others[0]])
            change = altered_question(text, random, sorted(names[question["article"]]), context)
            if change:
                add(question, change, context, window_around(context, at, random))
        if random.random() < 0.4:
            # Another paragraph of the same article.
            other = random.choice(sorted(contexts[question["article"]]))
            if other != context and not any(a in other for a in question["answers"]):
                other_ranges = sentences(other)
                near = max(range(len(other_ranges)), key=lambda n: len(wanted & set(words(other[slice(*other_ranges[n])]))))
                add(question, text, other, window_around(other, near, random))
    return found


def altered_question(text: str, random: Random, names: list[str], context: str) -> str | None:
    """A question about something else than the one it was made of."""
    changes = []
    for match in re.finditer(r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?![\w-])", text):
        changes.append((*match.span(), other_number(match.group().rstrip(","), random)))
    for match in re.finditer(r"[A-Za-z]+", text):
        if match.group().lower() in OPPOSITE:
            changes.append((*match.span(), random.choice(OPPOSITE[match.group().lower()])))
    for match in NAME.finditer(text):
        if match.start() > 0 and names:
            new = random.choice(names)
            if new not in match.group() and match.group() not in new:
                changes.append((*match.span(), new))
    if not changes:
        return None
    start, end, new = random.choice(changes)
    return text[:start] + new + text[end:]


def questions_from_claims(pairs: list[dict], random: Random) -> list[Example]:
    """Questions made of true claims, with passages that answer them, and with others that only seem to."""
    found = []
    pairs = [pair for pair in pairs if pair["set"] in CLAIM_SETS and not is_held_claim(pair)]
    names = sorted({name for pair in pairs for name in NAME.findall(pair["claim"]) if 3 < len(name) < 40 and " " in name})
    passages = sorted({pair["passage"] for pair in pairs if len(pair["passage"].split()) < 100})
    neighbours = Neighbours(passages)
    for pair in pairs:
        if pair["label"] != "supported" or random.random() < 0.2:
            continue
        passage = best_window(pair["claim"], pair["passage"], random.choice([40, 90, 120]))
        made = asked_of(pair["claim"], passage, random, names)
        found += made
        if made and random.random() < 0.35:
            text = made[0].first
            others = [other for other in neighbours.nearest(text, 6) if differs(other, pair["passage"], pair["claim"])]
            if others:
                found.append(Example("question", text, best_window(text, random.choice(others[:3]), 90), None))
    return found


def questions_from_text(texts: list[str], random: Random, count: int) -> list[Example]:
    """Questions made of sentences of plain text, put to the text they stand in, with and without that sentence."""
    names = sorted({name for text in texts for name in NAME.findall(text) if " " in name and 5 < len(name) < 40})
    found = []
    while len(found) < count:
        sampled = sampled_sentence(texts, random, range(7, 33), 130)
        if sampled is None:
            continue
        sentence, window, rest = sampled
        made = asked_of(shortened(sentence, random), window, random, names)
        found += made
        if made and made[0].target and len(rest.split()) > 8:
            answer = window[slice(*made[0].target)]
            if answer not in rest:
                found.append(Example("question", made[0].first, rest, None))
    return found


def asked_of(claim: str, passage: str, random: Random, names: list[str]) -> list[Example]:
    """A question that the passage answers, made of a claim that it supports, and one about something else."""
    made = question_of(claim, passage, random) if random.random() < 0.5 else None
    made = made or blank_question(claim, passage, random)
    if not made:
        return []
    text, answer = made
    at = passage.find(answer)
    if at < 0:
        return []
    found = [Example("question", text, passage, (at, at + len(answer)))]
    # What is asked for is gone, so that only what it is asked of can be altered.
    change = altered_question(text, random, names, passage)
    if change and change != text and random.random() < 0.85:
        found.append(Example("question", change, passage, None))
    return found


def blank_question(claim: str, passage: str, random: Random) -> tuple[str, str] | None:
    """A claim with a part of it asked for: "The pier was built in what year?", "In what year was the pier built?"."""
    claim = claim.rstrip(". ")
    options = []
    for match in re.finditer(r"\bin ((?:1[0-9]|20)[0-9]{2})\b", claim):
        options.append((match.span(), random.choice(["in what year", "in which year", "when"]), match[1]))
    for match in re.finditer(r"\b(\d[\d,.]*\d|\d|" + "|".join(NUMBER_WORDS) + r") (?=[a-z]+s\b)", claim):
        options.append((match.span(1), "how many", match[1]))
    for match in re.finditer(r"\b(\d[\d.]*) ?(%|percent)", claim):
        options.append((match.span(), "what percentage", match[1]))
    for match in NAME.finditer(claim):
        if len(match.group()) < 4 or match.group().lower() in COMMON:
            continue
        before = claim[: match.start()].split()[-1:] or [""]
        if match.start() == 0:
            options.append((match.span(), random.choice(["who", "what"]), match.group()))
        elif before[0] in ("by", "with", "from", "for"):
            options.append((match.span(), random.choice(["whom", "who", "what"]), match.group()))
        elif before[0] in ("in", "at", "near"):
            options.append((match.span(), random.choice(["what place", "which country", "what city", "what"]), match.group()))
        else:
            options.append((match.span(), random.choice(["what", "which one", "who"]), match.group()))
    for match in re.finditer(r"\b(?:is|was|are|were|of|with|by|for|into|as) ((?:an?|the) [a-z-]+(?: [a-z-]+)?)$", claim):
        options.append((match.span(1), "what", match[1]))
    options = [option for option in options if option[2] in passage]
    if not options:
        return None
    (start, end), word, answer = random.choice(options)
    text = claim[:start] + word + claim[end:]
    # At the end it can be moved to the front.
    moved = re.fullmatch(
        r"(.{3,60}?) (was|were|is|are|can|will|has|had) (.+?) ((?:(?:in|by|at|from|with|for|to|on) )?" + re.escape(word) + r")", text
    )
    if moved and random.random() < 0.8:
        text = f"{moved[4]} {moved[2]} {moved[1]} {moved[3]}"
    text = text[:1].upper() + text[1:]
    return text + ("" if random.random() < 0.1 else "?"), answer


def question_of(claim: str, passage: str, random: Random) -> tuple[str, str] | None:
    claim = claim.rstrip(". ")
    options = []
    year = re.fullmatch(r"(.+?) (was|were|is|are) (.+?) (?:in|on) ((?:[A-Z][a-z]+ )?(?:\d{1,2}, )?\d{4})", claim)
    if year and year[4] in passage:
        options.append((f"{random.choice(['When', 'In what year'])} {year[2]} {year[1]} {year[3]}?", year[4]))
    place = re.fullmatch(r"(.+?) (was|were|is|are) (born|filmed|located|based|set|held|made|produced|released|founded|headquartered|situated) (?:in|at|on) ([A-Z].+)", claim)
    if place and place[4] in passage:
        options.append((f"Where {place[2]} {place[1]} {place[3]}?", place[4]))
    agent = re.fullmatch(r"(.+?) (was|were|is|are) (\w+(?:ed|en|wn|ught|ade|ung|ritten)) by (.+)", claim)
    if agent and agent[4] in passage:
        options.append((f"Who {agent[2]} {agent[1]} {agent[3]} by?", agent[4]))
        options.append((f"{random.choice(['By whom', 'By who'])} {agent[2]} {agent[1]} {agent[3]}?", agent[4]))
    kind = re.fullmatch(r"(.+?) (is|was|are|were) ((?:an?|the) .+)", claim)
    if kind and kind[3] in passage:
        options.append((f"What {kind[2]} {kind[1]}?", kind[3]))
    subject = NAME.match(claim)
    if subject and subject.group() in passage and len(subject.group()) > 3:
        rest = claim[subject.end() :].strip()
        if re.match(r"(is|was|has|had|won|wrote|directed|starred|played|created|made|produced|appeared|\w+ed)\b", rest):
            options.append((f"{'Who' if len(subject.group().split()) in (2, 3) else 'What'} {rest}?", subject.group()))
    count = re.search(r"\b(\d[\d,]*|" + "|".join(NUMBER_WORDS) + r") ([a-z]+s)\b", claim)
    if count and count[1] in passage:
        before = re.fullmatch(r"(.+?) (has|had|have|won|sold|contains|contained)", claim[: count.start()].strip())
        if before:
            verb = {"has": "does {} have", "had": "did {} have", "have": "do {} have", "won": "did {} win", "sold": "did {} sell",
                    "contains": "does {} contain", "contained": "did {} contain"}[before[2]].format(before[1])
            options.append((f"How many {count[2]} {verb}{claim[count.end():]}?", count[1]))
    return random.choice(options) if options else None
