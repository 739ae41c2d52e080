"""docs/GLOSSARY.md: one word, one meaning, and every type that it names is there."""

import re

from files import ROOT, files

TEXT = (ROOT / "docs" / "GLOSSARY.md").read_text()
WORDS, _, OTHERS = TEXT.partition("\n## Words of the originals")
TYPE = re.compile(r"^[^/\n]*?\b(?:actor|class|enum|protocol|struct|typealias) (\w+)", re.M)


def rows(text):
    """The cells of each row of the tables of words."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and cells[0] not in ("word", "---"):
            yield cells


def declared():
    names = set()
    for name, text in files(".swift"):
        if name.startswith("Sources/"):
            names.update(TYPE.findall(text))
    return names


def missing(text, types):
    """What the tables name and is not there, a line each."""
    for word, meaning, _, code in rows(text):
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
    """The same for the table of words that mean something else here, whose last column is prose."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        for name in re.findall(r"`([A-Z]\w+)(?:\.[^`]*)?`", cells[-1] if len(cells) == 3 else ""):
            if name not in types:
                yield f"docs/GLOSSARY.md: '{cells[0]}' names the type {name}, which is not in Sources/"


def test_every_type_of_the_glossary_is_there():
    types = declared()
    lines = [*missing(WORDS, types), *missing_elsewhere(OTHERS, types)]
    assert not lines, "\n" + "\n".join(lines)


def test_no_word_has_two_meanings():
    words = [row[0] for row in rows(WORDS)]
    assert len(words) >= 60 and len(words) == len(set(words))


def test_a_type_that_is_gone_is_found():
    [line] = missing("| cat | An animal. | | `Gone` |", {"Cat"})
    assert "'cat' names the type Gone" in line
    [line] = missing_elsewhere("| dog | an animal | a `Cat`, by `Gone.made(of:)` |", {"Cat"})
    assert "'dog' names the type Gone" in line
