"""A wait of a Swift test has a bound: one without would hang in place of failing."""

import re

from files import files

# A loop that gives way until another thread has done something.
BARE = re.compile(r"^ *while (.*) \{ *((?:SystemThread\.giveWay|sched_yield|Task\.yield)\(\)) *\}$", re.M)
BOUND = re.compile(r"\bnow < end\b|isCancelled")


def unbounded(texts):
    """The loops of the tests that wait without a bound, a line each."""
    for name, text in texts:
        for found in BARE.finditer(text):
            if not BOUND.search(found[1]):
                yield f"{name}: {found[0].strip()}"


def test_no_swift_test_waits_without_a_bound():
    texts = [(name, text) for name, text in files(".swift") if name.startswith("Tests/")]
    assert len(texts) > 100
    hint = "wait(_:until:) of Tests/StoreTestSupport has a bound, and fails in words"
    lines = list(unbounded(texts))
    assert not lines, "\n".join(["", *lines, hint])


def test_a_wait_without_a_bound_is_found():
    text = "        while pool.counts.idle == 0 { SystemThread.giveWay() }\n"
    assert list(unbounded([("A.swift", text)])) == [f"A.swift: {text.strip()}"]
    assert list(unbounded([("A.swift", text.replace("== 0 {", "== 0, .now < end {"))])) == []
