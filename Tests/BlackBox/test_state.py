"""GET /state from outside (protocol 3)."""

import socket
import struct
import threading
import time

import pytest
from harness import INCREASE, INITIAL, Wire, step, until


def test_3_1_state_has_its_tag_and_headers(server):
    answer = server.get("/state")
    assert answer.status == 200
    assert answer["content-type"].split(";")[0] == "application/json"
    assert answer["cache-control"] == "no-cache"
    assert answer["etag"].startswith('"')


def test_3_1_head_is_the_same_without_the_body(server):
    with Wire(server) as wire:
        head = server.request("HEAD", "/state", wire=wire)
        # The connection can still be used: no body arrived that the client would take for the next answer.
        full = server.get("/state", wire=wire)
    assert head.status == 200
    assert head["content-length"] == str(len(full.body))
    for name in ("etag", "content-type", "cache-control"):
        assert head[name] == full[name]


@pytest.mark.parametrize("form", ['"{0}"', 'W/"{0}"', '"other", "{0}"', "*"])
def test_3_1_a_known_tag_is_304(server, form):
    answer = server.get("/state", {"If-None-Match": form.format(server.tag)})
    assert answer.status == 304
    assert answer.body == b""
    assert answer["etag"] == f'"{server.tag}"'


def test_3_1_another_tag_is_200(server):
    assert server.get("/state", {"If-None-Match": '"00000000:0"'}).status == 200


def test_3_2_a_pointer_gives_that_part(fresh):
    assert fresh.get("/state/counter").json == INITIAL["counter"]
    assert fresh.get("/state/counter/counter").json == 0
    assert fresh.get("/state/todos/items/3/text").json == "Visit mars"
    assert fresh.get("/state/todos/items").json == INITIAL["todos"]["items"]
    assert fresh.get("/state/%63ounter/step").json == 1
    assert fresh.get("/state/counter")["etag"] == f'"{fresh.tag}"'
    assert fresh.request("HEAD", "/state/counter").status == 200


@pytest.mark.parametrize(
    "pointer", ["nothing", "counter/x", "todos/items/4", "todos/items/-", "todos/items/01", "counter/"]
)
def test_3_2_a_pointer_that_leads_nowhere_is_404(server, pointer):
    server.get(f"/state/{pointer}").problem("not-found", 404)


@pytest.mark.parametrize("pointer", ["a~2b", "%ff", "%zz"])
def test_3_2_a_malformed_pointer_is_refused(server, pointer):
    assert server.get(f"/state/{pointer}").status in (400, 404)


def test_3_4_a_version_that_is_passed_is_answered_at_once(fresh):
    fresh.post(INCREASE)
    answer = fresh.get("/state?after=0&wait=30")
    assert answer.status == 200
    assert answer.json["counter"]["counter"] == 1


def test_3_4_a_long_poll_is_answered_by_the_next_version(fresh):
    with Wire(fresh) as poll:
        poll.send(f"GET /state?after=0&wait=30 HTTP/1.1\r\nHost: {fresh.authority}\r\n\r\n")
        # A second request on another connection shows that the first waits without blocking it.
        began = time.monotonic()
        fresh.post(INCREASE)
        answer = poll.answer()
        assert time.monotonic() - began < 5
    assert answer.status == 200
    assert answer["etag"].endswith(':1"')
    assert answer.json["counter"]["counter"] == 1


def test_3_4_a_long_poll_is_304_when_its_time_is_over(fresh):
    began = time.monotonic()
    answer = fresh.get("/state?after=0&wait=1")
    assert answer.status == 304
    assert 0.9 < time.monotonic() - began < 4
    assert fresh.get("/state?after=0&wait=0").status == 304


def test_3_4_many_wait_and_all_are_answered(fresh):
    wires = [Wire(fresh) for _ in range(100)]
    for wire in wires:
        wire.send(f"GET /state?after=0&wait=30 HTTP/1.1\r\nHost: {fresh.authority}\r\n\r\n")
    threading.Thread(target=fresh.post, args=(INCREASE,)).start()
    assert {wire.answer().body for wire in wires} == {fresh.get("/state").body}


def test_3_4_a_poller_that_leaves_is_forgotten(fresh):
    with Wire(fresh) as wire:
        wire.send(f"GET /state?after=0&wait=2 HTTP/1.1\r\nHost: {fresh.authority}\r\n\r\n")
        fresh.get("/state")
    assert fresh.post(INCREASE).status == 200
    assert fresh.get("/state?after=1&wait=1").status == 304


def test_3_4_pollers_that_leave_give_their_places_back_before_their_time(fresh):
    wires = [Wire(fresh) for _ in range(20)]
    for wire in wires:
        wire.send(f"GET /state?after=0&wait=60 HTTP/1.1\r\nHost: {fresh.authority}\r\n\r\n")
    until(lambda: fresh.sockets >= fresh.sockets_at_rest + 20, "all of them wait")
    for number, wire in enumerate(wires):
        if number % 2:
            wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        wire.socket.close()
    until(lambda: fresh.sockets <= fresh.sockets_at_rest, "their connections are closed", 5)
    assert fresh.get("/state?after=0&wait=1").status == 304


def test_3_4_a_poller_that_sends_no_more_is_answered_at_once(fresh):
    with Wire(fresh) as wire:
        wire.send(f"GET /state?after=0&wait=60 HTTP/1.1\r\nHost: {fresh.authority}\r\n\r\n")
        wire.socket.shutdown(socket.SHUT_WR)
        wire.socket.settimeout(5)
        assert wire.answer().status == 304


@pytest.mark.parametrize(
    "query", ["after=x", "after=-1", "after=0&wait=61", "after=0&wait=x", "wait=1", "after=1&after=2",
              "nonsense=1", "after=18446744073709551616"]
)
def test_3_4_an_invalid_query_is_400(server, query):
    server.get(f"/state?{query}").problem("bad-request", 400)


@pytest.mark.parametrize("method", ["PUT", "PATCH", "POST", "DELETE"])
@pytest.mark.parametrize("path", ["/state", "/state/counter"])
def test_3_5_only_a_dispatched_action_changes_state(server, method, path):
    before = server.get("/state").body
    answer = server.request(method, path, b"{}", {"Content-Type": "application/json"})
    answer.problem("method-not-allowed", 405)
    assert answer["allow"] == "GET, HEAD"
    assert server.get("/state").body == before


def test_3_1_an_answer_shows_every_action_acknowledged_before_it(server):
    """Protocol 2.5 and 3.1: a client that has the acknowledgement reads its own write."""
    with Wire(server) as writer, Wire(server) as reader:
        for number in range(200):
            version = server.post(step(number), wire=writer).json["version"]
            answer = server.get("/state", wire=reader)
            assert int(answer["etag"].strip('"').split(":")[1]) >= version
            assert answer.json["counter"]["step"] == number
    server.post(step(1))
