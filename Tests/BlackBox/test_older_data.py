"""A data directory of form 2, with unfinished effects (fixtures/form-2/README.md)."""

import contextlib
import os
import pathlib
import signal
import sqlite3
import subprocess

import pytest
from harness import Server, environment_with, until
from programs import build_sample

HISTORY = (pathlib.Path(__file__).parent / "fixtures/form-2/history.sql").read_text()
TAKEN = ["first", "open", "later 0", "later 1", "later 2"]
OPEN = [4, 5, 6, 7]
#: The writes of one thread to the database after which a start is killed.
WRITES = [*range(1, 13), 16, 24, 32]


@pytest.fixture(scope="module")
def parcels():
    return build_sample("Parcels")


def older(folder):
    """Makes a data directory of form 2, whose server was killed."""
    folder.mkdir()
    with contextlib.closing(sqlite3.connect(folder / "store.db")) as database:
        database.executescript(HISTORY)
    return folder


def form(data):
    with contextlib.closing(sqlite3.connect(data / "store.db")) as database:
        return database.execute("PRAGMA user_version").fetchone()[0]


def pending(server):
    return [each["version"] for each in server.state["effects"]["pending"]]


def test_effects_of_the_ledgers_old_form_run_again_with_the_state_of_their_action(parcels, tmp_path):
    data = older(tmp_path / "data")
    with Server(program=parcels, data=data) as server:
        server.await_log("had form 2 and has form 3 now")
        assert server.state["parcels"]["taken"] == TAKEN
        assert pending(server) == OPEN
        until(lambda: len(server.state["parcels"]["notes"]) == 2, "the shortest effect has ended")
        # The effect gets the state before its own action, not the newest state.
        assert server.state["parcels"]["notes"][1] == "open: 1 before, 2 now"
        until(lambda: pending(server) == OPEN[1:], "its entry is gone")
        assert server.state["parcels"]["lost"] == []
    assert form(data) == 3
    # The ledger has its new form now: the next start replays nothing, and runs the remaining effects.
    server = Server(program=parcels, data=data)
    assert pending(server) == OPEN[1:] and len(server.state["parcels"]["notes"]) == 2
    assert server.get("/effects").json["effects"] and server.stop(signal.SIGKILL) == -signal.SIGKILL
    ended = subprocess.run(
        [parcels, "verify", "--data", data], env=environment_with(), capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 0, ended


def killed_at_write(program, data, number, folder):
    """Starts a program that is killed at a write to the database or its log. Returns whether it was killed."""
    files = [word for name in ("store.db", "store.db-wal") for word in ("-P", str(data / name))]
    inject = f"inject=pwrite64:signal=SIGKILL:when={number}"
    process = subprocess.Popen(
        ["strace", "-f", "-qq", "-o", str(folder / "trace"), *files, "-e", "trace=pwrite64", "-e", inject]
        + [program, "--data", str(data), "--listen", f"unix:{folder}/socket", "--analytics", "off"],
        env=environment_with(),
        stderr=subprocess.PIPE,
        text=True,
    )
    with process.stderr as lines:
        for line in lines:
            if "listening" in line:
                os.kill(int((data / "lock").read_text()), signal.SIGTERM)
    return process.wait(60) != 0


def test_a_kill_within_the_upgrade_leaves_a_directory_that_starts(parcels, tmp_path):
    forms = []
    for number in WRITES:
        folder = tmp_path / f"write {number}"
        folder.mkdir()
        data = older(folder / "data")
        if not killed_at_write(parcels, data, number, folder):
            break
        # Opening a database recovers it, so the test opens a copy.
        copy = folder / "copy"
        copy.mkdir()
        for path in data.iterdir():
            (copy / path.name).write_bytes(path.read_bytes())
        forms.append(form(copy))
        with Server(program=parcels, data=data) as server:
            assert server.state["parcels"]["taken"] == TAKEN, number
            assert server.state["parcels"]["notes"][0] == "first: 0 before, 1 now"
            assert pending(server)[-3:] == OPEN[1:] and server.state["parcels"]["lost"] == []
        assert form(data) == 3
    assert forms[0] == 2 and forms[-1] == 3, forms
