"""Many connections at once: stalls, leaks, dead peers."""

import json
import resource
import select
import signal
import struct
import socket
import time

import pytest
from harness import INCREASE, Server, Stream, Wire, open_streams, read_all, step, until

BODY = json.dumps(INCREASE).encode()


@pytest.fixture(scope="module", autouse=True)
def descriptors():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 20_000), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def request(server):
    return (
        f"POST /dispatch HTTP/1.1\r\nHost: {server.authority}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(BODY)}\r\n\r\n"
    ).encode() + BODY


def storm(server, wires, each, seconds):
    """Sends one request after the other on every connection. Returns all acknowledged versions."""
    message = request(server)
    left = {wire.socket.fileno(): [wire, each] for wire in wires}
    versions = []
    poll = select.epoll()
    for descriptor, (wire, _) in left.items():
        poll.register(descriptor, select.EPOLLIN)
        wire.send(message)
    deadline = time.monotonic() + seconds
    while left:
        remaining = deadline - time.monotonic()
        assert remaining > 0, f"{len(left)} of {len(wires)} connections are not served in {seconds} s"
        for descriptor, _ in poll.poll(remaining):
            entry = left[descriptor]
            wire = entry[0]
            assert wire.more(), "a connection was closed"
            head, mark, rest = wire.buffer.partition(b"\r\n\r\n")
            if not mark or not rest.endswith(b"}"):
                continue
            assert head.startswith(b"HTTP/1.1 200 "), wire.buffer
            versions.append(json.loads(rest)["version"])
            wire.buffer = b""
            entry[1] -= 1
            if entry[1]:
                wire.send(message)
            else:
                poll.unregister(descriptor)
                del left[descriptor]
    poll.close()
    return versions


def test_200_connections_lose_none_of_50_increases_each(fresh):
    wires = [Wire(fresh) for _ in range(200)]
    versions = storm(fresh, wires, 50, 60)
    assert sorted(versions) == list(range(1, 10_001))
    assert fresh.state["counter"]["counter"] == 10_000
    for wire in wires:
        wire.socket.close()


@pytest.mark.parametrize("count", [256, 512, 1000])
def test_9_many_keep_alive_connections_do_not_stall(fresh, count):
    """libmicrohttpd's own loop stalls if 128 or more connections are ready at once."""
    wires = [Wire(fresh) for _ in range(count)]
    began = time.monotonic()
    for _ in range(5):
        # All connections are ready at the same moment, several times over.
        assert len(storm(fresh, wires, 2, 20)) == 2 * count
    assert time.monotonic() - began < 20
    assert fresh.state["counter"]["counter"] == count * 10
    for wire in wires:
        wire.socket.close()


def test_a_thousand_connections_that_are_killed_leave_no_descriptor(fresh):
    assert fresh.post(INCREASE).status == 200
    before = fresh.sockets_at_rest
    message = request(fresh)
    cuts = (0, 1, 20, len(message) // 2, len(message) - 1, len(message), len(message) * 2)
    for number in range(1000):
        connection = fresh.socket()
        part = (message * 2)[: cuts[number % len(cuts)]]
        if part:
            connection.sendall(part)
        if number % 3:
            linger = struct.pack("ii", 1, 0)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        connection.close()
    until(lambda: fresh.sockets == before, "all descriptors are back", 15)
    assert fresh.post(INCREASE).status == 200


def test_a_thousand_streams_that_come_and_go_leave_no_descriptor(fresh):
    with Stream(fresh) as stream:
        stream.opened().event()
    until(lambda: fresh.sockets > 0, "a count")
    fresh.get("/livez")
    before = fresh.sockets_at_rest
    for number in range(1000):
        stream = Stream(fresh)
        if number % 2:
            stream.opened()
        stream.reset() if number % 3 else stream.close()
    until(lambda: fresh.sockets <= before, "all descriptors are back", 15)
    assert fresh.post(INCREASE).status == 200


def test_4_9_of_two_thousand_streams_half_are_killed_and_the_others_go_on(fresh):
    before = fresh.sockets_at_rest
    streams = open_streams(fresh, 2000)
    for events in read_all(streams, lambda events: events):
        assert events[0].version == 0
    assert fresh.sockets == before + 2000
    for stream in streams[::2]:
        stream.reset()
    alive = streams[1::2]
    until(lambda: fresh.sockets == before + 1000, "the dead are noticed at once", 5)
    for number in (1, 2, 3):
        fresh.post(step(number))
    for events in read_all(alive, lambda events: events and events[-1].version == 3):
        assert [event.version for event in events] in ([1, 2, 3], [2, 3], [1, 3], [3])
    for stream in alive:
        stream.close()
    until(lambda: fresh.sockets == before, "all descriptors are back", 5)


def test_4_9_peers_that_die_within_a_broadcast_harm_no_other(fresh):
    streams = open_streams(fresh, 400)
    read_all(streams, lambda events: events)
    with Wire(fresh) as wire:
        for number in range(1, 201):
            fresh.post(step(number), wire=wire)
            streams[2 * (number - 1)].reset()
    alive = streams[1::2]
    for events in read_all(alive, lambda events: events and events[-1].version == 200):
        versions = [event.version for event in events]
        assert versions == sorted(set(versions))
    for stream in alive:
        stream.close()


def test_7_3_ten_thousand_streams_get_bye_and_the_process_ends_with_0():
    server = Server()
    streams = open_streams(server, 10_000)
    read_all(streams, lambda events: events)
    began = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    for events in read_all(streams, lambda events: events and events[-1].name == "bye"):
        assert events[-1].json["reason"] == "shutdown"
    assert server.process.wait(10) == 0
    assert time.monotonic() - began < 10
    for stream in streams:
        stream.close()


@pytest.mark.plain("memory is measured, and a sanitizer keeps what is freed")
def test_an_idle_server_is_small_and_so_is_a_stream():
    with Server() as server:
        assert server.post(INCREASE).status == 200
        with Stream(server) as stream:
            stream.opened().event()
        base = server.resident_bytes
        print(f"idle: {base / 1024 / 1024:.1f} MiB")
        assert base <= 20_000_000
        count = 5000
        streams = open_streams(server, count)
        read_all(streams, lambda events: events)
        more = (server.resident_bytes - base) / count
        print(f"per idle stream: {more:.0f} bytes")
        assert more <= 2048
        for stream in streams:
            stream.close()


def test_9_streams_leave_room_for_requests():
    """Protocol 9: at least 256 connections that streams cannot take."""
    with Server("--streams-max", "600") as server:
        streams = open_streams(server, 600)
        wires = [Wire(server) for _ in range(256)]
        assert len(storm(server, wires, 2, 20)) == 512
        for each in [*streams, *wires]:
            each.close() if isinstance(each, Stream) else each.socket.close()
