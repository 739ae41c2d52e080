"""Actions whose reducer ends the process or never ends (architecture: G11)."""

import signal
import threading
import time

import pytest
from harness import Server, until
from poison import DROP, UNFINISHED_STATUS, WHEEL, send

POISONS = {
    "trap": {"type": "TrapSprung", "payload": {"index": 3}},
    "recursion": {"type": "WellFallenInto", "payload": {"depth": 0}},
    "trap in an array": [DROP, {"type": "TrapSprung", "payload": {"index": -1}}, DROP],
}


@pytest.mark.parametrize("name", POISONS)
def test_an_action_that_ends_the_process_leaves_no_trace(name, program, figure, tmp_path):
    data = tmp_path / "data"
    key = {"Idempotency-Key": '"poison"'}
    deaths = []
    for life in range(3):
        server = Server(program=program, data=data)
        assert server.version == life, "the journal has a trace of it"
        assert server.post(DROP).json["version"] == life + 1
        assert send(server, POISONS[name], key) is None
        deaths.append(signal.Signals(-server.process.wait(30)).name)
    # The key can be used for another action, because this action was not applied.
    with Server(program=program, data=data) as server:
        assert server.state == {"drops": 3}
        answer = server.post(DROP, key)
        assert answer.status == 200 and answer["idempotency-replayed"] is None
    figure(f"ended by {', '.join(deaths)}; each new start served")


def test_an_action_without_end_stops_no_other_request_of_a_store_in_memory(program, figure):
    """The thread of the event loop runs the turn of a store in memory. Another thread takes over the event loop."""
    server = Server("--stuck-action", "2", program=program)
    for drops in range(1, 11):
        assert server.post(DROP).json["version"] == drops
    threading.Thread(target=send, args=(server, WHEEL), daemon=True).start()
    until(lambda: "WheelTurned" in server.log_text, "the log names the action")
    begin = time.monotonic()
    assert server.get("/state").json == {"drops": 10}
    assert server.get("/livez").status == 200
    figure(f"answered within {time.monotonic() - begin:.3f} s beside an action without end")
    until(lambda: server.get("/livez").status == 503, "/livez says no")
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL


def test_an_action_without_end_is_named_and_a_new_start_serves(program, figure, tmp_path):
    data = tmp_path / "data"
    server = Server("--stuck-action", "2", program=program, data=data)
    assert server.post(DROP).status == 200
    begin = time.monotonic()
    turning = threading.Thread(target=send, args=(server, WHEEL), daemon=True)
    turning.start()
    named = "the action WheelTurned, which would make version 2, has been reduced for over 1 s"
    until(lambda: named in server.log_text, "the log names the action")
    named_seconds = time.monotonic() - begin
    assert named_seconds < 2
    assert server.get("/livez").status == 200
    until(lambda: server.get("/livez").status == 503, "/livez says no")
    failed_seconds = time.monotonic() - begin
    assert "WheelTurned" in server.get("/livez").problem("overloaded", 503)["detail"]
    # Reads get the published state.
    assert server.get("/state").json == {"drops": 1}
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    with Server(program=program, data=data) as server:
        assert (server.version, server.state) == (1, {"drops": 1})
        assert server.post(DROP).json["version"] == 2
    figure(f"named after {named_seconds:.1f} s, /livez failed after {failed_seconds:.1f} s")


def test_a_stop_does_not_wait_for_an_action_without_end(program, thorough, figure, tmp_path):
    """A supervisor's SIGTERM ends such a server, too: protocol 7.3 allows ten seconds for the end."""
    data = tmp_path / "data"
    flags, bound = ([], 10) if thorough else (["--shutdown-timeout", "3"], 3)
    server = Server(*flags, program=program, data=data)
    assert server.post(DROP).status == 200
    threading.Thread(target=send, args=(server, WHEEL), daemon=True).start()
    until(lambda: "WheelTurned" in server.log_text, "the log names the action")
    begin = time.monotonic()
    status = server.stop()
    seconds = time.monotonic() - begin
    assert (status, seconds < bound) == (UNFINISHED_STATUS, True), (status, seconds)
    assert "ending at the deadline, without the accepted actions" in server.log_text
    with Server(program=program, data=data) as server:
        assert (server.version, server.state) == (1, {"drops": 1})
    figure(f"ended with {status} after {seconds:.1f} of {bound} s")
