"""Streams of a part of the state, by a JSON Pointer (protocol 4.5)."""

import urllib.parse

import pytest
from access import guarded
from harness import INCREASE, Server, Stream, Wire, action, step, until
from patching import Mirror, canonical


def events(pointer, **parameters):
    return "/events?" + urllib.parse.urlencode({"path": pointer, **parameters})


def add(text):
    return action("AddItem", text=text)


def test_x9_4_5_a_stream_of_a_pointer_gets_changes_of_its_part_alone(fresh):
    with Stream(fresh, events("/counter/step")) as part, Stream(fresh) as whole:
        first = part.opened().event()
        assert (first.name, first.data, first.id) == ("message", "1", fresh.tag)
        whole.opened().event()
        # Changes of another module, or of another member of the same module, send no event.
        fresh.post([add("x"), INCREASE])
        while whole.event().version < 2:
            pass
        assert part.quiet(0.3)
        fresh.post(step(7))
        event = part.event()
        assert (event.data, event.version) == ("7", 3)


@pytest.mark.parametrize(
    "pointer", ["/todos", "/todos/items/0", "/todos/items/1/text", "/counter", "/home", "/user"]
)
def test_4_5_the_part_is_that_of_get_state(fresh, pointer):
    with Stream(fresh, events(pointer)) as stream:
        event = stream.opened().event()
        assert event.name == "message"
        assert event.data.encode() == fresh.get("/state" + pointer).body


def test_4_5_a_pointer_that_leads_nowhere_is_gone_and_comes_back(fresh):
    with Stream(fresh, events("/todos/items/4/text")) as stream:
        event = stream.opened().event()
        assert (event.name, event.data, event.id) == ("gone", "null", fresh.tag)
        fresh.post(add("Sleep"))
        event = stream.event()
        assert (event.name, event.json, event.version) == ("message", "Sleep", 1)
        fresh.post(action("DeleteItem", index=4))
        event = stream.event()
        assert (event.name, event.data, event.version) == ("gone", "null", 2)
        fresh.post(add("Dream"))
        assert stream.event().json == "Dream"


def test_4_5_streams_below_the_name_of_a_module_get_its_start_and_stop(fresh):
    with Stream(fresh, events("/home/titles/3")) as inner, Stream(fresh, events("/home")) as outer:
        assert inner.opened().event().name == "gone"
        # If a member is null in the whole state, its event is null, too, as the answer to GET /state/home.
        assert (lambda event: (event.name, event.data))(outer.opened().event()) == ("message", "null")
        fresh.post(action("home/start"))
        assert inner.event().json == "Movie 3"
        assert outer.event().json == fresh.state["home"]
        fresh.post(action("home/stop"))
        assert inner.event().name == "gone"
        assert outer.event().data == "null"


def test_4_5_a_pointer_into_no_module_is_gone_for_good(fresh):
    for pointer in ("/nothing", "/nothing/at/all", "/"):
        with Stream(fresh, events(pointer)) as stream:
            assert stream.opened().event().name == "gone"
            fresh.post([INCREASE, add("x")])
            assert stream.quiet(0.2)


def test_4_5_the_empty_pointer_is_the_whole_state(fresh):
    with Stream(fresh, events("")) as stream:
        assert stream.opened().event().json == fresh.state


@pytest.mark.parametrize("pointer", ["counter", "counter/step", "/counter/~2", "/a~", " /counter", "#/a"])
def test_4_5_a_malformed_pointer_is_400_with_the_allowed_form(server, pointer):
    members = server.get(events(pointer)).problem("bad-request", 400)
    assert "RFC 6901" in members["detail"] and "path" in members["detail"]
    server.get("/modules/counter/events?path=/step").problem("bad-request", 400)


def test_4_5_many_readers_of_the_same_part_see_the_same(fresh):
    streams = [Stream(fresh, events("/todos/items")).opened() for _ in range(20)]
    assert len({stream.event().raw.split(b"id: ")[1] for stream in streams}) == 1
    with Wire(fresh) as wire:
        for number in range(20):
            fresh.post(add(f"{number}"), wire=wire)
            got = {stream.event().raw for stream in streams}
            assert len(got) == 1 and b'"text":"%d"' % number in got.pop()
    for stream in streams:
        stream.close()


def test_4_5_a_hundred_elements_are_watched_at_once(fresh):
    fresh.post([add(f"{number}") for number in range(100)])
    streams = [
        Stream(fresh, events(f"/todos/items/{4 + number}/completed")).opened()
        for number in range(100)
    ]
    for stream in streams:
        assert stream.event().data == "false"
    for number in range(0, 100, 7):
        version = fresh.post(action("CompleteItem", index=4 + number)).json["version"]
        event = streams[number].event()
        assert (event.data, event.version) == ("true", version)
    for number, stream in enumerate(streams):
        if number % 7:
            assert stream.quiet(0.005)
        stream.close()


def test_4_5_a_stream_of_a_part_resumes_like_any_other(fresh):
    fresh.post(step(5))
    tag = fresh.tag
    with Stream(fresh, events("/counter/step"), last=tag) as stream:
        assert stream.opened().quiet(0.3)
        fresh.post(step(6))
        assert stream.event().data == "6"
    with Stream(fresh, events("/counter/step"), last=tag) as stream:
        assert stream.opened().event().data == "6"
    with Stream(fresh, events("/counter/step"), last=f"{fresh.epoch}:999") as stream:
        assert stream.opened().event().json == {"reason": "ahead"}
        assert stream.event().data == "6"


def test_4_8_an_action_posted_while_the_stream_of_a_part_opens_reaches_the_stream(server):
    for number in range(100):
        with Stream(server, events("/counter/step")) as stream, Wire(server) as wire:
            server.post(step(1_000 + number), wire=wire)
            stream.opened()
            while stream.event().json != 1_000 + number:
                pass


def test_4_5_a_part_is_read_in_patches(fresh):
    with Stream(fresh, events("/todos/items", mode="patch")) as stream:
        mirror = Mirror().take(stream.opened().event())
        for change in (add("one"), action("CompleteItem", index=1), action("DeleteItem", index=0)):
            mirror.follow(stream, fresh.post(change).json["version"])
            assert canonical(mirror.state) == canonical(fresh.state["todos"]["items"])
        assert mirror.names == ["snapshot", "patch", "patch", "patch"]
    with Stream(fresh, events("/todos/items/4", mode="patch")) as stream:
        assert stream.opened().event().name == "gone"
        fresh.post([add("two"), add("three")])
        assert stream.event().name == "snapshot"


def fill(server, headers, most=4_096):
    """Opens streams of one client at different pointers until no place is left, and returns them."""
    streams = []
    while len(streams) <= most:
        stream = Stream(server, events(f"/todos/items/{len(streams)}"), headers=headers.items()).opened()
        if stream.answer.status != 200:
            return streams, stream.answer.problem("overloaded", 503)["detail"]
        streams.append(stream)
    raise AssertionError("there is no bound")


def is_open(server, headers, pointer):
    with Stream(server, events(pointer), headers=headers.items()) as stream:
        return stream.wire.head().status == 200


def test_4_5_a_single_address_leaves_pointers_to_the_others():
    one, other = ({"X-Forwarded-For": f"203.0.113.{number}"} for number in (1, 2))
    with Server("--trusted-proxy", "127.0.0.1") as server:
        streams, said = fill(server, one)
        assert len(streams) == 256 and "you already watch 256 different pointers" in said
        # A pointer that the client watches already takes no further place, and others have places of their own.
        assert is_open(server, one, "/todos/items/255")
        assert is_open(server, other, "/todos/items/256")
        assert not is_open(server, one, "/todos/items/256")
        streams.pop().close()
        until(lambda: is_open(server, one, "/todos/items/256"), "the place of one that has left is free")
        server.post([add(f"{number}") for number in range(995)])
        for number, stream in enumerate(streams):
            while (event := stream.event()).name == "gone":
                pass
            assert event.json["completed"] is False
            stream.close()


def test_4_5_a_single_principal_leaves_pointers_to_the_others(tmp_path):
    house = guarded(tmp_path)
    ada, bob = house.bearer("ada", "reader"), house.bearer("bob", "reader")
    with house.server() as server:
        streams, said = fill(server, ada, 1_024)
        assert len(streams) == 256 and "the maximum for a client" in said
        assert is_open(server, bob, "/todos/items/2000")
        for stream in streams:
            stream.close()


def test_4_5_the_parts_that_one_client_watches_have_a_bound_in_bytes():
    one, other = ({"X-Forwarded-For": f"203.0.113.{number}"} for number in (1, 2))
    with Server("--trusted-proxy", "127.0.0.1", "--body-max", "4194304") as server:
        for _ in range(5):
            assert server.post(add("x" * 3_500_000)).status == 200
        with Stream(server, events("/todos/items"), headers=one.items()).opened() as stream:
            assert len(stream.event().data) > 16 << 20
            refused = Stream(server, events("/counter"), headers=one.items()).opened().answer
            assert "16777216 bytes" in refused.problem("overloaded", 503)["detail"]
            assert is_open(server, other, "/counter")
        until(lambda: is_open(server, one, "/counter"), "the part that nobody reads makes room")


def test_4_5_an_instance_is_read_in_patches_and_by_pointers(cinema):
    cinema.post([action("cards/7/start", title="Alien"), action("cards/8/start", title="Brazil")])
    whole = Stream(cinema, "/modules/cards/7/events?mode=patch")
    likes = Stream(cinema, events("/cards/7/likes"))
    other = Stream(cinema, events("/cards/8"))
    with whole, likes, other:
        first = whole.opened().event()
        assert (first.name, first.json) == ("snapshot", {"title": "Alien", "likes": 0})
        assert likes.opened().event().data == "0"
        assert other.opened().event().json["title"] == "Brazil"
        cinema.post(action("cards/7/liked"))
        event = whole.event()
        assert event.name == "patch"
        assert event.json == [{"op": "replace", "path": "/likes", "value": 1}]
        assert likes.event().data == "1"
        cinema.post(action("cards/7/stop"))
        assert whole.event().name == "gone"
        assert likes.event().name == "gone"
        cinema.post(action("cards/7/start", title="Aliens"))
        assert whole.event().name == "snapshot"
        assert likes.event().data == "0"
        assert other.quiet(0.2)


@pytest.mark.parametrize("mode", ["snapshot", "patch"])
def test_4_5_a_reader_that_comes_back_begins_with_the_current_value(fresh, mode):
    with Stream(fresh, events("/counter/step", mode=mode)) as stream:
        assert stream.opened().event().json == 1
    until(lambda: b'\nstore_streams_open{kind="part"} 0\n' in fresh.get("/metrics").body, "no stream is open")
    fresh.post(step(7))
    with Stream(fresh, events("/counter/step", mode=mode)) as stream:
        event = stream.opened().event()
        assert (event.json, event.id) == (7, fresh.tag)
