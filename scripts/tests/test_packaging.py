"""What the packages of Ibid say of their contents and of what they need."""

import gzip
import io
import pathlib
import sys
import tarfile
import tempfile
import unittest
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "packaging"))

import elf
import third_party
import wheel
from release import Tar, write_tar_gz

READELF = """
Dynamic section at offset 0x2dc8 contains 27 entries:
 0x0000000000000001 (NEEDED)             Shared library: [libstdc++.so.6]
 0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]
 0x0000000000000001 (NEEDED)             Shared library: [ld-linux-x86-64.so.2]

Version definition section '.gnu.version_d' contains 1 entry:
  000000: Rev: 1  Flags: none  Index: 2  Cnt: 1  Name: GLIBC_9.99

Version needs section '.gnu.version_r' contains 2 entries:
  0x0010:   Name: GLIBC_2.4  Flags: none  Version: 9
  0x0020:   Name: GLIBC_2.34  Flags: none  Version: 3
  0x0030:   Name: GLIBCXX_3.4.22  Flags: none  Version: 5
  0x0040:   Name: CXXABI_1.3.11  Flags: none  Version: 6
"""


class Needs(unittest.TestCase):
    def test_versions_are_compared_as_numbers_and_only_what_is_needed_counts(self):
        libraries, newest = elf.parse(READELF)
        self.assertEqual(newest, {"GLIBC": "2.34", "GLIBCXX": "3.4.22", "CXXABI": "1.3.11"})
        self.assertEqual(libraries, {"libstdc++.so.6", "libc.so.6", "ld-linux-x86-64.so.2"})
        self.assertEqual(elf.glibc(newest), (2, 34))

    def test_packages_have_the_oldest_version_that_will_do(self):
        newest = {"GLIBC": "2.34", "GLIBCXX": "3.4.22", "CXXABI": "1.3.11", "GCC": "4.3.0"}
        self.assertEqual(elf.depends({"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1"}, newest),
                         ["libc6 (>= 2.34)", "libgcc-s1 (>= 4.3.0)", "libstdc++6 (>= 7)"])
        self.assertEqual(elf.depends({"libc.so.6"}, {"GLIBC": "2.17"}), ["libc6 (>= 2.17)"])

    def test_what_is_not_known_is_an_error(self):
        with self.assertRaises(SystemExit):
            elf.depends({"libc.so.6", "libsurprise.so.1"}, {"GLIBC": "2.17"})
        with self.assertRaises(SystemExit):
            elf.depends({"libstdc++.so.6"}, {"GLIBC": "2.17", "GLIBCXX": "3.4.99"})


class ThirdParty(unittest.TestCase):
    def test_only_what_is_linked_is_listed(self):
        def package(name, source="registry"):
            return {"id": name, "name": name, "version": "1.0.0", "license": "MIT", "source": source, "manifest_path": "/x/Cargo.toml"}

        def edge(name, kind=None):
            return {"pkg": name, "dep_kinds": [{"kind": kind}]}

        metadata = {
            "packages": [package("ibid", None), package("ours", None), *map(package, ("b", "a", "tool", "test", "alone"))],
            "resolve": {"nodes": [
                {"id": "ibid", "deps": [edge("ours"), edge("tool", "build"), edge("test", "dev")]},
                {"id": "ours", "deps": [edge("b")]}, {"id": "b", "deps": [edge("a")]}, {"id": "a", "deps": [edge("b")]},
                {"id": "tool", "deps": []}, {"id": "test", "deps": []}, {"id": "alone", "deps": []},
            ]},
        }
        self.assertEqual([p["name"] for p in third_party.linked_crates(metadata)], ["a", "b"])

    def test_tools_of_the_web_app_are_left_out(self):
        lock = {"packages": {"": {}, "node_modules/react": {"version": "1", "license": "MIT"},
                             "node_modules/a/node_modules/@x/y": {"version": "2"},
                             "node_modules/vite": {"version": "3", "dev": True},
                             "node_modules/canvas": {"version": "4", "optional": True}}}
        self.assertEqual([row[:3] for row in third_party.bundled_npm(lock)],
                         [("@x/y", "2", "not stated"), ("react", "1", "MIT")])
        self.assertEqual([row[0] for row in third_party.bundled_npm(lock, {"vite"})], ["vite"])

    def test_a_text_that_several_packages_have_stands_once(self):
        with tempfile.TemporaryDirectory() as folder:
            folders = []
            for name, text in [("a", "Do as you like."), ("b", "Do  as you\nlike."), ("c", "Do nothing.")]:
                place = pathlib.Path(folder) / name
                place.mkdir()
                (place / "LICENSE-MIT").write_text(text)
                (place / "lib.rs").write_text("")
                folders.append((name, place))
            self.assertEqual(third_party.licence_texts(folders),
                             [(["a", "b"], "Do as you like."), (["c"], "Do nothing.")])


class Archives(unittest.TestCase):
    def test_an_archive_depends_on_contents_only(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.tar.gz"
            made = []
            for _ in range(2):
                source = pathlib.Path(folder) / "source"
                source.write_bytes(b"content")
                write_tar_gz(path, 1000, 9, lambda tar: tar.file("top/bin/x", source, 0o755))
                made.append(path.read_bytes())
            self.assertEqual(made[0], made[1])
            with tarfile.open(fileobj=io.BytesIO(gzip.decompress(made[0]))) as archive:
                seen = [(m.name, oct(m.mode), m.mtime, m.uid, m.uname) for m in archive]
            self.assertEqual(seen, [("top", "0o755", 1000, 0, "root"), ("top/bin", "0o755", 1000, 0, "root"),
                                    ("top/bin/x", "0o755", 1000, 0, "root")])

    def test_a_folder_is_written_once_with_its_own_mode_and_owner(self):
        out = io.BytesIO()
        tar = Tar(out, 0)
        tar.folder("var/lib/ibid", 0o700, 7319)
        tar.file("var/lib/ibid/x", b"", owner=7319)
        tar.close()
        out.seek(0)
        with tarfile.open(fileobj=out) as archive:
            self.assertEqual([(m.name, m.mode, m.uid) for m in archive][2:],
                             [("var/lib/ibid", 0o700, 7319), ("var/lib/ibid/x", 0o644, 7319)])

    def test_a_wheel_lists_its_files_and_keeps_the_right_to_run(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.whl"
            made = wheel.Wheel(path, "a.dist-info", 1_000_000_000, 9)
            made.add("a.data/scripts/a", b"\x7fELF", executable=True)
            made.close()
            with zipfile.ZipFile(path) as archive:
                self.assertEqual(archive.read("a.dist-info/RECORD").decode().splitlines()[-1], "a.dist-info/RECORD,,")
                self.assertEqual(archive.getinfo("a.data/scripts/a").external_attr >> 16 & 0o777, 0o755)
                self.assertEqual(archive.getinfo("a.data/scripts/a").date_time, (2001, 9, 9, 1, 46, 40))


if __name__ == "__main__":
    unittest.main()
