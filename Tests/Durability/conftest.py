"""The thoroughness of a run, and the figures that it prints at its end."""

import datetime
import os
import pathlib
import platform
import random
import sqlite3
import subprocess
import sys
import tempfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "BlackBox"))

from programs import build  # noqa: E402

POISON = pathlib.Path(__file__).parent / "programs" / "Poison.swift"
FIGURES = []


def pytest_configure(config):
    # An error on a thread that a test has started fails the test.
    config.addinivalue_line("filterwarnings", "error::pytest.PytestUnhandledThreadExceptionWarning")


def pytest_addoption(parser):
    parser.addoption("--thorough", action="store_true", help="hundreds of rounds, every position")
    parser.addoption("--seed", type=int, help="repeats the random choices of another run")


@pytest.fixture
def thorough(request):
    return request.config.getoption("--thorough")


@pytest.fixture
def seed(request):
    """The seed, which is printed with every failure, because it is an argument of the test."""
    given = request.config.getoption("--seed")
    return random.randrange(1 << 32) if given is None else given


@pytest.fixture
def figure(request):
    """Keeps a line for the end of the run."""
    return lambda line: FIGURES.append(f"{request.node.name}: {line}")


@pytest.fixture(scope="session")
def program():
    """A store with actions that no reducer should take."""
    return build("Poison", POISON.read_text())


def machine():
    """Returns the machine and the date of the figures."""
    name = platform.freedesktop_os_release()["PRETTY_NAME"]
    find = ["findmnt", "-no", "FSTYPE", "-T", tempfile.gettempdir()]
    disk = subprocess.run(find, capture_output=True, text=True).stdout.strip() or "a file system"
    return (
        f"{datetime.date.today()}, {name}, Linux {platform.release()}, {disk},"
        f" SQLite {sqlite3.sqlite_version}, {os.cpu_count()} processors"
    )


def pytest_terminal_summary(terminalreporter):
    if FIGURES:
        terminalreporter.section("figures")
        terminalreporter.write_line(machine())
    for line in FIGURES:
        terminalreporter.write_line(line)
