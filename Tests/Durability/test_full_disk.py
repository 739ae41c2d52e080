"""A full file system: dispatches are refused, everything else goes on, and room that becomes free is used
(protocol 8.1, storage-full)."""

import os
import subprocess

import pytest
from harness import INCREASE, NotStarted, Server, Stream, Wire, run, until
from ledger import Ledger, read_journal

BYTES = 4 << 20
BALLAST_BYTES = 1 << 20


@pytest.fixture
def small(tmp_path):
    """A file system of 4 MiB."""
    place = tmp_path / "small"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={BYTES}", "tmpfs", place], check=True)
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
def test_a_full_disk_refuses_dispatches_and_nothing_else(small, seed, figure):
    data, ballast = small / "data", small / "ballast"
    ballast.write_bytes(bytes(BALLAST_BYTES))
    ledger = Ledger(seed)
    with Server("--snapshot-every", "100", data=data) as server, Wire(server) as wire:
        with Stream(server) as stream:
            assert stream.opened().event().version == 0
            refused = fill(server, ledger, wire)
            members = refused.problem("storage-full", 507)
            full = server.get("/state", wire=wire)
            assert full.status == 200
            assert ledger.acknowledged == int(full["etag"].strip('"').split(":")[1])
            # An open stream reaches the last acknowledged version, and a new stream begins with this version.
            while stream.event().version < ledger.acknowledged:
                pass
            with Stream(server) as late:
                assert late.opened().event().json == full.json
            assert server.version == ledger.acknowledged
            ballast.unlink()
            request = ledger.request()
            assert ledger.dispatch(server, request, wire).status == 200
            while stream.event().version < request.last:
                pass
    records = read_journal(data)
    ledger.check(records)
    with Server(data=data) as server:
        assert server.version == len(records) == ledger.acknowledged
        assert server.epoch == ledger.epoch
    figure(
        f"{request.first - 1} actions fit, the rest was answered 507"
        f" {members['type']} with Retry-After {refused['retry-after']}, and then there was room"
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
@pytest.mark.parametrize("is_served", [False, True])
def test_a_backup_onto_a_full_disk_names_the_reason(small, tmp_path, seed, is_served):
    data = tmp_path / "data"
    ledger = Ledger(seed)
    server = Server(data=data)
    with server, Wire(server) as wire:
        ledger.dispatch(server, ledger.request(), wire)
        take_rest(small)
        if is_served:
            ended = backup(small, data)
    if not is_served:
        ended = backup(small, data)
    assert ended.returncode == 1 and "there is no room left on the disk" in ended.stderr, ended
    assert not list(small.glob("copy*"))


def backup(place, data):
    return run("backup", str(place / "copy.db"), "--data", str(data))


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
def test_a_server_starts_on_a_full_disk(small, seed, figure):
    """Acknowledged actions can be read, even if nothing more can be written."""
    data, ballast = small / "data", small / "ballast"
    ballast.write_bytes(bytes(BALLAST_BYTES))
    ledger = Ledger(seed)
    server = Server("--snapshot-every", "100", data=data)
    with Wire(server) as wire:
        fill(server, ledger, wire)
    server.process.kill()
    server.process.wait()
    take_rest(small)
    try:
        server = Server(data=data)
    except NotStarted as error:
        words = str(error)
        assert "ended with 1" in words and "full" in words, words
        figure("a start says that the disk is full")
    else:
        with server:
            assert server.version == ledger.acknowledged
            server.post(INCREASE).problem("storage-full", 507)
        figure("a start serves what is there, and answers 507 to dispatches")
    ballast.unlink()
    with Server(data=data) as server:
        assert server.version == ledger.acknowledged
        ledger.check(read_journal(data))
        assert server.post(INCREASE).status == 200


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
def test_a_request_that_a_full_disk_refuses_leaves_no_trace(small, seed, figure):
    data, ballast = small / "data", small / "ballast"
    ballast.write_bytes(bytes(BALLAST_BYTES))
    flags = ["--snapshot-every", "100", "--session-idle", "2", "--operator-reads"]
    with Server(*flags, data=data) as server, Wire(server) as wire:
        ada, bob = ({"Cookie": begin(server)}, {"Cookie": begin(server)})
        fill(server, Ledger(seed), wire)

        def seen():
            targets = ["/state", "/actions?limit=1000", "/effects", "/modules"]
            answers = [server.get(each) for each in targets] + [server.get("/route", ada)]
            return [(each.status, each.body, each["etag"]) for each in answers]

        before = seen()
        start = {"type": "home/start", "payload": {}}
        with Stream(server, headers=ada.items()) as stream:
            stream.opened().event()
            for body in (start, [INCREASE, start], {"type": "EditItem", "payload": EDIT}):
                server.post(body, {**ada, "Prefer": "wait=5"}).problem("storage-full", 507)
            login = {"userName": "demo", "password": "demo"}
            server.send("/usecases/login/login", login, ada).problem("storage-full", 507)
            server.request("POST", "/sessions", b"").problem("storage-full", 507)
            # A session whose end could not be written goes on, and so do its streams.
            for _ in range(2):
                server.request("DELETE", "/session", headers=ada).problem("storage-full", 507)
            assert stream.quiet(0.3)
            assert seen() == before
            ballast.unlink()
            assert server.post(start, {**ada, "Prefer": "wait=5"}).status == 200
            assert server.get("/route", ada).json == [{"view": "home", "style": "push"}]
            assert server.request("DELETE", "/session", headers=ada).status == 204
            while stream.event().name != "bye":
                pass
        server.get("/route", ada).problem("forbidden", 403)
        # The end of a session that was idle meanwhile is tried again.
        until(lambda: set(server.state["sessions"]) == {"shared"}, "it has ended")
        server.get("/route", bob).problem("forbidden", 403)
    figure("of actions, calls, sessions and their ends that were answered 507 nothing was to be seen")


EDIT = {"index": 0, "text": "x" * 5_000}


def begin(server):
    """Begins a session, and returns its cookie."""
    answer = server.request("POST", "/sessions", b"")
    assert answer.status == 201
    return answer["set-cookie"].split(";")[0]


def fill(server, ledger, wire):
    """Dispatches until there is no room for any action, however small. Returns the last refusal."""
    refused_in_a_row = 0
    for _ in range(20_000):
        # If a large action has no room, a smaller action may still have room.
        single = refused_in_a_row > 0
        request = ledger.request(arrays=not single, keys=not single)
        answer = ledger.dispatch(server, request, wire)
        refused_in_a_row = 0 if answer.status == 200 else refused_in_a_row + 1
        if refused_in_a_row == 100:
            return answer
    raise AssertionError("the disk does not fill up")


def take_rest(folder):
    """Leaves no page of a file system free."""
    try:
        with open(folder / "rest", "wb", buffering=0) as rest:
            while True:
                rest.write(bytes(4096))
    except OSError:
        pass
