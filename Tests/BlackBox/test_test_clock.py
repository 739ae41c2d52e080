"""A clock that clients move, for tests of programs (protocol 14), on programs/Clockwork.swift."""

import time

import pytest
from harness import Server, action, run, until
from programs import build_sample
from test_description import Description, allowed, ask, forbidden, hold

CLOCK = "/test/clock"
ADVANCE = "/test/clock/advance"


def set_(label, seconds):
    return action("alarm/set", label=label, seconds=seconds)


@pytest.fixture(scope="module")
def program():
    return build_sample("Clockwork")


@pytest.fixture
def clockwork(program):
    with Server("--clock", "test", program=program) as server:
        yield server


def advance(server, seconds):
    return server.send(ADVANCE, {"seconds": seconds})


def sleeping(server, count):
    until(lambda: server.get(CLOCK).json["sleeping"] == count, f"{count} sleep")


def test_x7_an_effect_sleeps_until_the_clock_is_moved(clockwork):
    began = time.monotonic()
    clockwork.post(set_("minute", 60))
    sleeping(clockwork, 1)
    assert clockwork.get(CLOCK).json == {
        "seconds": 0, "time": "1970-01-01T00:00:00.000000000Z", "sleeping": 1, "next": 60,
    }
    moved = advance(clockwork, 59.5)
    assert (moved.status, moved.json["seconds"], moved.json["sleeping"]) == (200, 59.5, 1)
    assert clockwork.state["alarm"]["rung"] == []
    moved = advance(clockwork, 0.5)
    # The effect's action is applied when the answer arrives.
    assert clockwork.state["alarm"]["rung"] == ["minute"]
    assert moved.json == {
        "seconds": 60, "time": "1970-01-01T00:01:00.000000000Z", "sleeping": 0, "next": None,
    }
    assert time.monotonic() - began < 10


def test_x7_sleepers_wake_in_the_order_of_their_deadlines(clockwork):
    clockwork.post([set_("third", 30), set_("first", 10), set_("second", 20)])
    sleeping(clockwork, 3)
    advance(clockwork, 3600)
    assert clockwork.state["alarm"]["rung"] == ["first", "second", "third"]
    times = [each["time"][11:19] for each in clockwork.actions() if each["type"] == "alarm/rang"]
    assert times == ["00:00:10", "00:00:20", "00:00:30"]


def test_x7_a_request_that_waits_for_an_effect_waits_for_the_clock(clockwork):
    clockwork.post(set_("other", 1))
    sleeping(clockwork, 1)
    assert clockwork.post(set_("long", 60), {"Prefer": "wait=0"}).status == 202
    sleeping(clockwork, 2)
    advance(clockwork, 60)
    answer = clockwork.send("/usecases/alarm/wait", {"seconds": 0}, {"Prefer": "wait=10"})
    assert answer.json["completed"]
    assert clockwork.state["alarm"]["rung"] == ["other", "long", "use case"]


def script(program):
    with Server("--clock", "test", program=program) as server:
        server.post([action("alarm/drawn", ms=ms) for ms in (30, 10, 20, 10)])
        sleeping(server, 4)
        advance(server, 0.015)
        advance(server, 10)
        return server.state, server.actions()


def test_k11_the_same_script_gives_the_same_output(program):
    first, second = script(program), script(program)
    assert first == second
    alarm = first[0]["alarm"]
    assert len(set(alarm["numbers"])) == 4 and alarm["times"] == [10**7, 10**7, 2 * 10**7, 3 * 10**7]
    assert alarm["ids"][0] == "00000000-0000-0000-0000-000000000001"
    with Server(program=program) as live:
        live.wait(action("alarm/drawn", ms=0))
        assert live.state["alarm"]["numbers"] != alarm["numbers"][:1]


def test_x7_a_server_without_the_flag_has_no_test_clock(program):
    with Server(program=program) as server:
        for method, path in [("GET", CLOCK), ("POST", ADVANCE)]:
            server.request(method, path, b"{}").problem("not-found", 404)
        assert ADVANCE not in server.get("/openapi.json").json["paths"]
    assert "--clock" not in server.log_text


def test_x7_the_log_and_the_description_name_the_test_clock(clockwork):
    clockwork.await_log("warning: --clock test: time stands still")
    clockwork.await_log("not for production")
    description = Description(clockwork.get("/openapi.json").json)
    found = 0
    for method, path, operation in description.operations:
        if not path.startswith(CLOCK):
            continue
        found += 1
        for request in allowed(description, method, path, operation):
            answer = ask(clockwork, request)
            hold(description, operation, request, answer)
            assert answer.status == 200, (request, answer)
        for status, request in forbidden(description, method, path, operation):
            answer = ask(clockwork, request)
            hold(description, operation, request, answer)
            assert answer.status == status, (request, answer)
    assert found == 3


@pytest.mark.parametrize("body", ['{"seconds":-1}', '{"seconds":4e9}', '{"seconds":"1"}', "{}"])
def test_x7_an_invalid_number_of_seconds_is_refused(clockwork, body):
    clockwork.send(ADVANCE, body.encode()).problem("invalid-payload", 422)
    assert clockwork.get(CLOCK).json["seconds"] == 0


def test_x7_a_page_of_another_origin_moves_no_clock(clockwork):
    headers = {"Origin": "http://elsewhere.example"}
    clockwork.send(ADVANCE, {"seconds": 1}, headers).problem("forbidden", 403)
    clockwork.request("POST", ADVANCE, b"{}").problem("unsupported-media-type", 415)
    clockwork.request("GET", ADVANCE).problem("method-not-allowed", 405)


def test_x7_a_server_with_a_test_clock_keeps_no_history(tmp_path):
    refused = run("--clock", "test", "--data", str(tmp_path / "data"))
    assert refused.returncode == 2
    assert "--clock: 'test'" in refused.stderr and "--ephemeral" in refused.stderr
    assert not (tmp_path / "data").exists()
    assert "--clock: 'never'" in run("--clock", "never").stderr
