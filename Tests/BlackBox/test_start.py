"""The phases of a start: early requests wait until the store is ready (protocol 7.1)."""

import contextlib
import json
import signal
import socket
import subprocess
import threading
import time

import pytest
from harness import Server, Stream, Wire, action, environment_with, until
from programs import build_sample

SET = action("alarm/set", label="late", seconds=60)
GREETED = action("alarm/greeted")
BODY = json.dumps(SET).encode()
HEAD = "POST /dispatch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
POST = f"{HEAD}Content-Length: {len(BODY)}\r\n\r\n".encode() + BODY


@pytest.fixture(scope="module")
def clockwork_program():
    return build_sample("Clockwork")


@contextlib.contextmanager
def starting(program, tmp_path, prepares, **variables):
    """A server that listens and prepares, its log, and the time of its start."""
    log = tmp_path / "log"
    environment = {"CLOCKWORK_PREPARES": prepares, **variables}
    began = time.monotonic()
    with open(log, "w") as stderr, Server(
        listen=f"unix:{tmp_path}/socket", stderr=stderr, program=program, environment=environment
    ) as server:
        yield server, log, began


class Later(threading.Thread):
    """A call on a thread, whose answer arrives later."""

    def __init__(self, call):
        super().__init__(daemon=True)
        self.call = call
        self.start()

    def run(self):
        self.value = self.call()
        self.ended = time.monotonic()

    def answer(self):
        self.join(15)
        assert not self.is_alive(), "no answer"
        return self.value


def reasons(server):
    """Returns the reasons why a server is not ready."""
    answer = server.get("/readyz", {"Accept": "application/json"})
    assert answer.status == 503 and answer.json["ready"] is False
    return [reason["code"] for reason in answer.json["reasons"]]


def test_k10_an_action_dispatched_during_a_start_waits_and_is_the_first_version(
    clockwork_program, tmp_path
):
    with starting(clockwork_program, tmp_path, "2000") as (server, log, began):
        post = Later(lambda: server.post(SET))
        read = Later(lambda: server.get("/state"))
        stream = Later(lambda: Stream(server).opened().event())
        lost = Later(lambda: server.get("/nowhere"))
        plain = Later(lambda: server.post(SET, {"Content-Type": "text/plain"}))
        assert server.get("/livez").status == 200
        ready = server.get("/readyz")
        ready.problem("draining", 503)
        assert ready["retry-after"] == "1" and "starting" in ready.json["detail"]
        until(lambda: reasons(server) == ["preparing"], "it prepares")
        assert server.get("/readyz", {"Host": "elsewhere"}).status == 421
        assert server.get("/state", {"Host": "elsewhere"}).status == 421
        assert server.request("DELETE", "/readyz").status == 405
        until(lambda: "preparing; requests to unix:" in log.read_text(), "the log says so")
        assert time.monotonic() - began < 1.5
        answer = post.answer()
        assert answer.status == 200 and answer.json["version"] == 1
        assert post.ended - began >= 2
        assert read.answer().json["alarm"]["rung"] == []
        assert stream.answer().id.endswith((":0", ":1"))
        lost.answer().problem("not-found", 404)
        plain.answer().problem("unsupported-media-type", 415)
        assert server.get("/readyz").status == 200
        assert server.wait(GREETED).json["completed"]
        assert server.state["alarm"]["motto"] == "Tempus fugit."
        assert "listening on unix:" in log.read_text()


def test_k10_actions_of_the_program_at_the_start_come_before_requests_that_waited(
    clockwork_program, tmp_path
):
    variables = {"CLOCKWORK_GREETS": "1"}
    with starting(clockwork_program, tmp_path, "200", **variables) as (server, _, _):
        # The effect of the action at the start may be faster than the request.
        assert server.post(SET).json["version"] in (2, 3)
        assert server.actions()[0]["type"] == "alarm/greeted"


def test_k10_requests_on_one_connection_are_answered_in_order(clockwork_program, tmp_path):
    with starting(clockwork_program, tmp_path, "300") as (server, _, _):
        wire, slow = Wire(server), Wire(server)
        # Headers that arrived early, and a body that arrives when the server is ready.
        slow.send(POST[:-1])
        wire.send(POST * 3)
        versions = [wire.answer("POST").json["version"] for _ in range(3)]
        slow.send(POST[-1:])
        last = slow.answer("POST").json["version"]
        sets = [each["version"] for each in server.actions() if each["type"] == "alarm/set"]
        assert sets == [*versions, last]


def test_k10_a_preparation_that_throws_ends_the_process(clockwork_program, tmp_path):
    ended = subprocess.run(
        [clockwork_program, "--data", tmp_path / "data", "--listen", "127.0.0.1:0"],
        env=environment_with({"CLOCKWORK_PREPARES": "fail"}),
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert ended.returncode == 69
    assert ended.stderr.splitlines()[1:] == [
        "store-server: the dependencies could not be prepared: there is no motto"
    ]
    # The state is made after the dependencies.
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_k10_a_stop_waits_for_no_preparation(clockwork_program, tmp_path, end):
    with starting(clockwork_program, tmp_path, "forever") as (server, log, _):
        wire = Wire(server)
        wire.send(POST)
        assert server.get("/livez").status == 200
        began = time.monotonic()
        server.process.send_signal(signal.SIGHUP)
        server.process.send_signal(end)
        wire.answer("POST").problem("draining", 503)
        assert server.process.wait(5) == 0
        assert time.monotonic() - began < 2
        assert "stopped before the start was done" in log.read_text()


def test_k10_a_client_that_closes_its_side_during_a_start_gets_503(clockwork_program, tmp_path):
    with starting(clockwork_program, tmp_path, "forever") as (server, _, _):
        wire = Wire(server)
        wire.send(POST)
        wire.socket.shutdown(socket.SHUT_WR)
        wire.answer("POST").problem("draining", 503)
