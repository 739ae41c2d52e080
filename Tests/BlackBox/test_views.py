"""Projections of the state, as documents and as streams (protocol 6.3, 6.4, 4.5)."""

import time

import pytest
from harness import INITIAL, Server, Stream, Wire, action, read_all, step, until

ITEMS = INITIAL["todos"]["items"]
TEXTS = [item["text"] for item in ITEMS]


def complete(index):
    return action("CompleteItem", index=index)


def empty(server):
    """Removes every item of the list."""
    server.post([action("DeleteItem", index=0)] * len(server.state["todos"]["items"]))


# Documents


def test_6_3_views_are_listed_with_their_parameters(fresh):
    views = {view["name"]: view for view in fresh.get("/views").json["views"]}
    assert list(views) == ["list", "items", "greeting"]
    assert views["items"] == {
        "name": "items", "href": "/views/items", "events": "/views/items/events",
        "parameters": ["completed", "limit"],
    }
    for view in views.values():
        assert fresh.get(view["href"]).status == 200
        with Stream(fresh, view["events"]) as stream:
            assert stream.opened().answer.status == 200
    paths = fresh.get("/openapi.json").json["paths"]
    given = [each["name"] for each in paths["/views/items"]["get"]["parameters"]]
    assert given[:2] == ["completed", "limit"]


def test_t2_the_list_begins_with_four_things_to_do(fresh):
    assert fresh.get("/views/list").json == {"texts": TEXTS, "pending": 4}


def test_an_action_that_does_not_fit_leaves_the_list_as_it_is(fresh):
    assert fresh.post(complete(0)).status == 200
    assert fresh.get("/views/list").json["pending"] == 3
    members = fresh.post(complete(99)).problem("refused", 409)
    assert members["pointer"] == "/payload/index"
    assert fresh.get("/views/list").json["pending"] == 3
    assert fresh.get("/livez").status == 200


def test_t4_nothing_to_show_is_null(fresh):
    empty(fresh)
    answer = fresh.get("/views/list")
    assert (answer.status, answer.body) == (200, b"null")
    # This view can show an empty list, so it is not null.
    assert fresh.get("/views/items").json == {"items": []}


@pytest.mark.parametrize(
    "query, meant",
    [
        ("", ITEMS), ("?limit=2", ITEMS[:2]), ("?limit=0", []), ("?completed=true", []),
        ("?completed=false&limit=1", ITEMS[:1]), ("?limit=4294967295", ITEMS),
    ],
)
def test_6_4_parameters_stand_in_the_query(server, query, meant):
    assert server.get("/views/items" + query).json == {"items": meant}


@pytest.mark.parametrize(
    "query, said",
    [
        ("limit=many", "limit"), ("limit=-1", "limit"), ("limit=4294967296", "limit"),
        ("limit=1.5", "limit"), ("limit=", "limit"), ("completed=yes", "completed"),
        ("limit=%5B1%5D", "limit"), ("limit=%201", "limit"), ("limit=1%0A", "limit"), ("completed=+true", "completed"), ("colour=red", "colour"), ("limit=1&limit=2", "limit"),
    ],
)
def test_6_4_a_parameter_that_does_not_fit_is_named(server, query, said):
    for target in ("/views/items", "/views/items/events"):
        members = server.get(f"{target}?{query}").problem("bad-request", 400)
        assert said in members["detail"]


def test_6_4_a_view_has_a_tag_and_is_not_sent_twice(fresh):
    answer = fresh.get("/views/list")
    assert answer["etag"] == f'"{fresh.tag}"' and answer["cache-control"] == "no-cache"
    head = fresh.request("HEAD", "/views/list")
    assert (head.status, head.body) == (200, b"")
    assert head["content-length"] == answer["content-length"]
    same = fresh.get("/views/list", {"If-None-Match": answer["etag"]})
    assert (same.status, same.body) == (304, b"")
    fresh.post(complete(0))
    assert fresh.get("/views/list", {"If-None-Match": answer["etag"]}).json["pending"] == 3


def test_6_4_an_unknown_view_is_404(server):
    for target in ("/views/nothing", "/views/list/texts", "/views/nothing/events"):
        server.get(target).problem("not-found", 404)
    server.request("POST", "/views/list", b"{}").problem("method-not-allowed", 405)
    assert server.request("HEAD", "/views/list/events").status == 405


# Streams


def test_t4_a_stream_of_a_view_gets_changes_of_its_view_alone(fresh):
    with Stream(fresh, "/views/list/events") as view, Stream(fresh) as whole:
        first = view.opened().event()
        assert first.json == {"texts": TEXTS, "pending": 4}
        whole.opened().event()
        fresh.post(step(7))
        assert whole.event().version == 1
        # The view's part of the state has changed, and was changed back.
        fresh.post([complete(0), action("ReopenItem", index=0)])
        assert whole.event().version == 3
        assert view.quiet(0.5)
        fresh.post(complete(0))
        event = view.event()
        assert (event.id, event.json["pending"]) == (fresh.tag, 3)
        # Another item is completed: the view's part of the state has changed, but not the view.
        fresh.post([complete(1), action("ReopenItem", index=0)])
        assert [item["completed"] for item in fresh.state["todos"]["items"][:2]] == [False, True]
        assert view.quiet(0.5)
        fresh.post(complete(0))
        event = view.event()
        assert (event.id, event.json["pending"]) == (fresh.tag, 2)


def test_t4_a_view_without_anything_to_show_is_gone_and_comes_back(fresh):
    with Stream(fresh, "/views/list/events") as stream:
        stream.opened().event()
        empty(fresh)
        gone = stream.event()
        assert (gone.name, gone.id) == ("gone", fresh.tag)
        with Stream(fresh, "/views/list/events") as late:
            assert late.opened().event().name == "gone"
        fresh.post(action("AddItem", text="x"))
        assert stream.event().json == {"texts": ["x"], "pending": 1}


def test_4_5_the_same_view_with_other_parameters_is_another_stream(fresh):
    with Stream(fresh, "/views/items/events?limit=1") as one:
        with Stream(fresh, "/views/items/events?limit=2") as two:
            assert len(one.opened().event().json["items"]) == 1
            assert len(two.opened().event().json["items"]) == 2
            fresh.post(complete(1))
            assert two.event().json["items"][1]["completed"] is True
            assert one.quiet(0.5)


def test_4_5_a_hundred_readers_of_a_view_see_the_same(fresh):
    streams = [Stream(fresh, "/views/list/events").opened() for _ in range(100)]
    for index in range(4):
        fresh.post(complete(index))
    seen = read_all(streams, lambda events: events and events[-1].json["pending"] == 0)
    assert all([event.json["pending"] for event in events] == [4, 3, 2, 1, 0] for events in seen)
    assert len({tuple(event.raw for event in events[1:]) for events in seen}) == 1
    for stream in streams:
        stream.close()


def test_4_6_a_stream_of_a_view_goes_on_where_it_was(fresh):
    target = "/views/list/events"
    fresh.post(complete(0))
    known = fresh.tag
    with Stream(fresh, target, last=known) as stream:
        assert stream.opened().quiet(0.3)
        fresh.post(complete(1))
        assert stream.event().json["pending"] == 2
    with Stream(fresh, target, last=known) as stream:
        assert stream.opened().event().json["pending"] == 2
    with Stream(fresh, f"{target}?last_event_id={fresh.epoch}:999") as stream:
        assert stream.opened().event().json == {"reason": "ahead"}
        assert stream.event().json["pending"] == 2


def test_4_7_a_stream_of_a_part_gets_heartbeats_with_the_newest_version():
    with Server("--heartbeat", "1") as server:
        for target in ("/views/list/events", "/modules/todos/events?old=true"):
            with Stream(server, target) as stream:
                stream.opened().event()
                version = server.post(step(7)).json["version"]
                beat = stream.event(heartbeats=True)
                assert (beat.name, beat.id) == ("heartbeat", None)
                assert beat.json == {"epoch": server.epoch, "version": version}


@pytest.mark.plain("memory is measured, and a sanitizer keeps what is freed")
def test_4_5_views_without_a_reader_are_forgotten():
    """Clients choose the parameters, so their number has no end."""
    with Server() as server:
        server.post(action("AddItem", text="x" * 200_000))
        before = server.resident_bytes
        for limit in range(10, 1_510):
            with Stream(server, f"/views/items/events?limit={limit}") as stream:
                assert len(stream.opened().event().json["items"]) == 5
        # 1,500 of 200 KB are 300 MB.
        assert server.resident_bytes - before < 100 << 20


def test_6_4_a_view_is_true_from_the_first_moment_of_a_restart(tmp_path):
    with Server(data=tmp_path / "data") as server:
        assert server.get("/views/list").json["pending"] == 4
        server.post([complete(0), complete(1)])
        view = server.get("/views/list").body
    with Server(data=tmp_path / "data") as server:
        assert server.get("/views/list").body == view
        with Stream(server, "/views/list/events") as stream:
            assert stream.opened().event().json["pending"] == 2


def test_4_4_a_reader_joins_a_view_under_load_and_ends_with_the_newest(fresh):
    began = time.monotonic()
    with Wire(fresh) as wire:
        streams = []
        for number in range(200):
            fresh.post(action("EditItem", index=0, text=str(number)), wire=wire)
            if number % 20 == 0:
                streams.append(Stream(fresh, "/views/list/events").opened())
    seen = read_all(streams, lambda events: events and events[-1].json["texts"][0] == "199")
    for events in seen:
        numbers = [event.version for event in events]
        assert numbers == sorted(set(numbers))
    assert time.monotonic() - began < 10
    for stream in streams:
        stream.close()
    until(lambda: fresh.sockets == fresh.sockets_at_rest, "all are closed")
