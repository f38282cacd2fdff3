"""What others do in-process with the same passages, questions and vectors. Each peer runs in a process of its own:

    scripts/bench/peers.py NAME COUNT        measures one peer here, on the first COUNT passages, and prints JSON

A peer takes all passages in until they are on the disk and can be found, then answers one question at a time: full text
and vectors, joined by reciprocal rank fusion (k = 60) unless it has a hybrid of its own, ten passages with their text.
Its objects are made once; a question's vector comes in the form the library wants, so that converting is not measured.
Words are stemmed and stop words dropped where the library can, and each of the two lists is DEPTH long.
"""

import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import passages as made

LIMIT, DEPTH, RRF = 10, 50, 60
DIMENSIONS = 384
# A round is all questions; the best of as many rounds as fit in this many seconds counts, and at most three.
ROUNDS, SECONDS = 3, 20
STOP = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with".split()
)

NUMPY = ["numpy==2.4.6"]
PYDANTIC = ["pydantic==2.14.3", "pydantic_core==2.50.4", "annotated-types==0.8.0", "typing_extensions==4.16.0",
            "typing-inspection==0.4.5"]
USEARCH = ["usearch==2.26.6", "numkong==7.8.6", "tqdm==4.70.1", *NUMPY]


def fuse(*lists: list[int]) -> list[int]:
    scores: dict[int, float] = {}
    for places in lists:
        for rank, place in enumerate(places, 1):
            scores[place] = scores.get(place, 0.0) + 1 / (RRF + rank)
    return sorted(scores, key=scores.get, reverse=True)[:LIMIT]


def terms(text: str) -> list[str]:
    return [word for word in dict.fromkeys(re.findall(r"\w+", text.lower())) if word not in STOP]


class Peer:
    """One library, or two together."""

    #: What is installed, without what it depends on: all of it is named here.
    requirements: list[str]

    def __init__(self, folder: Path):
        self.folder = folder

    def vector(self, vector):
        """A question's vector in the form the library takes."""
        return vector

    def take(self, texts: list[str], vectors) -> None:
        raise NotImplementedError

    def find(self, text: str, vector) -> list[tuple[int, str]]:
        """The places of the ten best passages, and their texts."""
        raise NotImplementedError


class LanceDb(Peer):
    """Its own hybrid; exact vectors, and its full-text index without positions."""

    requirements = ["lancedb==0.40.0", "deprecation==2.1.0", "lance-namespace==0.13.0",
                    "lance-namespace-urllib3-client==0.13.0", "overrides==7.7.0", "packaging==26.3", "pyarrow==26.0.1",
                    "tqdm==4.70.1", "python-dateutil==4.0.0", "urllib3==2.8.0", *PYDANTIC, *NUMPY]

    def take(self, texts, vectors):
        import lancedb
        import pyarrow
        from lancedb.index import FTS
        from lancedb.rerankers import RRFReranker

        rows = pyarrow.table({
            "place": pyarrow.array(range(len(texts)), pyarrow.int64()),
            "text": pyarrow.array(texts),
            "vector": pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(vectors.reshape(-1)), DIMENSIONS),
        })
        self.table = lancedb.connect(self.folder).create_table("passages", rows)
        self.table.create_index("text", config=FTS(with_position=False))
        self.fusion = RRFReranker(K=RRF)

    def find(self, text, vector):
        # Its limit is the length of the two lists too.
        query = self.table.search(query_type="hybrid", vector_column_name="vector").vector(vector).text(text)
        query = query.distance_type("dot").rerank(self.fusion).select(["place", "text"]).limit(DEPTH)
        found = query.to_arrow().slice(0, LIMIT)
        return list(zip(found["place"].to_pylist(), found["text"].to_pylist(), strict=True))


class Chroma(Peer):
    """HNSW. In-process it has no ranking by words, only a filter: the second list is its vectors again, among the
    passages that contain the question's longest word."""

    requirements = ["chromadb==1.5.9", "PyPika==0.51.1", "PyYAML==6.0.3", "anyio==4.16.0", "attrs==26.1.0",
                    "bcrypt==5.0.0", "certifi==2026.10.18", "googleapis-common-protos==1.76.0", "grpcio==1.85.1",
                    "h11==0.16.0", "httpcore==1.0.9", "httpx==0.28.1", "idna==3.20", "importlib_resources==7.1.0",
                    "jsonschema==4.26.0", "jsonschema-specifications==2025.9.1", "mmh3==5.3.1",
                    "opentelemetry-api==1.45.2", "opentelemetry-exporter-otlp-common==0.66b1",
                    "opentelemetry-exporter-otlp-proto-common==1.45.1",
                    "opentelemetry-exporter-otlp-proto-grpc==1.45.1", "opentelemetry-proto==1.45.1",
                    "opentelemetry-sdk==1.45.2",
                    "opentelemetry-semantic-conventions==0.66b2", "orjson==3.13.0", "overrides==7.7.0",
                    "protobuf==7.36.2", "pybase64==1.5.1", "pydantic-settings==2.16.2", "python-dotenv==1.2.4",
                    "referencing==0.37.0", "rpds-py==2026.9.1", "tenacity==9.2.1", "tqdm==4.70.1", *PYDANTIC, *NUMPY]

    def take(self, texts, vectors):
        import chromadb

        client = chromadb.PersistentClient(self.folder, chromadb.Settings(anonymized_telemetry=False))
        configuration = {"hnsw": {"space": "cosine"}}
        self.collection = client.create_collection("passages", configuration=configuration, embedding_function=None)
        size = client.get_max_batch_size()
        for at in range(0, len(texts), size):
            places = [str(place) for place in range(at, min(at + size, len(texts)))]
            self.collection.add(places, vectors[at : at + size], documents=texts[at : at + size])

    def find(self, text, vector):
        word = max(re.findall(r"\w+", text), key=len)
        lists, texts = [], {}
        for where in (None, {"$contains": word}):
            found = self.collection.query([vector], n_results=DEPTH, include=["documents"], where_document=where)
            places = [int(id) for id in found["ids"][0]]
            texts.update(zip(places, found["documents"][0], strict=True))
            lists.append(places)
        return [(place, texts[place]) for place in fuse(*lists)]


class Qdrant(Peer):
    """Its own fusion; HNSW as its server has it by default, and its own sparse BM25."""

    requirements = ["qdrant-edge-py==0.9.0", *NUMPY]

    def vector(self, vector):
        return vector.tolist()

    def take(self, texts, vectors):
        import qdrant_edge as edge

        length = sum(len(text.split()) for text in texts) / len(texts)
        self.edge, self.words = edge, edge.Bm25(edge.Bm25Config(avg_len=length))
        self.shard = edge.EdgeShard.create(str(self.folder), edge.EdgeConfig(
            vectors={"meaning": edge.EdgeVectorParams(size=DIMENSIONS, distance=edge.Distance.Dot)},
            sparse_vectors={"words": edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
            hnsw_config=edge.HnswIndexConfig(m=16, ef_construct=100, full_scan_threshold=10_000),
            payload_memory=edge.Memory.Cached,
            max_search_threads=1,  # Handing the two segments to two threads takes longer than searching them.
            optimizers=edge.EdgeOptimizersConfig(default_segment_number=1, indexing_threshold=10_000),
        ))
        for at in range(0, len(texts), 1000):
            self.shard.update(edge.UpdateOperation.upsert_points([
                edge.Point(at + number, {"meaning": vector, "words": self.words.embed_document(text)}, {"text": text})
                for number, (text, vector) in enumerate(zip(texts[at : at + 1000], vectors[at : at + 1000].tolist()))
            ]))
        self.shard.optimize()
        self.shard.flush()

    def find(self, text, vector):
        edge = self.edge
        found = self.shard.query(edge.QueryRequest(
            limit=LIMIT,
            query=edge.Fusion.Rrf(k=RRF),
            prefetches=[
                edge.Prefetch(limit=DEPTH, query=edge.Query.Nearest(vector, using="meaning")),
                edge.Prefetch(limit=DEPTH, query=edge.Query.Nearest(self.words.embed_query(text), using="words")),
            ],
            with_payload=True,
        ))
        return [(point.id, point.payload["text"]) for point in found]


class Sqlite(Peer):
    """Python's own SQLite: FTS5 with the porter stemmer, and exact vectors by sqlite-vec."""

    requirements = ["sqlite-vec==0.1.9", *NUMPY]

    def vector(self, vector):
        return vector.tobytes()

    def take(self, texts, vectors):
        import sqlite3

        import sqlite_vec

        if hasattr(sqlite3.Connection, "enable_load_extension"):
            self.base = sqlite3.connect(self.folder / "passages.db")
            self.base.enable_load_extension(True)
            sqlite_vec.load(self.base)
        else:  # Python was built without it; the library that it is linked with was not.
            import ctypes
            import ctypes.util

            system = ctypes.CDLL(ctypes.util.find_library("sqlite3"))
            system.sqlite3_auto_extension(ctypes.CDLL(sqlite_vec.loadable_path() + ".so").sqlite3_vec_init)
            self.base = sqlite3.connect(self.folder / "passages.db")
        self.base.executescript(f"""
            PRAGMA journal_mode = WAL;
            PRAGMA cache_size = -262144;
            PRAGMA mmap_size = 1073741824;
            CREATE TABLE passages (place INTEGER PRIMARY KEY, text TEXT NOT NULL);
            CREATE VIRTUAL TABLE words USING fts5 (text, content=passages, content_rowid=place,
                                                   tokenize='porter unicode61');
            CREATE VIRTUAL TABLE meaning USING vec0 (vector float[{DIMENSIONS}] distance_metric=cosine);
        """)
        with self.base:
            self.base.executemany("INSERT INTO passages VALUES (?, ?)", enumerate(texts))
            self.base.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", enumerate(texts))
            self.base.executemany("INSERT INTO meaning (rowid, vector) VALUES (?, ?)",
                                  ((place, vector.tobytes()) for place, vector in enumerate(vectors)))
        self.base.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def find(self, text, vector):
        by_words = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"
        by_meaning = "SELECT rowid FROM meaning WHERE vector MATCH ? AND k = ?"
        wanted = " OR ".join(f'"{word}"' for word in terms(text))
        lists = ([place for (place,) in self.base.execute(sql, (sought, DEPTH))]
                 for sql, sought in ((by_words, wanted), (by_meaning, vector)) if sought)
        content = "SELECT text FROM passages WHERE place = ?"
        return [(place, self.base.execute(content, (place,)).fetchone()[0]) for place in fuse(*lists)]


class WithUsearch(Peer):
    """A library for words beside usearch's HNSW in f16; the texts are in memory, and in a file."""

    def take(self, texts, vectors):
        import numpy
        from usearch.index import Index

        self.meaning = Index(ndim=DIMENSIONS, metric="ip", dtype="f16")
        self.meaning.add(numpy.arange(len(texts)), vectors)
        self.meaning.save(str(self.folder / "usearch"))
        self.texts = texts
        with (self.folder / "texts.jsonl").open("w") as file:
            file.writelines(json.dumps(text) + "\n" for text in texts)
        self.take_words(texts)

    def find(self, text, vector):
        by_meaning = self.meaning.search(vector, DEPTH).keys.tolist()
        return [(place, self.texts[place]) for place in fuse(self.find_words(text), by_meaning)]

    def take_words(self, texts: list[str]) -> None:
        raise NotImplementedError

    def find_words(self, text: str) -> list[int]:
        raise NotImplementedError


class Tantivy(WithUsearch):
    requirements = ["tantivy==0.27.0", *USEARCH]

    def take_words(self, texts):
        import tantivy

        words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        for filter in (tantivy.Filter.remove_long(40), tantivy.Filter.lowercase(), tantivy.Filter.stopword("english"),
                       tantivy.Filter.stemmer("english")):
            words = words.filter(filter)
        schema = tantivy.SchemaBuilder()
        schema.add_integer_field("place", fast=True)
        schema.add_text_field("text", tokenizer_name="words", index_option="freq")
        (self.folder / "tantivy").mkdir()
        self.index = tantivy.Index(schema.build(), str(self.folder / "tantivy"))
        self.analyzer = words.build()
        self.index.register_tokenizer("words", self.analyzer)
        writer = self.index.writer(512_000_000, 1)  # One thread gives one segment, which is the fastest to search.
        for place, text in enumerate(texts):
            writer.add_document(tantivy.Document(place=place, text=text))
        writer.commit()
        writer.wait_merging_threads()
        self.index.reload()
        self.searcher, self.schema = self.index.searcher(), self.index.schema
        self.term, self.should, self.any = tantivy.Query.term_query, tantivy.Occur.Should, tantivy.Query.boolean_query

    def find_words(self, text):
        words = dict.fromkeys(self.analyzer.analyze(text))
        query = self.any([(self.should, self.term(self.schema, "text", word, "freq")) for word in words])
        hits = self.searcher.search(query, DEPTH, count=False).hits
        return self.searcher.fast_field_values("place", [address for _, address in hits])


class Bm25s(WithUsearch):
    """With its compiled backend."""

    requirements = ["bm25s==0.3.16", "numba==0.68.1", "llvmlite==0.50.0", "PyStemmer==3.1.0", *USEARCH]

    def take_words(self, texts):
        import bm25s
        import Stemmer

        self.tokenizer = bm25s.tokenization.Tokenizer(stopwords="english", stemmer=Stemmer.Stemmer("english"))
        self.words = bm25s.BM25(backend="numba")
        self.words.index(self.tokenizer.tokenize(texts, return_as="tuple", show_progress=False), show_progress=False)
        self.words.save(self.folder / "bm25s", show_progress=False)
        self.tokenizer.save_vocab(self.folder / "bm25s")
        self.words.activate_numba_scorer()

    def find_words(self, text):
        tokens = self.tokenizer.tokenize([text], update_vocab=False, return_as="ids", show_progress=False)
        found = self.words.retrieve(tokens, k=DEPTH, return_as="documents", show_progress=False, n_threads=1)
        return found[0].tolist()


PEERS: dict[str, type[Peer]] = {
    "lancedb": LanceDb,
    "chromadb": Chroma,
    "qdrant-edge": Qdrant,
    "sqlite-vec + FTS5": Sqlite,
    "tantivy + usearch": Tantivy,
    "bm25s + usearch": Bm25s,
}


def rounds(ask, questions: list, processor) -> tuple[list, float, float]:
    """Asks all questions, one at a time, some of them first unmeasured: the answers, and the best round's median and
    processor time of a question in ms. `processor` tells the seconds of processor time so far."""
    for question in questions[:50]:
        ask(question)
    answers, best, since = [], (float("inf"), float("inf")), time.monotonic()
    for number in range(ROUNDS):
        times, answers, began = [], [], processor()
        for question in questions:
            at = time.perf_counter()
            answers.append(ask(question))
            times.append(time.perf_counter() - at)
        best = min(best, (statistics.median(times) * 1000, (processor() - began) * 1000 / len(questions)))
        if (time.monotonic() - since) * (number + 2) / (number + 1) > SECONDS:
            break
    return answers, *best


def corpus(count: int) -> tuple[list[dict], list[dict]]:
    passages, questions = made.corpus()
    return passages[:count], [one | {"place": number} for number, one in enumerate(questions) if one["answer"] < count]


def sync(folder: Path) -> None:
    """What is on the disk only when the library says nothing about it is not durable yet."""
    for path in (folder, *folder.rglob("*")):
        with contextlib.suppress(OSError):
            handle = os.open(path, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def measure(name: str, count: int) -> dict:
    """Runs in a process of its own."""
    import numpy

    passages, questions = corpus(count)
    # The title counts among the words, as it does for Ibid, which gets it too.
    texts = [f"{one['source_title']}\n{one['text']}" for one in passages]
    vectors = numpy.ascontiguousarray(numpy.load(made.cache() / "corpus-passages.npy")[:count])
    asked = numpy.load(made.cache() / "corpus-questions.npy")
    with tempfile.TemporaryDirectory(prefix="ibid-bench-") as folder:
        few, home = Path(folder) / "few", Path(folder) / "all"
        few.mkdir()
        home.mkdir()
        # A few first, so that loading the libraries is not measured.
        warm = PEERS[name](few)
        warm.take(texts[:500], vectors[:500])
        warm.find(texts[0], warm.vector(vectors[0]))
        peer = PEERS[name](home)
        began, processor = time.monotonic(), time.process_time()
        peer.take(texts, vectors)
        sync(home)
        took, processor = time.monotonic() - began, time.process_time() - processor
        prepared = [(one["text"], peer.vector(asked[one["place"]])) for one in questions]
        answers, p50, cpu = rounds(lambda question: peer.find(*question), prepared, time.process_time)
    for found in answers:
        assert len(found) <= LIMIT and all(texts[place] == text for place, text in found), "not the passages' texts"
    hits = sum(one["answer"] in [place for place, _ in found] for one, found in zip(questions, answers, strict=True))
    return {"p50_ms": p50, "cpu_ms": cpu, "hit": hits / len(questions), "rate": len(texts) / took,
            "import_cpu_s": processor}


def run(name: str, count: int) -> dict:
    """Measures a peer in a process of its own: the figures, or `{"reason"}` if it is not here."""
    label = re.sub(r"[^a-z0-9]+", "-", name.lower()) + "-peer"
    try:
        home = made.in_shell(f"python_tools {label} {' '.join(PEERS[name].requirements)}")
        environment = os.environ | {"PYTHONPATH": home, "LANCE_LOG": "error", "RUST_LOG": "error"}
        command = [sys.executable, "-B", __file__, name, str(count)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1200)
        if done.returncode:
            said = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
            return {"reason": said[-1]}
        return json.loads(done.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        return {"reason": "took longer than 20 minutes"}
    except subprocess.CalledProcessError:
        return {"reason": "cannot be installed"}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
