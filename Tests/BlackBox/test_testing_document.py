"""docs/TESTING.md: its tests build in another package, and end as described."""

import re

import pytest
from harness import ROOT
from programs import run_tests

DOCUMENT = (ROOT / "docs" / "TESTING.md").read_text()
BLOCK = re.compile(r"(<!-- fails -->\n)?^```(swift|text)\n(.*?)^```", re.S | re.M)
TEST = re.compile(r"@Test func `(.*?)`")


@pytest.fixture(scope="module")
def printed():
    source = "\n".join(code for _, kind, code in BLOCK.findall(DOCUMENT) if kind == "swift")
    return run_tests("TestingDocument", source)


def unmarked(text):
    """Returns lines without the marks and the indentation that the test runner puts before them."""
    return [re.sub(r"^(↳ )?\s*", "", line).rstrip() for line in text.splitlines()]


@pytest.mark.ci
def test_every_test_of_the_document_passes_or_fails_as_marked(printed):
    tests = {
        name: bool(fails)
        for fails, kind, code in BLOCK.findall(DOCUMENT)
        for name in TEST.findall(code)
    }
    assert sum(tests.values()) >= 2 and len(tests) >= 8
    verdicts = re.findall(r'^(✔|✘) Test "(.*?)" (?:passed|failed) after', printed, re.M)
    assert {name: mark == "✘" for mark, name in verdicts} == tests, printed


def test_failures_look_as_the_document_shows_them(printed):
    blocks = BLOCK.findall(DOCUMENT)
    shown = [code for _, kind, code in blocks if kind == "text"]
    assert len(shown) == sum(bool(fails) for fails, _, _ in blocks)
    lines = "\n".join(unmarked(printed))
    for text in shown:
        assert "\n".join(unmarked(text)) in lines, printed


def test_the_suite_of_the_document_misses_no_action(printed):
    assert "Actions without a test" not in printed
