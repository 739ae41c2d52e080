"""Bounds that hold however long the server runs: finished work leaves a bounded amount of memory."""

import json
import re

import pytest
from harness import INCREASE, Server, Wire, action, run

MIB = 1 << 20


def post_all(server, body, count, headers="", ahead=64):
    """Posts the same body `count` times over one connection. `ahead` requests are sent ahead of their answers."""
    body = json.dumps(body).encode()
    head = (
        f"POST /dispatch HTTP/1.1\r\nHost: {server.authority}\r\nContent-Type: application/json\r\n"
        f"{headers}Content-Length: {len(body)}\r\n\r\n"
    )
    request = head.encode() + body
    with Wire(server) as wire:
        sent = 0
        for answered in range(count):
            while sent < count and sent - answered < ahead:
                wire.send(request)
                sent += 1
            answer = wire.answer("POST")
            assert answer.status == 200, answer
    return answer


@pytest.mark.plain("memory is measured, and a sanitizer keeps what is freed")
@pytest.mark.ci
def test_2_6_a_wait_without_effects_leaves_nothing_in_memory():
    with Server("--history-max", "1000") as server:
        wait = "Prefer: wait=60\r\n"
        post_all(server, INCREASE, 5_000, wait)
        before = server.resident_bytes
        answer = post_all(server, INCREASE, 40_000, wait)
        assert answer.json["completed"]
        grown = server.resident_bytes - before
        assert grown < 4 * MIB, f"{grown / MIB:.1f} MiB more"


@pytest.mark.plain("memory is measured, and a sanitizer keeps what is freed")
@pytest.mark.ci
def test_3_4_a_long_poll_that_is_answered_leaves_nothing_in_memory():
    with Server("--history-max", "1000") as server:

        def poll(count):
            with Wire(server) as polls, Wire(server) as posts:
                body = json.dumps(INCREASE)
                for _ in range(count):
                    polls.send(
                        f"GET /state/counter?after={poll.version}&wait=60 HTTP/1.1\r\n"
                        f"Host: {server.authority}\r\n\r\n"
                    )
                    posts.send(
                        f"POST /dispatch HTTP/1.1\r\nHost: {server.authority}\r\n"
                        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
                    )
                    assert posts.answer("POST").status == 200
                    assert polls.answer().status == 200
                    poll.version += 1

        poll.version = 0
        poll(1_000)
        before = server.resident_bytes
        poll(10_000)
        grown = server.resident_bytes - before
        # 10,000 timers would take four times as much.
        assert grown < MIB / 2, f"{grown / MIB:.1f} MiB more"


@pytest.mark.plain("memory is measured, and a sanitizer keeps what is freed")
@pytest.mark.ci
def test_a_history_in_memory_keeps_its_bytes():
    # The journal may have 64 MiB. Memory also holds the state, a few encodings of it, and snapshots.
    with Server("--body-max", str(2 * MIB)) as server:
        post_all(server, INCREASE, 100)
        before = server.resident_bytes
        for number in range(1_500):
            edit = action("EditItem", index=0, text=f"{number} " + "x" * 1_000_000)
            assert server.post(edit).status == 200
        grown = server.resident_bytes - before
        assert grown < (64 + 64) * MIB, f"{grown / MIB:.0f} MiB more"
        kept = server.get("/actions?limit=1").json
        assert 1_500 - 70 < kept["actions"][0]["version"] - 100 < 1_500
        # The state of a kept version can be made again.
        assert server.get(f"/state/counter?version={server.version - 1}").status == 200


@pytest.mark.parametrize("bytes_", [(512 << 20) + 1, 1 << 30])
def test_9_a_body_that_no_record_can_hold_is_refused_at_the_start(bytes_):
    ended = run("--check-config", "--body-max", str(bytes_))
    assert ended.returncode == 2
    assert "--body-max" in ended.stderr and str(512 << 20) in ended.stderr
    assert run("--check-config", "--body-max", str(512 << 20)).returncode == 0
    assert re.search(r"as large as a record of history can be.*\(64\.\.\.536870912\)", run("--help").stdout)


def test_2_6_a_representation_that_was_waited_for_has_the_tag_of_its_state(fresh):
    started = fresh.request(
        "POST",
        "/usecases/login/login",
        json.dumps({"userName": "demo", "password": "demo"}).encode(),
        {"Content-Type": "application/json", "Prefer": "wait=10"},
    )
    assert started.status == 200
    body = json.dumps(action("home/start")).encode()
    answer = fresh.request(
        "POST",
        "/dispatch",
        body,
        {"Content-Type": "application/json", "Prefer": "wait=10, return=representation"},
    )
    assert answer.json["completed"] and answer.json["state"]["home"] is not None
    version = int(answer["etag"].strip('"').split(":")[1])
    past = fresh.get(f"/state?version={version}")
    assert past.json == answer.json["state"] and past["etag"] == answer["etag"]
    assert version > answer.json["version"]
