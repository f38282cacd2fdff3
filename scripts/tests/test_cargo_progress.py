import io
import unittest

import cargo_progress


def package(name, *kinds):
    return {"id": name, "name": name, "targets": [{"kind": [kind], "name": name} for kind in kinds]}


class Counting(unittest.TestCase):
    def test_only_what_the_program_needs_is_counted(self):
        packages = [package("ibid", "bin"), package("a", "lib", "custom-build"), package("b", "proc-macro"), package("t", "lib")]
        edge = lambda name, kind: {"pkg": name, "dep_kinds": [{"kind": kind}]}  # noqa: E731
        resolve = {
            "nodes": [
                {"id": "ibid", "deps": [edge("a", None), edge("t", "dev")]},
                {"id": "a", "deps": [edge("b", "build")]},
                {"id": "b", "deps": []},
                {"id": "t", "deps": []},
            ]
        }
        wanted = cargo_progress.reachable(resolve, "ibid")
        self.assertEqual(wanted, {"ibid", "a", "b"})
        self.assertEqual(cargo_progress.count_units(packages, wanted), 4)


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Showing(unittest.TestCase):
    def test_a_log_gets_a_line_for_every_tenth(self):
        out = io.StringIO()
        progress = cargo_progress.Progress(50, out, clock=lambda: 61.0)
        for number in range(50):
            progress.step(f"crate{number}")
        progress.end()
        lines = out.getvalue().splitlines()
        self.assertEqual(len(lines), 9)
        self.assertEqual(lines[0], "rust     10 %, 5 of about 50 crates, 0:00")

    def test_a_terminal_has_one_line_that_is_cleared(self):
        out = Terminal()
        progress = cargo_progress.Progress(2, out, clock=lambda: 0.0)
        progress.step("serde")
        progress.end()
        self.assertNotIn("\n", out.getvalue())
        self.assertTrue(out.getvalue().endswith("\r\x1b[2K"))


if __name__ == "__main__":
    unittest.main()
