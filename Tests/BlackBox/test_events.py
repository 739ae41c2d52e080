"""GET /events from outside (protocol 4)."""

import time

import pytest
from harness import (
    DECREASE,
    INCREASE,
    Server,
    Stream,
    Wire,
    open_streams,
    read_all,
    step,
    until,
)


def test_4_1_the_stream_has_its_headers_and_begins_with_retry(server):
    retries = set()
    for _ in range(30):
        with Stream(server) as stream:
            headers = stream.opened().answer
            assert headers["content-type"].split(";")[0] == "text/event-stream"
            assert headers["cache-control"] == "no-store, no-transform"
            assert headers["x-accel-buffering"] == "no"
            assert headers["incremental"] == "?1"
            stream.event()
            assert 1_500 <= stream.retry <= 2_500
            retries.add(stream.retry)
    assert len(retries) > 5, "the jitter does not vary"


def test_4_2_the_first_event_comes_at_once_with_the_tag_and_the_state(server):
    began = time.monotonic()
    with Stream(server) as stream:
        event = stream.opened().event()
    assert time.monotonic() - began < 1
    assert event.name == "message"
    answer = server.get("/state")
    assert event.id == answer["etag"].strip('"')
    assert event.data.encode() == answer.body
    # An id line, a data line, nothing else.
    lines = [line.split(b":")[0] for line in event.raw.split(b"\n")]
    assert [line for line in lines if line not in (b"retry", b"")] == [b"id", b"data"]


def test_4_2_snapshot_is_a_mode_and_unknown_modes_are_refused(server):
    with Stream(server, "/events?mode=snapshot") as stream:
        assert stream.opened().event().version == server.version
    server.get("/events?mode=nonsense").problem("bad-request", 400)
    server.get("/events?nonsense=1").problem("bad-request", 400)


def test_4_4_a_reader_that_keeps_up_gets_every_version(server):
    with Stream(server) as stream, Wire(server) as wire:
        first = stream.opened().event()
        for number in range(1, 101):
            server.post(step(number), wire=wire)
            event = stream.event()
            assert event.version == first.version + number
            assert event.json["counter"]["step"] == number
        # The readers also get the members of an array, and versions without a change.
        server.post([INCREASE] * 10, wire=wire)
        last = first.version + 110
        seen = []
        while not seen or seen[-1] < last:
            seen.append(stream.event().version)
        assert seen == sorted(set(seen)) and seen[-1] == last
    server.post(step(1))


def test_4_4_text_with_line_ends_stays_one_event(fresh):
    with Stream(fresh) as stream:
        stream.opened().event()
        text = 'a\nb\r\nc\rd\n\nid: 99\n\n\u2028 "\\" 😀'
        fresh.post({"type": "AddItem", "payload": {"text": text}})
        event = stream.event()
        assert event.json["todos"]["items"][4]["text"] == text
        assert event.version == 1


def test_4_6_the_current_tag_gets_nothing_until_the_next_change(server):
    tag = server.tag
    with Stream(server, last=tag) as stream:
        stream.opened()
        assert stream.quiet(0.5)
        version = server.post(INCREASE).json["version"]
        assert stream.event().version == version


def test_4_6_an_older_tag_gets_the_newest_state(server):
    tag = server.tag
    server.post([INCREASE] * 3)
    with Stream(server, last=tag) as stream:
        event = stream.opened().event()
        assert event.name == "message"
        assert event.id == server.tag
    with Stream(server, f"/events?last_event_id={tag}") as stream:
        assert stream.opened().event().id == server.tag
    with Stream(server, f"/events?last_event_id={tag}", last=server.tag) as stream:
        assert stream.opened().quiet(0.2), "the header does not win over the query"


@pytest.mark.parametrize(
    "make, reason",
    [
        (lambda s: "ffffffff:0" if s.epoch != "ffffffff" else "eeeeeeee:0", "epoch-changed"),
        (lambda s: f"{s.epoch}:{s.version + 1}", "ahead"),
        (lambda s: f"{s.epoch}:18446744073709551615", "ahead"),
        (lambda s: f"{s.epoch}:18446744073709551616", "malformed"),
        (lambda s: f"{s.epoch}:-1", "malformed"),
        (lambda s: f"{s.epoch}:", "malformed"),
        (lambda s: f"{s.epoch}:007", "malformed"),
        (lambda s: s.epoch, "malformed"),
        (lambda s: "42", "malformed"),
        (lambda s: f"{s.epoch.upper()}X:1", "malformed"),
        (lambda s: "x" * 5_000, "malformed"),
        (lambda s: "\u00e9\u00ff", "malformed"),
    ],
)
def test_4_6_an_id_that_leads_nowhere_gets_resync_and_a_snapshot(server, make, reason):
    with Stream(server, last=make(server)) as stream:
        resync = stream.opened().event()
        assert resync.name == "resync"
        assert resync.json == {"reason": reason}
        snapshot = stream.event()
        assert snapshot.name == "message"
        assert snapshot.id == server.tag
        assert snapshot.json == server.state


def test_4_6_a_restart_is_another_epoch():
    with Server() as first:
        first.post(INCREASE)
        tag = first.tag
    with Server() as second:
        assert second.epoch != tag.split(":")[0]
        with Stream(second, last=tag) as stream:
            assert stream.opened().event().json == {"reason": "epoch-changed"}
            assert stream.event().version == 0


def test_4_7_heartbeats_have_the_version_and_no_id():
    with Server("--heartbeat", "1") as server:
        with Stream(server) as stream:
            stream.opened().event()
            for _ in range(2):
                beat = stream.event(heartbeats=True)
                assert beat.name == "heartbeat"
                assert beat.id is None
                assert beat.json == {"epoch": server.epoch, "version": server.version}
                server.post(INCREASE)
                while stream.event(heartbeats=True).name != "message":
                    pass


def test_4_7_a_stream_of_limited_lifetime_ends_with_bye():
    with Server("--stream-lifetime", "1") as server:
        with Stream(server) as stream:
            stream.opened().event()
            bye = stream.event()
            assert bye.name == "bye" and bye.id is None
            assert bye.json["reason"] == "lifetime"
            assert bye.json["retry"] > 0
            while not stream.ended:
                stream.read()


def test_4_9_a_reader_that_takes_nothing_is_closed_and_delays_no_other():
    with Server("--stall-timeout", "1") as server:
        server.post({"type": "AddItem", "payload": {"text": "x" * 200_000}})
        slow = Stream(server, receive_bytes=4096)
        slow.opened()
        fast = Stream(server)
        fast.opened().event()
        before = server.sockets
        worst = 0
        with Wire(server) as wire:
            for number in range(100):
                began = time.monotonic()
                version = server.post(step(number), wire=wire).json["version"]
                while fast.event().version < version:
                    pass
                worst = max(worst, time.monotonic() - began)
        assert worst < 1, f"a slow reader made a fast one wait {worst:.2f} s"
        until(lambda: server.sockets < before, "the slow reader is closed", 10)
        assert server.get("/livez").status == 200
        # The events up to the cut are complete, and newer than the versions that were left out.
        seen = []
        while not slow.ended:
            event = slow.take()
            if event and event.name == "message":
                seen.append(event.version)
            elif not event:
                slow.read()
        assert seen == sorted(set(seen))
        assert len(seen) < 100
        slow.close()
        fast.close()


def test_4_4_memory_stays_bounded_while_a_reader_sleeps():
    with Server() as server:
        server.post({"type": "AddItem", "payload": {"text": "x" * 500_000}})
        readers = [Stream(server, receive_bytes=4096).opened() for _ in range(20)]
        with Wire(server) as wire:
            server.post(INCREASE, wire=wire)
            before = server.resident_bytes
            for _ in range(200):
                server.post(INCREASE, wire=wire)
            # 20 readers times 200 versions of 500 KB would be 2 GB.
            assert server.resident_bytes - before < 50 << 20
        for reader in readers:
            reader.close()


def test_4_9_a_closed_peer_is_noticed_at_once(server):
    before = server.sockets_at_rest
    streams = open_streams(server, 50)
    until(lambda: server.sockets == before + 50, "all are open")
    for number, stream in enumerate(streams):
        stream.reset() if number % 2 else stream.close()
    until(lambda: server.sockets == before, "all are closed", 2)


def test_4_8_an_action_posted_while_the_stream_opens_reaches_the_stream(server):
    """Many times, a stream opens while an action is posted. The action's version arrives, first or later."""
    for _ in range(100):
        with Stream(server) as stream, Wire(server) as wire:
            version = server.post(INCREASE, wire=wire).json["version"]
            stream.opened()
            while stream.event().version < version:
                pass
    server.post(DECREASE)


def test_a_hundred_streams_see_the_same_ids_and_bytes(fresh):
    streams = open_streams(fresh, 100)
    first = [stream.event() for stream in streams]
    assert {event.version for event in first} == {0}
    with Wire(fresh) as wire:
        for number in range(1, 51):
            fresh.post(step(number), wire=wire)
            events = [stream.event() for stream in streams]
            assert {event.id for event in events} == {f"{fresh.epoch}:{number}"}
            assert len({event.raw for event in events}) == 1
    late = Stream(fresh).opened()
    assert late.event().json["counter"]["step"] == 50
    # A burst may be conflated, but ids only grow, equal ids have equal bytes, and all streams get the end.
    fresh.post([INCREASE] * 1000)
    bytes_of = {}
    for events in read_all(streams, lambda events: events and events[-1].version == 1050):
        versions = [event.version for event in events]
        assert versions == sorted(set(versions))
        for event in events:
            assert bytes_of.setdefault(event.id, event.raw) == event.raw
    for stream in [*streams, late]:
        stream.close()


def test_fifty_readers_that_join_under_load_miss_nothing(fresh):
    """Protocol 4.8: contiguous ids from the first event of each stream to the last."""
    posts, joiners = 400, []
    readers = []
    with Wire(fresh) as wire:
        for number in range(posts):
            version = fresh.post(INCREASE, wire=wire).json["version"]
            if number % 8 == 0:
                joiners.append(Stream(fresh))
            # The first reader paces the load: the next version waits until the reader has this version.
            if not readers:
                readers.append(Stream(fresh).opened())
            while readers[0].event().version < version:
                pass
    for joiner in joiners:
        joiner.opened()
    for events in read_all(joiners, lambda events: events and events[-1].version == posts):
        versions = [event.version for event in events]
        assert versions == list(range(versions[0], posts + 1))
    firsts = len(joiners)
    assert firsts == 50
    for stream in [*joiners, *readers]:
        stream.close()


@pytest.mark.parametrize(
    "recipients, told",
    [
        ("all", {"a", "b", None}),
        ("emitter", {"a"}),
        ("allExcludingEmitter", {"b", None}),
        ({"authorized": ["b"]}, {"b"}),
    ],
)
def test_2_1_only_the_recipients_of_an_action_get_its_event(server, recipients, told):
    """All streams get the next change. A stream that was left out goes from the first version to the third."""
    names = ["a", "b", None]
    paths = ["/events", "/modules/counter/events"]
    streams = {
        (name, path): Stream(server, path + (f"?subscriber={name}" if name else ""))
        for name in names
        for path in paths
    }
    for stream in streams.values():
        stream.opened().event()
    meant = {**INCREASE, "recipients": recipients, "emitter": "a"}
    first = server.post(meant).json["version"]
    second = server.post(INCREASE).json["version"]
    for (name, path), stream in streams.items():
        expected = [first, second] if name in told else [second]
        assert [stream.event().version for _ in expected] == expected, (name, path)
        stream.close()


@pytest.mark.parametrize("recipients", ["nobody", 7, {"authorized": "a"}, {"authorized": [7]}, []])
def test_2_1_invalid_recipients_are_refused(server, recipients):
    answer = server.post({**INCREASE, "recipients": recipients})
    assert answer.problem("invalid-payload", 422)["pointer"] == "/recipients"
