"""A module's private actions, and another module that dispatches them: programs/Borders.swift."""

import pytest
from harness import Server, action, until
from programs import build_sample

WAIT = {"Prefer": "wait=10"}
REFUSED = "only the views, effects and presenters of module 'safe' dispatch"


@pytest.fixture(scope="module")
def borders_program():
    return build_sample("Borders")


@pytest.fixture
def borders(borders_program):
    with Server(program=borders_program) as running:
        yield running


def log_lines(server):
    return [line for line in server.log_text.splitlines() if REFUSED in line]


def test_b28_an_effect_that_awaits_another_modules_own_action_fails(borders):
    borders.send("/dispatch", action("thief/awaited"), WAIT).problem("effect-failed", 424)
    borders.send("/usecases/thief/steal", {}, WAIT).problem("effect-failed", 424)
    errors = lambda: [line for line in log_lines(borders) if "error: safe/emptied" in line]  # noqa: E731
    until(lambda: len(errors()) == 2, "an error for each")
    assert borders.state["safe"] == {"gold": 1}
    assert borders.send("/dispatch", action("thief/asked"), WAIT).status == 200


@pytest.mark.parametrize("type_, own", [("sent", "safe/opened"), ("wished", "safe/emptied")])
def test_b28_a_foreign_action_that_is_sent_or_presented_is_dropped_with_an_error(borders, type_, own):
    borders.wait(action(f"thief/{type_}"))
    borders.await_log(REFUSED)
    [line] = log_lines(borders)
    assert f"error: {own}, which Borders/main.swift:" in line and "of module 'thief'" in line
    assert borders.state["safe"] == {"gold": 1}
    assert borders.get("/metrics").body.decode().count("store_actions_dropped_total 1\n") == 1
