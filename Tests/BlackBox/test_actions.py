"""The log of actions: GET /actions and GET /actions/events (protocol 5)."""

import random
import re
import subprocess
import threading

import pytest
from harness import (
    DECREASE,
    INCREASE,
    ROOT,
    Server,
    Stream,
    Wire,
    read_all,
    step,
    until,
)

TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$")
LOG = "/actions/events"


def add(text):
    return {"type": "AddItem", "payload": {"text": text}}


def post_many(server, count):
    """Applies this number of actions in arrays."""
    with Wire(server) as wire:
        while count > 0:
            part = min(count, 1_000)
            assert server.post([INCREASE] * part, wire=wire).status == 200
            count -= part


def pages(server, target):
    """Yields the pages from a target on, up to the first empty page."""
    while True:
        page = server.get(target).json
        yield page
        if not page["actions"]:
            return
        target = page["next"]


def records_of(server, target):
    return [record for page in pages(server, target) for record in page["actions"]]


def versions(events):
    return [event.version for event in events if event.name == "message"]


# 5.1: pages


def test_5_1_a_page_has_the_actions_as_they_were_dispatched(fresh):
    meta = {"source": ["a", 1]}
    fresh.post({**step(7), "meta": meta})
    fresh.post({"type": "ScreenShown", "payload": {"name": "Main"}})
    answer = fresh.get("/actions")
    assert answer.status == 200 and answer["content-type"] == "application/json"
    assert answer["cache-control"] == "no-store"
    page = answer.json
    assert list(page) == ["epoch", "version", "actions", "next"]
    assert page["epoch"] == fresh.epoch and page["version"] == 2
    first, second = page["actions"]
    assert list(first) == ["version", "time", "type", "payload", "meta", "origin", "changed"]
    assert TIME.match(first.pop("time"))
    assert first == {
        "version": 1,
        "type": "StepChangeRequested",
        "payload": {"step": 7},
        "meta": meta,
        "origin": "127.0.0.1",
        "changed": True,
    }
    assert "meta" not in second and second["changed"] is False
    assert page["next"] == "/actions?after=2&limit=100"


@pytest.mark.parametrize("limit", [1, 7, 99, 100, 1_000])
def test_5_1_pages_follow_one_another_without_a_hole(server, limit):
    if server.version < 250:
        post_many(server, 250 - server.version)
    records = records_of(server, f"/actions?limit={limit}")
    assert [record["version"] for record in records] == list(range(1, server.version + 1))


def test_5_1_polling_goes_on_at_the_last_next(fresh):
    fresh.post(INCREASE)
    end = fresh.get("/actions").json["next"]
    assert fresh.get(end).json["actions"] == []
    assert fresh.get(end).json["next"] == end
    fresh.post(DECREASE)
    assert [record["version"] for record in fresh.get(end).json["actions"]] == [2]


def test_5_1_the_log_of_a_single_type_is_paged_as_well(fresh):
    fresh.post([INCREASE, step(2), INCREASE] * 100)
    records = records_of(fresh, "/actions?type=StepChangeRequested&limit=9")
    assert [record["version"] for record in records] == list(range(2, 300, 3))
    assert {record["type"] for record in records} == {"StepChangeRequested"}
    page = fresh.get("/actions?type=No%20such%26type").json
    assert page["actions"] == []
    assert page["next"] == "/actions?after=300&limit=100&type=No%20such%26type"
    assert fresh.get(page["next"]).status == 200


def test_5_1_a_page_is_bounded_in_bytes(fresh):
    text = "x" * 900_000
    for number in range(10):
        assert fresh.post(add(f"{number}{text}")).status == 200
    sizes = [len(page["actions"]) for page in pages(fresh, "/actions?limit=1000")]
    assert sizes == [4, 4, 2, 0]
    records = records_of(fresh, "/actions?limit=1000")
    assert [record["payload"]["text"][0] for record in records] == list("0123456789")


def test_5_1_invalid_queries_of_the_log_are_refused(server):
    for query in ("limit=0", "limit=1001", "limit=x", "after=-1", "after=", "nonsense=1"):
        server.get("/actions?" + query).problem("bad-request", 400)
    server.request("POST", "/actions", b"{}").problem("method-not-allowed", 405)


def test_5_1_head_has_the_headers_alone(server):
    answer, head = server.get("/actions"), server.request("HEAD", "/actions")
    assert head.status == 200 and head.body == b""
    assert head["content-length"] == answer["content-length"]


def test_5_1_history_that_is_gone_is_410_with_the_oldest():
    with Server("--history-max", "100") as server:
        post_many(server, 1_000)
        problem = server.get("/actions?after=0").problem("gone", 410)
        assert problem["oldest"] == 901
        server.get("/actions?after=899").problem("gone", 410)
        assert server.get("/actions?after=900").json["actions"][0]["version"] == 901
        assert len(server.get("/actions").json["actions"]) == 100
        assert len(server.get("/actions?limit=1000").json["actions"]) == 100


def test_5_1_many_readers_at_once_get_a_page_or_retry_after(fresh):
    post_many(fresh, 10_000)
    wires = [Wire(fresh) for _ in range(300)]
    request = f"GET /actions?limit=1000 HTTP/1.1\r\nHost: {fresh.authority}\r\n\r\n"
    for wire in wires:
        wire.send(request)
    answers = [wire.answer() for wire in wires]
    for wire in wires:
        wire.socket.close()
    assert {answer.status for answer in answers} <= {200, 503}
    for answer in answers:
        if answer.status == 503:
            answer.problem("overloaded", 503)
            assert int(answer["retry-after"]) > 0
        else:
            assert len(answer.json["actions"]) == 1_000


# 5.2: the stream


def test_5_2_the_stream_has_the_headers_of_the_state_stream(server):
    with Stream(server, LOG) as stream:
        headers = stream.opened().answer
        assert headers["content-type"] == "text/event-stream"
        assert headers["cache-control"] == "no-store, no-transform"
        stream.event()
        assert 1_500 <= stream.retry <= 2_500


def test_5_2_an_event_is_the_object_of_the_page(fresh):
    fresh.post(b'{"type":"AddItem",\n"payload":\r\n{"text": "a\\nb"},\n"meta":{\n}}')
    with Stream(fresh, LOG) as stream:
        event = stream.opened().event()
    assert event.id == fresh.tag
    assert event.json == fresh.get("/actions").json["actions"][0]
    assert event.raw.count(b"data:") == 1


def test_5_2_readers_that_join_before_during_and_after_get_each_action_once(fresh):
    posts, joined = 10_000, [(0, Stream(fresh, LOG))]
    with Wire(fresh) as wire:
        for number in range(1, posts + 1):
            assert fresh.post(INCREASE, wire=wire).status == 200
            if number % 500 == 0:
                joined.append((0, Stream(fresh, LOG)))
                joined.append((number, Stream(fresh, f"{LOG}?after={number}")))
    joined.append((0, Stream(fresh, LOG)))

    def is_done(events):
        told = [event.json["version"] for event in events if event.name == "caught-up"]
        return told and posts in (told[-1], *versions(events)[-1:])

    streams = [stream.opened() for _, stream in joined]
    for (after, stream), events in zip(joined, read_all(streams, is_done, 60)):
        assert versions(events) == list(range(after + 1, posts + 1))
        assert [event.name for event in events].count("caught-up") == 1
        stream.close()


def test_5_2_caught_up_is_sent_once(fresh):
    fresh.post([INCREASE] * 10)
    with Stream(fresh, LOG) as stream, Wire(fresh) as wire:
        stream.opened()
        seen = []
        for _ in range(100):
            fresh.post(INCREASE, wire=wire)
        while "caught-up" not in [event.name for event in seen] or versions(seen)[-1] < 110:
            seen.append(stream.event())
        for version in range(111, 211):
            fresh.post(INCREASE, wire=wire)
            while versions(seen)[-1] < version:
                seen.append(stream.event())
        assert stream.quiet(0.2)
    assert versions(seen) == list(range(1, 211))
    assert [event.name for event in seen].count("caught-up") == 1


def test_5_2_a_client_that_is_killed_again_and_again_misses_nothing(fresh):
    total, seed = 5_000, random.randrange(1 << 32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    post_many(fresh, total)
    seen, last = [], None
    while len(seen) < total:
        with Stream(fresh, LOG, last=last) as stream:
            stream.opened()
            for _ in range(chance.randint(1, 700)):
                event = stream.event()
                if event.name != "message":
                    break
                seen.append(event.version)
                last = event.id
            stream.reset()
    assert seen == list(range(1, total + 1))


def test_5_2_an_id_goes_before_after_as_a_client_that_comes_back_needs(fresh):
    post_many(fresh, 20)
    with Stream(fresh, f"{LOG}?after=3", last=f"{fresh.epoch}:15") as stream:
        assert stream.opened().event().version == 16
    with Stream(fresh, f"{LOG}?after=3&last_event_id={fresh.epoch}:10") as stream:
        assert stream.opened().event().version == 11
    with Stream(fresh, f"{LOG}?after=20") as stream:
        assert stream.opened().event().name == "caught-up"


@pytest.mark.parametrize(
    "make, reason",
    [
        (lambda s: "ffffffff:0" if s.epoch != "ffffffff" else "eeeeeeee:0", "epoch-changed"),
        (lambda s: f"{s.epoch}:{s.version + 1}", "ahead"),
        (lambda s: f"{s.epoch}:18446744073709551615", "ahead"),
        (lambda s: f"{s.epoch}:007", "malformed"),
        (lambda s: "x" * 5_000, "malformed"),
    ],
)
def test_5_2_an_id_that_leads_nowhere_gets_resync_and_the_log_from_its_beginning(
    server, make, reason
):
    server.post(INCREASE)
    with Stream(server, LOG, last=make(server)) as stream:
        resync = stream.opened().event()
        assert resync.name == "resync" and resync.json == {"reason": reason}
        assert stream.event().version == 1


def test_5_2_a_version_from_the_future_gets_resync(server):
    server.post(INCREASE)
    for after in (server.version + 1, (1 << 64) - 1):
        with Stream(server, f"{LOG}?after={after}") as stream:
            assert stream.opened().event().json == {"reason": "ahead"}
            assert stream.event().version == 1


def test_5_2_a_resume_in_forgotten_history_gets_resync():
    with Server("--history-max", "100") as server:
        post_many(server, 1_000)
        for target, last in ((f"{LOG}?after=899", None), (LOG, f"{server.epoch}:5")):
            with Stream(server, target, last=last) as stream:
                assert stream.opened().event().json == {"reason": "history-gone"}
                assert stream.event().version == 901
        for target in (LOG, f"{LOG}?after=900"):
            with Stream(server, target) as stream:
                assert stream.opened().event().version == 901


def test_5_2_invalid_queries_of_the_stream_are_refused(server):
    for query in ("type=AddItem", "after=x", "limit=1"):
        server.get(f"{LOG}?{query}").problem("bad-request", 400)
    assert server.request("HEAD", LOG).status == 405


def test_5_2_a_reader_that_takes_nothing_is_closed_and_comes_back_without_loss():
    with Server("--stall-timeout", "1") as server:
        text = "x" * 2_000
        with Wire(server) as wire:
            for _ in range(10):
                assert server.post([add(text)] * 400, wire=wire).status == 200
        slow = Stream(server, LOG, receive_bytes=4096).opened()
        live = Stream(server, f"{LOG}?after=4000").opened()
        assert live.event().name == "caught-up"
        with Wire(server) as wire:

            def is_closed():
                """True if the slow reader is gone. The other reader gets the actions that are posted meanwhile."""
                version = server.post(INCREASE, wire=wire).json["version"]
                assert live.event().version == version
                return server.sockets == server.sockets_at_rest + 2

            until(is_closed, "the slow reader is closed")
        seen = []
        while (event := slow.take()) or not slow.ended:
            if event:
                seen.append(event)
            else:
                slow.read()
        bye = seen.pop()
        assert bye.name == "bye" and bye.json["reason"] == "slow"
        assert versions(seen) == list(range(1, len(seen) + 1)) and 0 < len(seen) < 4_000
        last = server.version
        while len(seen) < last:
            # On a busy machine, the test itself may be a slow reader. Then it connects once more.
            with Stream(server, LOG, last=seen[-1].id) as again:
                again.opened()
                while len(seen) < last and (event := again.event()).name != "bye":
                    assert event.version == len(seen) + 1
                    seen.append(event)
        slow.close()
        live.close()


def test_5_2_a_stop_sends_bye_to_slow_and_to_current_readers():
    with Server() as server:
        with Wire(server) as wire:
            for _ in range(10):
                assert server.post([add("x" * 2_000)] * 400, wire=wire).status == 200
        behind = Stream(server, LOG, receive_bytes=4096).opened()
        live = Stream(server, f"{LOG}?after=4000").opened()
        assert live.event().name == "caught-up"
        stopping = threading.Thread(target=server.stop)
        stopping.start()
        for stream in (live, behind):
            seen = []
            while not seen or seen[-1].name != "bye":
                seen.append(stream.event())
            assert seen[-1].json["reason"] == "shutdown"
            got = versions(seen)
            assert got == list(range(1, len(got) + 1)) and len(got) < 4_000
            stream.close()
        stopping.join()


@pytest.mark.plain("memory is measured, and a sanitizer keeps what is freed")
@pytest.mark.ci
def test_5_2_a_hundred_readers_from_the_beginning_cost_little_memory():
    build = ROOT / ".build" / "test-clients"
    build.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["gcc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-o", build / "log_readers"]
        + [ROOT / "bench" / "reference" / "log_readers.c"],
        check=True,
    )
    with Server("--history-max", "1000000") as server:
        post_many(server, 100_000)
        before = most = server.resident_bytes
        readers = subprocess.Popen(
            [build / "log_readers", str(server.port), "100", "0", "100000"],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert readers.stdout.readline() == "held 100\n"
        while readers.poll() is None:
            most = max(most, server.resident_bytes)
        assert readers.stdout.read().startswith("whole 100 of 100,")
        assert readers.returncode == 0
        assert most - before < 64 << 20, f"{(most - before) >> 20} MiB"


def test_5_2_the_log_goes_on_after_a_restart(tmp_path):
    with Server(data=tmp_path) as server:
        post_many(server, 300)
        tag = server.tag
    with Server(data=tmp_path) as server:
        with Stream(server, LOG, last=tag) as stream:
            assert stream.opened().event().json == {"epoch": tag.split(":")[0], "version": 300}
            server.post(INCREASE)
            assert stream.event().version == 301
        assert len(records_of(server, "/actions")) == 301
        with Stream(server, LOG) as stream:
            stream.opened()
            for version in range(1, 302):
                assert stream.event().version == version
            assert stream.event().name == "caught-up"
