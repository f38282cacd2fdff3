"""How fast a long document is set, over HTTP, and whether its pages are right.

    scripts/bench/documents.py IBID

A document of some 30 pages with 120 footnotes in Typst, from 40 references: the first PDF of a server that was just
started (bound: 2 s), and the PDF and the preview after a word was changed (bound: 150 ms). If `pdftotext` is there, every
footnote has to stand on the page of its marker, and the bibliography has to be sorted.
"""

import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from server import running

FAMILIES = ("Abbott Baker Castillo Dubois Eriksen Fischer Grabowski Haddad Ivanova Jansen Kaya Lindqvist Moreau Nakamura "
            "Okafor Petrov Quintero Rossi Sato Tanaka").split()
WORDS = ("harbour wall storm season report survey tide water level record council plan stone repair cost year method "
         "measure result figure engineer bridge canal river bank ship lock gate crane keeper").split()
SOURCES, NOTES = 40, 120


def call(connection, method: str, path: str, body=None):
    data = None if body is None else json.dumps(body)
    connection.request(method, path, data, {"Content-Type": "application/json"} if data else {})
    response = connection.getresponse()
    content = response.read()
    assert response.status < 300, content[:500]
    return content


def main() -> None:
    dice = random.Random(4)
    with tempfile.TemporaryDirectory() as folder, running(sys.argv[1], Path(folder)) as server:
        connection = server.connect()
        post = lambda path, body: json.loads(call(connection, "POST", path, body))  # noqa: E731
        sources = []
        for number in range(SOURCES):
            title = " ".join(dice.choice(WORDS) for _ in range(5)).capitalize()
            body = {"title": f"{title} {number}", "genre": "book", "publisher": "Sample Press",
                    "authors": [{"family": dice.choice(FAMILIES), "given": "Ada"}], "publication_date": str(1950 + number)}
            sources.append(post("/api/v1/sources", body)["id"])
        paragraphs = []
        for number in range(1, NOTES + 1):
            words = [" ".join(dice.choice(WORDS) for _ in range(14)) for _ in range(9)]
            words[4] += f" marker{number}#footnote[{number}]"
            head = f"== Part {number // 6}\n\n" if number % 6 == 1 else ""
            paragraphs.append(head + ". ".join(part.capitalize() if at == 0 else part for at, part in enumerate(words)) + ".")
        text = "= Beginning\n\n" + "\n\n".join(paragraphs)
        document = post("/api/v1/documents", {"title": "A long report", "format": "typst", "text": text})["document_id"]
        path = f"/api/v1/documents/{document}"
        for number in range(1, NOTES + 1):
            body = {"source_id": dice.choice(sources), "citation_number": number, "position": 0, "locator": f"p. {number}"}
            post(f"{path}/citations", body)
        began = time.perf_counter()
        pdf = call(connection, "GET", f"{path}/render?format=pdf")
        cold = time.perf_counter() - began
        changed, preview = [], []
        for number in range(8):
            text = text.replace(f"marker{number * 10 + 5}#", f"marker{number * 10 + 5} anew#")
            began = time.perf_counter()
            call(connection, "POST", f"{path}/preview", {"text": text, "from": 1, "to": 2})
            preview.append(time.perf_counter() - began)
            text = text.replace("Beginning", "Beginnings", 1)
            call(connection, "PATCH", path, {"text": text})
            began = time.perf_counter()
            pdf = call(connection, "GET", f"{path}/render?format=pdf")
            changed.append(time.perf_counter() - began)
        warm, seen = sorted(changed)[len(changed) // 2], sorted(preview)[len(preview) // 2]
        pages = pdf.count(b"/Type /Page\n") or len(re.findall(rb"/Type\s*/Page\b", pdf))
        print(f"a document with {NOTES} footnotes: first PDF {cold * 1e3:.0f} ms (bound 2,000), after a change "
              f"{warm * 1e3:.0f} ms (bound 150), preview {seen * 1e3:.0f} ms; {len(pdf) / 1e6:.1f} MB")
        if not shutil.which("pdftotext"):
            print("pdftotext is not here: where the footnotes stand was not looked at")
            return
        file = Path(folder) / "long.pdf"
        file.write_bytes(pdf)
        words = subprocess.run(["pdftotext", "-layout", file, "-"], check=True, capture_output=True, text=True).stdout
        sheets = words.split("\f")
        right = sum(any(f"marker{n}" in re.sub(r"\s", "", s) and re.search(rf", p\. {n}\.", s.replace("\n", " ")) for s in sheets) for n in range(1, NOTES + 1))
        entries = re.findall(r"^(\w+), A\. \(\d{4}\)", words.split("References")[-1], re.M)
        print(f"{len(sheets) - 1} pages; {right} of {NOTES} footnotes on the page of their marker; {len(entries)} entries, "
              f"{'sorted' if entries == sorted(entries) else 'NOT sorted'}")
        assert right == NOTES and entries == sorted(entries) and cold < 2


if __name__ == "__main__":
    main()
