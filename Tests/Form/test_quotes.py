"""docs/FROM_THE_ORIGINALS.md: its code is quoted from files that the build and the tests compile."""

import re

import pytest
from files import ROOT

GUIDE = (ROOT / "docs" / "FROM_THE_ORIGINALS.md").read_text()
QUOTE = re.compile(r"^<!-- from (\S+) -->\n```swift\n(.*?)^```", re.S | re.M)


def contains(text, quote):
    """Returns true if the lines of a quote follow one another in a text, with any indentation."""
    text, quote = ([line.strip() for line in each.splitlines()] for each in (text, quote))
    return any(text[at : at + len(quote)] == quote for at in range(len(text)))


@pytest.mark.parametrize("name, quote", QUOTE.findall(GUIDE))
def test_the_code_is_quoted_from_its_file(name, quote):
    assert contains((ROOT / name).read_text(), quote), f"{name} does not have these lines:\n{quote}"


def test_each_block_names_its_file():
    assert len(QUOTE.findall(GUIDE)) == GUIDE.count("```swift")


def test_a_changed_line_is_found():
    assert contains("a\n  b\nc", "b\nc") and not contains("a\nb\n\nc", "b\nc")
