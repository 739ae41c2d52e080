"""Harmful clients: many at once, slow ones, and clients that never read. The server serves the others meanwhile
(protocol 9)."""

import contextlib
import json
import os
import pathlib
import resource
import select
import socket
import stat
import time

import pytest
from harness import INCREASE, Server, Wire, binary, run, until

BODY = json.dumps(INCREASE)
LATE_SECONDS = 1.0
RECOVERY_SECONDS_MAX = 10


@pytest.fixture(scope="module", autouse=True)
def descriptors():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 20_000), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def limited(folder, files):
    """Writes a script that starts the server with at most `files` descriptors, and returns its path."""
    path = folder / "limited"
    path.write_text(f'#!/bin/sh\nulimit -n {files} && exec "{binary()}" "$@"\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def own_address():
    """Returns an address of this machine that is not loopback. The search for the address sends no packet."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("203.0.113.1", 9))
        return probe.getsockname()[0]


class From(Wire):
    """A connection from an address of this machine to the same address."""

    def __init__(self, server, address):
        self.socket = socket.create_connection((address, server.port), 15, (address, 0))
        self.buffer = b""


@contextlib.contextmanager
def closing():
    """A list of wires, which are closed at the end."""
    wires = []
    try:
        yield wires
    finally:
        for wire in wires:
            wire.socket.close()


def get(server, target="/state"):
    return f"GET {target} HTTP/1.1\r\nHost: {server.authority}\r\n\r\n"


def post(server, body=BODY, length=None):
    return (
        f"POST /dispatch HTTP/1.1\r\nHost: {server.authority}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body) if length is None else length}\r\n\r\n{body}"
    )


def processor_waits(pid):
    """Returns the seconds for which each thread of a process has waited for a processor."""
    waits = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            waits[task.name] = int((task / "schedstat").read_text().split()[1]) / 1e9
    return waits


def timely(server, wire):
    """Sends a dispatch and /livez on a connection that stays open, and returns the longer time. Delays by other
    programs on the machine do not count."""
    pids = (server.pid, os.getpid())
    before = [processor_waits(pid) for pid in pids]
    began = time.monotonic()
    assert server.get("/livez", wire=wire).status == 200
    middle = time.monotonic()
    assert server.post(INCREASE, wire=wire).status == 200
    took = max(middle - began, time.monotonic() - middle)
    if took >= LATE_SECONDS:
        after = [processor_waits(pid) for pid in pids]
        waited = [max(new[task] - old.get(task, 0) for task in new) for old, new in zip(before, after)]
        assert took - sum(waited) < LATE_SECONDS, f"{took:.2f} s, {waited} of them for a processor"
    return took


def fill(server, megabytes=4):
    """A state that fits into no socket's buffer."""
    for _ in range(megabytes):
        answer = server.post({"type": "AddItem", "payload": {"text": "x" * 1_000_000}})
        assert answer.status == 200, answer


def served(server):
    try:
        return server.get("/state").status == 200
    except OSError:
        return False


# Kinds of harmful connections, each begun by one call


def idle(server, wire, _):
    """Nothing is ever sent."""


def slow_header(server, wire, number):
    wire.send(get(server)[: 5 + number % 40])


def slow_body(server, wire, number):
    wire.send(post(server, length=1_000)[: -1 - number % 5])


def lying_body(server, wire, _):
    wire.send(post(server, length=100_000))


def never_reads(server, wire, _):
    wire.send(get(server, "/state") * 20)


def waits(server, wire, _):
    wire.send(get(server, "/state?after=1000000&wait=60"))


KINDS = [idle, slow_header, slow_body, lying_body, never_reads, waits]


@pytest.mark.parametrize("kind", KINDS)
def test_9_with_1024_files_kept_connections_are_served_in_a_flood(kind, tmp_path):
    with Server(program=limited(tmp_path, 1_024)) as server:
        fill(server)
        with Wire(server) as kept, closing() as wires:
            timely(server, kept)
            for number in range(1_500):
                wire = Wire(server)
                wires.append(wire)
                with contextlib.suppress(OSError):
                    kind(server, wire, number)
                if number % 100 == 0:
                    timely(server, kept)
            for _ in range(20):
                timely(server, kept)
            # The process still has free descriptors, so history and streams go on.
            assert server.descriptors < 1_024
            for wire in wires:
                wire.socket.close()
            ended = time.monotonic()
            until(lambda: served(server), "there are places again", RECOVERY_SECONDS_MAX)
            until(lambda: server.sockets <= server.sockets_at_rest + 1, "all are closed", 10)
            assert time.monotonic() - ended < RECOVERY_SECONDS_MAX
            timely(server, kept)


def test_9_a_flood_that_comes_again_and_again_is_borne(tmp_path):
    """Connections that are opened as fast as possible, and closed by reset or not."""
    with Server(program=limited(tmp_path, 1_024)) as server, Wire(server) as kept:
        for turn in range(10):
            with closing() as wires:
                for number in range(600):
                    connection = socket.socket()
                    connection.setblocking(False)
                    with contextlib.suppress(BlockingIOError):
                        connection.connect((server.host, server.port))
                    wires.append(_Bare(connection))
                    if number % 3 == turn % 3:
                        wires.pop().socket.close()
                timely(server, kept)
        until(lambda: served(server), "there are places again", RECOVERY_SECONDS_MAX)
        until(lambda: server.sockets <= server.sockets_at_rest + 1, "all are closed", 10)


class _Bare:
    def __init__(self, connection):
        self.socket = connection


def refused(tmp_path, monkeypatch, files, *flags):
    """Returns the message of a server that does not start because it may open only `files` files."""
    monkeypatch.setenv("TESTED_BINARY", str(limited(tmp_path, files)))
    ended = run("--ephemeral", "--analytics", "off", "--listen", "127.0.0.1:0", *flags)
    assert ended.returncode == 2, ended
    assert f"allows {files} open files" in ended.stderr and "ulimit -n" in ended.stderr
    assert len(ended.stderr.strip().split("\n")) == 1
    return ended.stderr


@pytest.mark.parametrize("files", [20, 64, 127])
def test_9_too_few_open_files_are_refused_at_the_start(files, tmp_path, monkeypatch):
    assert "needs 128 at least" in refused(tmp_path, monkeypatch, files)


@pytest.mark.parametrize(
    "flags, needed",
    [
        ({"--connections-max": 600}, 712), ({"--streams-max": 700}, 812),
        ({"--connections-max": 300, "--streams-max": 301}, 697),
        ({"--connections-max": 300, "--streams-max": 300, "--admin-listen": "127.0.0.1:0"}, 760),
    ],
)
def test_9_bounds_that_are_set_and_do_not_fit_are_refused(flags, needed, tmp_path, monkeypatch):
    words = [str(word) for flag in flags.items() for word in flag]
    said = refused(tmp_path, monkeypatch, 690, *words)
    bounds = [f"{flag} {value}" for flag, value in flags.items() if flag.endswith("-max")]
    assert f"{' and '.join(bounds)} needs {needed}" in said
    assert "or give less" in said


def test_9_a_bound_that_is_set_is_kept_when_the_other_bound_is_lowered(tmp_path):
    with Server("--connections-max", "70", program=limited(tmp_path, 200)) as server:
        server.await_log("at most 70 connections and 34 streams")
    with Server("--streams-max", "70", program=limited(tmp_path, 200)) as server:
        server.await_log("at most 34 connections and 70 streams")


def test_9_fewer_open_files_than_bounds_lower_the_bounds_and_the_log_has_a_line(tmp_path):
    with Server(program=limited(tmp_path, 200)) as server:
        server.await_log("the system allows 200 open files")
        assert "at most 52 connections and 52 streams" in server.log_text
        with closing() as wires:
            for _ in range(52):
                wires.append(Wire(server))
                assert server.get("/livez", wire=wires[-1]).status == 200
            server.get("/state").problem("overloaded", 503)


# A single address


def test_9_a_single_address_leaves_places_to_the_others():
    address = own_address()
    flags = ["--allow-anonymous", "--allowed-host", address, "--connections-max", "128"]
    with Server(*flags, listen="0.0.0.0:0") as server, closing() as wires:
        for _ in range(32):
            wires.append(From(server, address))
            assert server.get("/livez", wire=wires[-1]).status == 200
        for _ in range(3):
            wire = From(server, address)
            wires.append(wire)
            wire.send(get(server))
            answer = wire.answer()
            assert "your address has 32 connections" in answer.problem("overloaded", 503)["detail"]
            assert int(answer["retry-after"]) >= 1
        # Loopback may be a proxy, so it gets all other places except the reserved ones.
        for _ in range(128 - 32 - 2):
            wires.append(Wire(server))
            assert server.get("/livez", wire=wires[-1]).status == 200
        server.get("/state").problem("overloaded", 503)
        with From(server, "127.0.0.9") as other:
            assert server.get("/livez", wire=other).status == 200
        # If a place of the address becomes free, the address may use it again.
        wires[0].socket.close()

        def served_again():
            with From(server, address) as wire:
                return server.get("/state", wire=wire).status == 200

        until(served_again, "there is a place again")


def test_9_the_bound_of_an_address_is_configured():
    address = own_address()
    flags = ["--allow-anonymous", "--allowed-host", address, "--connections-per-address-max", "3"]
    with Server(*flags, listen="0.0.0.0:0") as server, closing() as wires:
        statuses = []
        for _ in range(5):
            wires.append(From(server, address))
            wires[-1].send(get(server))
            statuses.append(wires[-1].answer().status)
        assert statuses == [200] * 3 + [503] * 2
        assert server.get("/livez").status == 200


def test_9_1_an_address_that_floods_still_reads_the_health_of_the_server():
    """The health is also answered beside many silent connections without a place; other requests are not."""
    address, bound = own_address(), "--connections-per-address-max"
    open_to_all = Server("--allow-anonymous", "--allowed-host", address, bound, "3", listen="0.0.0.0:0")
    with open_to_all as server, closing() as wires:
        wires += [From(server, address) for _ in range(103)]
        assert [server.get("/state", wire=wire).status for wire in wires[:3]] == [200] * 3
        for method in "GET", "HEAD":
            with From(server, address) as wire:
                wire.send(f"{method} /livez HT")
                wire.send(f"TP/1.1\r\nHost: {server.authority}\r\n\r\n")
                answer = wire.answer(method)
                assert (answer.status, answer.body) == (200, b"ok\n" if method == "GET" else b"")
                assert answer["connection"] == "close" and wire.closed()
        for target in "/livez/x", "/state", "/readyz":
            with From(server, address) as wire:
                wire.send(get(server, target))
                wire.answer().problem("overloaded", 503)
        # Silent connections are refused when their time is over.
        for wire in wires[3:]:
            wire.answer().problem("overloaded", 503)
        assert server.get("/livez").status == 200


def test_9_slow_readers_of_one_address_hold_up_no_other():
    address = own_address()
    flags = ["--allow-anonymous", "--allowed-host", address, "--connections-max", "512"]
    with Server(*flags, listen="0.0.0.0:0") as server, closing() as wires:
        fill(server)
        for _ in range(1_000):
            wire = From(server, address)
            wires.append(wire)
            with contextlib.suppress(OSError):
                wire.send(get(server, "/state") * 5)
        for _ in range(50):
            began = time.monotonic()
            assert server.get("/livez").status == 200
            assert server.post(INCREASE).status == 200
            assert time.monotonic() - began < LATE_SECONDS


# Pipelining


def test_9_pipelined_requests_without_a_reader_are_bounded(server):
    """Requests that are sent ahead wait in the kernel, not in the server."""
    fill(server, 1)
    message = (get(server, "/state") * 100).encode()
    with closing() as wires:
        for _ in range(20):
            wires.append(Wire(server))
            wires[-1].socket.setblocking(False)
        before = server.resident_bytes
        deadline = time.monotonic() + 3
        sent = 0
        while time.monotonic() < deadline:
            _, ready, _ = select.select([], [wire.socket for wire in wires], [], 0.1)
            for connection in ready:
                with contextlib.suppress(BlockingIOError):
                    sent += connection.send(message)
            if not ready:
                break
        assert sent > 100_000
        with Wire(server) as kept:
            for _ in range(10):
                timely(server, kept)
        grown = server.resident_bytes - before
        assert grown < 64 << 20, f"{grown >> 20} MiB more"


def test_9_thousands_of_pipelined_requests_are_answered_in_order(server):
    before = server.version
    with Wire(server) as wire:
        for part in range(10):
            requests = "".join(post(server) + get(server, "/nowhere") for _ in range(500))
            wire.send(requests)
            for number in range(500):
                assert wire.answer("POST").json["version"] == before + 500 * part + number + 1
                assert wire.answer().status == 404


# Bodies with a wrong length


@pytest.mark.parametrize("more", [1, 35, 1_000])
def test_8_bytes_behind_a_body_are_the_next_request(server, more):
    before = server.version
    with Wire(server) as wire:
        wire.send(post(server) + "x" * more + "\r\n\r\n")
        assert wire.answer("POST").status == 200
        wire.answer().problem("bad-request", 400)
        assert wire.closed()
    assert server.version == before + 1


def test_8_a_body_that_ends_too_early_is_not_applied(server):
    before = server.version
    for missing in (1, 5, 34):
        with Wire(server) as wire:
            wire.send(post(server)[:-missing])
            wire.socket.shutdown(socket.SHUT_WR)
            while wire.more():
                pass
            assert b" 200 " not in wire.buffer
    assert server.version == before
