"""One server for each module's tests, and a fresh one for the tests that need it untouched."""

import pytest
from harness import Server


@pytest.fixture(scope="module")
def server():
    with Server() as running:
        yield running


@pytest.fixture
def fresh():
    with Server() as running:
        yield running
