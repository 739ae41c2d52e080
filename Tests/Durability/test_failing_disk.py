"""Each call that changes the directory fails, alone or with all later calls (architecture: G1, G2)."""

import collections
import random

import disk
import pytest
from harness import NotStarted, Server, Wire
from ledger import Fold, Ledger, read_journal

DISPATCHES = 30
FAILED_STATUS = 74
POSITIONS_IN_A_SHORT_RUN = 6


class Scenario:
    """A start, some dispatches, and a clean stop, on a disk with a call that fails."""

    def __init__(self, folder, seed, fail=None):
        self.data = folder / "data"
        self.calls = folder / "calls"
        self.fail = fail
        self.ledger = Ledger(seed)

    def run(self):
        """Returns the outcome in words. A forbidden outcome is an error."""
        watching = disk.watching(self.data, fail=self.fail, calls=self.calls)
        try:
            server = Server("--snapshot-every", "10", data=self.data, environment=watching)
        except NotStarted as error:
            words = str(error)
            assert "ended with 1\n" in words, words
            assert str(self.data) in words or "history can't begin" in words, words
            self.check()
            return "refused to start"
        ended = self.load(server)
        status = server.stop()
        if ended:
            assert status == FAILED_STATUS, (status, server.log_text)
            assert "the journal failed" in server.log_text
        else:
            assert status in (0, FAILED_STATUS), (status, server.log_text)
        self.check()
        refused = sum(request.refused for request in self.ledger.requests)
        if ended:
            return f"ended with {status}"
        return f"answered 507 to {'one' if refused == 1 else 'some'}" if refused else "not noticed"

    def load(self, server):
        """Dispatches. Returns true if the process has ended meanwhile."""
        for _ in range(DISPATCHES):
            request = self.ledger.request()
            try:
                self.ledger.dispatch(server, request)
                assert server.get("/state").status == 200
            except TimeoutError:
                raise
            except OSError:
                if server.process.poll() is None:
                    server.process.wait(5)
                return True
        return False

    def check(self):
        """Starts on a good disk. The history has every acknowledged action, and the other requests are sent again."""
        with Server(data=self.data) as server:
            assert self.ledger.epoch in (None, server.epoch)
            records = read_journal(self.data)
            self.ledger.check(records)
            assert server.state == Fold.of(records)
            with Wire(server) as wire:
                for request in self.ledger.requests:
                    if request.key and not request.last:
                        self.ledger.dispatch(server, request, wire)
                        assert request.last
        self.ledger.check(read_journal(self.data))


@pytest.mark.parametrize("fail", ["EIO", "ENOSPC", "EIO from then on", "ENOSPC from then on"])
def test_a_call_fails_at_every_position(fail, thorough, seed, figure, tmp_path):
    whole = tmp_path / "whole"
    whole.mkdir()
    scenario = Scenario(whole, seed)
    assert scenario.run() == "not noticed"
    calls = int(scenario.calls.read_text())
    error, on = fail.split(" ")[0], "+" * fail.endswith("on")
    # A few positions more than calls: the number of syncs of the mark differs from run to run.
    positions = list(range(1, calls + 5))
    if not thorough:
        positions = sorted(random.Random(seed).sample(positions, POSITIONS_IN_A_SHORT_RUN))
    outcomes = collections.Counter()
    for position in positions:
        place = tmp_path / str(position)
        place.mkdir()
        try:
            outcomes[Scenario(place, seed, f"{error}:{position}{on}").run()] += 1
        except BaseException as problem:
            problem.add_note(f"where call {position} fails")
            raise
    figure(
        f"{len(positions)} of {calls} positions: "
        + ", ".join(f"{count} {what}" for what, count in outcomes.items())
    )
