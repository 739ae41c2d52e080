"""Streams in patch mode (protocol 4.3, 4.4, 4.6), also of parts (4.5)."""

import pytest
from harness import INCREASE, Server, Stream, Wire, action, step, until
from patching import Mirror, canonical

PATCHES = "/events?mode=patch"


def add(text):
    return action("AddItem", text=text)


def test_k12_4_3_one_change_is_a_patch_with_one_operation(fresh):
    with Stream(fresh, PATCHES) as stream:
        first = stream.opened().event()
        assert (first.name, first.id, first.json) == ("snapshot", fresh.tag, fresh.state)
        fresh.post(step(7))
        event = stream.event()
        assert (event.name, event.version) == ("patch", 1)
        assert event.json == [{"op": "replace", "path": "/counter/step", "value": 7}]
        fresh.post(add("Sleep"))
        assert stream.event().json == [
            {"op": "add", "path": "/todos/items/4", "value": {"text": "Sleep", "completed": False}}
        ]
        # A version that changed nothing still counts as a version.
        fresh.post(action("ScreenShown", name="Main"))
        event = stream.event()
        assert (event.name, event.version, event.json) == ("patch", 3, [])


def test_4_3_applying_each_patch_gives_each_version(fresh):
    with Stream(fresh, PATCHES) as patches, Stream(fresh) as snapshots, Wire(fresh) as wire:
        mirror = Mirror().take(patches.opened().event())
        assert mirror.state == snapshots.opened().event().json
        changes = [
            step(3), add('~ / "quoted" \n ~1 😀'), INCREASE, action("CompleteItem", index=2),
            action("home/start"), action("movieCard/start", title="Movie 1"),
            action("DeleteItem", index=0), add("x"), action("home/stop"), action("movieCard/stop"),
        ]
        for change in changes * 3:
            fresh.post(change, wire=wire)
            event = snapshots.event()
            mirror.take(patches.event())
            assert mirror.version == event.version
            assert canonical(mirror.state) == canonical(event.json)
        assert set(mirror.names[1:]) == {"patch"}


def test_4_4_a_burst_ends_in_the_same_state(fresh):
    """Some versions may be left out, but none of their changes."""
    readers = [Stream(fresh, PATCHES).opened() for _ in range(20)]
    with Stream(fresh) as snapshots, Wire(fresh) as wire:
        snapshots.opened()
        mirrors = [Mirror() for _ in readers]
        for number in range(20):
            fresh.post([INCREASE, add(f"{number}"), action("CompleteItem", index=0)] * 50, wire=wire)
        states = {}
        while 3_000 not in states:
            event = snapshots.event()
            states[event.version] = canonical(event.json)
        compared = 0
        for stream, mirror in zip(readers, mirrors):
            while mirror.version != 3_000:
                mirror.take(stream.event())
                if mirror.version in states:
                    assert canonical(mirror.state) == states[mirror.version]
                    compared += 1
            assert canonical(mirror.state) == canonical(fresh.state)
    assert compared >= len(readers)
    for stream in readers:
        stream.close()


def fall_behind(server, pairs):
    """Changes that are larger than a socket's buffer. The state stays small."""
    with Wire(server) as wire:
        for _ in range(pairs):
            server.post(add("x" * 100_000), wire=wire)
            server.post(action("DeleteItem", index=4), wire=wire)
        return server.post(step(99), wire=wire).json["version"]


def test_4_4_a_slow_reader_gets_one_patch_over_all_that_it_missed(fresh):
    slow = Stream(fresh, PATCHES, receive_bytes=4096).opened()
    quick = Stream(fresh, PATCHES).opened()
    mirror = Mirror().take(slow.event())
    other = Mirror().take(quick.event())
    with Wire(fresh) as wire:
        for _ in range(60):
            other.follow(quick, fresh.post(add("x" * 100_000), wire=wire).json["version"])
            gone = fresh.post(action("DeleteItem", index=4), wire=wire)
            other.follow(quick, gone.json["version"])
        other.follow(quick, fresh.post(step(99), wire=wire).json["version"])
    mirror.follow(slow, other.version)
    assert canonical(mirror.state) == canonical(other.state) == canonical(fresh.state)
    assert set(other.names[1:]) == {"patch"} and len(other.names) == 122
    assert set(mirror.names[1:]) == {"patch"} and len(mirror.names) < 120
    for stream in (slow, quick):
        stream.close()


@pytest.mark.plain("memory is measured, and a sanitizer keeps what is freed")
def test_4_4_a_reader_that_missed_too_much_gets_a_snapshot_and_memory_stays_bounded():
    with Server() as server:
        server.post([add("y" * 400_000), add("z" * 400_000)])
        slow = [Stream(server, PATCHES, receive_bytes=4096).opened() for _ in range(10)]
        mirrors = [Mirror() for _ in slow]
        before = server.resident_bytes
        with Wire(server) as wire:
            for _ in range(100):
                server.post(add("x" * 100_000), wire=wire)
                server.post(action("DeleteItem", index=6), wire=wire)
            last = server.post(step(99), wire=wire).json["version"]
        # The server keeps at most 16 MiB of earlier versions.
        assert server.resident_bytes - before < 80 << 20
        for stream, mirror in zip(slow, mirrors):
            mirror.follow(stream, last)
            assert canonical(mirror.state) == canonical(server.state)
            assert len(mirror.names) < 100
            stream.close()


def test_4_6_a_reader_resumes_with_a_patch_while_its_version_is_kept(fresh):
    with Stream(fresh, PATCHES) as keeper:
        keeper.opened().event()
        fresh.post(add("one"))
        state, tag = fresh.state, fresh.tag
        with Stream(fresh, PATCHES, last=tag) as stream:
            assert stream.opened().quiet(0.3)
        for number in range(20):
            fresh.post(step(number))
        with Stream(fresh, PATCHES, last=tag) as stream:
            event = stream.opened().event()
            assert (event.name, event.id) == ("patch", fresh.tag)
            mirror = Mirror(state, 1).take(event)
            assert canonical(mirror.state) == canonical(fresh.state)
            # The stream continues after the resync.
            mirror.follow(stream, fresh.post(INCREASE).json["version"])
            assert canonical(mirror.state) == canonical(fresh.state)
            assert mirror.names == ["patch", "patch"]


def test_4_6_a_version_that_is_not_kept_is_resumed_with_a_snapshot(fresh):
    tag = fresh.tag
    fresh.post([INCREASE] * 3)
    with Stream(fresh, PATCHES, last=tag) as stream:
        event = stream.opened().event()
        assert (event.name, event.id, event.json) == ("snapshot", fresh.tag, fresh.state)
        fresh.post(INCREASE)
        assert stream.event().name == "patch"


@pytest.mark.parametrize(
    "last, reason",
    [("ffffffff:0", "epoch-changed"), ("{epoch}:999", "ahead"), ("nonsense", "malformed")],
)
def test_4_6_an_id_that_leads_nowhere_gets_resync_and_a_snapshot(fresh, last, reason):
    with Stream(fresh, PATCHES, last=last.format(epoch=fresh.epoch)) as stream:
        assert stream.opened().event().json == {"reason": reason}
        event = stream.event()
        assert (event.name, event.json) == ("snapshot", fresh.state)


def test_4_6_a_client_that_comes_and_goes_under_load_ends_in_the_same_state(fresh):
    mirror = Mirror()
    last = None
    with Stream(fresh, PATCHES) as keeper, Wire(fresh) as wire:
        keeper.opened()
        for number in range(30):
            fresh.post([step(number), add(f"{number}")], wire=wire)
            with Stream(fresh, PATCHES, last=last) as stream:
                stream.opened()
                fresh.post([INCREASE] * 3, wire=wire)
                mirror.follow(stream, fresh.version)
                last = f"{fresh.epoch}:{mirror.version}"
            assert canonical(mirror.state) == canonical(fresh.state)
    assert mirror.names[0] == "snapshot" and mirror.names.count("patch") >= 30


@pytest.mark.parametrize("path", ["/events", "/modules/todos/events"])
def test_2_10_a_stream_that_was_left_out_gets_a_patch_over_both_changes(fresh, path):
    with Stream(fresh, path + "?mode=patch&subscriber=b") as stream:
        mirror = Mirror().take(stream.opened().event())
        fresh.post({**add("for a alone"), "recipients": {"authorized": ["a"]}})
        fresh.post(add("for all"))
        event = stream.event()
        assert (event.name, event.version, len(event.json)) == ("patch", 2, 2)
        mirror.take(event)
        state = fresh.state if path == "/events" else fresh.state["todos"]
        assert canonical(mirror.state) == canonical(state)


# Parts


def test_4_5_a_module_that_is_gone_comes_back_with_a_snapshot(fresh):
    with Stream(fresh, "/modules/home/events?mode=patch") as stream:
        assert stream.opened().event().name == "gone"
        fresh.post(action("home/start"))
        event = stream.event()
        assert (event.name, event.json) == ("snapshot", fresh.state["home"])
        fresh.send("/modules/home/ui", action("didTapOnMovieCell", title="Movie 3"))
        assert stream.event().name == "patch"
        until(lambda: fresh.state["movieCard"], "the card is shown")
        fresh.post(action("home/stop"))
        names = []
        while not names or names[-1] != "gone":
            names.append(stream.event().name)
        assert set(names[:-1]) <= {"patch"}
        fresh.post(action("home/start"))
        assert stream.event().name == "snapshot"


def test_4_5_a_module_and_a_view_are_read_in_patches(fresh):
    paths = {"/modules/todos/events": "/modules/todos", "/views/list/events": "/views/list"}
    for index, (events, document) in enumerate(paths.items()):
        with Stream(fresh, events + "?mode=patch") as stream:
            mirror = Mirror().take(stream.opened().event())
            for change in (add("one"), action("CompleteItem", index=index), add("two")):
                version = fresh.post(change).json["version"]
                mirror.follow(stream, version)
                assert canonical(mirror.state) == canonical(fresh.get(document).json)
            assert mirror.names == ["snapshot", "patch", "patch", "patch"]


def test_4_5_a_view_with_nothing_to_show_is_gone(fresh):
    with Stream(fresh, "/views/list/events?mode=patch") as stream:
        assert stream.opened().event().name == "snapshot"
        fresh.post([action("DeleteItem", index=0)] * 4)
        names = [stream.event().name]
        while names[-1] != "gone":
            names.append(stream.event().name)
        fresh.post(add("one"))
        event = stream.event()
        assert (event.name, event.json) == ("snapshot", {"texts": ["one"], "pending": 1})


def test_4_3_unknown_modes_are_refused(server):
    for path in ("/events", "/modules/todos/events", "/views/list/events"):
        members = server.get(path + "?mode=diff").problem("bad-request", 400)
        assert "snapshot or patch" in members["detail"]
    members = server.get("/modules/todos/events?old=true&mode=patch").problem("bad-request", 400)
    assert "old=true" in members["detail"]
