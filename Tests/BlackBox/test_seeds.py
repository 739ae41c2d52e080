"""Rows of docs/SEEDS.md that no other test covers completely."""

import re
import time

import pytest
from harness import INCREASE, ROOT, Stream, step


@pytest.mark.parametrize(
    "body, headers, slug, status",
    [
        ({"type": "StepChangeRequested", "payload": {}}, {}, "invalid-payload", 422),
        ({"type": "StepChangeRequested", "payload": {"step": "7"}}, {}, "invalid-payload", 422),
        (b'{"type":"StepChangeRequested"', {}, "malformed-json", 400),
        (step(7), {"Content-Type": "text/plain"}, "unsupported-media-type", 415),
        (b" " * (1 << 20) + b"{}", {}, "too-large", 413),
    ],
)
def test_u7_a_payload_that_does_not_fit_leaves_the_state_as_it_was(
    server, body, headers, slug, status
):
    server.post(step(7))
    assert server.state["counter"]["step"] == 7
    tag, before = server.tag, server.get("/state").body
    members = server.post(body, headers).problem(slug, status)
    if slug == "invalid-payload":
        assert "step" in members["pointer"] + members["detail"]
    assert (server.tag, server.get("/state").body) == (tag, before)


def test_u11_an_action_without_a_reducer_has_an_event_and_an_unknown_one_has_none(fresh):
    with Stream(fresh) as stream:
        first = stream.opened().event()
        fresh.post({"type": "ScreenShown", "payload": {"name": "Main"}})
        event = stream.event()
        assert event.version == first.version + 1
        assert event.json == first.json
        fresh.post({"type": "Nope"}).problem("unknown-action", 422)
        # The next event belongs to the next applied action, and no version is left out.
        fresh.post(INCREASE)
        assert stream.event().version == first.version + 2


def test_u14_the_answer_has_the_version_of_the_event(server):
    with Stream(server) as stream:
        stream.opened().event()
        answer = server.post(INCREASE)
        event = stream.event()
    assert event.version == answer.json["version"]
    assert answer["etag"] == f'"{event.id}"'


def test_u15_a_stream_begins_with_one_event_at_once(server):
    with Stream(server) as stream:
        asked = time.monotonic()
        assert stream.opened().event().version == server.version
        assert time.monotonic() - asked < 1
        assert stream.quiet(1)


# The shape of the project


def test_b42_the_library_and_the_examples_are_plain_swift():
    """The library, the store and the examples have no macros, and use reflection only in one place."""
    magic = re.compile(r"@attached|@freestanding|#externalMacro|\bMirror\(|^@[a-z]\w*Members", re.M)
    files = [
        file
        for folder in ("Sources", "examples")
        for file in (ROOT / folder).rglob("*.swift")
        if ".build" not in file.parts
    ]
    assert len(files) > 100
    # Only the start uses reflection, to find members that would be lost. The two other files define how debuggers
    # show a value: a secret without its text, and a table without its nodes.
    allowed = ["RootMembers.swift", "Secret.swift", "Table.swift"]
    assert sorted(file.name for file in files if magic.search(file.read_text())) == allowed
