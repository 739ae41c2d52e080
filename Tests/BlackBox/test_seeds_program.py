"""Rows of docs/SEEDS.md that need a program of somebody else's: the Counter."""

import subprocess
import threading
import time

import pytest
from harness import INCREASE, Server, Wire, until
from programs import PACKAGE, build_sample


@pytest.fixture(scope="module")
def program():
    return build_sample("Counter")


@pytest.fixture
def counter(program, tmp_path):
    """The running program; `printed()` answers the lines that it has printed so far."""
    output = tmp_path / "output"
    with output.open("w") as stdout, Server(program=program, stdout=stdout) as server:
        server.printed = lambda: output.read_text().splitlines()
        yield server


def printed(server, *lines):
    """Waits until the program has printed all of these."""
    until(lambda: set(lines) <= set(server.printed()), f"{lines} are printed", 5)


def test_u4_a_reducer_that_takes_long_holds_up_nobody_else(counter):
    slow = {"type": "SlowReducer", "payload": {"ms": 500}}
    with Wire(counter) as wire:
        thread = threading.Thread(target=counter.post, args=(slow,))
        thread.start()
        asked = []
        while thread.is_alive():
            began = time.monotonic()
            assert counter.get("/readyz", wire=wire).status == 200
            assert counter.get("/state", wire=wire).status == 200
            asked.append(time.monotonic() - began)
    assert len(asked) > 5
    assert max(asked) < 0.4, "an answer waited for the reducer"


def test_u16_the_state_cannot_be_asked_of_the_core(program, tmp_path):
    def check(expression):
        file = tmp_path / "asked.swift"
        file.write_text(
            "import StoreCore\n"
            "let core = Core<Int>(state: 1) { (state: Int, _: any Action) in state }\n"
            f"{expression}\n"
        )
        modules = PACKAGE / ".build" / "debug" / "Modules"
        return subprocess.run(
            ["swiftc", "-typecheck", "-I", modules, file],
            capture_output=True, text=True, timeout=120,
        )

    observed = check("core.observe { state in print(state) }")
    assert observed.returncode == 0, observed.stderr
    asked = check("print(core.state)")
    assert asked.returncode != 0
    assert "'state'" in asked.stderr, asked.stderr


def test_u18_observers_are_called_on_the_queue_that_they_ask_for(counter):
    counter.post(INCREASE)
    printed(counter, *(f"counter {n} on {queue}" for n in (0, 1) for queue in ("main", "render")))
    counter.post([INCREASE] * 100)
    printed(counter, "counter 101 on main", "counter 101 on render")
    # Each got every state in order, and nowhere else.
    for queue in ("main", "render"):
        mine = [line for line in counter.printed() if line.endswith(f" on {queue}")]
        assert mine == [f"counter {number} on {queue}" for number in range(102)]
    assert len(counter.printed()) == 2 * 102
