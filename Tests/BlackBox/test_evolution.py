"""A journal outlives the program that wrote it: renamed actions, changed states, secrets."""

import contextlib
import json
import os
import pty
import re
import shutil
import signal
import sqlite3
import subprocess

import pytest
import yaml
from harness import ROOT, Server, environment_with
from programs import build_sample

DEPLOY = ROOT / "deploy"
SECRET = "hunter2-that-nobody-may-keep"


@pytest.fixture(scope="module")
def program():
    return build_sample("Evolving")


@pytest.fixture
def old(program, tmp_path):
    """A directory with three actions in it, written by the first program. No snapshot is newer than the first
    state, because the program was killed."""
    data = tmp_path / "data"
    server = Server(program=program, data=data)
    for by in (1, 2, 3):
        assert server.post({"type": "Counted", "payload": {"by": by}}).status == 200
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    return data


def later(program, data, age, *flags):
    return Server(*flags, program=program, data=data, environment={"EVOLVING": age})


def refused(program, data, age, variable="EVOLVING"):
    """Starts a program that refuses to start, and returns its message."""
    ended = subprocess.run(
        [program, "--data", str(data), "--listen", "127.0.0.1:0"],
        env=environment_with({variable: age}),
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert ended.returncode == 1, ended
    return ended.stderr


def run(program, age, *command, status=0):
    """Runs a command of the program, and returns its output."""
    ended = subprocess.run(
        [program, *map(str, command)],
        env=environment_with({"EVOLVING": age}),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == status, ended
    return ended.stderr if status else ended.stdout


def without_programs(program, age, data, tmp_path):
    """Makes a copy of a history whose records name no program, like the records of older servers."""
    lines, copy = tmp_path / "lines-of-now", tmp_path / "older"
    run(program, age, "export", lines, "--data", data)
    records = [json.loads(line) for line in lines.read_text().splitlines()]
    for record in records:
        record.pop("program", None)
    older = tmp_path / "lines-of-old"
    older.write_text("".join(json.dumps(record) + "\n" for record in records))
    run(program, age, "import", older, "--data", copy)
    return copy


def test_an_action_that_no_longer_exists_stops_the_start_and_is_named(program, old):
    said = refused(program, old, "renamed")
    assert "Counted" in said and "version 1" in said
    assert ".migrations(.action(" in said
    # The refused start has lost nothing.
    with Server(program=program, data=old) as server:
        assert server.state["count"] == 6


def test_a_migration_reads_a_record_as_the_action_of_today(program, old):
    with later(program, old, "migrated") as server:
        assert server.state == {"count": 6, "names": []}
        assert server.version == 3
        assert server.post({"type": "Added", "payload": {"amount": 4}}).status == 200
    with later(program, old, "migrated") as server:
        assert server.state["count"] == 10
        assert server.get("/state?version=2").json["count"] == 3


def test_a_state_of_another_form_is_made_from_the_actions(program, old):
    with later(program, old, "grown") as server:
        assert server.state == {"count": 6, "names": [], "total": 106}


def test_a_state_of_another_form_is_made_anew_although_there_is_a_snapshot(program, tmp_path):
    data = tmp_path / "data"
    with Server(program=program, data=data) as server:
        server.post({"type": "Counted", "payload": {"by": 5}})
        server.stop()
    with later(program, data, "grown") as server:
        assert server.state == {"count": 5, "names": [], "total": 105}


def test_a_reducer_that_now_refuses_an_applied_action_stops_the_start(program, old):
    said = refused(program, old, "strict")
    assert "version 3" in said and "too much" in said


def count(server, name="by"):
    assert server.post({"type": "Counted", "payload": {name: 10}}).status == 200


def killed(server):
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL


@pytest.fixture
def covered(program, tmp_path):
    """A directory with three actions, all of them in a snapshot, because the program was stopped cleanly."""
    data = tmp_path / "covered"
    with Server(program=program, data=data) as server:
        for by in (1, 2, 3):
            assert server.post({"type": "Counted", "payload": {"by": by}}).status == 200
        server.stop()
    return data


def test_a_migration_under_an_unchanged_name_holds_after_a_kill(program, old):
    server = later(program, old, "relabelled")
    assert server.state["count"] == 6
    count(server, "times")
    killed(server)
    for version in (4, 5):
        server = later(program, old, "relabelled")
        assert server.version == version
        assert server.state["count"] == 6 + 10 * (version - 3)
        count(server, "times")
        killed(server)
    with later(program, old, "relabelled") as server:
        assert server.get("/state?version=3").json["count"] == 6
        assert server.get("/state?version=4").json["count"] == 16


def test_a_migration_of_the_same_fields_reads_no_record_of_today(program, old):
    server = later(program, old, "doubled")
    assert server.state["count"] == 6
    count(server)
    killed(server)
    with later(program, old, "doubled") as server:
        assert server.state["count"] == 26


def test_records_of_before_forms_were_kept_are_read_by_the_type_that_fits(program, old, tmp_path):
    server = later(program, old, "relabelled")
    count(server, "times")
    killed(server)
    older = without_programs(program, "relabelled", old, tmp_path)
    server = later(program, older, "relabelled")
    assert server.state["count"] == 16
    count(server, "times")
    killed(server)
    with later(program, older, "relabelled") as server:
        assert server.state["count"] == 26
        server.stop()
    # The names of the older records are kept, so a later program is compared with them, too.
    assert "Counted (first at version 1" in refused(program, older, "renamed")


def test_a_program_without_a_recorded_name_is_refused_whatever_the_snapshot_covers(program, covered):
    said = refused(program, covered, "renamed")
    assert "Counted (first at version 1: no action has this name" in said
    assert '.migrations(.action("Counted", from: OldFields.self)' in said
    assert '.dropped("Counted")' in said
    # The refused start has lost nothing, and the old program goes on.
    with Server(program=program, data=covered) as server:
        assert server.state["count"] == 6
        count(server)
    # A refused start is refused each time.
    assert "Counted" in refused(program, covered, "renamed")
    with later(program, covered, "migrated") as server:
        assert server.state["count"] == 16
        assert server.get("/state?version=2").json["count"] == 3


def test_an_action_that_no_record_has_may_go(program, tmp_path):
    data = tmp_path / "data"
    with later(program, data, "extended") as server:
        assert server.post({"type": "Counted", "payload": {"by": 1}}).status == 200
        server.stop()
    with Server(program=program, data=data) as server:
        assert server.state["count"] == 1
        server.stop()
    # The newer program runs again, and now records the new action.
    with later(program, data, "extended") as server:
        assert server.post({"type": "Added", "payload": {"amount": 5}}).status == 200
        server.stop()
    said = refused(program, data, "old")
    assert "Added (first at version 2: no action has this name" in said
    with later(program, data, "extended") as server:
        assert server.state["count"] == 6


def test_records_of_dropped_actions_are_passed_over(program, covered):
    server = later(program, covered, "dropped")
    assert server.post({"type": "Added", "payload": {"amount": 4}}).status == 200
    killed(server)
    with later(program, covered, "dropped") as server:
        assert server.version == 4


def test_a_version_that_can_not_be_made_again_has_no_retry_after(program, old):
    with Server(program=program, data=old) as server:
        count(server)
        server.stop()
    with later(program, old, "strict") as server:
        assert server.state["count"] == 16
        answer = server.get("/state?version=3")
        problem = answer.problem("version-unreadable", 500)
        assert "Retry-After" not in answer.headers
        assert "version 3" in problem["detail"] and "a further try fails" in problem["detail"]
        server.await_log("the reducer refuses the action of version 3")
        # A version before that record can still be made.
        assert server.get("/state?version=2").json["count"] == 3


def test_an_export_has_the_forms_and_an_import_keeps_them(program, old, tmp_path):
    with later(program, old, "relabelled") as server:
        count(server, "times")
    lines = tmp_path / "lines"
    run(program, "relabelled", "export", lines, "--data", old)
    records = [json.loads(line) for line in lines.read_text().splitlines()]
    assert [each["version"] for each in records] == [1, 2, 3, 4]
    first, second = (records[place]["program"] for place in (0, 3))
    assert records[1]["program"] == first["number"] != second["number"]
    assert {"name": "Counted", "form": "{by: integer}"} in first["forms"]
    copy = tmp_path / "copy"
    assert "has 4 actions" in run(program, "relabelled", "import", lines, "--data", copy)
    server = later(program, copy, "relabelled")
    assert server.state["count"] == 16
    killed(server)
    with later(program, copy, "relabelled") as server:
        assert server.state["count"] == 16
    assert "Counted" in refused(program, copy, "renamed")


def test_a_line_of_a_program_without_its_forms_is_refused(program, tmp_path):
    lines = tmp_path / "lines"
    line = {"version": 1, "time": "2026-01-01T00:00:00Z", "type": "Counted", "payload": {"by": 1}}
    for mention, reason in [
        (7, "no earlier line has the forms of program 7"),
        (0, "its program is not valid"),
        ({"number": 1}, "its program is not valid"),
        ({"number": 1, "forms": "x"}, "its program is not valid"),
    ]:
        lines.write_text(json.dumps(line | {"program": mention, "changed": True}) + "\n")
        said = run(program, "old", "import", lines, "--data", tmp_path / str(reason), status=1)
        assert f"line 1 of {lines}: {reason}" in said


# Actions of instances


@pytest.fixture(scope="module")
def editions():
    return build_sample("Editions")


def edition(program, data, name):
    return Server(program=program, data=data, environment={"EDITION": name})


def add(server, board, **fields):
    assert server.post({"type": f"boards/{board}/cardAdded", "payload": fields}).status == 200


def cards(server):
    return {name: board["cards"] for name, board in server.state["boards"].items()}


@pytest.fixture
def boards(editions, tmp_path):
    """A directory with two boards and two cards, which the first edition has written before it was killed."""
    data = tmp_path / "data"
    server = edition(editions, data, "first")
    for board in ("a", "b"):
        assert server.post({"type": f"boards/{board}/start"}).status == 200
    for board in ("a", "b"):
        add(server, board, text=f"of {board}")
    killed(server)
    return data


def test_a_single_migration_reads_the_actions_of_all_instances(editions, boards):
    server = edition(editions, boards, "second")
    assert cards(server) == {"a": ["old of a"], "b": ["old of b"]}
    add(server, "a", title="new")
    killed(server)
    server = edition(editions, boards, "second")
    assert cards(server) == {"a": ["old of a", "new"], "b": ["old of b"]}
    killed(server)
    # The migration of its form reads each record. The third edition gets the id, too.
    with edition(editions, boards, "third") as server:
        assert cards(server) == {"a": ["a: of a", "new"], "b": ["b: of b"]}


def test_a_migration_may_map_the_id_of_an_instance(editions, boards):
    with edition(editions, boards, "moved") as server:
        assert cards(server) == {"a": [], "b": ["of a", "of b"]}


def test_the_refusal_names_a_pattern_for_all_instances(editions, boards):
    said = refused(editions, boards, "renamed", variable="EDITION")
    assert "boards/{id}/cardAdded (first at version 3: no action has this name" in said
    assert "boards/a/" not in said and "boards/b/" not in said
    assert '.action("boards/{id}/cardAdded", from: OldFields.self)' in said


def test_a_migration_that_is_taken_away_stops_the_start_whatever_a_snapshot_covers(program, old):
    with later(program, old, "migrated") as server:
        assert server.post({"type": "Added", "payload": {"amount": 4}}).status == 200
    said = refused(program, old, "renamed")
    assert "Counted" in said and "version 1" in said
    with later(program, old, "migrated") as server:
        assert server.state["count"] == 10


# The rows of the journal that name the programs


def in_programs(data, statement, *values):
    """Changes the table of programs of a stopped server."""
    with contextlib.closing(sqlite3.connect(data / "store.db")) as database:
        assert database.execute(statement, values).rowcount == 1
        database.commit()


DAMAGED_ROWS = {
    "cut": ("UPDATE programs SET forms = substr(forms, 1, length(forms) - 5) WHERE number = 1", ()),
    "other forms": ("UPDATE programs SET forms = ? WHERE number = 1", (b"\xff\x00[]",)),
    "other digest": ("UPDATE programs SET digest = ? WHERE number = 1", ("0" * 64,)),
    "other number": ("UPDATE programs SET number = 7 WHERE number = 1", ()),
    "other order": ("UPDATE programs SET began = 9 WHERE number = 1", ()),
    "no sum": ("UPDATE programs SET sum = x'' WHERE number = 1", ()),
}


@pytest.mark.parametrize("age", ["old", "migrated"])
@pytest.mark.parametrize("damage", DAMAGED_ROWS)
def test_a_damaged_row_of_a_program_stops_the_start_and_verify_names_it(program, old, damage, age):
    statement, values = DAMAGED_ROWS[damage]
    in_programs(old, statement, *values)
    number = 7 if damage == "other number" else 1
    fault = f"the forms of program {number} have changed since they were written"
    assert fault in refused(program, old, age)
    assert fault in run(program, age, "verify", "--data", old, status=1)
    # Neither the start nor `verify` has changed the records.
    with contextlib.closing(sqlite3.connect(old / "store.db")) as database:
        assert database.execute("SELECT count(*) FROM records").fetchone() == (3,)


def test_records_of_a_lost_program_are_read_as_records_of_an_unknown_program(program, old):
    """Records like the records of a program beyond the 256 that are kept (docs/decisions/0025)."""
    in_programs(old, "DELETE FROM programs WHERE number = 1")
    assert "3 actions replayed" in run(program, "migrated", "verify", "--data", old)
    for more in (0, 4):
        with later(program, old, "migrated") as server:
            assert (server.state["count"], server.version) == (6, 3)
            if more:
                assert server.post({"type": "Added", "payload": {"amount": more}}).status == 200
                assert server.state["count"] == 10
    with contextlib.closing(sqlite3.connect(old / "store.db")) as database:
        # No program gets the number of the lost program: its records are not taken for another's.
        assert 1 not in {row[0] for row in database.execute("SELECT number FROM programs")}
        assert {row[0] for row in database.execute("SELECT program FROM records WHERE version < 4")} == {1}


# A new program is refused before it takes over: the commands of deploy/


def deployed_commands():
    """Returns the commands on a directory /data that each file of deploy/ runs before a start."""
    [unit] = re.findall(r"^ExecStartPre=(.*)$", (DEPLOY / "systemd/store-server.service").read_text(), re.M)
    commands = {"systemd": (unit.replace("${STATE_DIRECTORY}", "/data").split()[1:], {})}
    for path in sorted((DEPLOY / "compose").glob("*.yaml")):
        project = yaml.safe_load(path.read_text())
        if "verify" in project.get("services", {}):
            commands[path.name] = (project["services"]["verify"]["command"], {})
    manifests = list(yaml.safe_load_all((DEPLOY / "kubernetes/store.yaml").read_text()))
    [stateful] = [each for each in manifests if each["kind"] == "StatefulSet"]
    [configured] = [each for each in manifests if each["kind"] == "ConfigMap"]
    [verify] = stateful["spec"]["template"]["spec"]["initContainers"]
    commands["kubernetes"] = (verify["args"], configured["data"])
    return commands


DEPLOYED = deployed_commands()


@pytest.mark.parametrize("file", DEPLOYED)
def test_a_program_that_cannot_read_the_history_is_refused_before_the_old_one_is_harmed(program, old, file):
    words, variables = DEPLOYED[file]

    def deployed(age):
        given = {name: str(old) if value == "/data" else value for name, value in variables.items()}
        return subprocess.run(
            [program, *(str(old) if word == "/data" else word for word in words)],
            env=environment_with({**given, "EVOLVING": age}), capture_output=True, text=True, timeout=60,
        )

    # The old program replays the history only at its first start.
    first, again = deployed("old"), deployed("old")
    assert (first.returncode, again.returncode) == (0, 0), (first, again)
    assert "3 actions replayed" in first.stdout and "replayed" not in again.stdout + again.stderr
    assert again.stdout == f"this program has verified the history of {old} before\n"
    # The new program is another executable.
    with open(old / "verified", "w") as mark:
        mark.write("0" * 64 + "\n")
    for _ in range(2):
        ended = deployed("renamed")
        assert ended.returncode == 1, ended
        assert "Counted" in ended.stderr and "version 1" in ended.stderr
    with Server(program=program, data=old) as server:
        assert server.state["count"] == 6
        count(server)
        assert server.state["count"] == 16


# Progress


@pytest.fixture
def long(program, tmp_path):
    data = tmp_path / "long"
    server = Server(program=program, data=data)
    for _ in range(4):
        count_many = [{"type": "Counted", "payload": {"by": 1}}] * 50
        assert server.post(count_many).status == 200
    killed(server)
    return data


PROGRESS = r"{verb} \d+ of 200 actions \(\d+ %\), \d+(\.\d)?/s, \d+ s remain"
SLOW = {"SLOW": "12"}


def test_a_start_that_replays_for_long_logs_its_progress(program, long):
    with Server(program=program, data=long, environment=SLOW) as server:
        assert re.search(PROGRESS.format(verb="replayed"), server.log_text)
        assert server.state["count"] == 200


@pytest.mark.parametrize("is_terminal", [False, True])
def test_verify_and_import_show_their_progress(program, long, tmp_path, is_terminal):
    lines = tmp_path / "lines"
    run(program, "old", "export", lines, "--data", long)
    copy = tmp_path / "copy"
    for verb, command in [
        ("replayed", ["verify", "--data", long]),
        ("imported", ["import", lines, "--data", copy]),
    ]:
        said = shown(program, command, is_terminal)
        assert re.search(PROGRESS.format(verb=verb), said)
        assert ("\r[" in said) is is_terminal and ("█" in said) is is_terminal


def shown(program, command, is_terminal):
    """Returns the output of a command on standard error, which is a terminal or a pipe."""
    ours, theirs = pty.openpty() if is_terminal else os.pipe()
    child = subprocess.Popen(
        [program, *map(str, command)],
        env=environment_with(SLOW),
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    said = b""
    with contextlib.suppress(OSError), os.fdopen(ours, "rb", buffering=0) as stream:
        while piece := stream.read(65_536):
            said += piece
    assert child.wait(60) == 0
    return said.decode()


# Protocol 5.3: secrets


def test_5_3_secret_members_are_kept_nowhere(program, tmp_path):
    data = tmp_path / "data"
    lines = tmp_path / "analytics"
    action = {"type": "LoginRequested", "payload": {"name": "ada", "password": SECRET}}
    with Server("--analytics", f"file:{lines}", program=program, data=data) as server:
        assert server.post(action, {"Prefer": "return=representation"}).status == 200
        assert server.post([action, action]).status == 200
        # The same member with an escaped character.
        escaped = b'{"type":"LoginRequested","payload":{"name":"eve","pass\\u0077ord":"%s"}}'
        assert server.post(escaped % SECRET.encode()).status == 200
        assert server.state["names"] == ["ada", "ada", "ada", "eve"]
        seen = [server.get("/state").body, server.get("/state?version=1").body]
        seen.append(server.log_text.encode())
        server.stop()
    seen += [path.read_bytes() for path in [*data.iterdir(), lines] if path.is_file()]
    assert any(b"LoginRequested" in bytes_ for bytes_ in seen)
    for bytes_ in seen:
        assert SECRET.encode() not in bytes_
    with Server(program=program, data=data) as server:
        assert server.state["names"] == ["ada", "ada", "ada", "eve"]
