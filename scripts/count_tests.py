"""Counts the tests in what test runners printed: `count_tests.py FILE` prints how many passed and how many failed."""

import re
import sys

COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
NEXTEST = re.compile(r"^\s*Summary \[.*?\]\s+(?:\d+/)?\d+ tests? run: (.*)$")
CARGO = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed;")
VITEST = re.compile(r"^\s*Tests\s+(.*\d.*?)(?:\(\d+\))?\s*$")
PLAYWRIGHT = re.compile(r"^\s*(\d+) (passed|failed|flaky|interrupted|did not run)(?: \([^)]*\))?\s*$")
UNITTEST = re.compile(r"^Ran (\d+) tests? in ")
UNITTEST_FAILED = re.compile(r"^FAILED \((.*)\)$")

PASSED = {"passed", "flaky"}  # flaky: failed at first, passed on another try
IGNORED = {"skipped", "todo"}


def outcomes(text):
    """(passed, failed) of a list such as `2 passed (1 slow), 1 timed out, 3 skipped`."""
    passed = failed = 0
    for count, outcome in re.findall(r"(\d+) ([a-z][a-z ]*[a-z])", re.sub(r"\([^)]*\)", "", text)):
        if outcome in PASSED:
            passed += int(count)
        elif outcome not in IGNORED:
            failed += int(count)
    return passed, failed


def count(text):
    passed = failed = 0
    for line in COLOUR.sub("", text).splitlines():
        if match := NEXTEST.match(line) or VITEST.match(line):
            found = outcomes(match[1])
        elif match := CARGO.match(line):
            found = int(match[1]), int(match[2])
        elif match := PLAYWRIGHT.match(line):
            found = outcomes(f"{match[1]} {match[2]}")
        elif match := UNITTEST.match(line):
            found = int(match[1]), 0
        elif match := UNITTEST_FAILED.match(line):
            broken = sum(int(n) for n in re.findall(r"(?:failures|errors)=(\d+)", match[1]))
            found = -broken, broken
        else:
            continue
        passed += found[0]
        failed += found[1]
    return passed, failed


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8", errors="replace") as file:
        print(*count(file.read()))
