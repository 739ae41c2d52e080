"""1,000 users of boards whose members change all the time: a user gets only bytes of versions that the user reads.

`READERS_STEPS` is the number of steps, `READERS_SEED` the seed. A program of a release build (PROGRAMS_OPTIONS,
programs.py) is several times as fast.
"""

import collections
import json
import os
import random
import re
import select
import signal
import time

import pytest
from access import House
from harness import SmallDisk, Stream, Wire, action
from programs import build_sample
from test_readers import ROLES
from test_tokens import Issuer

USERS, BOARDS, STREAMS = 1_000, 40, 60
OPERATOR = "keeper"
#: The version of a title that a full disk has refused.
NEVER = 1 << 62
#: Reads of the past are about so many versions at most. The model keeps about twice as many of each board.
PAST = 300
#: The server makes a past state from a snapshot and the actions behind it.
FLAGS = ["--streams-max", "200", "--snapshot-every", str(PAST)]
SECRET = re.compile(r"secret-(\d+)-(\d+);")
#: Streams whose events contain no data of earlier versions.
TARGETS = [
    "/events", "/events?mode=patch", "/modules/board/events", "/modules/board/events?mode=patch",
    "/modules/board/{}/events", "/modules/board/{}/events?mode=patch", "/events?path=/board/{}",
    "/events?path=/board/{}/title", "/views/titles/events", "/views/titles/events?mode=patch",
    "/actions/events?after={newest}",
]  # fmt: skip


class Model:
    """The boards of each version: `(version, readers, title)`, and the readers of each record."""

    def __init__(self):
        self.boards = {}
        self.records = {}
        self.written = {}
        self.changed = collections.Counter()

    def now(self, board):
        return self.boards.get(board, [(0, frozenset(), None)])[-1]

    def at(self, board, version):
        """Returns the readers and the title of a board in a version; no readers if it is absent."""
        for since, readers, title in reversed(self.boards.get(board, [])):
            if since <= version:
                return readers, title
        return frozenset(), None

    def set(self, board, version, readers, title):
        for user in self.now(board)[1] | readers:
            self.changed[user] = version
        history = self.boards.setdefault(board, [])
        history.append((version, readers, title))
        if len(history) > 2 * PAST:
            del history[:PAST]

    def last_change(self, user):
        """Returns the last version that changed what a user reads."""
        return max(self.changed[user], self.changed["*"])


def reads(readers, user):
    return user in readers or "*" in readers


class Run:
    users, boards = USERS, BOARDS

    def __init__(self, server, tokens, seed):
        self.server, self.tokens, self.chance = server, tokens, random.Random(seed)
        self.model, self.streams, self.count, self.version = Model(), [], 0, 0
        self.opened, self.events, self.refused, self.start, self.began = 0, 0, 0, 0, time.monotonic()
        self.wire, self.epoch = Wire(server), server.epoch

    def header(self, user):
        return {"Authorization": f"Bearer {self.tokens[user]}"}

    def get(self, target, user, **headers):
        return self.server.get(target, {**self.header(user), **headers}, wire=self.wire)

    def title(self, board):
        self.count += 1
        title = f"secret-{board}-{self.count};"
        self.model.written[self.count] = self.version + 1
        return title

    def act(self):
        """One action of a user on a board, applied or refused as the model says."""
        board, version = self.chance.randrange(self.boards), self.version + 1
        _, readers, title = self.model.now(board)
        members = [name for name in readers if name != "*"]
        other = f"u{self.chance.randrange(self.users)}"
        sender = self.chance.choice(members) if members and self.chance.random() < 0.8 else other
        if title is not None and not readers:
            # No user reads the board any more. An operator invites a user, or the board would stay so.
            sender, after, name, fields = OPERATOR, (frozenset([other]), title), "invited", {"member": other}
        elif title is None:
            new = self.title(board)
            after, name, fields = (frozenset([sender]), new), "start", {"title": new}
        else:
            kind = self.chance.choices(
                ["renamed", "invited", "removed", "published", "withdrawn", "stop"], [40, 30, 20, 1, 6, 2]
            )[0]
            after, name, fields = (readers, title), kind, {}
            match kind:
                case "renamed":
                    fields = {"title": self.title(board)}
                    after = (readers, fields["title"])
                case "invited":
                    fields, after = {"member": other}, (readers | {other}, title)
                case "removed":
                    member = self.chance.choice(members) if members else other
                    fields, after = {"member": member}, (readers - {member}, title)
                case "published":
                    after = (readers | {"*"}, title)
                case "withdrawn":
                    after = (readers - {"*"}, title)
                case "stop":
                    after = (frozenset(), None)
        answer = self.server.post(action(f"board/b{board}/{name}", **fields), self.header(sender), wire=self.wire)
        if self.has_no_room(answer):
            if "title" in fields:
                self.model.written[self.count] = NEVER
            return
        if title is not None and sender != OPERATOR and not reads(readers, sender):
            assert answer.status == 409, answer
            self.refused += 1
            return
        assert answer.status == 200 and answer.json["version"] == version, answer
        self.version = version
        self.model.records[version] = after[0] if name != "stop" else readers
        if after != (readers, title):
            self.model.set(board, version, *after)

    def has_no_room(self, answer):
        return False

    def window(self):
        """The bytes that a new stream takes before it is read; none for the system's default."""
        return None

    def awake(self):
        """The streams that are read now."""
        return self.streams

    def open(self):
        user, board = f"u{self.chance.randrange(self.users)}", self.chance.randrange(self.boards)
        readers = [name for name in self.model.now(board)[1] if name != "*"]
        if readers and self.chance.random() < 0.8:
            user = self.chance.choice(readers)
        target = self.chance.choice(TARGETS).format(f"b{board}", newest=self.version)
        stream = Stream(self.server, target, headers=self.header(user).items(), receive_bytes=self.window()).opened()
        assert stream.answer.status == 200, (target, stream.answer)
        self.streams.append((stream, user, board, target))
        self.opened += 1

    def listen(self, seconds=0):
        """Takes all events that have arrived, and checks them."""
        awake = self.awake()
        readable = select.select([entry[0] for entry in awake], [], [], seconds)[0]
        for stream, user, board, target in awake:
            if stream in readable:
                stream.read()
            self.take(stream, user, target)
        return readable

    def take(self, stream, user, target):
        while event := stream.take():
            self.check(event, user, target)
            if event.id:
                stream.last = event

    def check(self, event, user, target):
        self.events += 1
        raw = event.raw.decode()
        for board, number in SECRET.findall(raw):
            assert event.id, (target, raw)
            version = event.version
            readers = self.model.records.get(version) if "actions" in target else self.model.at(int(board), version)[0]
            assert reads(readers, user), f"{target} as {user} shows {raw} of version {version}"
            assert self.model.written[int(number)] <= version, (target, raw)

    def look(self):
        """One read of a user, compared with the model."""
        board = self.chance.randrange(self.boards)
        user = f"u{self.chance.randrange(self.users)}"
        members = [name for name in self.model.now(board)[1] if name != "*"]
        if members and self.chance.random() < 0.7:
            user = self.chance.choice(members)
        # For the last three the server replays actions, which takes ten times as long.
        match self.chance.choices(range(6), [10, 10, 10, 1, 1, 1])[0]:
            case 0:
                answer = self.get(f"/state/board/b{board}/title", user)
                _, readers, title = self.model.now(board)
                assert (answer.status, answer.json if answer.status == 200 else None) == (
                    (200, title) if reads(readers, user) else (404, None)
                )
            case 1:
                self.compare_state(self.get("/state", user), user, self.version)
            case 2:
                version = max(0, self.version - self.chance.randrange(40))
                answer = self.get("/state", user, **{"If-None-Match": f'"{self.epoch}:{version}"'})
                unchanged = version == self.version or self.model.last_change(user) <= version
                # A process does not have the changes before its start apart, and may then send the state again.
                allowed = [304] if unchanged and version >= self.start else [200, 304] if unchanged else [200]
                assert answer.status in allowed, (user, version, self.version)
            case 3:
                version = self.chance.randint(max(1, self.version - PAST), self.version) if self.version else 0
                if version:
                    self.compare_state(self.get(f"/state?version={version}", user), user, version)
            case 4:
                after = max(0, self.version - self.chance.randrange(PAST))
                page = self.get(f"/actions?after={after}&limit=200", user).json
                end = min(self.version, after + 200)
                got = [record["version"] for record in page["actions"] if record["version"] <= end]
                expected = [v for v in range(after + 1, end + 1) if reads(self.model.records[v], user)]
                assert got == expected[: len(got)] and (got == expected or "next" in page), (user, after)
            case 5:
                version = self.chance.randint(max(1, self.version - PAST), self.version) if self.version else 0
                if version:
                    steps = self.get(f"/trace?version={version}", user).json["steps"]
                    assert bool(steps) == reads(self.model.records[version], user), (user, version)

    def compare_state(self, answer, user, version):
        shown = {name: value["title"] for name, value in answer.json["board"].items()}
        expected = {}
        for board in self.model.boards:
            readers, title = self.model.at(board, version)
            if title is not None and reads(readers, user):
                expected[f"b{board}"] = title
        assert shown == expected, (user, version)

    def close_some(self):
        for _ in range(3):
            if len(self.streams) >= STREAMS:
                self.streams.pop(self.chance.randrange(len(self.streams)))[0].close()

    def figures(self, steps):
        rate = steps / (time.monotonic() - self.began)
        return (
            f"{steps} steps, {self.version} versions, {self.refused} actions refused, {self.opened} streams, "
            f"{self.events} events, {rate:.0f} steps a second"
        )

    def finish(self):
        """Checks that the last event of each stream of one board is the board as its reader sees it now."""
        last = self.version
        self.server.stop()
        for stream, user, board, target in self.streams:
            self.drain(stream, user, target)
            if target == f"/events?path=/board/b{board}/title":
                readers, title = self.model.at(board, last)
                shown = None if stream.last.name == "gone" else json.loads(stream.last.data)
                assert shown == (title if reads(readers, user) else None), (target, user)


    def drain(self, stream, user, target):
        """Takes the rest of a stream that has ended."""
        while not stream.ended:
            self.take(stream, user, target)
            stream.read()
        self.take(stream, user, target)


class TroubledRun(Run):
    """Few users who read most boards, whose titles are long. Some stop reading for a time, and the disk is full for a
    time."""

    users, boards = 12, 4
    window_bytes = 2_048
    padding = "x" * 8_000

    def __init__(self, server, tokens, seed, disk):
        super().__init__(server, tokens, seed)
        self.disk, self.is_full, self.full, self.step, self.rests = disk, False, 0, 0, {}
        self.late, self.lost = 0, 0

    def title(self, board):
        return super().title(board) + self.padding

    def has_no_room(self, answer):
        if answer.status != 507:
            return False
        answer.problem("storage-full", 507)
        self.full += 1
        return True

    def window(self):
        return self.window_bytes

    def awake(self):
        return [entry for entry in self.streams if self.rests.get(entry[0], 0) <= self.step]

    def act(self):
        before = self.version
        super().act()
        for history in self.model.boards.values():
            if self.version > before and len(history) > 1 and history[-1][0] == self.version:
                (_, old, _), (_, new, _) = history[-2:]
                resting = [user for stream, user, _, _ in self.streams if self.rests.get(stream, 0) > self.step]
                self.lost += sum(reads(old, user) and not reads(new, user) for user in resting)

    def check(self, event, user, target):
        super().check(event, user, target)
        # The server has held this event, or its beginning, while the reader rested.
        self.late += bool(event.id and event.version < self.version - 5)

    def trouble(self):
        """Changes the room of the disk, and lets some readers rest."""
        self.step += 1
        if self.step % 25 == 0:
            if self.is_full:
                self.make_room()
            else:
                self.disk.fill()
                self.is_full = True
        if self.step % 10 == 0:
            stream = self.chance.choice(self.streams)[0]
            self.rests[stream] = self.step + self.chance.randrange(10, 150)

    def make_room(self):
        if self.is_full:
            self.disk.clear()
        self.is_full = False

    def wake(self):
        """Reads everything that the server has for its readers."""
        self.rests.clear()
        while self.listen(0.3):
            pass

    def resume(self, server):
        """Goes on with a new process: each stream with its last event."""
        self.server, self.wire, self.start = server, Wire(server), self.version
        assert server.epoch == self.epoch
        for number, (stream, user, board, target) in enumerate(self.streams):
            self.drain(stream, user, target)
            last = stream.last
            again = Stream(server, target, last.id, self.header(user).items(), self.window_bytes).opened()
            assert again.answer.status == 200, (target, again.answer)
            again.last = last
            self.streams[number] = (again, user, board, target)


class Tokens(dict):
    """The tokens of users. Each is made when it is first needed."""

    def __init__(self, issuer):
        super().__init__()
        self.issuer = issuer

    def __missing__(self, user):
        role = "operator" if user == OPERATOR else "member"
        self[user] = self.issuer.token(sub=user, role=role, exp=4_000_000_000)
        return self[user]


@pytest.fixture(scope="module")
def tokens(tmp_path_factory):
    issuer = Issuer(tmp_path_factory.mktemp("issuer"), "ES256")
    return issuer, Tokens(issuer)


@pytest.mark.ci
@pytest.mark.plain("the number of steps is for a plain build")
def test_no_byte_comes_before_or_after_its_version(tmp_path, tokens):
    issuer, made = tokens
    steps = int(os.environ.get("READERS_STEPS", "1000"))
    seed = os.environ.get("READERS_SEED", "1")
    house = House(tmp_path, ROLES, build_sample("Teams"))
    with house.server(*issuer.options, *FLAGS) as server:
        run = Run(server, made, seed)
        for step in range(steps):
            if len(run.streams) < STREAMS:
                run.open()
            run.act()
            run.look()
            run.listen()
            if step % 50 == 49:
                run.close_some()
            if step % 100_000 == 99_999:
                print(run.figures(step + 1), flush=True)
        run.finish()
        print(run.figures(steps))
        assert run.version > steps / 4


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.ci)])
def test_readers_that_rest_and_a_full_disk_change_no_reader(tmp_path, tokens, seed):
    """Readers that stop reading while members change, on a disk without room at times. Then the server is killed."""
    issuer, made = tokens
    steps = int(os.environ.get("READERS_STEPS", "300"))
    house = House(tmp_path, ROLES, build_sample("Teams"))
    flags = [*issuer.options, *FLAGS, "--retain-size", str(64 << 20)]
    with SmallDisk(tmp_path, "64m") as disk:
        server = house.server(*flags, data=disk.data)
        run = TroubledRun(server, made, seed, disk)
        for _ in range(steps):
            if len(run.streams) < 24:
                run.open()
            run.trouble()
            run.act()
            run.look()
            run.listen()
        assert run.full > steps / 20 and run.version > steps / 5, run.figures(steps)
        assert run.late > 10 and run.lost > 5, (run.late, run.lost)
        assert server.stop(signal.SIGKILL) == -signal.SIGKILL
        run.make_room()
        with house.server(*flags, data=disk.data) as server:
            run.resume(server)
            assert server.get("/state", house.operator)["etag"] == f'"{run.epoch}:{run.version}"'
            for user in range(run.users):
                for version in [run.version, *range(1, run.version, max(1, run.version // 5))]:
                    run.compare_state(run.get(f"/state?version={version}", f"u{user}"), f"u{user}", version)
            for _ in range(100):
                run.act()
                run.look()
                run.listen()
            run.wake()
            run.finish()
        print(run.figures(steps), f"{run.full} actions without room, {run.late} late events")
        print(f"{run.lost} times a resting reader has lost a board")
