"""The time of day jumps, while the server runs and between two starts. Order, keys and records depend on
versions, not on the clock (architecture: G2, G3)."""

import threading
import time

import disk
import pytest
from access import ALL, House, reading
from harness import ConnectionEnded, Server, Stream, Wire, run, until
from ledger import Fold, Ledger, read_journal
from poison import UNFINISHED_STATUS, WHEEL, send

DAY_SECONDS = 86_400
DISPATCHES = 40


def test_a_clock_that_jumps_back_a_day_loses_no_action(seed, figure, tmp_path):
    data, clock, ledger = tmp_path / "data", tmp_path / "clock", Ledger(seed)
    jumps = [0, -DAY_SECONDS, 0, -2 * DAY_SECONDS]
    replayed = 0
    for first, second in zip(jumps, jumps[1:]):
        clock.write_text(f"{first}\n")
        environment = disk.watching(data, clock=clock)
        with Server("--snapshot-every", "20", data=data, environment=environment) as server:
            assert ledger.epoch in (None, server.epoch)
            assert server.version == ledger.acknowledged
            with Wire(server) as wire, Stream(server, last=ledger.last_event) as stream:
                stream.opened()
                for number in range(DISPATCHES):
                    if number == DISPATCHES // 2:
                        clock.write_text(f"{second}\n")
                    ledger.dispatch(server, ledger.request(), wire)
                # Heartbeats and deadlines have a clock of their own. Events follow the versions.
                last = -1
                while last < ledger.acknowledged:
                    event = stream.event()
                    if event.name == "message":
                        assert event.version > last, event
                        last = event.version
                        ledger.saw(event.id, event.data)
                ledger.last_event = event.id
                replayed += replay(server, ledger, wire)
            assert server.state == Fold.of(read_journal(data))
    ledger.check(read_journal(data))
    verified = run("verify", "--data", str(data))
    assert verified.returncode == 0, verified
    figure(f"{ledger.acknowledged} actions, {replayed} keys replayed, across {len(jumps) - 1} jumps")


def replay(server, ledger, wire):
    """Sends every request with a key again: nothing is applied twice, whatever the date is."""
    keyed = [request for request in ledger.requests if request.key]
    for request in keyed:
        answer = ledger.dispatch(server, request, wire)
        assert answer["idempotency-replayed"] == "true", (request, answer)
    return len(keyed)


def test_a_clock_that_jumps_holds_up_no_wait(program, tmp_path):
    """The time of day affects neither the watchdog nor a stop."""
    data, clock = tmp_path / "data", tmp_path / "clock"
    # A deadline by the time of day would come a day too late when the clock is set back.
    clock.write_text(f"{DAY_SECONDS}\n")
    environment = disk.watching(data, clock=clock)
    limit = ["--shutdown-timeout", "3"]
    server = Server(*limit, program=program, data=data, environment=environment)
    threading.Thread(target=send, args=(server, WHEEL), daemon=True).start()
    try:
        until(lambda: "WheelTurned" in server.log_text, "the log names the action", 3)
        begin = time.monotonic()
        assert server.stop() == UNFINISHED_STATUS
        assert time.monotonic() - begin < 3
    finally:
        server.process.kill()


def test_the_clock_of_the_test_does_jump(tmp_path):
    """Proves that the clock really jumps: a record has the changed time."""
    data, clock = tmp_path / "data", tmp_path / "clock"
    clock.write_text("0\n")
    with Server(data=data, environment=disk.watching(data, clock=clock)) as server:
        server.post({"type": "CounterIncreaseRequested"})
        clock.write_text(f"{-DAY_SECONDS}\n")
        server.post({"type": "CounterIncreaseRequested"})
        days = [action["time"][:10] for action in server.get("/actions").json["actions"]]
    assert days[1] < days[0], days


@pytest.mark.parametrize("hours", [2, 24 * 365])
def test_17_7_streams_and_requests_of_an_ended_credential_end_when_the_clock_jumps_ahead(tmp_path, hours):
    """Streams and waiting requests end with their credential. With a credential without an end, they go on."""
    data, clock = tmp_path / "data", tmp_path / "clock"
    clock.write_text("0\n")
    house = House(tmp_path, {"operator": ALL, "reader": {"read": ["*"]}})
    ada, bob = house.bearer("ada", "reader", "--expires", "1h"), house.bearer("bob", "reader")
    with house.server(data=data, environment=disk.watching(data, clock=clock)) as server, Wire(server, 90) as wire:
        streams = reading(server, ada, "/events", "/events?path=/counter", "/actions/events")
        [other] = reading(server, bob, "/events")
        fields = f"Host: {server.authority}\r\nAuthorization: {ada['Authorization']}"
        wire.send(f"GET /state?after=0&wait=60 HTTP/1.1\r\n{fields}\r\n\r\n")
        assert server.get("/livez").status == 200
        clock.write_text(f"{hours * 3_600}\n")
        began = time.monotonic()
        for stream in streams:
            with pytest.raises(ConnectionEnded):
                while (event := stream.event()).name != "bye":
                    pass
                assert event.json["reason"] == "expired"
                stream.event()
        wire.answer().problem("unauthorized", 401)
        assert time.monotonic() - began < 15
        assert server.get("/state", ada).status == 401 and server.get("/state", bob).status == 200
        other.event()
        assert other.quiet(0.2)
