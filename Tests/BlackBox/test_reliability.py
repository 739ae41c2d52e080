"""docs/RELIABILITY.md is true: every name in it exists, every promise has its row, and its commands print the
shown lines."""

import re

import pytest
import tour
from harness import ROOT
from test_seeds_table import has_test, spans

TEXT = (ROOT / "docs" / "RELIABILITY.md").read_text()
PROMISES = [f"G{number}" for number in range(1, 13)]


def untrue(text):
    """Returns the faults of the table of promises: missing cells and wrong names, a line each."""
    found, rows = [], []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not re.fullmatch(r"G\d+", cells[0]):
            continue
        rows.append(cells[0])
        proofs = [part.split(": ", 1) for part in cells[-1].split("; ") if ": " in part]
        if not proofs:
            found.append(f"{cells[0]} is not proved")
        for path, names in proofs:
            path = path.strip("`")
            if not (ROOT / path).is_file():
                found.append(f"{cells[0]}: there is no {path}")
                continue
            found += [f"{path} has no '{name}'" for name in spans(names) if not has_test(path, name)]
    if rows != PROMISES:
        found.append(f"the rows are {rows}")
    return found


def test_every_promise_has_tests_that_exist():
    assert untrue(TEXT) == []


@pytest.mark.parametrize(
    "true, false, complaint",
    [
        ("| G7 |", "| H7 |", "the rows are"),
        ("test_kill.py", "test_skill.py", "there is no Tests/Durability/test_skill.py"),
        ("`test_verify_replays_everything`", "`test_nothing`", "has no 'test_nothing'"),
    ],
)
def test_a_false_row_of_the_table_is_found(true, false, complaint):
    assert true in TEXT
    assert any(complaint in line for line in untrue(TEXT.replace(true, false)))


def test_the_commands_of_reliability_print_the_shown_lines(store_server_in_path):
    assert tour.play(TEXT, store_server_in_path) >= 15
