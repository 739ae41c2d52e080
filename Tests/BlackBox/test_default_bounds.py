"""The default deadlines (protocol 4.7, 4.9, 9), all at once.

Each row is a function that acts as a client. It returns the time after which the server acted on the client.
"""

import concurrent.futures
import ctypes
import os
import pathlib
import socket
import struct
import time

import pytest
from harness import INCREASE, Server, Stream, Wire, until

# The tolerance for a deadline: the server checks deadlines once a second, and the machine is busy.
LATE_SECONDS_MAX = 4
WAIT_SECONDS_MAX = 90
SO_ATTACH_FILTER = 26


def inode(server, client):
    """Returns the name in /proc of the server's socket of a client's connection."""
    pair = (server.port, client.getsockname()[1])
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if pair == tuple(int(fields[place].split(":")[1], 16) for place in (1, 2)):
            return f"socket:[{fields[9]}]"
    raise AssertionError(f"no connection of the ports {pair}")


def holds(server, socket_name):
    """Returns true if the process has this socket open."""
    folder = f"/proc/{server.pid}/fd"
    for descriptor in os.listdir(folder):
        try:
            if os.readlink(f"{folder}/{descriptor}") == socket_name:
                return True
        except FileNotFoundError:
            pass
    return False


def seconds_held(server, client):
    """Returns the time for which the server keeps its end of a connection from now on."""
    name, began = inode(server, client), time.monotonic()
    assert holds(server, name)
    until(lambda: not holds(server, name), "the server lets go", WAIT_SECONDS_MAX)
    return time.monotonic() - began


def play_dead(client):
    """Drops all packets for this socket from now on, unacknowledged, like a pulled cable.

    A socket filter (socket(7)) of one instruction: accept 0 bytes.
    """
    program = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0))
    client.setsockopt(
        socket.SOL_SOCKET,
        SO_ATTACH_FILTER,
        struct.pack("@HP", 1, ctypes.addressof(program)),
    )


def cut_off(server, request):
    """Sends part of a request. Returns the time until 408, after which the connection is closed."""
    began = time.monotonic()
    with Wire(server, WAIT_SECONDS_MAX) as wire:
        wire.send(request)
        wire.answer("POST").problem("timeout", 408)
        seconds = time.monotonic() - began
        assert wire.closed()
    return seconds


def half_a_header(server):
    return cut_off(server, "GET /state HTTP/1.1\r\nHost: localhost\r\nX-")


def half_a_second_header(server):
    """Sends a whole request, and then part of a header: the time for headers begins anew for each request."""
    with Wire(server, WAIT_SECONDS_MAX) as wire:
        assert server.get("/livez", wire=wire).status == 200
        began = time.monotonic()
        wire.send("GET /state HTTP/1.1\r\nHost: localhost\r\nX-")
        wire.answer().problem("timeout", 408)
        return time.monotonic() - began


def half_a_body(server):
    head = "POST /dispatch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return cut_off(server, f'{head}Content-Length: 35\r\n\r\n{{"type":')


def not_a_word(server):
    return cut_off(server, "")


def idle_between_requests(server):
    with Wire(server, WAIT_SECONDS_MAX) as wire:
        assert server.get("/livez", wire=wire).status == 200
        began = time.monotonic()
        assert wire.closed()
        return time.monotonic() - began


def heartbeat(server):
    with Stream(server) as stream:
        stream.wire.socket.settimeout(WAIT_SECONDS_MAX)
        stream.opened()
        times = []
        while len(times) < 2:
            if stream.event(heartbeats=True).name == "heartbeat":
                times.append(time.monotonic())
        return times[1] - times[0]


def reader_that_takes_nothing(server):
    stream = Stream(server, receive_bytes=4096)
    stream.opened()
    for _ in range(8):
        # The frames are larger than the system's buffers, so the last frame can't have left.
        server.post({"type": "AddItem", "payload": {"text": "x" * 900_000}})
    seconds = seconds_held(server, stream.wire.socket)
    stream.close()
    return seconds


def dead_peer_of_an_idle_stream(server):
    with Stream(server) as stream:
        stream.opened().event()
        play_dead(stream.wire.socket)
        return seconds_held(server, stream.wire.socket)


def dead_peer_between_requests(server):
    with Wire(server) as wire:
        assert server.get("/livez", wire=wire).status == 200
        play_dead(wire.socket)
        return seconds_held(server, wire.socket)


def dead_peer_that_is_owed_an_answer(server):
    with Wire(server) as wire:
        assert server.get("/livez", wire=wire).status == 200
        name = inode(server, wire.socket)
        wire.send("GET /state?after=1000000&wait=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        play_dead(wire.socket)
        began = time.monotonic()
        until(lambda: not holds(server, name), "the server lets go", WAIT_SECONDS_MAX)
        return time.monotonic() - began


# The clients, each with the least and the greatest number of seconds.
BOUNDS = [
    (half_a_header, 10, 10 + LATE_SECONDS_MAX),
    (half_a_second_header, 10, 10 + LATE_SECONDS_MAX),
    (not_a_word, 10, 10 + LATE_SECONDS_MAX),
    (half_a_body, 30, 30 + LATE_SECONDS_MAX),
    (idle_between_requests, 30, 30 + LATE_SECONDS_MAX),
    (heartbeat, 15, 15 + LATE_SECONDS_MAX),
    (reader_that_takes_nothing, 30, 30 + LATE_SECONDS_MAX),
    (dead_peer_of_an_idle_stream, 0, 60),
    (dead_peer_between_requests, 0, 60),
    (dead_peer_that_is_owed_an_answer, 0, 60),
]
# The clocks of client and server start a little apart.
EARLY_SECONDS_MAX = 0.5


@pytest.mark.slow
def test_9_the_default_deadlines_hold():
    with Server() as server, Server() as burdened:
        assert server.post(INCREASE).status == 200
        with concurrent.futures.ThreadPoolExecutor(len(BOUNDS)) as pool:
            running = [
                # The large states of this row would delay the heartbeats of others, so it has a server of its own.
                (row, pool.submit(row[0], burdened if row[0] is reader_that_takes_nothing else server))
                for row in BOUNDS
            ]
            wrong = []
            for (client, least, most), future in running:
                try:
                    seconds = future.result()
                except Exception as error:  # each row reports, not only the first failure
                    wrong.append(f"{client.__name__}: {error!r}")
                    continue
                print(f"{client.__name__}: {seconds:.1f} s")
                if not least - EARLY_SECONDS_MAX <= seconds <= most:
                    wrong.append(f"{client.__name__}: {seconds:.1f} s is not {least}...{most} s")
        assert not wrong, "\n".join(wrong)
