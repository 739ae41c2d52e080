"""Changed files: a start refuses with a message, or serves a beginning of history with a message. It never serves
other records than the written ones (architecture: G9)."""

import collections
import random
import re
import shutil
import signal

import pytest
from harness import NotStarted, Server, Wire
from ledger import Fold, Ledger, read_journal

DISPATCHES = 120
FOUND = re.compile(r"is damaged: (.+)|(?:store\.db )(is no SQLite database|is a database of another)")


@pytest.fixture(scope="module")
def journals(tmp_path_factory):
    """Directories with a history: one of a killed server, with a database, a log and a mark, and one of a stopped
    server, which leaves no log."""
    folder = tmp_path_factory.mktemp("journals")
    ledger = Ledger(1)
    data = folder / "killed"
    for end in (signal.SIGTERM, signal.SIGKILL):
        server = Server("--snapshot-every", "30", data=data)
        with Wire(server) as wire:
            for _ in range(DISPATCHES):
                ledger.dispatch(server, ledger.request(), wire)
        server.stop(end)
    assert (data / "store.db-wal").stat().st_size > 0
    records = read_journal(data)
    shutil.copytree(data, folder / "stopped")
    with Server(data=folder / "stopped"):
        pass
    assert not (folder / "stopped" / "store.db-wal").exists()
    return folder, ledger, records


def cut(size):
    return lambda path: path.write_bytes(path.read_bytes()[: size(path.stat().st_size)])


def flip(place):
    def change(path):
        content = bytearray(path.read_bytes())
        at = place(len(content))
        content[at : at + 16] = bytes(byte ^ 0xFF for byte in content[at : at + 16])
        path.write_bytes(content)

    return change


def empty(path):
    path.write_bytes(b"")


def remove(path):
    path.unlink()


def zero(path):
    path.write_bytes(bytes(path.stat().st_size))


KILLED = {
    "log cut in half": ("store.db-wal", cut(lambda size: size // 2)),
    "log cut by a byte": ("store.db-wal", cut(lambda size: size - 1)),
    "log emptied": ("store.db-wal", empty),
    "log removed": ("store.db-wal", remove),
    "log's header changed": ("store.db-wal", flip(lambda size: 8)),
    "log changed in the middle": ("store.db-wal", flip(lambda size: size // 2)),
    "log's last frame changed": ("store.db-wal", flip(lambda size: size - 100)),
    "database emptied": ("store.db", empty),
    "database removed": ("store.db", remove),
    "mark removed": ("mark", remove),
    "mark emptied": ("mark", empty),
    "mark's one slot changed": ("mark", flip(lambda size: 20)),
    "mark's both slots changed": ("mark", zero),
    "mark of another history": ("mark", None),
}
STOPPED = {
    "database cut in half": ("store.db", cut(lambda size: size // 8192 * 4096)),
    "database cut by a byte": ("store.db", cut(lambda size: size - 1)),
    "database's header changed": ("store.db", flip(lambda size: 0)),
    "database's page size changed": ("store.db", flip(lambda size: 16)),
    "database's schema changed": ("store.db", flip(lambda size: 3_900)),
    "database changed in the first third": ("store.db", flip(lambda size: size // 3)),
    "database changed in the middle": ("store.db", flip(lambda size: size // 2)),
    "database's end changed": ("store.db", flip(lambda size: size - 50)),
    "database removed": ("store.db", remove),
    "mark removed": ("mark", remove),
}
DAMAGES = [("killed", name) for name in KILLED] + [("stopped", name) for name in STOPPED]


def change(data, damage, tmp_path):
    file, body = damage
    if body:
        body(data / file)
        return
    other = tmp_path / "other"
    with Server(data=other) as server:
        server.post({"type": "CounterIncreaseRequested"})
    shutil.copy(other / file, data / file)


@pytest.mark.parametrize("end, name", DAMAGES)
def test_a_changed_file_is_refused_or_cut_off(end, name, journals, figure, tmp_path):
    folder, ledger, records = journals
    data = tmp_path / "data"
    shutil.copytree(folder / end, data)
    change(data, {"killed": KILLED, "stopped": STOPPED}[end][name], tmp_path)
    figure(": ".join(examine(data, ledger, records)))


@pytest.mark.parametrize("damage", [cut, flip], ids=["cut", "changed"])
@pytest.mark.parametrize("end, name", [("killed", "store.db-wal"), ("stopped", "store.db")])
def test_any_place_may_be_damaged(end, name, damage, journals, thorough, seed, figure, tmp_path):
    folder, ledger, records = journals
    chance, outcomes = random.Random(seed), collections.Counter()
    size = (folder / end / name).stat().st_size
    places = sorted(chance.sample(range(size), 200 if thorough else 4))
    for place in places:
        data = tmp_path / str(place)
        shutil.copytree(folder / end, data)
        damage(lambda _: place)(data / name)  # noqa: B023
        try:
            outcome, _ = examine(data, ledger, records)
        except BaseException as problem:
            problem.add_note(f"at byte {place} of {size}")
            raise
        outcomes[outcome] += 1
        shutil.rmtree(data)
    figure(f"{len(places)} places: " + ", ".join(f"{n} {what}" for what, n in outcomes.items()))


def examine(data, ledger, records):
    """Starts a server on damaged files. Returns the outcome as a short and as a long text."""
    try:
        server = Server(data=data)
    except NotStarted as error:
        words = str(error)
        assert "ended with 1\n" in words, words
        found = FOUND.search(words)
        assert found, words
        kept = accept(data, records, beyond="start with --accept-data-loss" not in words)
        return "refused", f"{found[1] or found[2]}; with the loss accepted, {kept}"
    with server:
        served = whole(server, records)
        if served < len(records) or server.epoch != ledger.epoch:
            server.await_log("warning")  # a loss has a warning
            assert server.epoch != ledger.epoch
        same = server.epoch == ledger.epoch
    under = f"{served} of {len(records)} actions under {'the' if same else 'a new'} epoch"
    return "served whole" if same else "served under a new epoch", under


def accept(data, records, beyond):
    """Starts a server with `--accept-data-loss`. Returns the remaining records."""
    try:
        server = Server("--accept-data-loss", data=data)
    except NotStarted as error:
        assert beyond and "ended with 1\n" in str(error), error
        return "nothing can be kept"
    with server:
        server.await_log("data loss accepted")
        served, epoch = whole(server, records), server.epoch
        answer = server.post({"type": "CounterIncreaseRequested", "meta": {"id": "after"}})
        assert answer.json["version"] == served + 1
    with Server(data=data) as server:
        # After that, the history is like any other history.
        assert (server.version, server.epoch) == (served + 1, epoch)
    return f"{served} of {len(records)} actions are left"


def whole(server, records):
    """Checks that the served history is a beginning of the written history. Returns its length."""
    version = server.version
    assert version <= len(records)
    assert server.state == Fold.of(records[:version])
    for past in range(0, version, 50):
        # Old records are checked when a client reads them.
        answer = server.get(f"/state?version={past}")
        assert answer.status >= 400 or answer.json == Fold.of(records[:past]), (past, answer)
    return version
