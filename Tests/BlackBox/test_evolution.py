"""A journal outlives the program that wrote it: renamed actions, changed states, secrets."""

import signal
import subprocess

import pytest
from harness import Server, environment_with
from programs import build_sample

SECRET = "hunter2-that-nobody-may-keep"


@pytest.fixture(scope="module")
def program():
    return build_sample("Evolving")


@pytest.fixture
def old(program, tmp_path):
    """A directory with three actions in it, written by the first program; no snapshot is newer than
    the first state, because the program was killed."""
    data = tmp_path / "data"
    server = Server(program=program, data=data)
    for by in (1, 2, 3):
        assert server.post({"type": "Counted", "payload": {"by": by}}).status == 200
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    return data


def later(program, data, age, *flags):
    return Server(*flags, program=program, data=data, environment={"EVOLVING": age})


def refused(program, data, age):
    """Starts a program that can't go on, and answers what it says."""
    ended = subprocess.run(
        [program, "--data", str(data), "--listen", "127.0.0.1:0"],
        env=environment_with({"EVOLVING": age}),
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert ended.returncode == 1, ended
    return ended.stderr


def test_an_action_that_no_longer_exists_stops_the_start_and_is_named(program, old):
    said = refused(program, old, "renamed")
    assert "Counted" in said and "version 1" in said
    assert ".migrating(.action(" in said
    # Nothing was lost by trying.
    with Server(program=program, data=old) as server:
        assert server.state["count"] == 6


def test_a_migration_reads_it_as_the_action_of_today(program, old):
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


def test_a_reducer_that_now_refuses_what_it_applied_stops_the_start(program, old):
    said = refused(program, old, "strict")
    assert "version 3" in said and "too much" in said


# Protocol 5.3: secrets


def test_5_3_secret_members_are_kept_nowhere(program, tmp_path):
    data = tmp_path / "data"
    lines = tmp_path / "analytics"
    action = {"type": "LoginRequested", "payload": {"name": "ada", "password": SECRET}}
    with Server("--analytics", f"file:{lines}", program=program, data=data) as server:
        assert server.post(action, {"Prefer": "return=representation"}).status == 200
        assert server.post([action, action]).status == 200
        # Another way to write the same member.
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
