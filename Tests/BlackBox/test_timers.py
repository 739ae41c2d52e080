"""Timers: due once, again and again, and each day (docs/decisions/0051), on programs/Reminders.swift."""

import json
import os
import signal
import subprocess
import time

import pytest
from access import ALL, House
from harness import Server, SmallDisk, Stream, action, environment_with, until
from programs import build_sample

ADVANCE = "/test/clock/advance"
SECOND = 1_000_000_000


@pytest.fixture(scope="module")
def program():
    return build_sample("Reminders")


QUIET = {"REMINDERS_LOOKS": "0"}


@pytest.fixture
def server(program):
    """A server on the test clock, without the timers that its program declares."""
    with Server("--clock", "test", program=program, environment=QUIET) as server:
        until(lambda: server.version == 1, "the declared timer is set")
        assert server.request("DELETE", "/schedule/cleaning%2Fclean", b"").status == 204
        yield server


def advance(server, seconds):
    assert server.send(ADVANCE, {"seconds": seconds}).status == 200


def do(server, name, header=None, **fields):
    answer = server.post(action(name, **fields), header or {})
    assert answer.status == 200, answer
    return answer.json["version"]


def rung(server):
    return server.state["reminders"]["rung"]


def timers(server, header=None):
    return {timer["timer"]: timer for timer in server.get("/schedule", header or {}).json["timers"]}


def test_a_timer_is_due_at_its_time(server):
    first = do(server, "reminders/set", label="tea", ms=90_500)
    do(server, "reminders/setAt", label="past", time=-5)
    until(lambda: rung(server) == ["past"], "a time in the past is due at once")
    listed = timers(server)
    assert listed == {
        "reminders/tea": {
            "timer": "reminders/tea", "module": "reminders", "id": "tea", "due": "1970-01-01T00:01:30.500Z",
            "cause": first, "href": "/schedule/reminders%2Ftea",
        }
    }
    # The state has the timers, too.
    assert server.state["schedule"]["reminders/tea"]["due"] == 90_500_000_000
    advance(server, 90.499)
    assert rung(server) == ["past"]
    advance(server, 0.001)
    assert rung(server) == ["past", "tea"]
    # The reducer gets the time of the record: the time at which the timer was due.
    assert server.state["reminders"]["times"] == [0, 90_500_000_000]
    assert timers(server) == {}
    records = server.get("/actions?after=2").json["actions"]
    assert [record["type"] for record in records] == [
        "reminders/set", "reminders/setAt", "schedule/fired", "reminders/rang", "schedule/fired", "reminders/rang",
    ]
    assert [record.get("cause") for record in records] == [None, None, first + 1, first + 1, first, first]


def test_a_newer_timer_replaces_a_timer_and_a_cancellation_removes_it(server):
    do(server, "reminders/set", label="tea", ms=10_000)
    advance(server, 5)
    do(server, "reminders/set", label="tea", ms=10_000)
    do(server, "reminders/set", label="milk", ms=10_000)
    do(server, "reminders/cancelled", label="milk")
    # A cancellation of a timer that does not exist is no error.
    do(server, "reminders/cancelled", label="milk")
    assert set(timers(server)) == {"reminders/tea"}
    advance(server, 9)
    assert rung(server) == []
    advance(server, 1)
    assert rung(server) == ["tea"]


def test_repeated_timers_are_due_again_and_again(server):
    do(server, "reminders/repeated", label="hourly", seconds=3600, missed="once")
    do(server, "reminders/daily", label="morning", time="07:30")
    advance(server, 3 * 3600)
    assert rung(server) == ["hourly"] * 3
    advance(server, 21 * 3600)
    assert rung(server).count("hourly") == 24 and rung(server).count("morning") == 1
    assert rung(server).index("morning") == 7
    advance(server, 86_400)
    assert rung(server).count("morning") == 2
    times = server.state["reminders"]["times"]
    mornings = [time for label, time in zip(rung(server), times) if label == "morning"]
    assert mornings == [27_000 * SECOND, (86_400 + 27_000) * SECOND]
    assert timers(server)["reminders/morning"]["due"] == "1970-01-03T07:30:00.000Z"
    do(server, "reminders/cancelled", label="hourly")
    do(server, "reminders/cancelled", label="morning")
    assert timers(server) == {}


def test_a_client_removes_a_timer(server):
    do(server, "reminders/set", label="a/b \u00e9", ms=1_000)
    [timer] = timers(server).values()
    assert server.request("DELETE", "/schedule/reminders%2Fnothing", b"").status == 404
    assert server.request("DELETE", timer["href"], b"").status == 204
    assert server.request("DELETE", timer["href"], b"").status == 404
    advance(server, 10)
    assert rung(server) == []
    # The list has pages.
    for label in ("a", "b", "c"):
        do(server, "reminders/set", label=label, ms=1_000)
    page = server.get("/schedule?limit=2").json
    assert [timer["id"] for timer in page["timers"]] == ["a", "b"]
    page = server.get(page["next"]).json
    assert [timer["id"] for timer in page["timers"]] == ["c"] and "next" not in page
    # A stream of the schedule shows each change.
    with Stream(server, "/modules/schedule/events") as stream:
        assert set(stream.opened().event().json) == {"reminders/a", "reminders/b", "reminders/c"}
        advance(server, 1)
        until(lambda: rung(server) == ["a", "b", "c"], "all have rung")
        while stream.event().json:
            pass


def test_an_action_that_is_refused_ends_its_time(server):
    do(server, "reminders/refused", label="broken")
    advance(server, 1)
    until(lambda: timers(server) == {}, "the time is over")
    assert "Nobody is at home." in server.log_text and "reminders/broken" in server.log_text
    assert [record["type"] for record in server.get("/actions?after=2").json["actions"]] == [
        "reminders/refused", "schedule/fired",
    ]
    # An action of another module, and an id without a byte: the log has the reason.
    for name, reason in (("foreign", "no action of the module"), ("nameless", "1 to 128 bytes")):
        server.post(action(f"reminders/{name}")).problem("refused", 409)
        assert reason in server.log_text
    answer = server.post(action("reminders/repeated", label="fast", seconds=0, missed="once"))
    answer.problem("refused", 409)
    assert timers(server) == {}


def test_the_end_of_a_slice_removes_its_timers(server):
    for id_ in ("n1", "n2", "n11"):
        do(server, f"note/{id_}/start")
        do(server, f"note/{id_}/written", text=id_)
    assert set(timers(server)) == {"note/n1/expiry", "note/n2/expiry", "note/n11/expiry"}
    do(server, "note/n1/stop")
    assert set(timers(server)) == {"note/n2/expiry", "note/n11/expiry"}
    do(server, "note/n1/start")
    advance(server, 10)
    notes = server.state["note"]
    assert {id_: note["text"] for id_, note in notes.items()} == {"n1": "", "n2": "expired", "n11": "expired"}


def test_timers_that_look_alike_are_different_timers(server):
    # A composed and a decomposed letter; an instance whose id has a slash.
    for label in ("caf\u00e9", "cafe\u0301"):
        do(server, "reminders/set", label=label, ms=5_000)
    do(server, "reminders/cancelled", label="cafe\u0301")
    for id_ in ("a", "a/b", "a%2Fb"):
        do(server, f"note/{id_}/start")
        do(server, f"note/{id_}/written", text=id_)
    assert set(timers(server)) == {
        "reminders/caf\u00e9", "note/a/expiry", "note/a%2Fb/expiry", "note/a%252Fb/expiry",
    }
    do(server, "note/a/stop")
    assert set(timers(server)) == {"reminders/caf\u00e9", "note/a%2Fb/expiry", "note/a%252Fb/expiry"}
    [timer] = [timer for timer in timers(server).values() if timer["timer"] == "note/a%252Fb/expiry"]
    assert server.request("DELETE", timer["href"], b"").status == 204
    advance(server, 10)
    assert rung(server) == ["caf\u00e9"]
    assert {id_: note["text"] for id_, note in server.state["note"].items()} == {"a/b": "expired", "a%2Fb": "a%2Fb"}


def test_all_clients_see_that_a_user_sets_a_timer(program, tmp_path):
    house = House(tmp_path, {"operator": ALL, "sleeper": ALL}, program)
    ada, spaced, bob = (house.bearer(name, "sleeper") for name in ("ada", "ada b", "bob"))
    with house.server("--clock", "test", environment=QUIET) as server:
        until(lambda: server.get("/state", bob)["etag"].endswith(':1"'), "the declared timer is set")
        tag = server.get("/state", bob)["etag"]
        with Stream(server, "/events?path=/schedule", headers=bob.items()) as part:
            with Stream(server, "/events", headers=bob.items()) as whole:
                part.opened().event(), whole.opened().event()
                do(server, "own/slept", ada)
                for stream, place in ((part, lambda state: state), (whole, lambda state: state["schedule"])):
                    assert "@ada own/nap" in place(stream.event().json)
        assert server.get("/state", {**bob, "If-None-Match": tag}).status == 200
        # The end of a user keeps the timers of a user whose name begins like this name.
        do(server, "own/slept", spaced)
        assert server.request("DELETE", "/users/ada", b"", house.operator).status == 204
        assert set(server.get("/state", bob).json["schedule"]) == {"@ada%20b own/nap", "cleaning/clean"}


def test_timers_of_users_end_with_the_users(program, tmp_path):
    roles = {"operator": ALL, "sleeper": {"read": ["/own", "/schedule", "log"], "dispatch": ["*"], "use": ["effects"]}}
    house = House(tmp_path, roles, program)
    ada, bob = house.bearer("ada", "sleeper"), house.bearer("bob", "sleeper")
    with house.server("--clock", "test", environment=QUIET) as server:
        for who in (ada, bob):
            do(server, "own/slept", who)
        do(server, "reminders/set", house.operator, label="hidden", ms=60_000)
        # A client sees the timers of its own slices, and of shared slices that its role sees.
        assert set(timers(server, ada)) == {"@ada own/nap"} and set(timers(server, bob)) == {"@bob own/nap"}
        assert set(timers(server, house.operator)) == {
            "@ada own/nap", "@bob own/nap", "cleaning/clean", "reminders/hidden",
        }
        for name in ("%40bob%20own%2Fnap", "reminders%2Fhidden"):
            assert server.request("DELETE", f"/schedule/{name}", b"", ada).status == 404
        assert server.send(ADVANCE, {"seconds": 10}, house.operator).status == 200
        assert server.get("/modules/own", ada).json == {"woken": 2}
        log = server.get("/actions", bob).json["actions"]
        woken = [record for record in log if record["type"] == "own/woken"]
        assert [record["principal"] for record in woken] == ["bob", "bob"]
        assert server.request("DELETE", "/users/ada", b"", house.operator).status == 204
        assert set(timers(server, house.operator)) == {"@bob own/nap", "cleaning/clean", "reminders/hidden"}
        assert server.send(ADVANCE, {"seconds": 5}, house.operator).status == 200
        assert server.get("/modules/own", ada).json == {"woken": 0}
        assert server.get("/modules/own", bob).json == {"woken": 3}


def test_a_module_declares_timers(program, tmp_path):
    with Server("--clock", "test", program=program) as server:
        until(lambda: server.version == 2, "the declared timers are set")
        assert {name: timer["due"] for name, timer in timers(server).items()} == {
            "cleaning/clean": "1970-01-01T03:00:00.000Z", "cleaning/look": "1970-01-01T00:00:10.000Z",
        }
        do(server, "reminders/set", label="tea", ms=25_000)
        advance(server, 30)
        assert server.state["cleaning"]["done"] == ["looked"] * 3 and rung(server) == ["tea"]
        advance(server, 3 * 3600)
        assert server.state["cleaning"]["done"].count("cleaned") == 1


def test_a_later_program_declares_other_timers(program, tmp_path):
    data = tmp_path / "data"
    looks = lambda seconds: Server(program=program, data=data, environment={"REMINDERS_LOOKS": seconds})  # noqa: E731
    with looks("3600") as server:
        until(lambda: server.version == 2, "the declared timers are set")
        before = server.state["schedule"]
    # The same timers are not set anew, and keep their times.
    with looks("3600") as server:
        do(server, "cleaning/noted")
        assert server.state["schedule"] == before and server.version == 3
    with looks("7200") as server:
        until(lambda: server.state["schedule"]["cleaning/look"]["interval"] == 7200 * SECOND, "the timer is set anew")
        assert server.state["schedule"]["cleaning/clean"] == before["cleaning/clean"]
    with looks("0") as server:
        until(lambda: set(server.state["schedule"]) == {"cleaning/clean"}, "the timer is removed")


def test_times_that_pass_while_no_server_runs(program, tmp_path):
    data = tmp_path / "data"
    server = Server(program=program, data=data, environment=QUIET)
    for missed in ("once", "each", "skipped"):
        do(server, "reminders/repeated", label=missed, seconds=1, missed=missed)
    do(server, "reminders/set", label="later", ms=600_000)
    version = do(server, "reminders/set", label="soon", ms=1_500)
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    down = time.monotonic()
    until(lambda: time.monotonic() - down > 4.2, "several seconds pass")
    with Server(program=program, data=data, environment=QUIET) as server:
        until(lambda: "soon" in rung(server), "the missed timer is due at once")
        until(lambda: rung(server).count("each") >= 4, "each missed time is made up for")
        for label in ("once", "each", "skipped"):
            do(server, "reminders/cancelled", label=label)
        counts = {label: rung(server).count(label) for label in ("once", "each", "skipped", "soon", "later")}
        # The server was down for more than four seconds, and has run for a shorter time since.
        assert counts["each"] >= counts["once"] + 3 and counts["once"] >= 1, counts
        assert counts["skipped"] < counts["each"] - 3 and counts["soon"] == 1 and counts["later"] == 0, counts
        assert set(timers(server)) == {"reminders/later", "cleaning/clean"}
        fired = [record for record in server.get("/actions?limit=1000").json["actions"] if record["version"] > version]
        assert "schedule/skipped" in [record["type"] for record in fired]


def test_each_time_leads_to_its_action_once_though_the_server_is_killed(program, tmp_path):
    data = tmp_path / "data"
    server = Server(program=program, data=data, environment=QUIET)
    do(server, "reminders/repeated", label="tick", seconds=1, missed="each")
    first = server.state["schedule"]["reminders/tick"]["due"]
    for number in range(5):
        until(lambda: len(rung(server)) > number, "it has rung once more")
        assert server.stop(signal.SIGKILL) == -signal.SIGKILL
        server = Server(program=program, data=data, environment=QUIET)
    until(lambda: len(rung(server)) > 6, "it goes on")
    do(server, "reminders/cancelled", label="tick")
    count = len(rung(server))
    assert server.stop() == 0
    ended = subprocess.run(
        [program, "export", "--data", str(data)], env=environment_with(), capture_output=True, text=True, timeout=20
    )
    records = [json.loads(line) for line in ended.stdout.splitlines()]
    due = [record["payload"]["due"] for record in records if record["type"] == "schedule/fired"]
    assert due == [first + number * SECOND for number in range(count)]
    assert sum(record["type"] == "reminders/rang" for record in records) == count


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
def test_a_full_disk_delays_timers_and_loses_none(program, tmp_path):
    with SmallDisk(tmp_path) as disk, Server(program=program, data=disk.data, environment=QUIET) as server:
        do(server, "reminders/repeated", label="tick", seconds=1, missed="each")
        first = server.state["schedule"]["reminders/tick"]["due"]
        until(lambda: len(rung(server)) == 1, "it rings")
        disk.fill()
        long = action("reminders/cancelled", label="x" * 1_000)
        until(lambda: server.post(long).status == 507, "the disk is full")
        count = len(rung(server))
        full = time.monotonic()
        until(lambda: time.monotonic() - full > 2.5, "two times pass")
        assert len(rung(server)) <= count + 1
        disk.clear()
        until(lambda: len(rung(server)) >= count + 3, "the times are made up for")
        do(server, "reminders/cancelled", label="tick")
        fired = [
            record["payload"]["due"]
            for record in server.get("/actions?limit=1000").json["actions"]
            if record["type"] == "schedule/fired"
        ]
        assert fired == [first + number * SECOND for number in range(len(rung(server)))]


def test_arrays_and_dry_runs_set_timers_as_one_action_does(server):
    dry = server.post(action("reminders/set", label="dry", ms=1_000), query="?dry-run=true")
    assert dry.status == 200 and "/schedule/reminders~1dry" in [change["path"] for change in dry.json["patch"]]
    assert timers(server) == {}
    both = [action("reminders/set", label="a", ms=1_000), action("reminders/set", label="b", ms=2_000)]
    assert server.post(both + [action("reminders/cancelled", label="a")]).status == 200
    assert set(timers(server)) == {"reminders/b"}
    # If a member of an array is refused, the timers of the other members are not set.
    server.post([action("reminders/set", label="c", ms=1_000), action("reminders/nameless")]).problem("refused", 409)
    assert set(timers(server)) == {"reminders/b"}
    advance(server, 2)
    assert rung(server) == ["b"]


def test_many_timers_wait_and_only_due_timers_are_dispatched(server):
    for start in range(0, 5_000, 500):
        batch = [action("reminders/set", label=f"t{n:05}", ms=1_000 * (n % 500 + 1)) for n in range(start, start + 500)]
        assert server.post(batch).status == 200
    before = server.version
    advance(server, 3)
    until(lambda: len(rung(server)) == 30, "ten timers are due each second")
    assert server.version == before + 2 * 30
    assert sorted(rung(server))[:3] == ["t00000", "t00001", "t00002"]
    advance(server, 500)
    until(lambda: len(rung(server)) == 5_000, "all have rung")
    assert timers(server) == {}
