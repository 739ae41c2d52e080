"""Durability of several stores in one process, and of stores that fail (docs/EMBEDDING.md, protocol 16).

A full disk affects one store, and the others go on. A kill affects all stores of the process.
"""

import contextlib
import os
import signal
import subprocess
import threading

import pytest
from harness import Server, Stream, Wire, until
from programs import build_sample
from test_stores import add, rows, say

BASES = {"default": "", "chat": "/stores/chat", "scores": "/stores/scores"}
DISK_BYTES = 2 << 20
BALLAST_BYTES = 1 << 20
CLIENTS = 6
# For each client in each life of the process
ANSWERS_MIN = 20
REFUSALS_MAX = 20


@pytest.fixture(scope="module")
def program():
    return build_sample("Rooms")


def records(server, base):
    """Returns the whole log of a store, page by page."""
    found = []
    while True:
        after = found[-1]["version"] if found else 0
        page = server.get(f"{base}/actions?after={after}&limit=1000").json
        found += page["actions"]
        if not page["actions"]:
            return found


# A full disk


@pytest.fixture
def small(tmp_path):
    """A data directory in which the store `chat` alone has a file system of 2 MiB."""
    data = tmp_path / "data"
    place = data / "stores" / "chat"
    place.mkdir(parents=True, mode=0o700)
    for folder in (data, data / "stores"):
        folder.chmod(0o700)
    options = f"size={DISK_BYTES},mode=0700"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], check=True)
    (place / "ballast").write_bytes(bytes(BALLAST_BYTES))
    yield data
    subprocess.run(["umount", "--lazy", place], check=True)


def fill(server):
    """Adds lines until the store accepts no more, however short. Returns the accepted lines, and the last refusal."""
    lines, refusals = [], 0
    with Wire(server) as wire:
        while refusals < REFUSALS_MAX:
            line = f"{len(lines)} " + "x" * (20 if refusals else 4_000)
            answer = say(server, line, wire=wire)
            refusals = 0 if answer.status == 200 else refusals + 1
            if answer.status == 200:
                lines.append(line)
            else:
                problem = answer.problem("storage-full", 507)
                assert problem["store"] == "chat"
                assert int(answer["retry-after"]) > 0
    return lines


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
def test_a_full_disk_refuses_the_actions_of_its_store_alone(program, small):
    with Server(program=program, data=small) as server, Stream(
        server, "/stores/chat/events?path=/topics"
    ) as stream:
        stream.opened().event()
        lines = fill(server)
        assert lines
        # Reads are answered, and a store that only lacks room is ready for them (protocol 8.1).
        assert server.get("/stores/chat/state/chat").json == {"lines": lines}
        assert server.get("/stores/chat/readyz").status == server.get("/readyz").status == 200
        assert all(row["ready"] for row in rows(server).values())
        begun = server.request("POST", "/stores/chat/sessions", b"")
        assert begun.problem("storage-full", 507)["store"] == "chat"
        # Answers of the other stores are durable.
        for number in range(1, 51):
            assert add(server, "", 1).json["version"] == number
            assert add(server, "/stores/scores", 2).json["version"] == number
        (small / "stores" / "chat" / "ballast").unlink()
        later = say(server, "there is room")
        assert (later.status, later.json["version"]) == (200, len(lines) + 1)
        topic = {"type": "topics/swift/start", "payload": {}}
        assert server.send("/stores/chat/dispatch", topic).status == 200
        assert stream.event().json == {"swift": {"likes": 0}}
        assert server.stop(signal.SIGKILL) == -signal.SIGKILL
        server.process.returncode = 0
    with Server(program=program, data=small) as server:
        assert server.get("/stores/chat/state/chat").json["lines"] == [*lines, "there is room"]
        assert server.get("/state").json == {"count": 50}
        assert server.get("/stores/scores/state").json == {"count": 100}


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
def test_a_store_starts_on_its_full_disk_and_serves_its_state(program, small):
    server = Server(program=program, data=small)
    lines = fill(server)
    server.stop(signal.SIGKILL)
    take_rest(small / "stores" / "chat")
    with Server(program=program, data=small) as server:
        assert server.get("/stores/chat/state/chat").json == {"lines": lines}
        assert say(server, "x").problem("storage-full", 507)["store"] == "chat"
        assert add(server, "", 1).status == add(server, "/stores/scores", 1).status == 200
        assert server.get("/readyz").status == 200


def take_rest(folder):
    """Leaves no page of a file system free."""
    with contextlib.suppress(OSError), open(folder / "rest", "wb", buffering=0) as rest:
        while True:
            rest.write(bytes(4096))


# kill -9


class Client:
    """Posts to the stores in turn, an action or an array. Each action has a unique id."""

    def __init__(self, server, number):
        self.server = server
        self.number = number
        self.acknowledged = []  # store, ids, versions
        self.unanswered = []  # store, ids
        self.trouble = None
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        count = 0
        try:
            with Wire(self.server) as wire:
                while True:
                    name = list(BASES)[(self.number + count) % len(BASES)]
                    ids = [f"{self.number}.{count}.{n}" for n in range(1 if count % 2 else 7)]
                    count += 1
                    self.post(name, ids, wire)
        except OSError:
            pass  # The end of the process.
        except AssertionError as error:
            self.trouble = error

    def post(self, name, ids, wire):
        asked = [{**self.action(name, id), "meta": {"id": id}} for id in ids]
        self.unanswered.append((name, ids))
        answer = self.server.send(
            BASES[name] + "/dispatch", asked if len(ids) > 1 else asked[0], wire=wire
        )
        assert answer.status == 200, answer
        last = answer.json["version"]
        first = answer.json.get("first", last)
        self.acknowledged.append((name, ids, list(range(first, last + 1))))
        self.unanswered.pop()

    @staticmethod
    def action(name, id):
        if name == "chat":
            return {"type": "chat/said", "payload": {"_0": id}}
        return {"type": "Added", "payload": {"count": 1}}


def test_kill_9_leaves_each_store_its_acknowledged_actions_once(program, tmp_path):
    """Three lives of one data directory; clients of all stores post until the process is killed."""
    data = tmp_path / "data"
    versions, epochs, acknowledged, unanswered = {}, {}, [], []
    for life in range(3):
        with Server(program=program, data=data) as server:
            for name, base in BASES.items():
                tag = server.get(f"{base}/state")["ETag"].strip('"').split(":")
                assert epochs.setdefault(name, tag[0]) == tag[0]
                assert int(tag[1]) >= versions.get(name, 0)
            clients = [Client(server, life * CLIENTS + number) for number in range(CLIENTS)]
            until(
                lambda: min(len(client.acknowledged) for client in clients) >= ANSWERS_MIN,
                "each client has been answered",
            )
            assert server.stop(signal.SIGKILL) == -signal.SIGKILL
            server.process.returncode = 0
            for client in clients:
                client.thread.join()
                assert client.trouble is None, client.trouble
                acknowledged += client.acknowledged
                unanswered += client.unanswered
            for name, _, taken in acknowledged:
                versions[name] = max(versions.get(name, 0), taken[-1])
    with Server(program=program, data=data) as server:
        assert len(set(epochs.values())) == len(BASES)
        for name, base in BASES.items():
            hold(server, name, base, acknowledged, unanswered)


def hold(server, name, base, acknowledged, unanswered):
    """Compares a store's history with the answers to its clients."""
    log = records(server, base)
    assert [record["version"] for record in log] == list(range(1, len(log) + 1))
    ids = [record["meta"]["id"] for record in log]
    assert len(set(ids)) == len(ids), f"{name} has an action twice"
    place = {id: version for version, id in enumerate(ids, 1)}
    for wanted in [entry for entry in acknowledged if entry[0] == name]:
        assert [place.pop(id, None) for id in wanted[1]] == wanted[2]
    for _, asked in [entry for entry in unanswered if entry[0] == name]:
        found = [place.pop(id, None) for id in asked]
        # A request is applied as a whole or not at all, even if no client got an answer.
        assert found == [None] * len(asked) or found == list(range(found[0], found[0] + len(found)))
    assert not place, f"{name} has actions that none of its clients posted: {place}"
    state = server.get(f"{base}/state").json
    assert (state["chat"]["lines"] == ids) if name == "chat" else (state == {"count": len(ids)})
