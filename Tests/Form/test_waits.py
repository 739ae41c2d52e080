"""A wait of a Swift test has a bound. Without it the test would hang in place of failing."""

import re

from files import files

# The body of a loop that waits for another thread.
YIELD = re.compile(r"\b(?:SystemThread\.yield|sched_yield)\(\)")
# The bounds of such a loop: a deadline, a flag that the test sets at its end.
BOUND = re.compile(r"\bnow < end\b|\bstop\.load\(|\bfor \w+ in\b")
SUPPORT = "Tests/StoreTestSupport/"


def unbounded(texts):
    """Yields the loops of the tests that wait without a bound, a line each."""
    for name, text in texts:
        lines = text.splitlines()
        for number, line in enumerate(lines):
            if not YIELD.search(line):
                continue
            loops = [other for other in lines[: number + 1] if re.search(r"\b(?:while|for|repeat)\b", other)]
            if not loops or not BOUND.search(loops[-1]):
                yield f"{name}:{number + 1}: {line.strip()}"


def test_no_swift_test_waits_without_a_bound():
    texts = [
        (name, text)
        for name, text in files(".swift")
        if name.startswith("Tests/") and not name.startswith((SUPPORT, "Tests/BlackBox/"))
    ]
    assert len(texts) > 100
    hint = "wait(_:until:) of Tests/StoreTestSupport has a bound, and fails in words"
    lines = list(unbounded(texts))
    assert not lines, "\n".join(["", *lines, hint])


def test_a_wait_without_a_bound_is_found():
    line = "        while pool.counts.idle == 0 { SystemThread.yield() }\n"
    loop = "while !isDone {\n    isDone = next()\n    SystemThread.yield()\n}\n"
    assert list(unbounded([("A.swift", line)])) == [f"A.swift:1: {line.strip()}"]
    assert list(unbounded([("A.swift", loop)])) == ["A.swift:3: SystemThread.yield()"]
    assert list(unbounded([("A.swift", line.replace("== 0 {", "== 0, .now < end {"))])) == []
