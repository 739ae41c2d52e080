#!/usr/bin/env python3
"""Counts what the comments of Swift files and the documents should be rid of: words that make persons
of things, and comments wider than 100 columns.

    Tests/Form/words.py             lists every place
    Tests/Form/words.py --record    writes the counts of today into words.json

words.json has a count for each folder, and a count may only become smaller. `--record` writes it after
some places were mended, or after files moved from one folder to another; it refuses when there are more
places than before, all folders together.
"""

import collections
import json
import re
import sys

from files import ROOT, files, prose

COUNTS = ROOT / "Tests" / "Form" / "words.json"
COLUMNS_MAX = 100

# What is looked for, and what to write in its place.
INSTEAD = {
    r"who(m)?ever": "name what acts: the client, the reader, the caller, the operator",
    r"(no|some|any|every)body": "name what acts: no client, a subscriber, every thread",
    r"(is|are|be|was|were|gets?) told(?! apart)|told of": "say what happens: gets the event, is called with, is listed",
    r"hears?|heard": "say what happens: receives, gets, is called with",
    r"wants? to": "say what happens: is about to, has to, asks for",
}
WORDS = re.compile("|".join(rf"\b(?:{words})\b" for words in INSTEAD), re.I)
COMMENT = re.compile(r"(?:^|\s)(//.*)$")


def folder(name):
    """Where a file is counted: a target, a folder of the documents, or the root."""
    parts = name.split("/")
    deep = {"Sources": 2, "Tests": 2, "examples": 2, "docs": len(parts) - 1}.get(parts[0], 1)
    return "/".join(parts[:deep]) if len(parts) > 1 else "."


def found_in(name, text):
    """Every place in one file: (kind, line, what is wrong there)."""
    is_swift = name.endswith(".swift")
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
    """Every place of the repository: (folder, kind, a line that shows it)."""
    for name, text in files(".swift", ".md"):
        for kind, number, wrong in found_in(name, text):
            yield folder(name), kind, f"{name}:{number}: {wrong}"


def count(found):
    """How many places each folder has of each kind."""
    counts = collections.defaultdict(lambda: {"wide": 0, "words": 0})
    for where, kind, _ in found:
        counts[where][kind] += 1
    return {where: counts[where] for where in sorted(counts)}


def recorded():
    return json.loads(COUNTS.read_text())


def excess(found, bounds):
    """What is more than recorded: a line for each such folder, and the places in it."""
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
        for kind in ("wide", "words"):
            now = sum(kinds[kind] for kinds in counts.values())
            before = sum(kinds[kind] for kinds in bounds.values()) if bounds is not None else now
            if now > before:
                print(f"words: {now} places of '{kind}', and {before} are recorded: mend them first", file=sys.stderr)
                return 1
        rows = [f"    {json.dumps(where)}: {json.dumps(kinds)}" for where, kinds in counts.items()]
        COUNTS.write_text("{\n" + ",\n".join(rows) + "\n}\n")
        return 0
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    print("\n".join(line for _, _, line in found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
