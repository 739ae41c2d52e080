"""Every link of a document within the repository leads somewhere."""

import re

import pytest
from files import ROOT
from links import LINK, all_dead, anchor, dead

ARCHITECTURE = (ROOT / "docs" / "ARCHITECTURE.md").read_text()


def test_every_link_of_every_document_leads_somewhere():
    lines = all_dead()
    assert not lines, "\n" + "\n".join(lines)


@pytest.mark.parametrize("way", ["A dispatch", "A subscription", "An effect", "A start"])
def test_each_step_of_the_four_ways_names_a_file_of_the_sources(way):
    section = ARCHITECTURE.partition(f"\n### {way}\n")[2].partition("\n#")[0]
    steps = re.findall(r"^\d+\. (.*)", section, re.M)
    assert len(steps) >= 5, f"docs/ARCHITECTURE.md: '{way}' has {len(steps)} steps"
    for step in steps:
        target = LINK.search(step)
        assert target and target[1].startswith("../Sources/"), (
            f"docs/ARCHITECTURE.md, '{way}': begin this step with a link to the file: {step}"
        )


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("[a](docs/GONE.md)", "there is no docs/GONE.md: link what does that now"),
        ("[a](docs/words.py)", "there is no docs/words.py: the file is now Tests/Form/words.py"),
        ("[a](docs/HISTORY.md#gone)", "has no heading '#gone'"),
        ("[a](#gone)", "has no heading '#gone'"),
    ],
)
def test_a_link_that_leads_nowhere_is_found(text, complaint):
    assert [complaint in line for line in dead("README.md", text)] == [True]


def test_links_that_lead_somewhere_and_links_elsewhere_are_passed():
    text = "# A heading\n[a](#a-heading) [b](docs) [c](https://example.org/gone) `[d](gone)`"
    assert list(dead("README.md", text)) == []
    assert anchor("What the HTTP library decides itself, `too`") == "what-the-http-library-decides-itself-too"
