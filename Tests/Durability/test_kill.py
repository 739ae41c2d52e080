"""The server is killed under load, at random moments and at chosen points, also with a power cut. Afterwards, the
history has each answered or shown action once (architecture: G1 to G7)."""

import collections
import random
import shutil
import signal
import threading

import disk
import pytest
from harness import NotStarted, Server, Stream, Wire, run
from ledger import Fold, Ledger, read_journal
from load import Load

LOAD_SECONDS_MAX = 0.4
POINT_SECONDS_MAX = 3
# After this number of rounds, a new directory begins: lists grow, and every start checks all of them.
ROUNDS_PER_DIRECTORY = 10

# The points at which the process ends, in the order in which an action passes them.
POINTS = {
    "before append": "log-write",
    "within append": "log-written",
    "after append": "log-sync",
    "after sync": "log-synced",
    "before publish": "mark-written",
    "before event": "frame",
    "before reply": "answer",
}


class Rounds:
    """One directory, in which a server ends again and again."""

    def __init__(self, folder, seed):
        self.folder = folder
        self.data = folder / "data"
        self.notes = folder / "notes"
        self.random = random.Random(seed)
        self.ledger = Ledger(seed)
        self.records = []
        self.outcomes = collections.Counter()

    def run(self, way):
        """Starts the server, compares its history with the ledger, loads it, ends it, and reads the journal."""
        before = self.folder / "before"
        shutil.rmtree(before, ignore_errors=True)
        if self.data.exists():
            shutil.copytree(self.data, before)
        self.notes.unlink(missing_ok=True)
        point = POINTS.get(way)
        stop = f"{point}:{self.random.randint(1, 120)}" if point else None
        notes = self.notes if way in ("power cut", "torn power cut") else None
        self.serve(disk.watching(self.data, notes, stop=stop), point)
        if notes:
            self.cut(before, torn=way == "torn power cut")
        self.records = read_journal(self.data)
        self.ledger.check(self.records)
        self.outcomes[way] += 1

    def serve(self, environment, point):
        try:
            server = Server(data=self.data, environment=environment)
        except NotStarted as error:
            # A start writes files, too.
            assert point and "ended with -9" in str(error), error
            self.outcomes["ended within a start"] += 1
            return
        try:
            self.settle(server)
        except OSError as error:
            if not point or server.stop() != -signal.SIGKILL:
                raise error
            self.outcomes["ended before the load"] += 1
            return
        load = Load(server, self.ledger)
        if point:
            self.wait(server, POINT_SECONDS_MAX)
        else:
            self.wait(server, self.random.random() * LOAD_SECONDS_MAX)
        reached = server.process.poll() is not None
        self.outcomes["reached its point"] += bool(point and reached)
        assert server.stop(signal.SIGKILL) == -signal.SIGKILL, server.log_text
        load.end()

    @staticmethod
    def wait(server, seconds):
        """Waits until the process ends, or the time is over. Chance draws the moment of the kill."""
        ended = threading.Event()
        threading.Thread(target=lambda: (server.process.wait(), ended.set()), daemon=True).start()
        ended.wait(seconds)

    def settle(self, server):
        """After a new start, checks every action, and finds out the unknown outcomes."""
        assert self.ledger.epoch in (None, server.epoch), "the epoch has changed"
        if self.ledger.last_event:
            self.resume(server)
        assert server.version == len(self.records)
        assert server.state == Fold.of(self.records)
        with Wire(server) as wire:
            keyed = [request for request in self.ledger.requests if request.key]
            acknowledged = [request for request in keyed if request.last]
            for request in [request for request in keyed if request.is_unknown]:
                self.ledger.dispatch(server, request, wire)
                self.outcomes["unknown outcomes resolved"] += 1
            for request in self.random.sample(acknowledged, min(3, len(acknowledged))):
                answer = self.ledger.dispatch(server, request, wire)
                assert answer["idempotency-replayed"] == "true", answer
                self.outcomes["replayed answers"] += 1

    def resume(self, server):
        """Opens a stream that continues after the last id that it sent."""
        with Stream(server, last=self.ledger.last_event) as stream:
            stream.opened()
            request = self.ledger.request(arrays=False, keys=False)
            self.ledger.dispatch(server, request)
            last = int(self.ledger.last_event.split(":")[1])
            while last < request.last:
                event = stream.event()
                assert event.name == "message", event
                assert event.version > last, (event, last)
                last = event.version
                self.ledger.saw(event.id, event.data)
            self.ledger.last_event = event.id
        # The checks expect the state of the records before this record.
        type, payload = request.actions[0]["type"], request.actions[0].get("payload", {})
        self.records = read_journal(self.data)
        assert self.records[-1][1] == type, (self.records[-1], payload)
        self.outcomes["streams resumed"] += 1

    def cut(self, before, torn):
        """Leaves the directory as a power cut would leave it."""
        lost = disk.Disk(self.data, before if before.exists() else None)
        for note in disk.read_notes(self.notes):
            lost.take(note)
        chance = (lambda: self.random.random() < 0.5) if torn else (lambda: False)
        lost.write(lost.image(chance), self.data)

    def finish(self):
        """Checks that a clean stop and start change nothing. The journal decides unknown outcomes without a key."""
        with Server(data=self.data) as server:
            self.settle(server)
        self.records = read_journal(self.data)
        self.ledger.check(self.records)
        with Server(data=self.data) as server:
            assert server.version == len(self.records)
            assert server.epoch == self.ledger.epoch
        verified = run("verify", "--data", str(self.data))
        assert verified.returncode == 0, verified
        self.outcomes["actions"] += len(self.records)
        self.outcomes["of them seen in the log"] += len(self.ledger.actions)


def drive(ways, rounds, folder, seed):
    """Runs this number of rounds, with the ways by turns. Returns the outcomes."""
    total = collections.Counter()
    for begin in range(0, rounds, ROUNDS_PER_DIRECTORY):
        place = folder / str(begin)
        place.mkdir()
        series = Rounds(place, seed + begin)
        for number in range(begin, min(rounds, begin + ROUNDS_PER_DIRECTORY)):
            series.run(ways[number % len(ways)])
        series.finish()
        total += series.outcomes
        shutil.rmtree(place)
    return ", ".join(f"{count} {what}" for what, count in total.items())


@pytest.mark.parametrize(
    "ways, few, many",
    [
        (["kill -9"], 4, 150),
        (list(POINTS), 7, 154),
        (["power cut", "torn power cut"], 4, 100),
    ],
    ids=["kill -9", "points", "power cut"],
)
def test_answered_and_shown_actions_are_there_once(
    ways, few, many, thorough, seed, figure, tmp_path
):
    rounds = many if thorough else few
    figure(f"{rounds} rounds: {drive(ways, rounds, tmp_path, seed)}")
