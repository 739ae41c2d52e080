"""The table of Tests/Scenarios, over a socket. Tests/StoreServerTests runs it in process."""

import json

import pytest
from harness import ROOT

SCENARIOS = json.loads((ROOT / "Tests" / "Scenarios" / "scenarios.json").read_text())


def filled(value, epoch):
    """Returns the same value with the epoch in place of `{epoch}`."""
    return json.loads(json.dumps(value).replace("{epoch}", epoch))


def matches(expected, actual):
    if expected == "*":
        return bool(actual)
    if isinstance(expected, dict) and isinstance(actual, dict):
        return expected.keys() == actual.keys() and all(
            matches(value, actual[name]) for name, value in expected.items()
        )
    if isinstance(expected, list) and isinstance(actual, list):
        return len(expected) == len(actual) and all(map(matches, expected, actual))
    return type(expected) is type(actual) and expected == actual


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[scenario["name"] for scenario in SCENARIOS])
def test_each_scenario_gets_its_answer(fresh, scenario):
    for action in scenario.get("given", []):
        assert fresh.post(action).status == 200
    request = filled(scenario["request"], fresh.epoch)
    expect = filled(scenario["expect"], fresh.epoch)
    body = json.dumps(request["body"]) if "body" in request else request.get("text")
    headers = {} if body is None else {"Content-Type": "application/json"}
    headers |= request.get("headers", {})

    answer = fresh.request(
        request["method"],
        request["target"],
        None if body is None else body.encode(),
        headers,
    )

    assert answer.status == expect["status"], answer
    for name, value in expect.get("headers", {}).items():
        assert answer[name] == value, (name, answer)
    if "body" in expect:
        assert matches(expect["body"], answer.json), answer
