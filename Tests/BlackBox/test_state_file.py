"""`--state-file`: the state before the first action comes from a file."""

import copy
import json
import signal

import pytest
from harness import INCREASE, INITIAL, Server, run

GIVEN = copy.deepcopy(INITIAL)
GIVEN["counter"] = {"counter": 40, "step": 2}
GIVEN["todos"]["items"] = [{"text": "Feed the unicorn", "completed": True}]
GIVEN["user"] = {"profile": {"userName": "demo", "displayName": "Demo"}}


def kept(state):
    """A state in the form of a file: the state that a client without a session sees, under the session's name."""
    own = ("home", "movieCard", "login", "user")
    return {
        name: {"shared": slice_} if name in own and slice_ is not None else slice_ or {}
        for name, slice_ in state.items()
    }


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "state.json"
    file.write_text(json.dumps(kept(GIVEN), indent=1))
    return file


def command(*words, status=0):
    ended = run(*words)
    assert ended.returncode == status, ended
    return ended.stdout if status == 0 else ended.stderr


def test_k1_a_store_begins_with_the_file_or_with_its_own_state(file):
    with Server() as server:
        assert server.state == INITIAL and server.version == 0
    with Server("--state-file", str(file)) as server:
        assert server.state == GIVEN and server.version == 0
        assert server.post(INCREASE).json["version"] == 1
        assert server.state["counter"] == {"counter": 42, "step": 2}
        assert server.get("/state?version=0").json == GIVEN
        assert server.get("/views/greeting").json == {"text": "Hello Demo"}


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_restart_needs_no_file(tmp_path, file, how):
    data = tmp_path / "data"
    server = Server("--state-file", str(file), data=data)
    server.post(INCREASE)
    epoch = server.epoch
    server.stop(how)
    file.unlink()
    with Server(data=data) as server:
        assert server.state["counter"] == {"counter": 42, "step": 2} and server.epoch == epoch
        assert server.get("/state?version=0").json == GIVEN


def test_a_history_with_another_beginning_is_continued(tmp_path, file):
    data = tmp_path / "data"
    with Server(data=data) as server:
        server.post(INCREASE)
    with Server("--state-file", str(file), data=data) as server:
        assert server.state["counter"] == {"counter": 1, "step": 1}
        line = f"--state-file: {file} is not used: history goes on at version 1"
        server.await_log(line)


def test_a_start_with_the_same_file_logs_nothing(tmp_path, file):
    data = tmp_path / "data"
    for _ in range(2):
        with Server("--state-file", str(file), data=data) as server:
            server.post(INCREASE)
        assert "--state-file" not in server.log_text
    with Server("--state-file", str(file), data=data) as server:
        assert server.state["counter"] == {"counter": 44, "step": 2}


def test_history_commands_work_with_a_beginning_from_a_file(tmp_path, file):
    data, lines, imported = tmp_path / "data", tmp_path / "lines", tmp_path / "imported"
    with Server("--state-file", str(file), "--snapshot-every", "2", data=data) as server:
        for _ in range(5):
            server.post(INCREASE)
        state = server.state
    said = command("verify", "--data", str(data))
    assert "5 actions replayed" in said and "different: 0" in said and "another form" not in said
    ended = run("export", str(lines), "--data", str(data))
    assert ended.returncode == 0 and "import needs that file as --state-file" in ended.stderr
    begin = ["--state-file", str(file)]
    command("import", str(lines), "--data", str(imported), *begin)
    (tmp_path / "restored").mkdir()
    command("backup", str(tmp_path / "restored" / "store.db"), "--data", str(data))
    for directory in (imported, tmp_path / "restored"):
        with Server(data=directory) as server:
            assert server.state == state


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda state: state["counter"].update(step="x"), "/counter/step: "),
        (lambda state: state["todos"]["items"][0].pop("text"), "/todos/items/0"),
        (lambda state: state["login"]["shared"].update(progress="asleep"), "/login/shared/progress: "),
        (lambda state: state.pop("counter"), "counter"),
        (lambda state: state["user"]["shared"].update(profile=[]), "/user/shared/profile: "),
    ],
)
def test_a_file_that_does_not_fit_ends_with_2_and_the_pointer(tmp_path, file, change, said):
    state = copy.deepcopy(kept(GIVEN))
    change(state)
    file.write_text(json.dumps(state))
    arguments = ["--state-file", str(file), "--listen", "127.0.0.1:0"]
    ended = run(*arguments, "--data", str(tmp_path / "data"))
    assert ended.returncode == 2, ended
    assert f"--state-file: {file}: " in ended.stderr and said in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
    # No history has begun: the next start begins it, with a file that fits.
    file.write_text(json.dumps(kept(GIVEN)))
    with Server("--state-file", str(file), data=tmp_path / "data") as server:
        assert server.state == GIVEN


@pytest.mark.parametrize("text, said", [("{", "byte 1: "), ("", "byte 0: "), ("3", "")])
def test_a_file_that_is_no_state_ends_with_2(file, text, said):
    file.write_text(text)
    ended = run("--ephemeral", "--state-file", str(file), "--listen", "127.0.0.1:0")
    assert ended.returncode == 2 and f"--state-file: {file}: {said}" in ended.stderr


def test_a_file_that_is_not_there_ends_with_2(tmp_path):
    ended = run("--ephemeral", "--state-file", str(tmp_path / "x"), "--listen", "127.0.0.1:0")
    assert ended.returncode == 2 and "can't read" in ended.stderr


def test_an_import_with_a_bad_file_ends_with_2(tmp_path, file):
    (tmp_path / "lines").write_text("")
    file.write_text("{}")
    words = ["import", str(tmp_path / "lines"), "--data", str(tmp_path / "data")]
    assert "--state-file" in command(*words, "--state-file", str(file), status=2)


def test_a_state_file_is_configured_like_every_option(tmp_path, file):
    assert "state-file" not in json.loads(command("--print-config"))
    printed = command("--print-config", "--state-file", str(file))
    assert json.loads(printed)["state-file"] == str(file)
    config = tmp_path / "config.json"
    config.write_text(printed)
    assert command("--print-config", "--config", str(config)) == printed
    with Server(environment={"STORE_SERVER_STATE_FILE": str(file)}) as server:
        assert server.state == GIVEN


def test_a_script_begins_with_the_state_file(tmp_path, file):
    script = tmp_path / "script.json"
    steps = [{"dispatch": INCREASE, "expect": {"/counter/counter": 42}}]
    script.write_text(json.dumps({"steps": steps}))
    command("assert", str(script), "--state-file", str(file))
