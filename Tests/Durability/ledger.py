"""Requests of clients, answers and shown states, and the check that a journal agrees with all of them."""

import dataclasses
import json
import pathlib
import random
import shutil
import sqlite3
import tempfile
import threading

from harness import INITIAL


@dataclasses.dataclass
class Request:
    """One dispatch. Each of its actions carries a unique id."""

    ids: list
    actions: list
    key: str | None
    is_array: bool
    first: int = 0  # the acknowledged versions; 0 while the outcome is unknown
    last: int = 0
    refused: bool = False

    @property
    def body(self):
        return json.dumps(self.actions if self.is_array else self.actions[0]).encode()

    @property
    def headers(self):
        return {"Idempotency-Key": f'"{self.key}"'} if self.key else {}

    @property
    def is_unknown(self):
        return not self.last and not self.refused


class Ledger:
    """The requests, answers and shown states. Any thread may add to the ledger. The checks follow at the end."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lock = threading.Lock()
        self.requests = []
        self.seen = {}  # version, the shown state
        self.epoch = None
        self.actions = []  # the ids in the log, from version 1 on
        self.last_event = None  # the last id of a state stream
        self.last_action = None  # the last id of a stream of the log
        self.count = 0

    def request(self, arrays=True, keys=True):
        """Draws a request: one action or an array of up to 20, half of them with a key."""
        with self.lock:
            is_array = arrays and self.random.random() < 0.3
            size = self.random.randint(1, 20) if is_array else 1
            ids = [f"a{self.count + number}" for number in range(size)]
            self.count += size
            actions = [self.action(id) for id in ids]
            key = f"key-{ids[0]}" if keys and self.random.random() < 0.5 else None
            request = Request(ids, actions, key, is_array)
            self.requests.append(request)
            return request

    def action(self, id):
        kind, meta = self.random.random(), {"id": id}
        if kind < 0.2:
            return {"type": "AddItem", "payload": {"text": id}, "meta": meta}
        if kind < 0.3:
            return {"type": "ScreenShown", "payload": {"name": id}, "meta": meta}
        return {"type": "CounterIncreaseRequested", "meta": meta}

    def dispatch(self, server, request, wire=None):
        """Sends a request, and enters its outcome. Throws if no answer arrives."""
        answer = server.post(request.body, request.headers, wire=wire)
        if answer.status == 200:
            body = answer.json
            self.enter(request, body)
        else:
            assert answer.status in (503, 507), answer
            assert int(answer["retry-after"]) > 0, answer
            request.refused = True
        return answer

    def enter(self, request, body):
        last = body["version"]
        first = body.get("first", last)
        assert last - first + 1 == len(request.ids), (request, body)
        assert not request.last or (request.first, request.last) == (first, last), (request, body)
        assert self.epoch in (None, body["epoch"]), (self.epoch, body)
        self.epoch, request.first, request.last, request.refused = body["epoch"], first, last, False

    def saw(self, tag, state):
        """Enters a state from a stream or a read."""
        epoch, version = tag.strip('"').split(":")
        assert self.epoch in (None, epoch), (self.epoch, tag)
        self.epoch = epoch
        with self.lock:
            known = self.seen.setdefault(int(version), state)
        assert known == state, f"version {version} was shown in two forms"

    def saw_action(self, tag, action):
        """Enters a part of the log, which continues the last part without a gap."""
        assert action["version"] == len(self.actions) + 1, (action, len(self.actions))
        self.actions.append(action["meta"]["id"])
        self.last_action = tag

    @property
    def acknowledged(self):
        """The highest version that any client has got."""
        known = [request.last for request in self.requests] + [*self.seen, len(self.actions)]
        return max(known, default=0)

    def check(self, records):
        """Compares a journal's records with every answer and every shown state."""
        versions = [record[0] for record in records]
        assert versions == list(range(1, len(records) + 1)), "the versions have a hole"
        place = {}
        ids = [json.loads(meta)["id"] for _, _, _, meta in records]
        assert self.actions == ids[: len(self.actions)], "the log showed something else"
        for version, id in enumerate(ids, 1):
            assert id not in place, f"{id} is there twice: {place[id]} and {version}"
            place[id] = version
        for request in self.requests:
            found = [place.pop(id, None) for id in request.ids]
            if request.last:
                wanted = list(range(request.first, request.last + 1))
                assert found == wanted, f"acknowledged as {wanted}, and the journal has {found}"
            elif request.refused or found[0] is None:
                assert set(found) == {None}, f"{found} of a request that was refused or cut"
            else:
                assert found == list(range(found[0], found[0] + len(found))), found
                # The request got no answer, but its actions are in the history.
                request.first, request.last = found[0], found[-1]
        assert not place, f"nobody asked for {place}"
        self.check_seen(records)

    def check_seen(self, records):
        for version in self.seen:
            assert version <= len(records), f"version {version} was shown, and is not there"
        state = Fold()
        for version, type, payload, _ in [(0, None, b"{}", None), *records]:
            state.take(type, payload)
            if version in self.seen:
                assert json.loads(self.seen[version]) == state.value, f"state {version} was shown"


class Fold:
    """The state of the default store, reduced to these actions."""

    def __init__(self):
        self.value = json.loads(json.dumps(INITIAL))

    def take(self, type, payload):
        if type == "CounterIncreaseRequested":
            self.value["counter"]["counter"] += 1
        elif type == "AddItem":
            item = {"text": json.loads(payload)["text"], "completed": False}
            self.value["todos"]["items"].append(item)

    @staticmethod
    def of(records):
        fold = Fold()
        for _, type, payload, _ in records:
            fold.take(type, payload)
        return fold.value


def read_journal(folder):
    """Returns the records of a journal that no process has open, or of a journal after a kill."""
    with tempfile.TemporaryDirectory() as copy:
        for name in ("store.db", "store.db-wal"):
            source = pathlib.Path(folder) / name
            if source.exists():
                shutil.copy(source, copy)
        database = sqlite3.connect(f"{copy}/store.db")
        try:
            if not database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                return []
            query = "SELECT version, type, payload, meta FROM records ORDER BY version"
            return database.execute(query).fetchall()
        finally:
            database.close()
