"""Plain words: the counts of words.py only become smaller."""

import pytest
from words import excess, found_in, places, recorded


def test_no_folder_has_more_places_than_are_recorded():
    lines = excess(list(places()), recorded())
    hint = "Where files only moved from one folder to another: Tests/Form/words.py --record"
    assert not lines, "\n".join(["", *lines, hint])


@pytest.mark.parametrize(
    "name, text, kinds",
    [
        ("a.swift", "/// Whoever reads this is told.", ["words", "words"]),
        ("a.swift", 'let url = "http://nobody"', []),
        ("a.swift", "let whoever = 1", []),
        ("a.swift", "let a = 1  // nobody sees it", ["words"]),
        ("a.swift", "// " + "a" * 98, ["wide"]),
        ("a.swift", "// " + "é" * 97, []),
        ("a.swift", 'let text = "' + "a" * 98 + '"', []),
        ("a.md", "A client hears `bye`.", ["words"]),
        ("a.md", "The case `everybody`.\n```\nnobody\n```\n", []),
        ("a.md", "a" * 300, []),
        ("Sources/A/a.swift", "/// The name; `nil` where there is none.", ["where", "nil"]),
        ("Sources/A/a.swift", "/// The `where` clause.\nlet a = b // where it is", []),
        ("Sources/A/a.swift", "/// Whether it is open.\n/// - Returns: What was found.", ["opening", "opening"]),
        ("Sources/A/a.swift", "/// ```\n/// where\n/// ```\n/// The end.", []),
        ("Sources/A/a.swift", "/// " + "a " * 13 + "\n/// " + "a " * 13 + ".", ["long"]),
        ("Tests/A/a.swift", "/// Whether it is open.", []),
    ],
)
def test_each_kind_of_place_is_counted(name, text, kinds):
    assert [kind for kind, _, _ in found_in(name, text)] == kinds


def test_a_count_above_the_recorded_one_is_shown_with_its_places():
    found = [("Sources/A", "words", "Sources/A/a.swift:1: 'nobody'")]
    assert excess(found, {"Sources/A": {"words": 1}}) == []
    assert excess(found, {}) == [
        "Sources/A has 1 of 'words', and 0 are recorded; mend 1:",
        "    Sources/A/a.swift:1: 'nobody'",
    ]
