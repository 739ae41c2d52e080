"""Links of documents: links within the repository lead to a file, and to a heading of it."""

import os
import re

from files import ROOT, files, prose

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$")
FENCE = re.compile(r"^ *```.*?^ *```", re.S | re.M)


def anchor(heading):
    """GitHub's name for a heading."""
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower().replace("`", ""))
    return kept.replace(" ", "-")


def anchors(text):
    """Returns the names of all headings of a document."""
    lines = FENCE.sub("", text).splitlines()
    return {anchor(match[1]) for line in lines if (match := HEADING.match(line))}


def dead(name, text):
    """Yields the broken links of a document, a line each."""
    base = (ROOT / name).parent
    for number, line in enumerate(prose(text), 1):
        for target in LINK.findall(line):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, heading = target.partition("#")
            file = (base / path) if path else ROOT / name
            if not file.exists():
                yield f"{name}:{number}: there is no {path}: {advice(name, file.name)}"
            elif heading and file.suffix == ".md":
                there = text if not path else file.read_text()
                if heading not in anchors(there):
                    yield f"{name}:{number}: {path or name} has no heading '#{heading}'"


def advice(name, file):
    """Returns a hint for a link to a missing file: the place to which the file may have moved."""
    base = (ROOT / name).parent
    found = [path for path, _ in files(".swift", ".md", ".py") if path.endswith("/" + file)]
    places = " or ".join(os.path.relpath(ROOT / path, base) for path in found)
    return f"the file is now {places}" if places else "link what does that now, or remove the line"


def all_dead():
    return [line for name, text in files(".md") if ".docc/" not in name for line in dead(name, text)]
