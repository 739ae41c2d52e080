"""A call that never returns: no client gets an action that is not durable, and a stop does not wait for the call
(architecture: G1, G4; protocol 7.3)."""

import threading
import time

import disk
import pytest
from harness import Server, until
from ledger import Ledger, read_journal
from poison import UNFINISHED_STATUS

DISPATCHES = 8
BOUND_SECONDS = 3

# The call that hangs, and the name in the log of the work that does not complete.
HANGS = {
    "log-sync:5": "the accepted actions",
    "log-write:9": "the accepted actions",
    "database-sync:1": "closing the journal",
}


def dispatch(server, ledger):
    """Sends one request after the other, until a request gets no answer."""
    try:
        for _ in range(DISPATCHES):
            ledger.dispatch(server, ledger.request())
    except OSError:
        pass


@pytest.mark.parametrize("hang", HANGS)
def test_a_stop_does_not_wait_for_a_disk_that_hangs(hang, seed, figure, tmp_path):
    data, ledger = tmp_path / "data", Ledger(seed)
    with Server(data=data):
        pass
    limit = ["--shutdown-timeout", str(BOUND_SECONDS)]
    server = Server(*limit, data=data, environment=disk.watching(data, hang=hang))
    client = threading.Thread(target=dispatch, args=(server, ledger), daemon=True)
    client.start()
    if hang.startswith("log"):
        until(lambda: "the disk hangs" in server.log_text, "a dispatch that gets no answer")
        # The server still serves the last published state.
        assert server.version == ledger.acknowledged
    else:
        client.join()
    begin = time.monotonic()
    status = server.stop()
    seconds = time.monotonic() - begin
    assert (status, seconds < BOUND_SECONDS) == (UNFINISHED_STATUS, True), (status, seconds)
    assert f"ending at the deadline, without {HANGS[hang]}" in server.log_text, server.log_text
    client.join()
    with Server(data=data) as server:
        assert server.epoch == (ledger.epoch or server.epoch)
        ledger.check(read_journal(data))
        assert server.version >= ledger.acknowledged
    figure(f"ended with {status} after {seconds:.1f} of {BOUND_SECONDS} s")
