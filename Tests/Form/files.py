"""The files of this repository that the checks of form read."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILT = {".build", ".git", ".venv", ".pytest_cache", "__pycache__", "build"}
FENCE = re.compile(r"^ *```.*?^ *```", re.S | re.M)
INLINE = re.compile(r"`+[^`\n]+`+")


def files(*endings):
    """Yields every file with this end of its name, by its path from the root, without built files."""
    for path in sorted(ROOT.rglob("*")):
        name = path.relative_to(ROOT)
        if path.suffix in endings and not BUILT.intersection(name.parts) and path.is_file():
            yield name.as_posix(), path.read_text()


def prose(text):
    """Returns a document's lines, with code emptied so that the numbers stay."""
    text = FENCE.sub(lambda block: "\n" * block.group().count("\n"), text)
    return [INLINE.sub("", line) for line in text.splitlines()]
