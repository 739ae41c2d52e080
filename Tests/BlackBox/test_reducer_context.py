"""The context of reducers: each value that a reducer gets is in the record of its action (docs/decisions/0049)."""

import datetime
import json
import signal
import subprocess

import pytest
from access import ALL, House, session
from harness import Server, Stream, action, environment_with, until
from programs import build_sample

ROLES = {"operator": ALL, "author": ALL}


@pytest.fixture(scope="module")
def program():
    return build_sample("Deeds")


@pytest.fixture
def house(tmp_path, program):
    return House(tmp_path, ROLES, program)


def exported(program, data):
    ended = subprocess.run(
        [program, "export", "--data", str(data)],
        env=environment_with(),
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert ended.returncode == 0, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]


def test_a_reducer_gets_what_the_record_of_its_action_has(house, program, tmp_path):
    data = tmp_path / "data"
    ada, bob = house.bearer("ada", "author"), house.bearer("bob", "author")
    server = house.server(data=data)
    adas, bobs = session(server, ada), session(server, bob)
    assert server.post(action("deeds/d1/start"), adas).status == 200
    refused = server.post(action("deeds/d1/start"), bobs).problem("refused", 409)
    assert refused["reason"] == "It is ada's."
    assert server.post(action("deeds/d1/start", force=True), bobs).status == 200
    assert server.post(action("deeds/d1/signed"), {**adas, "Prefer": "wait=10"}).status == 200
    refused = server.post(action("deeds/d1/signed"), bobs).problem("forbidden", 403)
    assert "Only ada may do this." in refused["detail"]
    both = [action("deeds/d1/handedOver", to="bob"), action("notes/written")]
    assert server.post(both, adas).status == 200
    assert server.post(action("deeds/d1/signed"), {**bobs, "Prefer": "wait=10"}).status == 200
    assert server.post(action("Stamped"), bobs).status == 200
    assert server.post(action("Closed"), adas).status == 200
    assert server.post(action("book/opened"), ada).status == 200
    assert server.send("/modules/notes/ui", action("tapped"), adas).status == 200
    # A dry run has the sender, too.
    dry = server.post(action("deeds/d1/signed"), adas, query="?dry-run=true")
    assert dry.status == 403
    until(lambda: len(server.get("/state", adas).json["book"]["presented"]) == 3, "the presenter has dispatched")
    before = server.get("/state", adas).json
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    records = {record["version"]: record for record in exported(program, data)}
    with house.server(data=data) as server:
        after = server.get("/state", adas).json
        assert after == before, "a replay gives the reducers the same contexts"
        past = server.get(f"/state?version={max(records)}", adas).json
        assert past == before, "a past version has the same contexts"
    assert before["deeds"]["d1"]["owner"] == "bob"
    stamps = [*before["book"]["stamps"], before["book"]["last"]]
    stamps += before["deeds"]["d1"]["stamps"] + before["notes"]["stamps"]
    assert len(stamps) == 3 + 1 + 7 + 2 and [each["by"] for each in before["notes"]["stamps"]] == ["action", "ui"]
    for stamp in stamps:
        record = records[stamp["version"]]
        assert stamp.get("principal") == f"{record['role']}/{record['principal']}", (stamp, record)
        assert stamp["session"] == record.get("session", "shared"), stamp
        assert stamp.get("cause") == record.get("cause"), stamp
        assert stamp["time"] == nanoseconds(record["time"]), stamp
        parts = record["type"].split("/")
        assert stamp.get("instance") == (parts[1] if len(parts) == 3 else None), stamp
    by_effects = [each for each in before["deeds"]["d1"]["stamps"] if "cause" in each]
    assert [each["by"].split()[0] for each in by_effects] == ["author/ada", "author/bob"]
    assert all(each["by"].split()[1] == each["session"] for each in by_effects)
    assert all(each["by"].split()[2] == "d1" for each in by_effects)
    assert before["book"]["presented"] == ["author/bob", "author/ada", "author/ada"]


def nanoseconds(time):
    """Returns the nanoseconds since 1970 of a time of an export."""
    whole, _, part = time.rstrip("Z").partition(".")
    seconds = datetime.datetime.fromisoformat(whole + "+00:00").timestamp()
    return int(seconds) * 1_000_000_000 + int(part.ljust(9, "0")[:9] or 0)


def test_a_program_without_credentials_gets_nobody_and_the_shared_session(program):
    with Server(program=program) as server:
        refused = server.post(action("deeds/d1/start"))
        assert refused.status == 403 and "Sign in." in refused.body.decode()
        assert server.post(action("book/opened")).status == 200
        [stamp] = server.state["book"]["stamps"]
        assert stamp["session"] == "shared" and "principal" not in stamp and "instance" not in stamp
        until(lambda: server.state["book"]["presented"] == ["nobody"], "the presenter has dispatched")
        assert server.get("/views/mine").json is None
        assert server.get("/views/mine", session(server, {})).json["text"] == "A visitor"


def test_a_view_gets_the_client_that_reads_it(house):
    ada, bob = house.bearer("ada", "author"), house.bearer("bob", "author")
    both = house.bearer("ada", "operator")
    with house.server() as server:
        adas = session(server, ada)
        view = lambda who, query="": server.get("/views/mine" + query, who).json  # noqa: E731
        assert view(ada) == {"text": "Hello, author ada", "owned": 0, "session": 6}
        assert view(adas, "?greeting=Ho") == {"text": "Ho, author ada", "owned": 0, "session": 32}
        # The view depends on the role and the name, not on the name alone.
        assert view(both)["text"] == "Hello, operator ada"
        assert view(house.operator)["text"] == "Hello, operator root"
        readers = {"ada": ada, "adas": adas, "bob": bob, "both": both, "root": house.operator}
        streams = {
            name: Stream(server, "/views/mine/events", headers=who.items()).opened() for name, who in readers.items()
        }
        first = {name: stream.event().json["text"] for name, stream in streams.items()}
        assert first == {
            "ada": "Hello, author ada", "adas": "Hello, author ada", "bob": "Hello, author bob",
            "both": "Hello, operator ada", "root": "Hello, operator root",
        }
        assert server.post(action("deeds/d1/start"), bob).status == 200
        assert server.post(action("deeds/d1/handedOver", to="ada"), bob).status == 200
        for name, stream in streams.items():
            # Bob's view shows a deed for one version; each view is sent if it has changed.
            owned = []
            while not owned or owned[-1] != (0 if name in ("bob", "root") else 1):
                if name == "root":
                    break
                owned.append(stream.event().json["owned"])
            assert owned == {"bob": [1, 0], "root": []}.get(name, [1]), name
        tag = server.get("/views/mine", ada)["etag"]
        assert server.get("/views/mine", {**ada, "If-None-Match": tag}).status == 304
        for stream in streams.values():
            stream.close()


def test_a_second_version_of_a_program_gets_the_contexts_of_the_actions_before(tmp_path):
    program, data = build_sample("Authors"), tmp_path / "data"
    house = House(tmp_path, ROLES, program)
    ada, bob = house.bearer("ada", "author"), house.bearer("bob", "author")
    with house.server(data=data) as server:
        for author, text in ((ada, "one"), (bob, "two")):
            assert server.post(action("lines/added", text=text), author).status == 200
        assert server.get("/state", ada).json["lines"] == {"texts": ["one", "two"]}
        before = server.get("/actions", house.operator).json["actions"]
    second = {"EDITION": "2"}
    server = house.server(data=data, environment=second)
    lines = [action("lines/added", text="three"), action("reminders/asked")]
    assert server.post(lines, bob).status == 200
    kept = server.get("/state", ada).json["lines"]["lines"]
    assert [(line["text"], line["author"]) for line in kept] == [("one", "ada"), ("two", "bob"), ("three", "bob")]
    assert [line["time"] for line in kept[:2]] == [nanoseconds(record["time"]) for record in before]
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    # The kept work runs again, in the name of the principal whose action asked for it.
    with house.server(data=data, environment={**second, "SEND": "1"}) as server:
        assert server.get("/state", ada).json["lines"]["lines"] == kept
        until(lambda: server.get("/state", ada).json["reminders"]["sent"], "the reminder is sent")
        assert server.get("/state", ada).json["reminders"]["sent"] == ["bob bob, bob"]
