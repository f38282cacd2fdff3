"""Lines as the runners really print them, and what they count for."""

import unittest

from count_tests import count


class Count(unittest.TestCase):
    def test_nextest(self):
        self.assertEqual(count("     Summary [   0.106s] 97 tests run: 97 passed, 0 skipped\n"), (97, 0))
        self.assertEqual(count("     Summary [   0.006s] 1 test run: 1 passed, 3 skipped\n"), (1, 0))
        self.assertEqual(
            count(" Summary [  61.2s] 7/9 tests run: 3 passed (1 slow, 1 flaky), 2 failed (1 due to being leaky), "
                  "1 exec failed, 1 timed out, 1 skipped"),
            (3, 4),
        )

    def test_cargo_test_sums_over_binaries(self):
        line = "test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s\n"
        bad = "test result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n"
        self.assertEqual(count(line + line + bad), (12, 3))

    def test_nextest_and_doc_tests_in_one_log(self):
        log = " Summary [ 1s] 4 tests run: 4 passed, 0 skipped\nrunning 2 tests\ntest result: ok. 2 passed; 0 failed; 0 ignored\n"
        self.assertEqual(count(log), (6, 0))

    def test_vitest(self):
        log = " Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 2 passed | 1 skipped (4)\n   Duration  0.9s\n"
        self.assertEqual(count(log), (2, 1))
        self.assertEqual(count("      Tests  3 passed (3)\n"), (3, 0))
        self.assertEqual(count("      Tests  no tests\n"), (0, 0))

    def test_vitest_in_colour(self):
        self.assertEqual(count("\x1b[2m      Tests \x1b[22m \x1b[1m\x1b[32m3 passed\x1b[39m\x1b[22m\x1b[90m (3)\x1b[39m\n"), (3, 0))

    def test_playwright(self):
        self.assertEqual(count("  2 passed (4s)\n"), (2, 0))
        log = "  1 failed\n    [chromium] > a.spec.ts:3:1 > opens\n  1 flaky\n    x\n  2 skipped\n  1 did not run\n  3 passed (12.4s)\n"
        self.assertEqual(count(log), (4, 2))

    def test_unittest(self):
        self.assertEqual(count("....\nRan 4 tests in 0.001s\n\nOK\n"), (4, 0))
        self.assertEqual(count("Ran 4 tests in 0.001s\n\nFAILED (failures=1, errors=1)\n"), (2, 2))

    def test_other_lines_do_not_count(self):
        self.assertEqual(count("all 3 passed the gate\nTests are good\n12 passed over\n"), (0, 0))


if __name__ == "__main__":
    unittest.main()
