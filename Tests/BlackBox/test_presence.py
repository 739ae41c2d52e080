"""Views that report when they are shown, with slices that start and stop (docs/PROTOCOL.md, 13.3)."""

import contextlib
import signal

import pytest
from harness import NotStarted, Server, Stream, action, until
from programs import build_sample
from test_sessions import Client


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
def view(server, slice_, headers=None):
    stream = Stream(server, f"/modules/{slice_}/events", headers=(headers or {}).items())
    try:
        yield stream.opened()
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



@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("slice_", ["page", "cards/a", "own"])
def test_b17_a_server_that_starts_again_ends_the_views_that_were_open(program, tmp_path, slice_, end):
    server = Server("--debug-routes", data=tmp_path, program=program)
    server.post(action(f"{slice_}/start"))
    with view(server, slice_):
        counts(server, slice_, 1)
        server.stop(end)
    with Server("--debug-routes", data=tmp_path, program=program) as server:
        counts(server, slice_, 0)
        with view(server, slice_):
            counts(server, slice_, 1)
            assert presence(server) == {"shared": [slice_]}
        counts(server, slice_, 0)
        assert presence(server) == {"shared": []}


def test_b17_a_view_of_a_slice_that_was_stopped_is_not_ended_at_the_next_start(program, tmp_path):
    server = Server("--debug-routes", data=tmp_path, program=program)
    server.post(action("page/start"))
    with view(server, "page"):
        counts(server, "page", 1)
        # The stop and the start are in one array, so that the view's action waits after both.
        server.post([action("page/stop"), action("page/start")])
        counts(server, "page", 1)
        server.post(action("page/stop"))
        server.stop(signal.SIGKILL)
    with Server("--debug-routes", data=tmp_path, program=program) as server:
        server.post(action("page/start"))
        assert viewers(server, "page") == 0
        assert presence(server) == {"shared": []}


def test_b17_a_reader_that_comes_back_gets_the_end_of_a_view(shown):
    shown.post(action("page/start"))
    with view(shown, "page"):
        counts(shown, "page", 1)
        with Stream(shown, "/modules/presence/events").opened() as stream:
            event = stream.event()
            assert event.json == {"shared": ["page"]}
    counts(shown, "page", 0)
    with Stream(shown, "/modules/presence/events", last=event.id).opened() as stream:
        assert stream.event().json == {"shared": []}


def test_b17_a_dry_run_of_a_view_shows_its_entry_in_presence(shown):
    shown.post(action("page/start"))
    dry = shown.send("/modules/page/ui?dry-run=true", action("appeared")).json
    assert {"op": "add", "path": "/presence/shared", "value": ["page"]} in dry["patch"]


def test_b17_a_view_of_a_session_that_ends_is_counted_no_more(shown):
    shown.post(action("page/start"))
    client = Client(shown).begin()
    with view(shown, "page", client.headers), view(shown, "page"):
        counts(shown, "page", 2)
        assert presence(shown, client.headers) == {client.name: ["page"]}
        client.end()
        counts(shown, "page", 1)
    counts(shown, "page", 0)


def test_b17_a_view_reports_by_turns(shown):
    shown.post(action("page/start"))
    hidden = shown.send("/modules/page/ui", action("disappeared")).problem("refused", 409)
    assert "This session does not show 'page'." in hidden["detail"]
    with view(shown, "page"):
        counts(shown, "page", 1)
        again = shown.send("/modules/page/ui", action("appeared")).problem("refused", 409)
        assert "This session shows 'page' already." in again["detail"]
    counts(shown, "page", 0)


def test_b17_a_program_with_a_reporting_view_and_without_presence_is_refused(tmp_path):
    """A program with a module whose view reports both changes, in a state without `Presence`."""
    with pytest.raises(NotStarted, match=r"add `var presence = Presence.State\(\)`"):
        Server(program=build_sample("Unkept"))


def presence(server, headers=None):
    return server.get("/modules/presence", headers or {}).json


def test_b17_a_start_for_other_recipients_begins_a_view_all_the_same(shown):
    start = {**action("cards/a/start"), "recipients": "emitter", "emitter": "Nobody"}
    shown.post(start)
    with view(shown, "cards/a"):
        counts(shown, "cards/a", 1)
    counts(shown, "cards/a", 0)
