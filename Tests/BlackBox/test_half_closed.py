"""Clients that close their sending side after a whole request: each gets its answer (protocol 2.6, 3.4)."""

import collections
import json
import socket
import threading

import pytest
from harness import INCREASE, Server, Wire

CLIENTS = 20
EACH = 25
BODY = json.dumps(INCREASE)


def request(server, method, target, body="", *fields):
    lines = [f"{method} {target} HTTP/1.1", f"Host: {server.authority}", *fields]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", body])


KINDS = {
    "dispatch": lambda s: request(s, "POST", "/dispatch", BODY),
    "dispatch that waits": lambda s: request(s, "POST", "/dispatch", BODY, "Prefer: wait=10"),
    "dispatch with the state": lambda s: request(
        s, "POST", "/dispatch", BODY, "Prefer: return=representation"
    ),
    "dry run": lambda s: request(s, "POST", "/dispatch?dry-run=true", BODY),
    "views": lambda s: request(s, "GET", "/views"),
    "a view": lambda s: request(s, "GET", "/views/list"),
    "actions": lambda s: request(s, "GET", "/actions?limit=10"),
    "a past version": lambda s: request(s, "GET", "/state?version=1"),
    "a long poll": lambda s: request(s, "GET", "/state/counter?after=1&wait=10"),
    "state": lambda s: request(s, "GET", "/state"),
}


def together(count, work):
    """Runs work(number) on `count` threads at once. An error of a thread is raised."""
    failures = []

    def run(number):
        try:
            work(number)
        except BaseException as failure:  # noqa: BLE001
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


@pytest.mark.parametrize("kind", KINDS)
def test_2_6_a_client_that_has_closed_its_sending_side_is_answered(kind):
    with Server() as server:
        for _ in range(3):
            assert server.post(INCREASE).status == 200
        asked = KINDS[kind](server)
        method = asked.split(" ", 1)[0]
        counts = collections.Counter()

        def client(_):
            for _ in range(EACH):
                with Wire(server) as wire:
                    wire.send(asked)
                    wire.socket.shutdown(socket.SHUT_WR)
                    counts[wire.answer(method).status] += 1
                    assert wire.closed()

        together(CLIENTS, client)
        assert counts == {200: CLIENTS * EACH}
        # The server keeps nothing of these connections.
        assert server.get("/livez").status == 200


def test_2_6_pipelined_requests_before_the_end_are_answered():
    with Server() as server:

        def client(_):
            with Wire(server) as wire:
                wire.send(request(server, "POST", "/dispatch", BODY, "Prefer: wait=10") * 10)
                wire.socket.shutdown(socket.SHUT_WR)
                for _ in range(10):
                    assert wire.answer("POST").status == 200
                assert wire.closed()

        together(CLIENTS, client)
        assert server.version == CLIENTS * 10


def test_9_a_large_body_in_front_of_the_end_is_read_to_its_end():
    """The end of the sending side arrives while the server still reads the body. The client is not gone."""
    with Server("--body-max", str(64 << 20)) as server:
        body = BODY + " " * (32 << 20)

        def client(_):
            with Wire(server, 60) as wire:
                wire.send(request(server, "POST", "/dispatch", body))
                wire.socket.shutdown(socket.SHUT_WR)
                assert wire.answer("POST").status == 200

        together(4, client)
        assert server.version == 4


def test_9_half_a_request_in_front_of_the_end_is_given_up():
    with Server() as server:
        before = server.sockets_at_rest
        wires = [Wire(server) for _ in range(20)]
        for number, wire in enumerate(wires):
            whole = request(server, "POST", "/dispatch", BODY)
            wire.send(whole[: 1 + number * len(whole) // 20])
            wire.socket.shutdown(socket.SHUT_WR)
        for wire in wires:
            while wire.more():
                pass
            assert b" 200 " not in wire.buffer
            wire.socket.close()
        assert server.version == 0
        assert server.sockets == before or server.get("/livez").status == 200
