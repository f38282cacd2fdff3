"""What deny.py lets in and what it keeps out."""

import pathlib
import tempfile
import unittest

from deny import chain, compiled, licence_allowed, not_understood, problems, yanked

REGISTRY = "registry+https://example.test/crates.io-index"


def package(name, licence="MIT", source=REGISTRY, dependencies=(), publish=None):
    return {"id": name, "name": name, "version": "1.0.0", "license": licence, "source": source,
            "dependencies": list(dependencies), "publish": publish}


def found(config, *packages):
    metadata = {"packages": packages, "workspace_members": ["ours"]}
    return [(p["name"], text) for p, text in problems(config, metadata, {(p["name"], "1.0.0") for p in packages})]


class Licences(unittest.TestCase):
    allowed = {"MIT", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"}

    def test_expressions(self):
        for good in ["MIT", "GPL-3.0 OR MIT", "MIT/Apache-2.0", "(MIT OR GPL-3.0) AND Unicode-3.0",
                     "GPL-3.0 AND ISC OR MIT", "Apache-2.0 WITH LLVM-exception"]:
            self.assertTrue(licence_allowed(good, self.allowed), good)
        for bad in ["GPL-3.0", "MIT AND GPL-3.0", "Apache-2.0", "(MIT OR ISC) AND GPL-3.0", "MIT OR", "", "MIT MIT"]:
            self.assertFalse(licence_allowed(bad, self.allowed), bad)

    def test_exception_and_clarification_are_for_one_crate(self):
        config = {"licenses": {"allow": ["MIT"], "exceptions": [{"name": "a", "allow": ["GPL-3.0"]}],
                               "clarify": [{"name": "b", "expression": "MIT"}]}}
        self.assertEqual(found(config, package("a", "GPL-3.0"), package("b", None)), [])
        self.assertEqual(len(found(config, package("c", "GPL-3.0"), package("d", None))), 2)


class Graph(unittest.TestCase):
    def test_banned(self):
        config = {"licenses": {"allow": ["MIT"]}, "bans": {"deny": [{"name": "bad", "reason": "no"}, "worse"]}}
        self.assertEqual(found(config, package("bad"), package("worse"), package("good")),
                         [("bad", "is banned: no"), ("worse", "is banned")])

    def test_sources(self):
        config = {"licenses": {"allow": ["MIT"]}}
        self.assertEqual(found(config, package("a", source=None), package("b")), [])
        self.assertEqual(len(found(config, package("a", source="git+https://example.test/x"),
                                   package("b", source="registry+https://example.test/other"))), 2)

    def test_wildcards(self):
        config = {"licenses": {"allow": ["MIT"]}, "bans": {"wildcards": "deny"}}
        path = {"name": "sibling", "req": "*", "path": "/x"}
        self.assertEqual(found(config, package("ours", source=None, dependencies=[path], publish=[])), [])
        self.assertEqual(len(found(config, package("ours", source=None, dependencies=[path]))), 1)
        self.assertEqual(len(found(config, package("ours", source=None, dependencies=[{"name": "x", "req": "*"}], publish=[]))), 1)

    def test_only_what_is_compiled_counts(self):
        self.assertEqual(compiled("a v1.0.0 (/x)\nb v2.0.0 (proc-macro) (*)\n\n"), {("a", "1.0.0"), ("b", "2.0.0")})

    def test_chain_names_the_way_in(self):
        metadata = {"packages": [package("ours"), package("middle"), package("bad")], "workspace_members": ["ours"],
                    "resolve": {"nodes": [{"id": "ours", "dependencies": ["middle"]},
                                          {"id": "middle", "dependencies": ["bad"]}, {"id": "bad", "dependencies": []}]}}
        used = {(name, "1.0.0") for name in ("ours", "middle", "bad")}
        self.assertEqual(chain(metadata, "bad", used), "ours > middle > bad")

    def test_settings_it_would_ignore_are_named(self):
        self.assertEqual(not_understood({"bans": {"skip": []}, "advisories": {"x": 1}}), ["bans.skip", "advisories.x"])


class Yanked(unittest.TestCase):
    def test_versions_that_were_taken_back_are_found_in_the_index(self):
        with tempfile.TemporaryDirectory() as folder:
            index = pathlib.Path(folder)
            for place, name, versions in [
                ("ex/am", "example", {"1.0.0": True, "1.0.1": False}), ("3/a", "abc", {"1.0.0": False}),
            ]:
                (index / place).mkdir(parents=True)
                entries = [
                    f'{version}\0{{"name": "{name}", "vers": "{version}", "yanked": {str(back).lower()}}}\0'
                    for version, back in versions.items()
                ]
                (index / place / name).write_bytes(b"\x03\x02\0header\0" + "".join(entries).encode())
            packages = [package("example"), package("abc"), package("unknown"), package("ours", source=None)]
            used = {(p["name"], "1.0.0") for p in packages}
            self.assertEqual([p["name"] for p, _ in yanked(packages, used, [index])], ["example"])
            self.assertEqual(list(yanked(packages, {("example", "1.0.1")}, [index])), [])


if __name__ == "__main__":
    unittest.main()
