"""Commands about a history besides serving it: backup, export, import, verify."""

import json
import os
import shutil
import signal
import sqlite3
import stat

import pytest
from harness import INCREASE, Server, action, binary, run, step
from test_sessions import Client


@pytest.fixture
def history(tmp_path):
    """A directory with a few actions and snapshots, and the state after them."""
    data = tmp_path / "data"
    with Server("--snapshot-every", "10", data=data) as server:
        for number in range(1, 31):
            body = {**step(number), "meta": {"note": f"é {number}"}} if number % 3 == 0 else INCREASE
            assert server.post(body, {"Idempotency-Key": f'"{number}"'}).status == 200
        state = server.get("/state").body
    return data, state


def command(*words, status=0):
    ended = run(*words)
    assert ended.returncode == status, ended
    return ended.stdout if status == 0 else ended.stderr


def served(data):
    with Server(data=data) as server:
        return server.get("/state").body


def test_an_export_has_every_action_and_an_import_begins_with_them(history, tmp_path):
    data, state = history
    lines = command("export", "--data", str(data)).splitlines()
    records = [json.loads(line) for line in lines]
    assert [record["version"] for record in records] == list(range(1, 31))
    assert records[2]["payload"] == {"step": 3} and records[2]["meta"] == {"note": "é 3"}
    file, copy = tmp_path / "lines", tmp_path / "copy"
    assert "versions 1 to 30" in command("export", str(file), "--data", str(data))
    assert file.read_text().splitlines() == lines
    assert "30 actions" in command("import", str(file), "--data", str(copy))
    assert served(copy) == state
    assert command("export", "--data", str(copy)).splitlines() == lines


def test_an_export_has_the_sessions_and_an_import_keeps_them(tmp_path):
    data, file, copy = tmp_path / "data", tmp_path / "lines", tmp_path / "copy"
    with Server(data=data) as server:
        ada = Client(server).begin()
        # A `session=` in the client's own text does not change the session of the record.
        assert ada.send(INCREASE, **{"User-Agent": "session=eve x"}).status == 200
        assert Client(server).send(INCREASE, **{"User-Agent": 'session=eve "x"'}).status == 200
        assert ada.wait(action("movieCard/start", title="Alien")).status == 200
        log = server.get("/actions?limit=1000").json["actions"]
    lines = command("export", "--data", str(data)).splitlines()
    records = [json.loads(line) for line in lines]
    sessions = {each["version"]: each.get("session") for each in records}
    assert ada.name in sessions.values()
    increases = [each.get("session") for each in records if each["type"] == INCREASE["type"]]
    assert increases == [ada.name, None]
    # An action that follows from an action of a session belongs to that session.
    for each in records:
        if "cause" in each:
            assert each.get("session") == sessions[each["cause"]]
    assert all("session" not in each for each in log)
    file.write_text("".join(line + "\n" for line in lines))
    assert f"{len(lines)} actions" in command("import", str(file), "--data", str(copy))
    assert command("export", "--data", str(copy)).splitlines() == lines
    # Older exports have no sessions.
    for each in records:
        each.pop("session", None)
    file.write_text("".join(json.dumps(each) + "\n" for each in records))
    command("import", str(file), "--data", str(tmp_path / "older"))
    exported = command("export", "--data", str(tmp_path / "older")).splitlines()
    assert [json.loads(line) for line in exported] == records


def make_form_1(data, folder):
    """Brings the same history into a database of form 1: records without a session and a program."""
    records = [json.loads(line) for line in command("export", "--data", str(data)).splitlines()]
    lines, old = folder / "old-lines", folder / "old"
    for record in records:
        record.pop("program", None)
    lines.write_text("".join(json.dumps(record) + "\n" for record in records))
    command("import", str(lines), "--data", str(old))
    with sqlite3.connect(old / "store.db") as database:
        (made,) = database.execute("SELECT sql FROM sqlite_master WHERE name = 'records'").fetchone()
        names = [row[1] for row in database.execute("PRAGMA table_info(records)")]
        added = ", session TEXT, program INTEGER)"
        assert made.endswith("origin TEXT\n" + added) and names[-2:] == ["session", "program"]
        kept = ", ".join(names[:-2])
        database.execute("ALTER TABLE records RENAME TO newer")
        database.execute(made.replace(added, ")"))
        database.execute(f"INSERT INTO records SELECT {kept} FROM newer")
        database.execute("DROP TABLE newer")
        database.execute("DROP TABLE programs")
        database.execute("PRAGMA user_version = 1")
    return old


def form(data):
    with sqlite3.connect(data / "store.db") as database:
        return database.execute("PRAGMA user_version").fetchone()[0]


def test_a_history_of_form_1_is_read_as_it_is_and_gets_form_3_when_it_is_served(history, tmp_path):
    data, state = history
    data = make_form_1(data, tmp_path)
    lines = command("export", "--data", str(data))
    backup = tmp_path / "backup.db"
    assert "30 actions replayed" in command("verify", "--data", str(data))
    assert command("export", "--data", str(data)) == lines
    assert "up to version 30" in command("backup", str(backup), "--data", str(data))
    # The form has not changed, so an older server can still read the directory.
    assert form(data) == 1
    with Server(data=data) as server:
        assert server.get("/state").body == state and server.version == 30
        ada = Client(server).begin()
        assert ada.send(INCREASE).status == 200
        state = server.get("/state").body
        version = server.version
    assert form(data) == 3
    assert f"{version} records" in command("verify", "--data", str(data))
    assert command("export", "--data", str(data)).startswith(lines)
    assert json.loads(command("export", "--data", str(data)).splitlines()[-1])["session"] == ada.name
    assert served(data) == state
    restored = tmp_path / "restored"
    restored.mkdir()
    backup.rename(restored / "store.db")
    assert form(restored) == 1
    assert served(restored) == history[1] and form(restored) == 3


def test_a_history_of_a_newer_form_is_left_alone(history):
    with sqlite3.connect(history[0] / "store.db") as database:
        database.execute("PRAGMA user_version = 4")
    said = command("verify", "--data", str(history[0]), status=1)
    assert "has form 4, and this server reads only forms 1 to 3" in said
    assert form(history[0]) == 4


def test_only_the_owner_may_read_an_export(history, tmp_path):
    """The file has all of history, so its mode does not depend on the mask of the process."""
    file = tmp_path / "lines"
    old = os.umask(0)
    try:
        command("export", str(file), "--data", str(history[0]))
    finally:
        os.umask(old)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_an_export_does_not_write_over_a_file(history, tmp_path):
    (tmp_path / "mine").write_text("precious")
    said = command("export", str(tmp_path / "mine"), "--data", str(history[0]), status=1)
    assert "File exists" in said
    assert (tmp_path / "mine").read_text() == "precious"


def test_an_import_goes_into_an_empty_directory_only(history, tmp_path):
    lines = tmp_path / "lines"
    command("export", str(lines), "--data", str(history[0]))
    said = command("import", str(lines), "--data", str(history[0]), status=1)
    assert "has a history already, up to version 30" in said


def test_an_import_of_a_file_that_is_not_there_begins_no_history(tmp_path):
    data = tmp_path / "data"
    said = command("import", str(tmp_path / "lines"), "--data", str(data), status=1)
    assert "No such file" in said
    assert not data.exists()


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda r: r.pop("type"), "it needs version"),
        (lambda r: r.update(version=9), "version 9 is not the next version"),
        (lambda r: r.update(type="Nope"), "no action has this name"),
        (lambda r: r.update(payload={"step": "x"}), "its fields don't fit"),
        (lambda r: r.update(time="yesterday"), "RFC 3339"),
    ],
)
def test_a_bad_line_is_named(history, tmp_path, change, said):
    records = [json.loads(x) for x in command("export", "--data", str(history[0])).splitlines()]
    change(records[2])
    lines = tmp_path / "lines"
    lines.write_text("".join(json.dumps(record) + "\n" for record in records))
    complaint = command("import", str(lines), "--data", str(tmp_path / "new"), status=1)
    assert f"line 3 of {lines}" in complaint and said in complaint


def test_a_backup_is_taken_while_the_store_is_served_and_can_be_served(history, tmp_path):
    data, state = history
    backup, restored = tmp_path / "backup.db", tmp_path / "restored"
    with Server(data=data) as server:
        assert server.get("/state").body == state
        assert "while a server used it" in command("backup", str(backup), "--data", str(data))
        assert server.post(INCREASE).status == 200
        epoch = server.epoch
    restored.mkdir()
    backup.rename(restored / "store.db")
    with Server(data=restored) as server:
        assert server.get("/state").body == state
        # Actions after the backup are another history.
        assert server.epoch != epoch
        assert server.post(INCREASE, {"Idempotency-Key": '"1"'})["idempotency-replayed"] == "true"


def test_a_backup_is_taken_while_the_store_is_not_served(history, tmp_path):
    file = tmp_path / "backup.db"
    assert "up to version 30" in command("backup", str(file), "--data", str(history[0]))
    assert "File exists" in command("backup", str(file), "--data", str(history[0]), status=1)


def test_verify_replays_everything(history):
    said = command("verify", "--data", str(history[0]))
    assert "30 records" in said and "30 idempotency keys are intact" in said
    assert "30 actions replayed" in said
    compared = int(said.split("compared: ")[1].split(",")[0])
    assert compared >= 3 and "different: 0" in said


def test_verify_finds_a_record_that_was_changed(history):
    with sqlite3.connect(history[0] / "store.db") as database:
        database.execute("UPDATE records SET payload = ? WHERE version = 3", (b'{"step":9}',))
    assert "record 3 has changed since it was written" in command("verify", "--data", str(history[0]), status=1)


def test_verify_if_new_verifies_a_history_again_after_another_program_has_served_it(history, tmp_path):
    data = str(history[0])
    assert "30 actions replayed" in command("verify", "--if-new", "--data", data)
    assert served(data) == history[1]
    assert "has verified the history" in command("verify", "--if-new", "--data", data)
    # A start takes an executable with another modification time for another program.
    other = shutil.copy(binary(), tmp_path / "other")
    with Server(program=other, data=data) as server:
        assert server.post(INCREASE).status == 200
    assert "31 actions replayed" in command("verify", "--if-new", "--data", data)


def test_verify_does_not_begin_a_history(tmp_path):
    said = command("verify", "--data", str(tmp_path / "nothing"), status=1)
    assert "there is no history in" in said
    assert not os.path.exists(tmp_path / "nothing")


def test_a_history_that_is_served_is_not_verified_beside(history):
    with Server(data=history[0]) as server:
        said = command("verify", "--data", str(history[0]), status=1)
        assert f"process {server.pid}" in said
        assert len(said.strip().splitlines()) == 2  # the fault, and the remedy


@pytest.mark.parametrize(
    "words, said",
    [
        (["restore"], "there is no command 'restore'; the commands are assert, backup, export, forget, help, import, policy"),
        (["backup"], "usage: backup FILE"),
        (["verify", "x"], "verify takes no 'x'"),
        (["verify", "--nope"], "unknown flag --nope"),
    ],
)
def test_a_bad_command_line_is_refused(words, said):
    ended = run(*words)
    assert ended.returncode == 2 and said in ended.stderr


# Across a restart


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_restart_goes_on_where_the_store_was(tmp_path, how):
    data = tmp_path / "data"
    key = {"Idempotency-Key": '"again"'}
    server = Server(data=data)
    first = server.post(INCREASE, key)
    server.post(step(3))
    tag, state = server.tag, server.get("/state").body
    server.stop(how)
    with Server(data=data) as server:
        assert server.tag == tag and server.get("/state").body == state
        again = server.post(INCREASE, key)
        assert again.body == first.body and again["idempotency-replayed"] == "true"
        assert server.get("/state?version=1").json["counter"] == {"counter": 1, "step": 1}
        assert server.post(INCREASE).json["version"] == 3


@pytest.mark.parametrize(
    "flags, kept",
    [([], {"data", "data/lock", "data/mark", "data/store.db"}), (["--ephemeral"], set())],
    ids=["durable", "ephemeral"],
)
def test_history_is_in_the_data_directory_unless_it_is_ephemeral(flags, kept, tmp_path):
    with Server(*flags, data=tmp_path / "data") as server:
        epoch = server.post(INCREASE).json["epoch"]
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")} == kept
    with Server(*flags, data=tmp_path / "data") as server:
        assert (server.version, server.epoch == epoch) == ((1, True) if kept else (0, False))
