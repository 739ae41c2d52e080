"""Every link of a document within the repository leads somewhere."""

import pytest
from links import all_dead, anchor, dead


def test_every_link_of_every_document_leads_somewhere():
    lines = all_dead()
    assert not lines, "\n" + "\n".join(lines)


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("[a](docs/GONE.md)", "there is no docs/GONE.md"),
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
