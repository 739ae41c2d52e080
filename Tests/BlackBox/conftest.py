"""One server for the tests of each module, and a fresh server for the tests that need one."""

import contextlib
import os
import random
import socket

import pytest
from harness import Server, binary
from programs import build_sample


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: waits a minute, and needs no processor for it")
    config.addinivalue_line("markers", "ci: takes long; `make ci` runs it, and `make test` does not")
    config.addinivalue_line("markers", "plain(reason): fails with a sanitizer, without a fault")
    # An error on a thread that a test has started fails the test.
    config.addinivalue_line("filterwarnings", "error::pytest.PytestUnhandledThreadExceptionWarning")


def pytest_collection_modifyitems(items):
    for item in items:
        for mark in item.iter_markers("plain"):
            if not mark.args:
                raise pytest.UsageError(f"{item.nodeid}: the mark 'plain' has a reason")


@pytest.fixture(scope="module")
def server():
    with Server() as running:
        yield running


@pytest.fixture
def fresh():
    with Server() as running:
        yield running


@pytest.fixture(scope="session")
def cinema_program():
    """A store with every feature of modules: programs/Cinema.swift."""
    return build_sample("Cinema")


@pytest.fixture
def cinema(cinema_program):
    with Server(program=cinema_program) as running:
        yield running


@pytest.fixture
def store_server_in_path(tmp_path, monkeypatch):
    """Puts the server into PATH, for documents that start it by its name several times at one address.

    The port is below the system's range for free ports. So between two starts, no other test gets the port.
    """
    (tmp_path / "store-server").symlink_to(binary())
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    while True:
        port = random.randrange(10_000, 30_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return f"http://127.0.0.1:{port}"
