"""Power is cut at every moment of a known run, and a server starts on a disk that may result (architecture: G1,
G2, G4, G8).

Each write, each sync and each sent byte of the run is noted. Every position in the notes is a possible moment of a
power cut. The new history must have every version that the process had sent before that moment, and must be a
beginning of the run's history.
"""

import collections
import hashlib
import random
import shutil
import signal

import disk
import pytest
from harness import NotStarted, Server
from ledger import Fold, Ledger, read_journal

DISPATCHES = 30
TORN_IMAGES_PER_POSITION = 2


class Lost(AssertionError):
    """A promised action is missing."""


class Scenario:
    """Some dispatches in order, in one or more lives of a server on one directory."""

    def __init__(self, folder, seed):
        self.data = folder / "data"
        self.notes = folder / "notes"
        self.ledger = Ledger(seed)

    def live(self, count, *flags, stop=None, size=0, **options):
        """Runs a server for `count` dispatches, and then stops it cleanly or kills it at a point."""
        watching = disk.watching(self.data, self.notes, stop=stop, **options)
        server = Server("--snapshot-every", "25", *flags, data=self.data, environment=watching)
        try:
            # The number of notes when the start was over.
            server.get("/state")
            for _ in range(count):
                request = self.ledger.request()
                if size:
                    request.actions[0]["meta"]["padding"] = "x" * size
                self.ledger.dispatch(server, request)
                answer = server.get("/state")
                self.ledger.saw(answer["etag"], answer.body.decode())
        except OSError:
            if not stop:
                raise
        wanted = -signal.SIGKILL if stop else 0
        assert server.stop(signal.SIGKILL if stop else signal.SIGTERM) == wanted, server.log_text

    def positions(self):
        """For every moment: the disk, and the highest version that a client had got."""
        lost, known = disk.Disk(self.data), 0
        for note in disk.read_notes(self.notes):
            lost.take(note)
            known = max(known, disk.shown(note))
            yield lost, known


class Images:
    """Starts servers on each different image once."""

    def __init__(self, scenario, folder, records):
        self.ledger = scenario.ledger
        self.folder = folder / "image"
        self.records = records
        self.checked = {}  # hash of an image, the highest version that its disk must have
        self.outcomes = collections.Counter()

    def check(self, lost, image, known):
        digest = hashlib.sha256(repr(sorted(image.items())).encode()).digest()
        if digest in self.checked:
            # A later moment may have the same image and a higher version.
            if self.checked[digest] < known:
                raise Lost(f"version {known} was known, and {self.checked[digest]} is left")
            return
        lost.write(image, self.folder)
        self.checked[digest] = self.start(known)
        self.outcomes["images started on"] += 1

    def start(self, known):
        try:
            server = Server(data=self.folder)
        except NotStarted as error:
            raise Lost(f"version {known} was known, and no start: {error}") from None
        try:
            version = server.version
            if version < known:
                raise Lost(f"version {known} was known, and {version} is left")
            if known and server.epoch != self.ledger.epoch:
                raise Lost(f"version {known} was known, and the epoch has changed")
            assert server.state == Fold.of(self.records[:version])
            assert read_journal(self.folder) == self.records[:version]
            self.resolve(server, version)
            return version
        finally:
            server.stop(signal.SIGKILL)

    def resolve(self, server, version):
        """Sends the last request in the history and the first missing request again, with their keys."""
        keyed = [request for request in self.ledger.requests if request.key and request.last]
        there = [request for request in keyed if request.last <= version][-1:]
        cut = [request for request in keyed if request.last > version][:1]
        for request in there + cut:
            answer = server.post(request.body, request.headers)
            assert answer.status == 200, answer
            replayed = answer["idempotency-replayed"] == "true"
            if replayed != (request in there):
                raise Lost(f"{request} was {'not ' * (not replayed)}replayed at {version}")
            self.outcomes["replayed" if replayed else "sent again"] += 1


def examine(scenario, folder, torn, pick=lambda number: True):
    """Cuts power at the positions of `pick`. None, all and a part of the unsynced changes survive. Returns the
    outcomes."""
    records = read_journal(scenario.data)
    scenario.ledger.check(records)
    images = Images(scenario, folder, records)
    positions = 0
    for number, (lost, known) in enumerate(scenario.positions()):
        if not pick(number):
            continue
        positions += 1
        images.check(lost, lost.image(), known)
        images.check(lost, lost.image(lambda: True), known)
        for _ in range(TORN_IMAGES_PER_POSITION if torn else 0):
            images.check(lost, lost.image(lambda: torn.random() < 0.5), known)
    shutil.rmtree(images.folder, ignore_errors=True)
    outcomes = ", ".join(f"{count} {what}" for what, count in images.outcomes.items())
    return f"{positions} positions, {outcomes}"


def test_power_goes_at_every_position(thorough, seed, figure, tmp_path):
    """Two lives, with snapshots and a clean stop each."""
    scenario = Scenario(tmp_path, seed)
    scenario.live(DISPATCHES if thorough else 6)
    scenario.live(5 if thorough else 2)
    chance = random.Random(seed)
    share = 1 if thorough else 0.05
    pick = lambda _: chance.random() < share  # noqa: E731
    figure(examine(scenario, tmp_path, chance, pick))


def test_a_first_start_ends_anywhere(seed, figure, tmp_path):
    """A server starts on a directory that was only partly made."""
    scenario = Scenario(tmp_path, seed)
    scenario.live(0)
    notes = disk.read_notes(scenario.notes)
    # The server listens from the beginning. The start is complete when the server shows a state.
    shows = (note[0] == disk.SENT and b'"counter"' in note[3] for note in notes)
    begun = next(number for number, is_shown in enumerate(shows) if is_shown)
    assert sum(note[0] != disk.SENT for note in notes[:begun]) > 20
    figure(examine(scenario, tmp_path, random.Random(seed), lambda number: number < begun))


def test_power_goes_while_the_log_moves_into_the_database(thorough, seed, figure, tmp_path):
    """With long records, SQLite's log reaches its bound of pages several times, and begins anew."""
    scenario = Scenario(tmp_path, seed)
    scenario.live(1_500, size=4_000)
    chance = random.Random(seed)
    notes = disk.read_notes(scenario.notes)
    # The file of a note shows the target of a write. The log is the file with the most writes.
    files = collections.Counter(note[1] for note in notes if note[0] == disk.WROTE)
    log = files.most_common(1)[0][0]
    rest = [number for number, note in enumerate(notes) if note[0] != disk.SENT and note[1] != log]
    chosen = set(chance.sample(rest, 150 if thorough else 8))
    figure(examine(scenario, tmp_path, chance, lambda number: number in chosen))


@pytest.mark.parametrize("stop", ["log-written:60", "log-sync:20", "log-synced:20"])
def test_power_goes_after_a_kill_and_a_new_start(stop, thorough, seed, figure, tmp_path):
    """Readers of the second process may have got writes that the first process had not synced."""
    scenario = Scenario(tmp_path, seed)
    scenario.live(DISPATCHES, stop=stop)
    scenario.live(1)
    chance = random.Random(seed)
    last = max(
        number
        for number, note in enumerate(disk.read_notes(scenario.notes))
        if note[0] == disk.OPENED and note[3].endswith(b"/store.db")
    )
    pick = lambda number: number >= last - 60 and (thorough or chance.random() < 0.1)  # noqa: E731
    figure(examine(scenario, tmp_path, chance, pick))


def test_a_journal_that_does_not_sync_each_commit_is_caught(seed, figure, tmp_path):
    """Proves that the tests can fail: with `synchronous=NORMAL`, a power cut loses acknowledged actions."""
    scenario = Scenario(tmp_path, seed)
    scenario.live(DISPATCHES, synchronous="NORMAL")
    with pytest.raises(Lost) as lost:
        examine(scenario, tmp_path, None)
    figure(f"caught: {lost.value}".splitlines()[0])
