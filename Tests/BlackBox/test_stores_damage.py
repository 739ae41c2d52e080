"""A history of one of several stores that cannot be used (docs/EMBEDDING.md, protocol 16.3). That store is
unavailable with the reason, and the others are served."""

import shutil
import subprocess

import pytest
from harness import STOP_SECONDS_MAX, Server, until
from programs import build_sample
from test_stores import STORES, add, rows, say
from test_stores_durability import BASES


@pytest.fixture(scope="module")
def program():
    return build_sample("Rooms")


@pytest.fixture
def kept(program, tmp_path):
    """A data directory in which each store has a few actions."""
    data = tmp_path / "data"
    with Server(program=program, data=data) as server:
        for _ in range(3):
            assert add(server, "", 1).status == add(server, "/stores/scores", 1).status == 200
            assert say(server, "hello").status == 200
    return data


def overwrite(folder):
    (folder / "store.db").write_bytes(b"no database " * 1_000)


def empty(folder):
    (folder / "store.db").write_bytes(b"")


def take_folder(folder):
    """Puts a file in place of the folder."""
    shutil.rmtree(folder)
    folder.write_text("")


DAMAGES = {
    "overwritten": (overwrite, "is no SQLite database", "move it away"),
    "emptied": (empty, "is damaged: ", "restore a backup"),
    "a file in the folder's place": (take_folder, "the journal needs a directory", "move that file away"),
}


@pytest.mark.parametrize(("damage", "what", "remedy"), DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_history_keeps_its_store_from_starting_and_no_other(
    program, kept, damage, what, remedy
):
    damage(kept / "stores" / "scores")
    with Server(program=program, data=kept) as server:
        for target in ("/state", "/events", "/actions", "/readyz", "/livez", "", "/nothing"):
            problem = server.get("/stores/scores" + target).problem("draining", 503)
            assert problem["store"] == "scores"
            assert what in problem["detail"] and remedy in problem["detail"]
            assert "\n" not in problem["detail"]
        add(server, "/stores/scores", 1).problem("draining", 503)
        assert {name: row["path"] for name, row in rows(server).items()} == STORES
        assert [name for name, row in rows(server).items() if not row["ready"]] == ["scores"]
        ready = server.get("/readyz").problem("draining", 503)
        assert ready["stores"] == ["scores"] and what in ready["detail"]
        # The log has the reason in lines that name the store, so that the name finds them.
        until(lambda: remedy in server.log_text, "the log says what can be done")
        lines = [line for line in server.log_text.splitlines() if ": error: scores: " in line]
        assert len(lines) == 2 and what in lines[0] and remedy in lines[1]
        assert all(line.startswith("store-server: ") for line in server.log_text.splitlines())
        # The other stores go on at their versions.
        assert add(server, "", 1).json["version"] == 4
        assert say(server, "again").json["version"] == 4
        assert server.get("/livez").status == 200


def test_a_loss_that_is_accepted_is_that_of_the_damaged_store_alone(program, kept):
    def tags(server):
        return {name: server.get(f"{base}/state")["ETag"] for name, base in BASES.items()}

    with Server(program=program, data=kept) as server:
        before = tags(server)
    empty(kept / "stores" / "scores")
    with Server("--accept-data-loss", program=program, data=kept) as server:
        server.await_log("scores: data loss accepted: ")
        after = tags(server)
        assert after["default"] == before["default"] and after["chat"] == before["chat"]
        assert after["scores"].split(":")[0] != before["scores"].split(":")[0]
        assert add(server, "/stores/scores", 1).json["version"] == 1
        assert server.get("/readyz").status == 200


def test_a_damaged_history_of_the_store_at_the_root_ends_the_process(program, kept):
    overwrite(kept)
    ended = subprocess.run(
        [program, "--data", str(kept), "--listen", "127.0.0.1:0", "--analytics", "off"],
        capture_output=True,
        text=True,
        timeout=STOP_SECONDS_MAX,
    )
    assert ended.returncode == 1
    lines = ended.stderr.splitlines()[-2:]
    assert "is no SQLite database" in lines[0]
    assert lines[1].startswith("store-server: move it away")
    # The histories of the other stores are unchanged.
    verified = subprocess.run(
        [program, "verify", "--store", "scores", "--data", str(kept)], capture_output=True, text=True
    )
    assert verified.returncode == 0 and "3 records" in verified.stdout
