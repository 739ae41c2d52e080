"""docs/SEEDS.md is true: its rows are complete, and every name in them exists."""

import re

import pytest
from harness import ROOT

TABLE = (ROOT / "docs" / "SEEDS.md").read_text()
ROWS = [f"U{number}" for number in range(1, 33)] + (
    "B1 B2 B3 B4 B5 B6 B7 B8 B9 B10 B11 B12 B13 B14 B15 B16 B17 B18 B22 B23 B24 B25 B26 B27 B28 B35 B37 B38 B39 B40 B42 "
    "K1 K2 K3 K4 K5 K6 K7 K8 K9 K10 K11 K12 K13 K14 "
    "T1 T2 T3 T4 "
    "P1 P2 P3 P4 P5 P6 P7 P8 P9 P10 P11 P12 P13 P14 P15 P16 P19 "
    "X1 X2 X3 X4 X5 X6 X7 X8 X9 X11 X19 "
    "S1 S2 S3 S4 S5 S6 S7 S8 S10 S11 S12"
).split()
FOLDERS = ("Sources/", "Tests/", "docs/", "examples/", "scripts/")
FILES = ("LICENSE", "NOTICE", "Package.swift")


def has_test(path, name):
    """Returns true if the file declares a test of this name."""
    text = (ROOT / path).read_text()
    swift = rf"@Test\b[^{{}}]*?\bfunc (`{re.escape(name)}`|{re.escape(name)})\("
    python = rf"^def {re.escape(name)}\("
    return bool(re.search(swift if path.endswith(".swift") else python, text, re.MULTILINE))


def spans(cell):
    return re.findall(r"`([^`]+)`", cell)


def untrue(text):
    """Returns the names in the tables that do not exist, a line each."""
    found, rows = [], []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 4 or not spans(cells[3]) and "not there yet" not in cells[3]:
            continue
        row, _, lives, proof = cells
        if re.fullmatch(r"[UBKTPXS]\d+", row):
            rows.append(row)
            if not spans(lives) and "not there yet" not in proof:
                found.append(f"{row} lives nowhere")
        found += [
            f"{row}: there is no {path}"
            for path in spans(lives)
            if (path.startswith(FOLDERS) or path in FILES) and not (ROOT / path).is_file()
        ]
        file = None
        for span in spans(proof):
            if span.startswith("Tests/"):
                file = span
                if not (ROOT / file).is_file():
                    found.append(f"{row}: there is no {file}")
                    file = None
            elif file and not has_test(file, span):
                found.append(f"{row}: {file} has no test '{span}'")
    if rows != ROWS:
        found.append(f"the rows are {rows}")
    return found


def test_the_table_of_seeds_is_true():
    assert untrue(TABLE) == []


@pytest.mark.parametrize(
    "old, new, complaint",
    [
        ("| U7 |", "| U77 |", "the rows are"),
        ("| B27 |", "| B26 |", "the rows are"),
        ("| U32 |", "| 32 |", "the rows are"),
        ("| T1 |", "| 1 |", "the rows are"),
        ("| S8 |", "| S9 |", "the rows are"),
        ("`test_k4_a_side_effect_returns_a_value_to_a_request_that_waits`", "`test_k4`", "has no test 'test_k4'"),
        ("Sources/StoreCore/Core/Core.swift", "Sources/StoreCore/Gone.swift", "no Sources/StoreCore/Gone"),
        ("Tests/BlackBox/test_load.py", "Tests/BlackBox/test_gone.py", "no Tests/BlackBox/test_gone"),
        ("`two commands differ, and a copy is the same`", "`two commands`", "has no test 'two commands'"),
        ("`test_3_5_only_a_dispatched_action_changes_state`", "`test_3_5`", "has no test 'test_3_5'"),
    ],
)
def test_a_table_that_is_not_true_is_noticed(old, new, complaint):
    assert old in TABLE
    assert any(complaint in line for line in untrue(TABLE.replace(old, new)))
