"""Data directories that cannot be used, and the messages for the operator."""

import os
import subprocess

import pytest
from harness import INCREASE, Server, binary, environment_with, run

NOBODY = 65534
AS_NOBODY = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="being somebody else needs root")


def refused(data, *words, prefix=()):
    """Starts a server that cannot start. Its message has these words, and a hint on its own line."""
    ended = subprocess.run(
        [*prefix, binary(), "--data", str(data), "--listen", "127.0.0.1:0"],
        env=environment_with(),
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert ended.returncode == 1, ended
    lines = ended.stderr.splitlines()
    assert len(lines) == 2, ended.stderr
    for word in words:
        assert word in ended.stderr, ended.stderr
    return ended.stderr


def test_a_second_server_on_a_directory_is_refused(tmp_path):
    data = tmp_path / "data"
    with Server(data=data) as first:
        first.post(INCREASE)
        refused(data, f"another server uses {data}", f"process {first.pid}", "stop it first")
        # The second server has disturbed nothing.
        assert first.post(INCREASE).json["version"] == 2
    with Server(data=data) as second:
        assert second.version == 2


def test_a_data_directory_that_is_a_file_is_refused(tmp_path):
    data = tmp_path / "data"
    data.write_text("keep me")
    refused(data, "needs a directory", "--data")
    assert data.read_text() == "keep me"


def test_a_database_of_another_program_is_refused(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "store.db").write_text("no database at all, but somebody's")
    refused(data, "no SQLite database", "left alone")
    assert (data / "store.db").read_text().startswith("no database")


def test_a_directory_without_its_parent_is_refused(tmp_path):
    refused(tmp_path / "nowhere" / "data", "No such file or directory")


def reachable(folder):
    """Lets every user enter the folders down to this folder of the test."""
    for folder in [folder, *folder.parents]:
        if "pytest" in str(folder):
            folder.chmod(0o755)


@needs_root
def test_a_directory_of_another_user_is_refused(tmp_path):
    data = tmp_path / "data"
    with Server(data=data) as server:
        server.post(INCREASE)
    reachable(tmp_path)
    refused(data, "belongs to user 0", f"runs as user {NOBODY}", f"chown {NOBODY}", prefix=AS_NOBODY)
    # Other users cannot read the server's directory either: the journal is private.
    assert data.stat().st_mode & 0o077 == 0
    with Server(data=data) as server:
        assert server.version == 1


@needs_root
@pytest.mark.parametrize("holds", ["a history", "nothing"])
def test_a_directory_that_its_owner_may_only_read_is_refused(holds, tmp_path):
    data = tmp_path / "data"
    if holds == "nothing":
        data.mkdir()
    else:
        with Server(data=data) as server:
            server.post(INCREASE)
    reachable(tmp_path)
    for path in [data, *data.iterdir()]:
        os.chown(path, NOBODY, NOBODY)
    data.chmod(0o555)
    refused(data, "does not allow its owner", f"chmod u+rwx {data}", prefix=AS_NOBODY)


@needs_root
def test_a_read_only_file_system_is_refused(tmp_path):
    data = tmp_path / "data"
    with Server(data=data) as server:
        server.post(INCREASE)
    subprocess.run(["mount", "--bind", tmp_path, tmp_path], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", tmp_path], check=True)
        refused(data, "its file system is read-only", "--data")
    finally:
        subprocess.run(["umount", "--lazy", tmp_path], check=True)
    with Server(data=data) as server:
        assert server.version == 1


def test_only_the_owner_may_read_the_files_of_the_journal(tmp_path):
    """This also holds in a directory that other users may read."""
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    with Server(data=data) as server:
        server.post(INCREASE)
        modes = {path.name: path.stat().st_mode & 0o777 for path in data.iterdir()}
    assert set(modes) >= {"store.db", "store.db-wal", "mark", "lock"}
    assert set(modes.values()) == {0o600}, modes


def test_check_config_does_not_touch_the_directory(tmp_path):
    data = tmp_path / "data"
    assert run("--check-config", "--data", str(data)).returncode == 0
    assert not data.exists()
