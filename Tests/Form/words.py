#!/usr/bin/env python3
"""Counts places in the comments of Swift files and in the documents that break the rules of plain words
in CONTRIBUTING.md.

    words     a word that makes a person of a thing
    wide      a comment wider than 100 columns
    where     a sentence of a comment with "where": "if" for a condition, "when" for a time
    nil       a sentence of a comment with "`nil` where"
    opening   a sentence of a comment that opens with a clause or a pronoun in place of a noun
    long      a sentence of a comment with more than 25 words

    Tests/Form/words.py [FOLDER]    lists every place, or those of one folder
    Tests/Form/words.py --summary   prints the counts, and their share of the sentences in Sources
    Tests/Form/words.py --record    writes the counts of today into words.json

words.json has a count for each folder, and a count may only become smaller. Use `--record` after you have
mended places, or moved files from one folder to another. It refuses if all folders together have more
places than before.
"""

import collections
import json
import re
import sys

from files import ROOT, files, prose

COUNTS = ROOT / "Tests" / "Form" / "words.json"
COLUMNS_MAX = 100

# The words to find, and the words to write in their place.
INSTEAD = {
    r"who(m)?ever": "name what acts: the client, the reader, the caller, the operator",
    r"(no|some|any|every)body": "name what acts: no client, a subscriber, every thread",
    r"(is|are|be|was|were|gets?) told(?! apart)|told of": "say what happens: gets the event, is called with, is listed",
    r"hears?|heard": "say what happens: receives, gets, is called with",
    r"wants? to": "say what happens: is about to, has to, asks for",
}
WORDS = re.compile("|".join(rf"\b(?:{words})\b" for words in INSTEAD), re.I)
COMMENT = re.compile(r"(?:^|\s)(//.*)$")

KINDS = ("words", "wide", "where", "nil", "opening", "long")
WORDS_MAX = 25
LINE_OF_COMMENT = re.compile(r"^\s*///? ?(.*)$")
# A list item of a comment, with its label, such as a parameter's name.
ITEM = re.compile(r"^\s*[-*] (?:(?:Parameters?|Returns|Throws|Note|Important|Warning)\b[^:]*:|[`\w]+:)?")
SENTENCE_END = re.compile(r"(?<=[.?!])\s+(?=[A-Z`\"(])")
OPENINGS = {"what", "whether", "how", "which", "why", "who", "whose", "where", "those", "that", "one", "it"}
CLAUSE_WORDS = re.compile(r"[a-z]+", re.I)


def folder(name):
    """Returns the folder for which a file is counted: a target, a folder of the documents, or the root."""
    parts = name.split("/")
    deep = {"Sources": 2, "Tests": 2, "examples": 2, "docs": len(parts) - 1}.get(parts[0], 1)
    return "/".join(parts[:deep]) if len(parts) > 1 else "."


def sentences(text):
    """Yields the sentences of a Swift file's comments, each with the first line of its paragraph."""
    paragraph, begin, is_code = [], 0, False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        comment = LINE_OF_COMMENT.match(line)
        content = comment[1].strip() if comment else ""
        if content.startswith("```"):
            is_code = not is_code
            content = ""
        if not comment:
            is_code = False
        item = ITEM.match(comment[1]) if comment else None
        if paragraph and (not content or is_code or item):
            for sentence in SENTENCE_END.split(" ".join(paragraph)):
                yield begin, sentence
            paragraph = []
        if not content or is_code or content.startswith(("swift-format-", "MARK:")):
            continue
        if not paragraph:
            begin = number
        paragraph.append(ITEM.sub("", comment[1]).strip() if item else content)


def wrong_with(sentence):
    """Yields the rules that a sentence breaks: (kind, fault)."""
    plain = re.sub(r"`[^`]*`", "`", sentence)
    shown = sentence if len(sentence) < 90 else sentence[:87] + "..."
    if re.search(r"\bwhere\b", plain, re.I):
        yield "where", f"'where': {shown}"
    if re.search(r"`nil`,? where", sentence):
        yield "nil", f"'`nil` where': {shown}"
    first = CLAUSE_WORDS.match(sentence)
    if first and first[0].lower() in OPENINGS:
        yield "opening", f"opens with '{first[0]}': {shown}"
    if len(sentence.split()) > WORDS_MAX:
        yield "long", f"{len(sentence.split())} words: {shown}"


def found_in(name, text):
    """Yields every place in one file: (kind, line, fault)."""
    is_swift = name.endswith(".swift")
    if is_swift and name.startswith("Sources/"):
        for number, sentence in sentences(text):
            for kind, wrong in wrong_with(sentence):
                yield kind, number, wrong
    for number, line in enumerate(text.splitlines() if is_swift else prose(text), 1):
        if is_swift:
            comment = COMMENT.search(line)
            if not comment:
                continue
            if len(line) > COLUMNS_MAX:
                yield "wide", number, f"is {len(line)} columns wide; {COLUMNS_MAX} are allowed"
            line = comment[1]
        for word in WORDS.finditer(line):
            hint = next(h for w, h in INSTEAD.items() if re.fullmatch(w, word[0], re.I))
            yield "words", number, f"'{word[0]}': {hint}"


def places():
    """Yields every place of the repository: (folder, kind, a line that shows it)."""
    for name, text in files(".swift", ".md"):
        for kind, number, wrong in found_in(name, text):
            yield folder(name), kind, f"{name}:{number}: {wrong}"


def count(found):
    """Returns the number of places of each folder and kind."""
    counts = collections.defaultdict(lambda: dict.fromkeys(KINDS, 0))
    for where, kind, _ in found:
        counts[where][kind] += 1
    return {where: counts[where] for where in sorted(counts)}


def recorded():
    return json.loads(COUNTS.read_text())


def excess(found, bounds):
    """Returns the excess over the recorded counts: a line for each such folder, and the places in it."""
    lines = []
    for where, kinds in count(found).items():
        for kind, number in kinds.items():
            bound = bounds.get(where, {}).get(kind, 0)
            if number > bound:
                lines.append(f"{where} has {number} of '{kind}', and {bound} are recorded; mend {number - bound}:")
                lines += [f"    {line}" for w, k, line in found if (w, k) == (where, kind)]
    return lines


def main(arguments):
    found = list(places())
    if arguments == ["--record"]:
        counts, bounds = count(found), recorded() if COUNTS.exists() else None
        for kind in KINDS:
            now = sum(kinds[kind] for kinds in counts.values())
            before = sum(kinds.get(kind, 0) for kinds in bounds.values()) if bounds is not None else now
            if now > before:
                print(f"words: {now} places of '{kind}', and {before} are recorded: mend them first", file=sys.stderr)
                return 1
        rows = [f"    {json.dumps(where)}: {json.dumps(kinds)}" for where, kinds in counts.items()]
        COUNTS.write_text("{\n" + ",\n".join(rows) + "\n}\n")
        return 0
    if arguments == ["--summary"]:
        total = sum(1 for name, text in files(".swift") if name.startswith("Sources/") for _ in sentences(text))
        for kind in KINDS:
            number = sum(1 for _, k, _ in found if k == kind)
            print(f"{number:6} {kind:8} {100 * number / total:5.1f} %")
        print(f"{total:6} sentences in the comments of Sources")
        return 0
    if len(arguments) > 1 or arguments[:1] and arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    print("\n".join(f"{kind:8} {line}" for _, kind, line in found if not arguments or line.startswith(arguments[0])))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
