"""An ephemeral store beside a store on disk: `.ephemeral()`, its sessions, its pace, and `Whereabouts`
(docs/WRITING_STORES.md, docs/decisions/0054)."""

import contextlib
import os
import pathlib
import select
import signal
import subprocess
import sys
import time

import pytest
from access import ALL, House, cookie_of, session
from harness import ConnectionEnded, Server, SmallDisk, Stream, action, environment_with, until
from programs import build_sample

LIVE = "/stores/live"
WHERE = f"{LIVE}/events?path=/whereabouts"
PACE_SECONDS = 1
# A reader measures the gaps between its events. Delays on the way make them longer or shorter.
PACE_SLACK_SECONDS = 0.3
ROLES = {
    "operator": ALL,
    "writer": {"read": ["*", "log"], "dispatch": ["*"], "use": ["sessions"]},
    "anonymous": {"read": ["*"], "dispatch": ["*"], "use": ["sessions"]},
}


@pytest.fixture(scope="module")
def program():
    return build_sample("Lively")


@pytest.fixture
def server(program, tmp_path):
    with Server(program=program, data=tmp_path / "data") as server:
        yield server


def tell(server, who, name, place="board-1", **fields):
    body = action(f"whereabouts/{name}", place=place, **fields)
    return server.send(f"{LIVE}/dispatch", body, who)


def enter(server, who, place="board-1", **fields):
    answer = tell(server, who, "entered", place, **fields)
    assert answer.status == 200, answer
    return answer.json["version"]


def move(server, who, x, place="board-1"):
    answer = tell(server, who, "moved", place, detail={"x": x})
    assert answer.status == 200, answer
    return answer.json["version"]


def where(server, headers=()):
    return server.get(f"{LIVE}/state", headers).json["whereabouts"]


def kill(server):
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    server.process.returncode = 0


def name_of(server, who):
    return server.get("/session", who).json["session"]


def begin(server, header=None):
    return session(server, header or {})


# Sessions and credentials


def test_two_users_on_two_devices_are_seen_where_they_are(tmp_path, program):
    house = House(tmp_path, ROLES, program)
    ada, bob = house.bearer("ada", "writer"), house.bearer("bob", "writer")
    with house.server() as server:
        devices = [begin(server, who) for who in (ada, ada, bob, bob)]
        names = [name_of(server, device) for device in devices]
        visitor = begin(server)
        before = time.time() * 1000
        for number, device in enumerate(devices):
            enter(server, device, detail={"x": number})
        enter(server, visitor, "board-2")
        state = where(server, ada)
        visits = state["board-1"]
        assert {name: visit["principal"] for name, visit in visits.items()} == dict(
            zip(names, ("ada", "ada", "bob", "bob"), strict=True)
        )
        assert [visits[name]["detail"]["x"] for name in names] == [0, 1, 2, 3]
        assert all(before - 2 <= visit["since"] <= time.time() * 1000 for visit in visits.values())
        [(stranger, visit)] = state["board-2"].items()
        assert stranger == name_of(server, visitor) and "principal" not in visit
        since = visits[names[0]]["since"]
        move(server, devices[0], 7)
        enter(server, devices[0], "board-3")
        visits = where(server, bob)
        assert visits["board-1"][names[0]] == {"principal": "ada", "since": since, "detail": {"x": 7}}
        assert list(visits["board-3"]) == [names[0]]
        # The log of the store at / has no action of the ephemeral store.
        assert server.get("/actions?type=whereabouts/entered", ada).json["actions"] == []
        assert tell(server, devices[0], "left", "board-3").status == 200
        assert "board-3" not in where(server, ada)
        # With the cookie of a session, another principal or a client without a credential is not in the session.
        stolen = {"Cookie": devices[0]["Cookie"]}
        tell(server, stolen, "stayed").problem("forbidden", 403)
        tell(server, {**bob, **stolen}, "stayed").problem("forbidden", 403)


def test_a_browsers_cookie_is_accepted_by_both_stores(tmp_path, program):
    house = House(tmp_path, ROLES, program)
    ada = house.bearer("ada", "writer")
    for data in (tmp_path / "data", None):
        with house.server(data=data) as server:
            login = cookie_of(server.request("POST", "/session", b"", ada), "store-auth")
            server.request("POST", f"{LIVE}/session", b"", ada).problem("method-not-allowed", 405)
            begun = server.request("POST", "/sessions", b"", login)
            both = {"Cookie": f"{login['Cookie']}; {cookie_of(begun, 'store-session')['Cookie']}"}
            enter(server, both)
            [visit] = where(server, both)["board-1"].values()
            assert visit["principal"] == "ada"
            shown = server.get(f"{LIVE}/session", both).json
            assert (shown["principal"], shown["role"], shown["session"]) == ("ada", "writer", begun.json["session"])


def test_sessions_begin_and_end_at_the_store_on_disk(server):
    for method, path in (("POST", "/sessions"), ("DELETE", "/session"), ("POST", "/session")):
        assert server.request(method, LIVE + path, b"").status in (404, 405)
    who = begin(server)
    color = {"type": "choice/chosen", "payload": {"color": "red"}}
    assert server.send(f"{LIVE}/dispatch", color, who).status == 200
    other = begin(server)
    assert server.get(f"{LIVE}/state/choice/color", who).json == "red"
    assert server.get(f"{LIVE}/state/choice/color", other).json == "black"
    assert server.get("/metrics").body.decode().count("store_sessions_open{") == 1
    with Stream(server, WHERE, headers=who) as own, Stream(server, WHERE) as others:
        own.opened().event()
        others.opened().event()
        enter(server, who)
        enter(server, other)
        assert server.request("DELETE", "/session", headers=who).status == 204
        with pytest.raises(ConnectionEnded):
            while own.event():
                pass
        until(lambda: len(where(server)["board-1"]) == 1, "the visit has ended")
    tell(server, who, "stayed").problem("forbidden", 403)
    # A session without a visit ends, too, and a session without a request to this store leaves no trace.
    assert server.request("DELETE", "/session", headers=other).status == 204
    until(lambda: where(server) == {}, "the other visit has ended")
    before = server.get(f"{LIVE}/state")["ETag"]
    assert server.request("DELETE", "/session", headers=begin(server)).status == 204
    assert server.get(f"{LIVE}/state")["ETag"] == before


def test_a_session_of_before_a_restart_is_valid_in_the_new_store(program, tmp_path):
    with Server(program=program, data=tmp_path / "data") as server:
        who = begin(server)
        enter(server, who)
        kill(server)
    with Server(program=program, data=tmp_path / "data") as server:
        assert where(server) == {}
        tell(server, who, "stayed").problem("refused", 409)
        enter(server, who)
        assert list(where(server)["board-1"]) == [name_of(server, who)]


def test_an_idle_session_ends_in_both(program, tmp_path):
    with Server("--session-idle", "1", program=program, data=tmp_path / "data", environment={"LIVELY": "60"}) as server:
        who = begin(server)
        enter(server, who)
        assert len(where(server)["board-1"]) == 1
        until(lambda: where(server) == {}, "the idle session has ended")
        tell(server, who, "stayed").problem("forbidden", 403)


def test_a_stream_beside_keeps_a_session_from_becoming_idle(program, tmp_path):
    with Server("--session-idle", "1", program=program, data=tmp_path / "data") as server:
        who = begin(server)
        with Stream(server, WHERE, headers=who) as stream:
            stream.opened().event()
            began = time.monotonic()
            until(lambda: time.monotonic() - began > 2.5, "the idle time is over twice")
            assert server.get("/session", who).json["session"]


# Refusals and bounds


def test_refusals_name_the_fault(server):
    who = begin(server)
    tell(server, (), "entered").problem("forbidden", 403)
    tell(server, who, "moved", detail={"x": 1}).problem("refused", 409)
    tell(server, who, "stayed").problem("refused", 409)
    assert tell(server, who, "entered", "").problem("refused", 409)["pointer"] == "/payload/place"
    assert tell(server, who, "entered", "x" * 81).problem("refused", 409)["pointer"] == "/payload/place"
    long = {"x": 1, "text": "x" * 1_024}
    for name in ("entered", "moved"):
        enter(server, who)
        assert tell(server, who, name, detail=long).problem("refused", 409)["pointer"] == "/payload/detail"
    for number in range(2, 9):
        enter(server, who, f"board-{number}")
    assert "8 places" in tell(server, who, "entered", "board-9").problem("refused", 409)["detail"]
    tell(server, who, "entered", detail={"y": 1}).problem("invalid-payload", 422)
    # Only the store and timers end visits of others.
    for name in ("departed", "fellSilent"):
        assert server.send(f"{LIVE}/dispatch", action(f"whereabouts/{name}"), who).status == 403


@pytest.mark.parametrize(
    "wish, words",
    [
        ("on disk", "'whereabouts' follows the open streams of sessions"),
        ("sessionless root", "add `Sessions` to the root state there, too"),
        ("sessionless", "`Sessions().at(\\.sessions)`"),
        ("slow", "allowed are 0 to 60 seconds"),
        ("endless", "allowed are 1 to 10000000"),
        ("both", "leave out .journal or .ephemeral"),
    ],
)
def test_a_program_that_makes_no_sense_does_not_start(program, tmp_path, wish, words):
    ended = subprocess.run(
        [program, "--listen", "127.0.0.1:0", "--data", tmp_path / "data"],
        env=environment_with({"LIVELY": wish}),
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert ended.returncode == 2, ended
    assert words in ended.stderr


# Nothing is kept


def opened_files(server):
    for descriptor in pathlib.Path(f"/proc/{server.pid}/fd").iterdir():
        # A connection may end meanwhile.
        with contextlib.suppress(FileNotFoundError):
            yield os.readlink(descriptor)


def test_nothing_of_the_store_is_on_disk(program, tmp_path):
    data = tmp_path / "data"
    with Server(program=program, data=data) as server:
        who = begin(server)
        enter(server, who, "a-place-that-is-not-kept")
        for number in range(200):
            move(server, who, number, "a-place-that-is-not-kept")
        version, epoch = server.version, server.get(f"{LIVE}/state")["ETag"].split(":")[0]
        assert [path for path in opened_files(server) if "live" in path] == []
        # The store on disk has recorded only the beginning of the session.
        assert version == 1 and server.get("/actions", who).json["actions"][0]["type"] == "sessions/began"
        files = [path for path in data.rglob("*")]
        assert not (data / "stores").exists()
        assert all(b"a-place-that-is-not-kept" not in path.read_bytes() for path in files if path.is_file())
        kill(server)
    with Server(program=program, data=data) as server:
        assert server.version == 1
        state = server.get(f"{LIVE}/state")
        assert state.json["whereabouts"] == {} and state["ETag"].split(":")[0] != epoch
    ended = subprocess.run(
        [program, "verify", "--store", "live", "--data", data],
        env=environment_with(),
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert ended.returncode != 0 and "keeps its history in memory" in ended.stderr


def test_the_history_in_memory_is_bounded(program, tmp_path):
    with Server(program=program, data=tmp_path / "data", environment={"LIVELY": "short"}) as server:
        who = begin(server)
        enter(server, who)
        for number in range(40):
            newest = move(server, who, number)
        kept = server.get(f"{LIVE}/actions?after={newest - 5}").json["actions"]
        assert len(kept) == 5
        server.get(f"{LIVE}/actions?after=1").problem("gone", 410)


def test_a_store_at_the_root_may_keep_nothing(program, tmp_path):
    with Server(program=program, data=tmp_path / "data", environment={"LIVELY": "first"}) as server:
        begun = server.request("POST", "/sessions", b"")
        who = cookie_of(begun, "store-session")
        assert server.send("/dispatch", action("whereabouts/entered", place="here"), who).status == 200
        with Stream(server, headers=who) as stream:
            stream.opened().event()
        until(lambda: server.get("/state").json["whereabouts"] == {}, "the session has departed")
        assert server.request("POST", "/stores/boards/sessions", b"").status == 201
        assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["stores"]


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
def test_a_full_disk_under_the_other_store_changes_nothing_here(program, tmp_path):
    with SmallDisk(tmp_path) as disk, Server(program=program, data=disk.data) as server:
        who = begin(server)
        enter(server, who)
        disk.fill()
        until(
            lambda: server.post(action("cards/added", title="x" * 10_000), who).status == 507,
            "the disk is full",
        )
        server.request("POST", "/sessions", b"").problem("storage-full", 507)
        with Stream(server, WHERE, headers=who) as stream:
            stream.opened().event()
            for number in range(50):
                move(server, who, number)
            while stream.event().json["board-1"][name_of(server, who)]["detail"] != {"x": 49}:
                pass
        assert server.get("/readyz").status == 200
        disk.clear()
        until(lambda: server.post(action("cards/added", title="x"), who).status == 200, "there is room")


# How a visit ends


def test_a_closed_stream_ends_the_visit(server):
    who, other = begin(server), begin(server)
    with Stream(server, WHERE, headers=other) as watching:
        watching.opened().event()
        enter(server, other, "board-2")
        with Stream(server, f"{LIVE}/events?path=/whereabouts/board-1", headers=who) as first:
            first.opened()
            with Stream(server, WHERE, headers=who) as second:
                second.opened().event()
                enter(server, who)
                while "board-1" not in watching.event().json:
                    pass
            # One of two streams is closed: the session is still here.
            closed = time.monotonic()
            until(lambda: time.monotonic() - closed > 0.5, "the server has seen the end of the stream")
            move(server, who, 1)
        while "board-1" in watching.event().json:
            pass
    assert list(where(server)) == ["board-2"]


def test_a_killed_client_is_gone(server):
    who = begin(server)
    script = (
        "import socket, sys, time\n"
        "s = socket.create_connection((sys.argv[1], int(sys.argv[2])))\n"
        "_, _, _, target, host, cookie = sys.argv\n"
        "fields = f'Host: {host}\\r\\nCookie: {cookie}'\n"
        "s.sendall(f'GET {target} HTTP/1.1\\r\\n{fields}\\r\\n\\r\\n'.encode())\n"
        "print(s.recv(100)[:15].decode(), flush=True)\n"
        "time.sleep(600)\n"
    )
    client = subprocess.Popen(
        [sys.executable, "-c", script, server.host, str(server.port), WHERE, server.authority, who["Cookie"]],
        stdout=subprocess.PIPE,
    )
    try:
        assert client.stdout.readline().strip() == b"HTTP/1.1 200 OK"
        enter(server, who)
        assert list(where(server)) == ["board-1"]
    finally:
        client.kill()
        client.wait()
    until(lambda: where(server) == {}, "the visit of the killed client has ended")


def test_silence_ends_a_visit_and_an_action_prolongs_it(program, tmp_path):
    with Server(program=program, data=tmp_path / "data", environment={"LIVELY": "2"}) as server:
        silent, other = begin(server), begin(server)
        with Stream(server, WHERE, headers=silent) as stream:
            stream.opened().event()
            enter(server, silent)
            began = time.monotonic()
            enter(server, other, "board-2")

            def is_over():
                assert tell(server, other, "stayed", "board-2").status == 200
                return "board-1" not in where(server)

            until(is_over, "the silent visit has ended")
            assert 1.9 < time.monotonic() - began < 4
            assert list(where(server)) == ["board-2"]
            # The client's stream is still open, so the client may enter again.
            tell(server, silent, "moved", detail={"x": 1}).problem("refused", 409)
            enter(server, silent)


# The pace


def gaps(times, apart=1):
    return [later - earlier for earlier, later in zip(times, times[apart:], strict=False)]


@pytest.mark.parametrize("mode", ["snapshot", "patch"])
def test_a_reader_gets_one_event_a_second_at_most(server, mode):
    who = begin(server)
    enter(server, who)
    targets = [
        f"{WHERE}/board-1&mode={mode}",
        f"{LIVE}/events?mode={mode}",
        f"{LIVE}/modules/whereabouts/events?mode={mode}",
        f"{LIVE}/views/crowd/events?mode={mode}",
    ]
    streams = [Stream(server, target, headers=who) for target in targets]
    for stream in streams:
        stream.opened().event()
    times = [[] for _ in streams]
    began = time.monotonic()
    number = 0
    while time.monotonic() - began < 4.5:
        number += 1
        newest = move(server, who, number)
        for stream, seen in zip(streams, times, strict=True):
            while select_ready(stream):
                stream.read()
            while (event := stream.take()) is not None:
                if event.name != "heartbeat":
                    seen.append(time.monotonic())
    assert number > 100
    for seen, target in zip(times[:3], targets, strict=False):
        assert 3 <= len(seen) <= 6, (target, gaps(seen))
        # A starved reader takes an event late, so its next event may follow at once.
        assert min(gaps(seen, apart=2)) > PACE_SECONDS - PACE_SLACK_SECONDS, (target, gaps(seen))
    # The count did not change, so its view has had no event.
    assert times[3] == []
    # The newest state comes, too, and a request has it at once.
    assert server.get(f"{LIVE}/state")["ETag"].endswith(f':{newest}"')
    while streams[0].event().version < newest:
        pass
    # The log has each action: the session began, and entered the place.
    assert newest == 2 + number


def select_ready(stream):
    return bool(select.select([stream], [], [], 0)[0]) and not stream.ended


def test_the_first_change_after_a_rest_comes_at_once(server):
    who = begin(server)
    with Stream(server, WHERE, headers=who) as stream:
        stream.opened().event()
        enter(server, who)
        stream.event()
        began = time.monotonic()
        until(lambda: time.monotonic() - began > 1.5, "the pace is over")
        began = time.monotonic()
        move(server, who, 1)
        stream.event()
        assert time.monotonic() - began < 0.5


@pytest.mark.parametrize("mode", ["snapshot", "patch"])
def test_a_reader_that_comes_between_two_events_misses_nothing(server, mode):
    who = begin(server)
    enter(server, who)
    name = name_of(server, who)
    with Stream(server, f"{WHERE}&mode={mode}") as first:
        first.opened().event()
        move(server, who, 1)
        first.event()
        newest = move(server, who, 2)  # held for a second
        with Stream(server, f"{WHERE}&mode={mode}") as late, Stream(
            server, f"{WHERE}&mode={mode}", last=f"{server.get(f'{LIVE}/state')['ETag'].strip(chr(34))}"
        ) as ahead:
            begun = late.opened().event()
            assert begun.version == newest - 1
            assert begun.json["board-1"][name]["detail"] == {"x": 1}
            ahead.opened()
            for stream in (first, late):
                assert stream.event().version == newest
            later = move(server, who, 3)
            for stream in (first, late, ahead):
                assert stream.event().version == later


def test_a_stop_sends_the_newest_state_first(program, tmp_path):
    with Server(program=program, data=tmp_path / "data") as server:
        who = begin(server)
        enter(server, who)
        with Stream(server, WHERE) as stream:
            stream.opened().event()
            move(server, who, 1)
            stream.event()
            newest = move(server, who, 2)
            server.process.send_signal(signal.SIGTERM)
            assert stream.event().version == newest
            assert stream.event().name == "bye"


# Both stores of one page


def test_a_page_has_streams_of_both_stores(server):
    who = begin(server)
    with Stream(server, "/events?path=/cards", headers=who) as cards, Stream(server, WHERE, headers=who) as others:
        epochs = [cards.opened().event().id.split(":")[0], others.opened().event().id.split(":")[0]]
        assert len(set(epochs)) == 2
        assert server.post(action("cards/added", title="one"), who).json["version"] == 2
        enter(server, who)
        assert cards.event().json == {"titles": ["one"]}
        assert list(others.event().json) == ["board-1"]
        # Changes of one store are no events of the other.
        move(server, who, 1)
        assert cards.quiet(1.5)
        # One of the page's streams may end, and the other goes on.
        cards.close()
        move(server, who, 2)
        while others.event().json["board-1"][name_of(server, who)]["detail"] != {"x": 2}:
            pass


def test_streams_of_all_stores_count_against_one_bound(program, tmp_path):
    with Server("--streams-max", "2", program=program, data=tmp_path / "data") as server:
        with Stream(server, "/events") as first, Stream(server, WHERE) as second:
            first.opened().event()
            second.opened().event()
            assert Stream(server, WHERE).opened().answer.status == 503
        until(lambda: Stream(server, "/events").opened().answer.status == 200, "a place is free")
