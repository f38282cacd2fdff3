"""How well claims are checked against passages, over HTTP as a user gets it.

The pairs are those of $IBID_EVAL_DATA/support (default ../shared/data); where they are absent this is skipped. The weights
were fitted on these pairs, so that the figures are rather too good; the repository's own set is in the tests.
"""

import json
import os
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from server import Server

BATCH = 50


def auc(supported: list[float], others: list[float]) -> float:
    """How often a supported pair scores higher than one that is not."""
    wins = sum((one > other) + (one == other) / 2 for one in supported for other in others)
    return wins / max(1, len(supported) * len(others))


def verified(server: Server, pairs: list[dict]) -> list[dict]:
    connection = server.connect()
    found = []
    for at in range(0, len(pairs), BATCH):
        batch = [{"claim": pair["claim"], "passage": pair["passage"]} for pair in pairs[at : at + BATCH]]
        body = json.dumps({"pairs": batch})
        connection.request("POST", "/api/v1/citations/verify", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        answer = json.loads(response.read())
        assert response.status == 200, answer
        found += answer["pairs"]
    return found


def table(pairs: list[dict], found: list[dict]) -> None:
    sets = defaultdict(list)
    for pair, one in zip(pairs, found):
        for name in ("all", pair["set"]):
            sets[name].append((pair["label"] == "supported", one["score"], one["verdict"] == "supported"))
    print(f"{'set':<24}{'pairs':>6}{'AUC':>8}{'accuracy':>10}{'recall':>8}{'false support':>15}")
    for name, rows in sets.items():
        yes, no = [row for row in rows if row[0]], [row for row in rows if not row[0]]
        told, wrongly = sum(row[2] for row in yes), sum(row[2] for row in no)
        accuracy = (told + len(no) - wrongly) / len(rows)
        ranked = auc([row[1] for row in yes], [row[1] for row in no])
        print(f"{name:<24}{len(rows):>6}{ranked:>8.3f}{accuracy:>10.3f}{told / len(yes):>8.3f}{wrongly / len(no):>15.3f}")


def main() -> None:
    path = Path(os.environ.get("IBID_EVAL_DATA", "../shared/data")) / "support/pairs.jsonl"
    if not path.exists():
        print("checking claims: skipped, there is no data in IBID_EVAL_DATA")
        return
    pairs = [json.loads(line) for line in path.read_text().splitlines()]
    for embedder in ("local", "none"):
        with tempfile.TemporaryDirectory() as data:
            server = Server(sys.argv[1], Path(data), "--embedder", embedder)
            try:
                began = time.monotonic()
                found = verified(server, pairs)
                speed = len(pairs) / (time.monotonic() - began)
            finally:
                server.stop()
        words = "by words and meaning" if embedder == "local" else "by words alone"
        print(f"\n{words}: {speed:.0f} pairs/s, aimed at: AUC .90, false support below .05")
        table(pairs, found)


if __name__ == "__main__":
    main()
