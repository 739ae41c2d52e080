"""The frames in the four walks of docs/ARCHITECTURE.md, which bench/frames/run prints from a profile, are functions of Sources."""

import functools
import re

from files import ROOT, files

FRAME = re.compile(r"\b([A-Z]\w*)\.(\w+)\b")


@functools.cache
def bodies():
    """Returns the text of all files in which a type is declared or extended, by the type's name."""
    found = {}
    for file, text in files(".swift"):
        if not file.startswith("Sources/"):
            continue
        for name in set(re.findall(r"\b(?:class|struct|enum|protocol|extension) (\w+)", text)):
            found[name] = found.get(name, "") + text
    return found


def unknown(document):
    """Returns the frames of a document's blocks of frames that no file of Sources has."""
    blocks = re.findall(r"^```frames\n(.*?)^```$", document, re.M | re.S)
    frames = {frame for block in blocks for frame in FRAME.findall(block)}
    assert blocks, "there is no block of frames"
    return sorted(
        f"{type}.{name}" for type, name in frames
        if not re.search(rf"\b(?:func|var|let|case) {name}\b", bodies().get(type, ""))
    )


def test_each_frame_of_the_walks_is_a_function_of_the_sources():
    assert unknown((ROOT / "docs" / "ARCHITECTURE.md").read_text()) == []


def test_a_frame_that_is_gone_is_found():
    assert unknown("```frames\nEngine.process → Engine.gone → Nothing.process\n```\n") == [
        "Engine.gone", "Nothing.process",
    ]
