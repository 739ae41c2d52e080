"""docs/OPERATING.md and docs/SECURITY.md are true: commands print the shown lines, and the named tests exist."""

import json
import re

import pytest
import tour
from access import ALL, House
from harness import ROOT, Server, action, run, until
from programs import build_sample
from test_seeds_table import has_test, spans

OPERATING = (ROOT / "docs" / "OPERATING.md").read_text()
# The program that ships has neither slices of users nor timers.
[USERS] = re.findall(r"^## List users, and end them\n(.*?)^## ", OPERATING, re.S | re.M)
[TIMERS] = re.findall(r"^## List timers, and remove them\n(.*?)^## ", OPERATING, re.S | re.M)
THREATS = (ROOT / "docs" / "SECURITY.md").read_text()
EVENTS = set(
    re.findall(r'^    case \w+ = "([a-z.]+)"', (ROOT / "Sources/StoreTelemetry/Log/LogEvent.swift").read_text(), re.M)
)
SPANS = [
    "StoreHTTP/RequestSpans.swift", "StoreCore/Core/DispatchSpan.swift",
    "StoreCore/Effects/EffectRunner.swift", "StoreServer/Running/TraceExport.swift",
]
ATTRIBUTES = {name for file in SPANS for name in re.findall(r'"([a-z_.]+)"', (ROOT / "Sources" / file).read_text())}


def untrue(text):
    """Returns the faults of the tables of threats: missing cells and wrong names, a line each."""
    found, count = [], 0
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 3 or cells[0] in ("threat", "---"):
            continue
        count += 1
        proofs = [part.split(": ", 1) for part in cells[2].split("; ") if ": " in part]
        if not proofs or not cells[1]:
            found.append(f"'{cells[0]}' is not proved")
        for path, names in proofs:
            path = path.strip("`")
            if not (ROOT / path).is_file():
                found.append(f"there is no {path}")
                continue
            found += [f"{path} has no '{name}'" for name in spans(names) if not has_test(path, name)]
            if not spans(names):
                found.append(f"'{cells[0]}' names no test of {path}")
    if count < 25:
        found.append(f"there are {count} threats")
    return found


def test_every_threat_has_tests_that_exist():
    assert untrue(THREATS) == []


@pytest.mark.parametrize(
    "true, false, complaint",
    [
        ("test_poison.py", "test_poisons.py", "there is no Tests/Durability/test_poisons.py"),
        ("`test_9_depth_ends_at_64`", "`test_9`", "has no 'test_9'"),
        ("`test_9_depth_ends_at_64`", "", "is not proved"),
        ("`text of a client forges no line`", "`nothing`", "has no 'nothing'"),
    ],
)
def test_a_false_row_of_the_table_is_found(true, false, complaint):
    assert true in THREATS
    assert any(complaint in line for line in untrue(THREATS.replace(true, false)))


def test_the_commands_of_operating_print_the_shown_lines(store_server_in_path):
    assert tour.play(OPERATING.replace(USERS, "").replace(TIMERS, ""), store_server_in_path) >= 16


def test_the_commands_about_users_print_the_shown_lines(tmp_path):
    house = House(tmp_path, {"operator": ALL, "buyer": {"dispatch": ["*"]}}, build_sample("Carts"))
    header = tmp_path / "header"
    header.write_text(f"Authorization: {house.operator['Authorization']}\n")
    buyers = [house.bearer(name, "buyer") for name in ("ada", "bob")]
    with house.server() as server:
        for buyer in buyers:
            assert server.post(action("cart/added", item="tea"), buyer).status == 200
        assert tour.play(USERS.replace("@header", f"@{header}"), server.url) == 4


def test_the_commands_about_timers_print_the_shown_lines():
    with Server(program=build_sample("Reminders"), environment={"REMINDERS_LOOKS": "0"}) as server:
        until(lambda: server.version == 1, "the declared timer is set")
        for label in ("tea", "milk"):
            assert server.post(action("reminders/set", label=label, ms=3_600_000)).status == 200
        assert tour.play(TIMERS, server.url) == 4


def test_operating_names_existing_events_and_options():
    options = set(json.loads(run("--print-config").stdout)) | {"policy", "config", "watch"}
    options |= set(re.findall(r"^  --([a-z-]+)", run("--help").stdout, re.M))
    named = set(re.findall(r"`--([a-z-]+)", OPERATING))
    assert named and named <= options
    events = {
        name for name in re.findall(r"`([a-z]+\.[a-z]+)`", OPERATING)
        if not name.endswith((".db", ".yaml", ".max"))
    }
    assert len(events) >= 9 and events <= EVENTS | ATTRIBUTES
