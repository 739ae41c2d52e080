"""One server for each module's tests, and a fresh one for the tests that need it untouched."""

import pytest
from harness import Server


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: waits a minute, and needs no processor for it")


@pytest.fixture(scope="module")
def server():
    with Server() as running:
        yield running


@pytest.fixture
def fresh():
    with Server() as running:
        yield running
