"""`--memory-max`: the server closes readers that take nothing before the kernel ends the process."""

import os
import re
import resource
import time

import pytest
from harness import INCREASE, Server, Stream, Wire, action, until

MIB = 1 << 20
#: The text of each item. With a few items, two versions of the state do not fit into one socket's buffer.
TEXT = "x" * 200_000
READERS = 10_000


@pytest.fixture
def descriptors():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 30_000), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def metric(server, name, wire=None):
    text = server.get("/metrics", wire=wire).body.decode()
    found = re.search(rf"^{re.escape(name)}(?:{{[^}}]*}})? (\S+)$", text, re.M)
    assert found, text
    return float(found[1])


def answered_readers(server, wire):
    """Returns the number of readers that got a stream, or were refused a stream or a connection."""
    names = ["streams_opened_total", "streams_refused_for_memory_total", 'limits_hit_total{limit="connections"}']
    return sum(metric(server, f"store_{name}", wire) for name in names)


def resident(server):
    with open(f"/proc/{server.pid}/statm") as file:
        return int(file.read().split()[1]) * 4096


def edit_text(server, number, wire=None):
    """Makes another version of such a state. Returns the time that it took."""
    began = time.monotonic()
    assert server.post(action("EditItem", index=0, text=f"{number}{TEXT}"), wire=wire).status == 200
    return time.monotonic() - began


def add_text(server, number):
    action = {"type": "AddItem", "payload": {"text": f"{number}{TEXT}"}}
    assert server.post(action).status == 200


@pytest.mark.plain("memory is measured, and a sanitizer keeps what is freed")
def test_readers_that_take_nothing_are_let_go_and_dispatch_goes_on():
    limit = 256 * MIB
    with Server("--memory-max", str(limit), "--stall-timeout", "3600") as server:
        for number in range(20):
            add_text(server, number)
        readers, most = [], 0
        for number in range(1_000):
            reader = Stream(server, receive_bytes=2048)
            readers.append(reader)
            # Each reader keeps a version of the list that no other reader has.
            edit_text(server, number)
            most = max(most, resident(server))
            if metric(server, "store_streams_shed_total") > 0:
                break
        server.await_log("memory is scarce: new streams are refused, and slow readers are disconnected")
        assert metric(server, "store_streams_shed_total") > 0
        assert most < limit, f"{most / MIB:.0f} of {limit / MIB:.0f} MiB"
        until(lambda: "event=memory.normal" in server.log_text, "memory is free again", 30)
        for _ in range(10):
            assert server.post(INCREASE).status == 200
        with Stream(server, "/modules/counter/events") as stream:
            stream.opened()
        for reader in readers:
            reader.close()
        assert server.stop() == 0


@pytest.mark.plain("memory is measured, and a sanitizer keeps what is freed")
def test_ten_thousand_readers_that_take_nothing_leave_the_server_to_others(descriptors):
    """The readers hold a thousand versions among them. None of the versions fits into a socket."""
    limit, readers, answered, most = 256 * MIB, [], [], 0
    bounds = ["--memory-max", str(limit), "--streams-max", "12000", "--stall-timeout", "3600"]
    with Server(*bounds) as server, Wire(server) as kept:
        add_text(server, 0)
        for number in range(READERS):
            # Each ten readers wait with a version of their own.
            readers.append(Stream(server, receive_bytes=2048))
            if number % 10 == 0:
                answered.append(edit_text(server, number, kept))
                most = max(most, resident(server))
        until(lambda: answered_readers(server, kept) == READERS, "all readers are answered", 60)
        for number in range(100):
            answered.append(edit_text(server, number, kept))
            most = max(most, resident(server))
        assert most < limit, f"{most / MIB:.0f} of {limit / MIB:.0f} MiB"
        assert max(answered) < 1, max(answered)
        for reader in readers:
            reader.close()


def test_no_stream_is_opened_while_memory_is_scarce_and_all_else_is_served():
    with Server("--memory-max", str(MIB)) as server:
        server.await_log("event=memory.high")
        with Wire(server) as reader:
            answer = server.get("/events", wire=reader)
            assert "memory" in answer.problem("overloaded", 503)["detail"]
            assert answer["connection"] == "close" and reader.closed()
        assert server.get("/modules/counter/events").status == 503
        assert metric(server, "store_streams_refused_for_memory_total") == 2
        assert server.post(INCREASE).json["version"] == 1
        assert server.get("/state").status == server.get("/actions").status == 200
        assert server.log_text.count("event=memory.high") == 1


def test_without_a_bound_nothing_is_refused():
    with Server() as server:
        with Stream(server) as stream:
            stream.opened()
        assert metric(server, "store_streams_shed_total") == 0
        assert "memory." not in server.log_text


@pytest.mark.slow
def test_the_memory_of_readers_is_given_back_when_they_have_left():
    with Server("--stall-timeout", "3600") as server:
        for number in range(10):
            add_text(server, number)
        with Wire(server) as wire:
            for number in range(20):
                edit_text(server, number, wire)
        base, readers = resident(server), []
        for number in range(300):
            readers.append(Stream(server, receive_bytes=2048))
            edit_text(server, number)
        most = resident(server)
        assert most > base + 30 * MIB, f"{base / MIB:.0f} to {most / MIB:.0f} MiB"
        for reader in readers:
            reader.close()
        until(lambda: resident(server) < base + (most - base) / 4, "memory is given back", 70)


def arenas(server):
    """Returns the number of malloc's arenas beside the main arena. Each has heaps of 64 MiB, at multiples of 64 MiB."""
    with open(f"/proc/{server.pid}/maps") as file:
        maps = [line.split() for line in file]
    heaps = set()
    for begin, end in zip(maps, maps[1:]):
        start = int(begin[0].split("-")[0], 16)
        if len(begin) == 5 and begin[1] == "rw-p" and end[1] == "---p" and start % (64 * MIB) == 0:
            if int(end[0].split("-")[1], 16) == start + 64 * MIB:
                heaps.add(start)
    return len(heaps)


@pytest.mark.plain("a sanitizer has an allocator of its own, without arenas")
@pytest.mark.parametrize("variable, most", [(None, min(4, max(2, os.cpu_count()))), ("1", 1), ("6", 6)])
def test_threads_share_a_few_arenas(variable, most):
    environment = {"MALLOC_ARENA_MAX": variable} if variable else {}
    with Server("--analytics", "off", environment=environment) as server:
        with Stream(server) as stream:
            for _ in range(20):
                assert server.post(INCREASE).status == 200
                assert server.get("/actions").status == 200
            stream.opened()
        assert arenas(server) == most - 1
