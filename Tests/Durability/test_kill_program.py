"""Kills of a program that has everything at once (programs/Hostel.swift), at random moments: its timers, its slices
of users, its forgotten users and its presence are afterwards as they were declared."""

import collections
import contextlib
import random
import shutil
import signal
import subprocess
import time

import pytest
from access import ALL, House
from harness import action, environment_with, until
from hostel import LIVE, MARK, USERS, Fold, Guests, Ledger, Outage, check_log
from programs import build_sample
from test_tokens import Issuer

LOAD_SECONDS_MAX = 0.5
FORGET_SECONDS_MAX = 0.25
LONG_OUTAGE_SECONDS = 2.3
ROUNDS_PER_DIRECTORY = 10
ROLES = {
    "operator": ALL,
    "guest": {"read": ["*", "log"], "dispatch": ["*"], "use": ["sessions"]},
    "anonymous": {"read": ["*"], "dispatch": ["*"], "use": ["sessions"]},
}
WAYS = ["kill", "kill in a forget", "kill of a forget", "kill of a forget without a server", "long outage"]


class Hostel(House):
    def __init__(self, folder, program, issuer):
        super().__init__(folder, ROLES, program)
        self.data, self.secrets = folder / "data", folder / "secrets"
        issuer, tokens = issuer
        self.flags = [*issuer.options, "--personal-keys", str(self.secrets), "--snapshot-every", "50"]
        self.headers = {user: {"Authorization": f"Bearer {token}"} for user, token in tokens.items()}

    def start(self):
        return self.server(*self.flags, data=self.data)

    def command(self, *words):
        """Starts a command on the history."""
        return subprocess.Popen(
            [self.program, *words, "--data", self.data, "--personal-keys", self.secrets],
            env=environment_with(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def verify(self):
        verifying = self.command("verify")
        errors = verifying.communicate(timeout=60)[1]
        assert verifying.returncode == 0, errors


class Rounds:
    """One directory, in which a server ends again and again."""

    def __init__(self, house, seed):
        self.house, self.seed, self.chance = house, seed, random.Random(seed)
        self.ledger, self.outages, self.outcomes = Ledger(), [], collections.Counter()
        self.killed = None
        self.forgotten = collections.defaultdict(list)

    def run(self, way, number):
        target = self.chance.choice(USERS) if "forget" in way else None
        server = self.start()
        command = None
        try:
            self.check(server)
            # Half of the users who are forgotten act meanwhile.
            absent = {target} if self.chance.random() < 0.5 else set()
            guests = Guests(server, self.ledger, self.house, f"{self.seed} {number}", absent)
            self.wait(self.chance.uniform(0, LOAD_SECONDS_MAX))
            if way in ("kill in a forget", "kill of a forget"):
                command = self.house.command("forget", target)
                self.wait(self.chance.uniform(0, FORGET_SECONDS_MAX), command)
            if way == "kill of a forget":
                command.kill()
                self.wait(self.chance.uniform(0, FORGET_SECONDS_MAX))
        finally:
            self.kill(server)
        guests.end()
        if way == "kill of a forget without a server":
            command = self.house.command("forget", target)
            # Some commands come to their end.
            self.wait(self.chance.uniform(0, 2 * FORGET_SECONDS_MAX), command)
        if way == "long outage":
            self.wait(LONG_OUTAGE_SECONDS)
        self.outcomes[way] += 1
        if command:
            command.kill()
            command.communicate()
        if self.chance.random() < 0.5:
            # Also in the middle of a forget.
            self.house.verify()
        if command:
            self.complete(target, command)

    @staticmethod
    def wait(seconds, process=None):
        """Waits until the process ends, or the time is over. Chance draws the moment of the kill."""
        begun = time.monotonic()
        until(lambda: time.monotonic() - begun > seconds or (process and process.poll() is not None), "a moment")

    def start(self):
        spawned = time.time_ns()
        server = self.house.start()
        if self.killed:
            self.outages.append(Outage(self.killed, spawned, time.time_ns()))
        return server

    def kill(self, server):
        assert server.stop(signal.SIGKILL) == -signal.SIGKILL, server.log_text
        self.killed = time.time_ns()

    def complete(self, target, command):
        """Starts a server. Then the forget is complete, or it has not begun."""
        is_answered, has_begun = command.returncode == 0, (self.house.data / "forget").exists()
        before = len(self.forgotten[f"@{target}"])
        server = self.start()
        try:
            assert not (self.house.data / "forget").exists()
            self.check(server)
            is_forgotten = len(self.forgotten[f"@{target}"]) > before
            assert is_forgotten or not (has_begun or is_answered), (is_answered, has_begun)
            self.outcomes["forgets complete" if is_forgotten else "forgets not begun"] += 1
            self.outcomes["of them completed by a start"] += has_begun
        finally:
            self.kill(server)

    def check(self, server):
        """Compares a server that has just started with everything that was asked of it."""
        operator = self.house.operator
        assert server.get(f"{LIVE}/state", operator).json["whereabouts"] == {}, "a guest of before is present"
        begun = time.time_ns()

        def handled():
            answer = server.get("/state", operator)
            overdue = [name for name, timer in answer.json["schedule"].items() if timer["due"] < begun]
            return not overdue and answer

        answer = until(handled, "the due timers have led to their actions")
        version = int(answer["etag"].strip('"').split(":")[1])
        records = []
        while len(records) < version:
            page = server.get(f"/actions?after={len(records)}&limit=1000", operator).json["actions"]
            assert page and page[0]["version"] == len(records) + 1
            records += page
        records = records[:version]
        fold = Fold(self.ledger, self.outages)
        for record in records:
            fold.take(record)
        state = {**answer.json}
        state["schedule"] = {name: timer["due"] for name, timer in state["schedule"].items()}
        for name, expected in fold.state.items():
            shown = {key: value for key, value in state[name].items() if value != {"items": [], "lapsed": []}}
            expected = {key: value for key, value in expected.items() if value != {"items": [], "lapsed": []}}
            assert shown == expected, name
        check_log(self.ledger, records, fold.forgotten)
        self.forgotten, self.fold = fold.forgotten, fold
        # A session of before is valid, and may be present again.
        if self.ledger.visitors:
            name, header = self.chance.choice(sorted(self.ledger.visitors.items()))
            entered = server.send(f"{LIVE}/dispatch", action("whereabouts/entered", place="lobby"), header)
            assert entered.status == 200, entered
            assert list(server.get(f"{LIVE}/state/whereabouts/lobby", operator).json) == [name]
        for file in self.house.data.rglob("*"):
            with contextlib.suppress(FileNotFoundError):
                assert not file.is_file() or MARK.encode() not in file.read_bytes(), file

    def finish(self):
        server = self.start()
        with server:
            self.check(server)
        self.house.verify()
        self.outcomes["actions"] += len(self.ledger.requests)
        for (name, missed, is_repeated), count in self.fold.counts.items():
            self.outcomes[f"{'repeated' if is_repeated else 'single'} timers {name} ({missed})"] += count
        self.outcomes["sign-ins"] += len(self.ledger.sign_ins)


@pytest.fixture(scope="module")
def issuer(tmp_path_factory):
    issuer = Issuer(tmp_path_factory.mktemp("issuer"), "ES256")
    return issuer, {user: issuer.token(sub=user, role="guest", exp=4_000_000_000) for user in USERS}


def test_a_killed_program_keeps_what_it_declares(thorough, seed, figure, tmp_path, issuer):
    rounds = 300 if thorough else len(WAYS)
    total = collections.Counter()
    program = build_sample("Hostel")
    for begin in range(0, rounds, ROUNDS_PER_DIRECTORY):
        place = tmp_path / str(begin)
        place.mkdir()
        series = Rounds(Hostel(place, program, issuer), seed + begin)
        for number in range(begin, min(rounds, begin + ROUNDS_PER_DIRECTORY)):
            series.run(WAYS[number % len(WAYS)], number)
        series.finish()
        total += series.outcomes
        shutil.rmtree(place)
    figure(f"{rounds} rounds: " + ", ".join(f"{count} {what}" for what, count in sorted(total.items())))
