"""Writes THIRD-PARTY.md: what Ibid is made of, under which licences, with their texts.

    third_party.py METADATA ROOT OUT

METADATA is the output of `cargo metadata`, ROOT the folder of the sources, with the npm packages installed.
"""

import json
import pathlib
import re
import sys

# Loaded when they are first needed, and the models they run; none of them is a package that a tool could list.
PARTS = [
    ("ONNX Runtime", "lib/ibid/libonnxruntime.so", "MIT", "computes the local models"),
    ("pdfium", "lib/ibid/libpdfium.so", "BSD-3-Clause AND Apache-2.0", "reads PDF"),
    ("all-MiniLM-L6-v2", "lib/ibid/models/all-MiniLM-L6-v2", "Apache-2.0", "turns text into vectors; its weights were "
     "rounded to 8 bits"),
    ("the judge", "lib/ibid/models/judge", "CC-BY-SA-4.0", "says whether words support a claim; trained from "
     "all-MiniLM-L6-v2 on the sets named below"),
]
# What VitePress puts into the pages of the guide; the rest of what it installs are tools.
GUIDE = {"vitepress", "vue", "@vue/reactivity", "@vue/runtime-core", "@vue/runtime-dom", "@vue/shared", "@vueuse/core",
         "@vueuse/integrations", "@vueuse/shared", "@docsearch/css", "focus-trap", "mark.js", "minisearch", "tabbable"}
LICENCE_FILE = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicense)", re.IGNORECASE)


def linked_crates(metadata, program="ibid"):
    """The packages that are reached from the program by normal dependencies, without our own."""
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    todo = [package["id"] for package in metadata["packages"] if package["name"] == program and not package["source"]]
    reached = set()
    while todo:
        id = todo.pop()
        if id in reached:
            continue
        reached.add(id)
        for dependency in nodes[id]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                todo.append(dependency["pkg"])
    found = (packages[id] for id in reached)
    return sorted((p for p in found if p["source"]), key=lambda p: (p["name"], p["version"]))


def bundled_npm(lock, only=None):
    """Name, version, licence and folder of the npm packages in the web app, without its tools; or of certain ones."""
    for path, package in sorted(lock["packages"].items()):
        name = path.split("node_modules/")[-1]
        tool = package.get("dev") or package.get("optional") or package.get("devOptional")
        if path and (name in only if only else not tool):
            yield name, package["version"], package.get("license", "not stated"), path


def licence_texts(folders):
    """Each text once, with the names of the packages that carry it: (names, text)."""
    texts = {}
    for name, folder in folders:
        if not folder.is_dir():
            continue
        for file in sorted(folder.iterdir()):
            if LICENCE_FILE.match(file.name) and file.is_file():
                text = file.read_text(encoding="utf-8", errors="replace").strip()
                names = texts.setdefault(re.sub(r"\s+", " ", text), (text, []))[1]
                if name not in names:
                    names.append(name)
    return [(names, text) for text, names in texts.values() if text]


def table(head, rows):
    cells = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in cells) + "\n"


def document(metadata, root):
    crates = linked_crates(metadata)
    npm = {}  # by name and version, because the app and the guide may share some
    for place, only in (("web", None), ("docs/site", GUIDE)):
        lock = root / place / "package-lock.json"
        if lock.exists():
            for name, version, licence, path in bundled_npm(json.loads(lock.read_text()), only):
                npm.setdefault((name, version), (licence, root / place / path))
    judge = json.loads((root / "models/judge/manifest.json").read_text())
    sets = [(entry["set"], entry["licence"]) for entry in judge["trained_on"]]
    folders = [(f"{p['name']} {p['version']}", pathlib.Path(p["manifest_path"]).parent) for p in crates]
    folders += [(f"{name} {version}", path) for (name, version), (_, path) in sorted(npm.items())]
    out = [
        "# What Ibid is made of\n",
        "Ibid itself is licensed under MIT or Apache-2.0, at your option. It contains work of others, under their "
        "licences. The texts stand at the end.\n",
        "## Libraries and models beside the program\n",
        table(["name", "place", "licence", "what it does"], PARTS),
        "The judge was trained on:\n",
        table(["set", "licence"], sets),
        f"## Rust crates in the program ({len(crates)})\n",
        table(["name", "version", "licence"],
              [(p["name"], p["version"], p["license"] or f"see {p['license_file']}") for p in crates]),
        f"## npm packages in the web app and the guide ({len(npm)})\n",
        table(["name", "version", "licence"], [(*key, licence) for key, (licence, _) in sorted(npm.items())]),
        "## Licence texts\n",
    ]
    for names, text in licence_texts(folders):
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
        out.append(f"{', '.join(names)}:\n\n{fence}text\n{text}\n{fence}\n")
    return "\n".join(out)


def main(metadata, root, out):
    text = document(json.loads(pathlib.Path(metadata).read_text()), pathlib.Path(root))
    pathlib.Path(out).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
