"""Who is who, and what one step through the graph costs.

Pairs of people and organisations are those of $IBID_EVAL_DATA/entities (default ../shared/data), asked over HTTP in the
three ways in which others may write down what they know; where they are absent that is skipped. The judge's weights were
fitted on these pairs, so that the figures are rather too good.

The graph is made up: 100,000 events in 10,000 sources, 20,000 entities of which one has a part in 2,000 events. What a
search costs with and without expansion is compared query by query; on PostgreSQL the same step is asked of Apache AGE in
Cypher, and both must name the same events.
"""

import json
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections import defaultdict
from pathlib import Path

from server import Server, running

SOURCES, EVENTS, ENTITIES, MOST = 10_000, 100_000, 20_000, 2_000
QUERIES = 300
CATEGORIES = ["Commitment", "Execution", "Decision", "Collaboration", "QualityRisk", "Feedback", "Change", "Stakeholder"]
WEIGHTS = {"Decision": 3, "Commitment": 2, "QualityRisk": 1}
SHOWN = ["Decision", "Commitment", "QualityRisk"]


# Who is who.


def described(side: dict, kind: str, form: str) -> dict:
    rest = {key: value for key, value in side.items() if key not in ("name", "org") and value}
    profile = {"name": side.get("name") or "", "type": {"person": "person", "organisation": "org"}.get(kind, "other")}
    if side.get("org"):
        profile["organization"] = "; ".join(side["org"])
    if rest and form == "json":
        profile["context"] = json.dumps(rest)
    elif rest:
        flat = {key: ", ".join(value) if isinstance(value, list) else str(value) for key, value in rest.items()}
        profile["context"] = (
            "; ".join(f"{key}: {value}" for key, value in flat.items()) if form == "fields" else " ".join(flat.values())
        )
    return profile


def judged(binary: str) -> None:
    path = Path(os.environ.get("IBID_EVAL_DATA", "../shared/data")) / "entities/pairs.jsonl"
    if not path.exists():
        print("who is who: skipped, there is no data in IBID_EVAL_DATA")
        return
    pairs = [json.loads(line) for line in path.read_text().splitlines()]
    with tempfile.TemporaryDirectory() as folder, running(binary, Path(folder)) as server:
        connection = server.connect()
        print(f"{'who is who':<24}{'pairs':>6}{'precision':>11}{'recall':>8}{'F1 (bar .80)':>14}{'false merges (bar .05)':>24}")
        for form in ("json", "fields", "words"):
            sets = defaultdict(list)
            for pair in pairs:
                body = {side: described(pair[side], pair["kind"], form) for side in "ab"}
                connection.request(
                    "POST", "/api/v1/entities/compare", json.dumps(body), {"Content-Type": "application/json"}
                )
                response = connection.getresponse()
                answer = json.loads(response.read())
                assert response.status == 200, answer
                for name in ("all", pair["set"]):
                    sets[name].append((pair["match"], answer["decision"] == "same"))
            for name, rows in sets.items():
                if name != "all" and form != "json":
                    continue
                right = sum(same and told for same, told in rows)
                told = sum(told for _, told in rows)
                yes, no = sum(same for same, _ in rows), sum(not same for same, _ in rows)
                precision, recall = right / max(1, told), right / max(1, yes)
                f1 = 2 * precision * recall / max(1e-9, precision + recall)
                label = f"all, context as {form}" if name == "all" else f"  {name}"
                wrong = (told - right) / max(1, no)
                print(f"{label:<24}{len(rows):>6}{precision:>11.3f}{recall:>8.3f}{f1:>14.3f}{wrong:>24.3f}")


# One step through the graph.


def passages(server: Server) -> None:
    connection = server.connect()
    lines = "".join(
        json.dumps({"id": f"p{n}", "source_title": f"Note {n}", "text": f"note{n} on tank {n % 97} and pump {n % 89}."}) + "\n"
        for n in range(SOURCES)
    )
    connection.request("POST", "/api/v1/import/passages", lines.encode(), {"Content-Type": "application/x-ndjson"})
    response = connection.getresponse()
    answer = json.loads(response.read())
    assert response.status in (200, 201) and answer["imported"] == SOURCES, answer


def graph(sources: list[tuple]) -> dict[str, list[tuple]]:
    """Rows for every table, with a degree that is skewed: the n-th entity has a part in about 1/n as many events."""
    random.seed(7)
    tenant = sources[0][2]
    now = int(time.time() * 1e6)
    entities = [uuid.UUID(int=random.getrandbits(128), version=4) for _ in range(ENTITIES)]
    degree, chosen = [0] * ENTITIES, []
    harmonic = [1 / (n + 8) for n in range(ENTITIES)]
    pool = random.choices(range(ENTITIES), weights=harmonic, k=EVENTS * 3)
    rows = defaultdict(list)
    for n in range(EVENTS):
        source, revision, _ = sources[n % SOURCES]
        event = uuid.UUID(int=random.getrandbits(128), version=4)
        category = random.choice(CATEGORIES)
        day = f"{random.randint(2015, 2025)}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
        rows["events"].append(
            (event, tenant, source, revision, (n // SOURCES) * 10, category, f"event {n}", day, day, random.random(), "made-up", now)
        )
        rows["event_evidence"].append((event, 0, f"event {n}", (n // SOURCES) * 10, (n // SOURCES) * 10 + 8))
        parts = []
        for entity in pool[n * 3 : n * 3 + 3]:
            while degree[entity] >= MOST or entity in parts:
                entity = random.randrange(ENTITIES)
            degree[entity] += 1
            parts.append(entity)
        rows["event_actors"] += [(event, entities[parts[0]], "owner"), (event, entities[parts[1]], "contributor")]
        rows["event_subjects"].append((event, entities[parts[2]]))
        chosen.append(parts)
    first = sources[0]
    for n, entity in enumerate(entities):
        rows["entities"].append(
            (entity, tenant, entity, "person", f"Person {n}", f"person {n}", degree[n], first[0], first[1], now, now)
        )
        rows["entity_aliases"].append((entity, f"p{n}", f"P{n}", now))
    rows["extractions"] = [(revision, tenant, source, "made-up", 1, 0, now) for source, revision, _ in sources]
    print(f"{EVENTS:,} events, {ENTITIES:,} entities, the busiest in {max(degree):,} events")
    return rows


COLUMNS = {
    "extractions": "revision_id, tenant_id, source_id, extractor, is_current, dropped, created_at",
    "entities": "id, tenant_id, root_id, kind, name, normalized_name, mention_count, first_source_id, first_revision_id, "
    "created_at, updated_at",
    "entity_aliases": "entity_id, normalized_alias, alias, created_at",
    "events": "id, tenant_id, source_id, revision_id, start_char, category, narrative, event_date, sorted_at, confidence, "
    "extractor, created_at",
    "event_evidence": "event_id, ordinal, quote, start_char, end_char",
    "event_actors": "event_id, entity_id, role",
    "event_subjects": "event_id, entity_id",
}


def fill_sqlite(path: Path) -> None:
    database = sqlite3.connect(path)
    found = database.execute("SELECT s.id, s.revision_id, s.tenant_id FROM sources s ORDER BY s.id").fetchall()
    rows = graph([tuple(uuid.UUID(bytes=value) for value in one) for one in found])

    def plain(table: str, name: str, value):
        if name == "sorted_at":
            return int(time.mktime(time.strptime(value, "%Y-%m-%d")) * 1e6)
        return value.bytes if isinstance(value, uuid.UUID) else value

    for table, columns in COLUMNS.items():
        names = columns.split(", ")
        marks = ", ".join("?" * len(names))
        lines = ([plain(table, name, value) for name, value in zip(names, line)] for line in rows[table])
        database.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", lines)
    database.commit()
    database.close()


def fill_postgres(connection) -> None:
    from datetime import datetime, timezone

    with connection.cursor() as cursor:
        cursor.execute("SELECT id, revision_id, tenant_id FROM sources ORDER BY id")
        rows = graph(cursor.fetchall())
        for table, columns in COLUMNS.items():
            names = columns.split(", ")
            with cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
                for line in rows[table]:
                    values = dict(zip(names, line))
                    for name in values:
                        if name in ("created_at", "updated_at"):
                            values[name] = datetime.fromtimestamp(values[name] / 1e6, timezone.utc)
                        if name == "sorted_at":
                            values[name] = f"{values[name]}T00:00:00Z"
                    copy.write_row(list(values.values()))
    connection.commit()
    connection.autocommit = True
    connection.execute("VACUUM ANALYZE")


def asked(connection, body: dict) -> dict:
    connection.request("POST", "/api/v1/search", json.dumps(body), {"Content-Type": "application/json"})
    response = connection.getresponse()
    answer = json.loads(response.read())
    assert response.status == 200, answer
    return answer


def percentile(numbers: list[float], share: float) -> float:
    return sorted(numbers)[min(len(numbers) - 1, int(len(numbers) * share))]


def measure(server: Server, engine: str, cypher=None) -> None:
    connection = server.connect()
    random.seed(3)
    numbers = [random.randrange(SOURCES) for _ in range(QUERIES)]
    with_graph, without, added, related, age, chosen = [], [], [], [], [], []
    for warm in (True, False):
        for n in numbers[: 50 if warm else QUERIES]:
            body = {"query": f"note{n}", "lists": ["words"], "limit": 5}
            bare = asked(connection, body | {"graph_expand": False})["search_metadata"]["took_ms"]
            found = asked(connection, body | {"graph_expand": True})
            if warm:
                continue
            without.append(bare)
            with_graph.append(found["search_metadata"]["took_ms"])
            added.append(found["search_metadata"]["graph_ms"])
            related.append(len(found["related_context"]))
            chosen.append((found["primary_results"][0]["evidence"][0]["revision_id"], [one["id"] for one in found["related_context"]]))
    for revision, told in chosen if cypher else []:
        began = time.perf_counter()
        ids = cypher(revision)
        age.append((time.perf_counter() - began) * 1e3)
        assert ids == told, (ids, told)
    print(
        f"{engine:<12} a search {statistics.median(without):.2f} ms, with expansion {statistics.median(with_graph):.2f} ms; "
        f"expansion adds p50 {statistics.median(added):.2f}, p95 {percentile(added, .95):.2f} ms (bar 5), "
        f"{statistics.mean(related):.1f} related"
    )
    if age:
        print(
            f"{'':<12} the same ids in Cypher on AGE: p50 {statistics.median(age):.2f}, p95 {percentile(age, .95):.2f} ms: "
            f"{statistics.median(age) / max(.01, statistics.median(added)):.0f} x as long at p50, "
            f"{percentile(age, .95) / max(.01, percentile(added, .95)):.0f} x at p95"
        )


def cypher_of(connection):
    """The step in Cypher: AGE knows no `[:A|B]`, so every way there is one of its own."""
    kinds = ", ".join(f"'{kind}'" for kind in SHOWN)
    ways = [("(s:Event)<-[:ACTED_IN]-(n:Entity)", "(n)-[:ACTED_IN]->(r:Event)"), ("(s:Event)<-[:ACTED_IN]-(n:Entity)", "(n)<-[:ABOUT]-(r:Event)"),
            ("(s:Event)-[:ABOUT]->(n:Entity)", "(n)-[:ACTED_IN]->(r:Event)"), ("(s:Event)-[:ABOUT]->(n:Entity)", "(n)<-[:ABOUT]-(r:Event)")]
    connection.execute("LOAD 'age'")
    connection.execute("SET search_path = public, ag_catalog")

    def step(revision: str) -> list[str]:
        uuid.UUID(revision)
        part = " UNION ".join(
            f"MATCH {first} WHERE s.revision_id = '{revision}' MATCH {second} WHERE r.category IN [{kinds}] "
            f"AND r.revision_id <> '{revision}' RETURN r.event_id, r.event_time, r.confidence, r.category"
            for first, second in ways
        )
        weight = "CASE category::text " + " ".join(f"WHEN '\"{kind}\"' THEN {w}" for kind, w in WEIGHTS.items()) + " ELSE 0 END"
        rows = connection.execute(
            f"SELECT trim('\"' FROM id::text) FROM ag_catalog.cypher('nur', $$ {part} $$) "
            f"AS (id agtype, at agtype, confidence agtype, category agtype) "
            f"ORDER BY at::text DESC NULLS LAST, confidence::text::float8 DESC, {weight} DESC, trim('\"' FROM id::text)::uuid DESC LIMIT 10"
        ).fetchall()
        return [row[0] for row in rows]

    return step


def main() -> None:
    binary = sys.argv[1]
    if "graph" not in sys.argv[2:]:
        judged(binary)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        with running(binary, data) as server:
            passages(server)
        fill_sqlite(data / "ibid.db")
        subprocess.run([binary, "--data", data, "graph", "rebuild"], check=True, stdout=subprocess.DEVNULL)
        with running(binary, data) as server:
            measure(server, "SQLite")
    admin = os.environ.get("IBID_TEST_POSTGRES_URL")
    if not admin:
        print("PostgreSQL: skipped, there is no IBID_TEST_POSTGRES_URL")
        return
    import psycopg

    name = f"bench_{uuid.uuid4().hex}"
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    url = admin.rsplit("/", 1)[0] + "/" + name
    try:
        with tempfile.TemporaryDirectory() as folder:
            with running(binary, Path(folder), "--database-url", url) as server:
                passages(server)
            with psycopg.connect(url) as connection:
                fill_postgres(connection)
            began = time.monotonic()
            subprocess.run(
                [binary, "--data", folder, "--database-url", url, "graph", "rebuild"], check=True, stdout=subprocess.DEVNULL
            )
            print(f"the graph made again, in AGE too: {time.monotonic() - began:.1f} s")
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute("VACUUM ANALYZE")
                with running(binary, Path(folder), "--database-url", url) as server:
                    measure(server, "PostgreSQL", cypher_of(connection))
    finally:
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


if __name__ == "__main__":
    main()
