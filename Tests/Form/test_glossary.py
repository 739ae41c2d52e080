"""docs/GLOSSARY.md and docs/ORIGINALS.md: each word has one meaning, and each type in the tables exists."""

import re

from files import ROOT, files

WORDS = (ROOT / "docs" / "GLOSSARY.md").read_text()
ORIGINALS = (ROOT / "docs" / "ORIGINALS.md").read_text()
TYPE = re.compile(r"^[^/\n]*?\b(?:actor|class|enum|protocol|struct|typealias) (\w+)", re.M)


def rows(text, width=3):
    """Yields the cells of each row of the tables with `width` columns."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == width and cells[0] not in ("word", "here", "---"):
            yield cells


def declared():
    names = set()
    for name, text in files(".swift"):
        if name.startswith("Sources/"):
            names.update(TYPE.findall(text))
    return names


def missing(text, types):
    """Yields the types in the tables that do not exist, a line each."""
    for word, meaning, code in rows(text):
        if not meaning.endswith("."):
            yield f"docs/GLOSSARY.md: the meaning of '{word}' is no sentence"
        for name in re.findall(r"`(\w+)`", code):
            if name not in types:
                yield (
                    f"docs/GLOSSARY.md: '{word}' names the type {name}, which is not in Sources/:"
                    " write the name that it has now, or remove the row"
                )
        if "`" not in code:
            yield f"docs/GLOSSARY.md: '{word}' has no type"


def missing_elsewhere(text, types):
    """Yields the same for the table of words with another meaning in StoreServer, whose last column is prose."""
    for word, _, here in rows(text):
        for name in re.findall(r"`([A-Z]\w+)(?:\.[^`]*)?`", here):
            if name not in types:
                yield f"docs/ORIGINALS.md: '{word}' names the type {name}, which is not in Sources/"


def test_every_type_of_the_glossary_is_there():
    types = declared()
    lines = [*missing(WORDS, types), *missing_elsewhere(ORIGINALS, types)]
    assert not lines, "\n" + "\n".join(lines)


def test_no_word_has_two_meanings():
    words = [row[0] for row in rows(WORDS)]
    assert len(words) >= 60 and len(words) == len(set(words))


def test_every_word_that_the_originals_are_translated_to_is_in_the_glossary():
    translated = [row[0] for row in rows(ORIGINALS, 5)]
    assert len(translated) >= 50
    assert set(translated) <= {row[0] for row in rows(WORDS)}


def test_a_type_that_is_gone_is_found():
    [line] = missing("| cat | An animal. | `Gone` |", {"Cat"})
    assert "'cat' names the type Gone" in line
    [line] = missing_elsewhere("| dog | an animal | a `Cat`, by `Gone.made(of:)` |", {"Cat"})
    assert "'dog' names the type Gone" in line
