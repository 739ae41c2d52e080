"""Memory for bodies and answers under way: one bound for all, a share for each client (protocol 9.4)."""

import contextlib
import random
import re
import socket
import struct
import time

import pytest
from access import ALL, House
from harness import INCREASE, Server, Wire, action, run, until
from test_floods import From, closing, descriptors, own_address, served, timely  # noqa: F401
from test_memory import metric

MIB = 1 << 20
BODY_BYTES = 1_048_000
CONNECTIONS = 4_096
RECOVERY_SECONDS_MAX = 10
#: The share of a flood's resident memory that may stay after the flood.
KEPT_SHARE_MAX = 1 / 4


def head(server, method, target, length, headers=()):
    fields = "".join(f"{name}: {value}\r\n" for name, value in dict(headers).items())
    return (
        f"{method} {target} HTTP/1.1\r\nHost: {server.authority}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {length}\r\n{fields}\r\n"
    )


def served_paths(server, method):
    """Returns the targets of all routes of a method, with a value for each parameter."""
    paths = server.get("/openapi.json").json["paths"]
    return [re.sub(r"{[^}]*}", "counter", path) for path, routes in paths.items() if method in routes]


def begin_body(server, wire, count, headers=()):
    """Sends `count` bytes of a body that is never complete. Returns whether all were sent."""
    wire.send(head(server, "POST", "/dispatch", BODY_BYTES, headers))
    with contextlib.suppress(ConnectionError):
        wire.send(b"x" * count)


def fill_log(server, count=200, text_bytes=2_000):
    """A state and a log of half a megabyte."""
    with Wire(server) as wire:
        for number in range(count):
            text = f"{number}" + "x" * text_bytes
            assert server.post(action("AddItem", text=text), wire=wire).status == 200


def taken(server):
    return metric(server, "store_http_buffers_bytes")


# Bodies that a route does not take


def test_9_4_a_body_that_a_route_does_not_take_is_refused_at_its_head(server):
    targets = [path for path in served_paths(server, "get") if not path.endswith("/events")]
    assert "/livez" in targets and "/state" in targets and len(targets) >= 20
    for target in targets:
        for length in ("Content-Length: 1048000", "Transfer-Encoding: chunked"):
            with Wire(server) as wire:
                wire.send(f"GET {target} HTTP/1.1\r\nHost: {server.authority}\r\n{length}\r\n\r\n")
                answer = wire.answer()
                if answer.status != 404:
                    assert answer.problem("too-large", 413)["limit"] == 0, target
                    assert f"GET {target}"[:40] in answer.json["detail"]
                assert answer["connection"] == "close" and wire.closed()


def test_9_4_an_empty_body_counts_as_no_body(server):
    with Wire(server) as wire:
        for target in ("/livez", "/state", "/actions"):
            assert server.request("GET", target, b"", wire=wire).status == 200
        assert server.request("OPTIONS", "/state", b"", wire=wire).status == 204


def test_9_4_without_a_credential_no_body_is_read(tmp_path):
    house = House(tmp_path, {"operator": ALL})
    with house.server() as server, Wire(server) as wire:
        wire.send(head(server, "POST", "/dispatch", BODY_BYTES))
        answer = wire.answer("POST")
        assert answer.status in (401, 403) and wire.closed()


# The bound


def test_9_4_bodies_that_are_not_whole_have_one_bound_and_small_ones_go_on():
    with Server("--buffers-max", str(8 * MIB)) as server, Wire(server) as kept, closing() as wires:
        refused = []
        for number in range(40):
            wires.append(Wire(server))
            begin_body(server, wires[-1], 300_000)
            until(
                lambda: metric(server, "store_http_requests_total") > number and (taken(server) > 0),
                "the head has come",
            )
        until(lambda: metric(server, 'store_limits_hit_total{limit="bodies"}') > 0, "one is refused")
        assert taken(server) <= 4 * MIB
        assert server.post(INCREASE, wire=kept).status == 200
        for wire in wires:
            wire.socket.settimeout(0.2)
            with contextlib.suppress(OSError, TimeoutError):
                refused.append(wire.answer("POST"))
        assert refused
        detail = refused[0].problem("overloaded", 503)["detail"]
        assert f"{4 * MIB} bytes" in detail and int(refused[0]["retry-after"]) >= 1
        for wire in wires:
            wire.socket.close()
        until(lambda: taken(server) == 0, "all is given back", RECOVERY_SECONDS_MAX)
        large = {"type": "AddItem", "payload": {"text": "x" * 900_000}}
        assert server.post(large).status == 200


def test_9_4_a_single_address_leaves_memory_for_bodies_to_the_others():
    address = own_address()
    flags = ["--allow-anonymous", "--allowed-host", address, "--buffers-max", str(8 * MIB)]
    with Server(*flags, listen="0.0.0.0:0") as server, closing() as wires:
        for _ in range(12):
            wires.append(From(server, address))
            begin_body(server, wires[-1], 300_000)
        until(lambda: metric(server, 'store_limits_hit_total{limit="bodies"}') > 0, "one is refused")
        assert taken(server) <= 2 * MIB
        large = {"type": "AddItem", "payload": {"text": "x" * 900_000}}
        assert server.post(large).status == 200


def test_9_4_a_single_principal_leaves_memory_for_bodies_to_the_others(tmp_path):
    house = House(tmp_path, {"operator": ALL})
    greedy = house.bearer("greedy", "operator")
    with house.server("--buffers-max", str(8 * MIB)) as server, closing() as wires:
        for _ in range(12):
            wires.append(Wire(server))
            begin_body(server, wires[-1], 300_000, greedy)

        def refusals():
            text = server.get("/metrics", house.operator).body.decode()
            return int(re.search(r'store_limits_hit_total{limit="bodies"} (\d+)', text)[1])

        until(lambda: refusals() > 0, "one is refused")
        large = {"type": "AddItem", "payload": {"text": "x" * 900_000}}
        assert server.post(large, house.operator).status == 200


def test_9_4_the_bound_has_to_hold_four_bodies():
    ended = run("--ephemeral", "--buffers-max", str(MIB), "--listen", "127.0.0.1:0")
    assert ended.returncode == 2
    assert f"--buffers-max: {MIB} bytes hold fewer" in ended.stderr and f"at least {4 * MIB}" in ended.stderr


@pytest.mark.parametrize("flags, bound", [([], 64), (["--buffers-max", "8388608"], 8)])
def test_9_4_the_bound_follows_that_of_the_memory(flags, bound):
    with Server("--memory-max", str(256 * MIB), *flags) as server:
        assert metric(server, "store_http_buffers_bytes_max") == bound * MIB


# Answers that are not read


class Unread:
    """A connection whose client never reads."""

    def __init__(self, server, target, source="127.0.0.1"):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
        self.socket.bind((source, 0))
        self.socket.connect((server.host, server.port))
        self.socket.sendall(f"GET {target} HTTP/1.1\r\nHost: {server.authority}\r\n\r\n".encode())

    def was_reset(self):
        """Returns true if the server has closed the connection and dropped the unread bytes."""
        return self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0

    def is_answered(self):
        """Returns true if bytes of the answer have arrived, which stay unread, or if the connection has ended."""
        with contextlib.suppress(BlockingIOError):
            self.socket.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
            return True
        return False


def test_9_4_the_oldest_answers_that_are_not_read_end_and_others_are_whole():
    with Server("--buffers-max", str(8 * MIB)) as server, closing() as wires:
        fill_log(server)
        size = len(server.get("/actions?limit=1000").body)
        assert size > 400_000
        for _ in range(100):
            wires.append(Unread(server, "/actions?limit=1000"))
        until(lambda: metric(server, "store_http_unread_ended_total") > 0, "answers end")
        until(lambda: taken(server) <= 8 * MIB, "the bound holds")
        reset = set()

        def all_are_answered():
            reset.update(wire for wire in wires if wire not in reset and wire.was_reset())
            return all(wire in reset or wire.is_answered() for wire in wires)

        # Otherwise an answer that is made late would end the answer to the next request, which would then be older.
        until(all_are_answered, "each answer is made")
        # The order in which answers are made is not exactly the order of their requests.
        assert len(reset.intersection(wires[:20])) >= 15
        server.await_log("connections of the oldest answers are closed")
        assert len(server.get("/actions?limit=1000").body) == size
        assert server.log_text.count("connections of the oldest answers are closed") == 1
        for wire in wires:
            wire.socket.close()
        until(lambda: taken(server) == 0, "all is given back", RECOVERY_SECONDS_MAX)


def test_9_4_answers_of_one_version_take_its_memory_once():
    with Server("--buffers-max", str(8 * MIB)) as server, closing() as wires:
        fill_log(server)
        for _ in range(100):
            wires.append(Unread(server, "/state"))
        until(lambda: taken(server) > 0, "answers wait")
        assert server.post(INCREASE).status == 200
        assert metric(server, "store_http_unread_ended_total") == 0


# Bodies and unread answers at once


def peak_bytes(server):
    with open(f"/proc/{server.pid}/status") as file:
        return int(re.search(r"VmHWM:\s+(\d+) kB", file.read())[1]) << 10


class Flood:
    """Connections of many addresses that send endless bodies, and read no answer."""

    def __init__(self, server, seed):
        self.server, self.random = server, random.Random(seed)
        self.reads = served_paths(server, "get") + ["/actions?limit=1000", "/state"] * 10
        self.writes = served_paths(server, "post")
        self.sockets = []
        self.senders = []

    def begin(self, number):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
        source = f"127.{self.random.randrange(256)}.{self.random.randrange(256)}.{1 + number % 250}"
        connection.bind((source, 0))
        connection.settimeout(5)
        connection.connect((self.server.host, self.server.port))
        self.sockets.append(connection)
        if number % 2:
            request = f"GET {self.random.choice(self.reads)} HTTP/1.1\r\nHost: {self.server.authority}\r\n\r\n"
        else:
            method = self.random.choice(["POST", "POST", "GET"])
            target = self.random.choice(self.writes if method == "POST" else self.reads)
            request = head(self.server, method, target, BODY_BYTES)
            self.senders.append(connection)
        with contextlib.suppress(OSError):
            connection.sendall(request.encode())
        connection.setblocking(False)

    def pump(self):
        """Sends as much of the bodies as the sockets take."""
        for connection in self.senders[-200:]:
            with contextlib.suppress(OSError):
                connection.send(b"x" * 200_000)

    def end(self):
        """Closes all connections, half of them by reset."""
        for number, connection in enumerate(self.sockets):
            if number % 2:
                option = struct.pack("ii", 1, 0)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, option)
            connection.close()


@pytest.mark.plain("memory is measured, and a sanitizer keeps what is freed")
def test_9_4_a_flood_of_bodies_and_unread_answers_stays_within_the_memory():
    """4,096 connections of many addresses, to every route, in a server with a bound of 256 MiB."""
    limit = 256 * MIB
    flags = ["--memory-max", str(limit), "--connections-max", str(CONNECTIONS + 64)]
    with Server(*flags) as server, Wire(server) as kept:
        fill_log(server)
        resting = server.resident_bytes
        flood = Flood(server, seed=25)
        try:
            for number in range(CONNECTIONS):
                flood.begin(number)
                if number % 64 == 0:
                    flood.pump()
                    timely(server, kept)
            for _ in range(10):
                flood.pump()
                timely(server, kept)
            assert metric(server, "store_http_requests_total", kept) > CONNECTIONS
            assert peak_bytes(server) < limit, f"{peak_bytes(server) / MIB:.0f} MiB"
            assert metric(server, 'store_limits_hit_total{limit="bodies"}', kept) > 0
            assert metric(server, "store_http_unread_ended_total", kept) > 0
        finally:
            ended = time.monotonic()
            flood.end()
        until(lambda: taken(server) == 0, "the memory is given back", RECOVERY_SECONDS_MAX)
        until(lambda: served(server), "there are places again", RECOVERY_SECONDS_MAX)
        until(lambda: server.sockets <= server.sockets_at_rest + 1, "all are closed", RECOVERY_SECONDS_MAX)
        grown = peak_bytes(server) - resting
        left = RECOVERY_SECONDS_MAX - (time.monotonic() - ended)
        until(
            lambda: server.resident_bytes <= resting + grown * KEPT_SHARE_MAX,
            f"{KEPT_SHARE_MAX:.0%} of {grown / MIB:.0f} MiB at most is still resident",
            left,
        )
        assert time.monotonic() - ended < RECOVERY_SECONDS_MAX
        timely(server, kept)
        assert server.stop() == 0
