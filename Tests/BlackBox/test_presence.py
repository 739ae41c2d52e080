"""Views that say when they are shown, with slices that come and go (docs/PROTOCOL.md, 13.3)."""

import contextlib

import pytest
from harness import Server, Stream, action, until
from programs import build_sample


@pytest.fixture(scope="module")
def program():
    return build_sample("Shown")


@pytest.fixture
def shown(program):
    with Server("--debug-routes", program=program) as server:
        yield server


def viewers(server, slice_):
    answer = server.get(f"/modules/{slice_}")
    return answer.json["viewers"] if answer.status == 200 else None


@contextlib.contextmanager
def view(server, slice_):
    stream = Stream(server, f"/modules/{slice_}/events")
    try:
        yield stream
    finally:
        stream.close()


def counts(server, slice_, count):
    until(lambda: viewers(server, slice_) == count, f"{slice_} has {count} viewers")


@pytest.mark.parametrize("slice_", ["page", "cards/a", "own"])
def test_b17_a_view_that_is_open_before_its_module_starts_appears_when_it_does(shown, slice_):
    with view(shown, slice_):
        shown.post(action(f"{slice_}/start"))
        counts(shown, slice_, 1)
    counts(shown, slice_, 0)


@pytest.mark.parametrize("slice_", ["page", "cards/a", "own"])
def test_b17_stop_and_start_while_a_view_is_open_count_it_once(shown, slice_):
    shown.post(action(f"{slice_}/start"))
    with view(shown, slice_):
        counts(shown, slice_, 1)
        for _ in range(2):
            shown.post(action(f"{slice_}/stop"))
            shown.post(action(f"{slice_}/start"))
            counts(shown, slice_, 1)
        with view(shown, slice_):
            # A session is counted once.
            assert viewers(shown, slice_) == 1
    counts(shown, slice_, 0)


def test_b17_a_view_that_is_open_while_its_module_is_stopped_is_not_counted_after_its_end(shown):
    shown.post(action("page/start"))
    with view(shown, "page"):
        counts(shown, "page", 1)
        shown.post(action("page/stop"))
    until(lambda: not shown.get("/debug/subscriptions").json["streams"], "the stream has ended")
    shown.post(action("page/start"))
    with view(shown, "page"):
        counts(shown, "page", 1)
    counts(shown, "page", 0)
    types = [each["type"] for each in shown.actions() if each["type"].startswith("page/")]
    assert types == [
        "page/start", "page/appeared", "page/stop", "page/start", "page/appeared", "page/disappeared",
    ]
