"""The consequences of one action, step by step (the movie list and its card)."""

import json

from harness import INCREASE


def ui(server, module, action):
    return server.request(
        "POST",
        f"/modules/{module}/ui",
        json.dumps(action).encode(),
        headers={"Content-Type": "application/json", "Prefer": "wait=5"},
    )


def test_b18_a_tap_leads_from_the_view_to_the_card(fresh):
    fresh.wait({"type": "home/start"})
    tap = {"type": "didTapOnMovieCell", "payload": {"title": "Movie 3"}}
    version = ui(fresh, "home", tap).json["version"]
    fresh.post(INCREASE)
    trace = fresh.get(f"/trace?version={version}").json
    assert trace["version"] == version
    words = [step["step"] for step in trace["steps"]]
    assert words == [
        *["ui", "reduce", "notify"],
        *["reaction", "routing", "reduce", "notify"],
        *["reaction", "internal", "reduce", "notify"],
        *["reaction", "internal", "reduce", "notify"],
    ]
    said = [(step["version"], step["type"]) for step in trace["steps"] if "type" in step]
    assert said == [
        (version, "home/didTapOnMovieCell"),
        (version + 1, "movieCard/start"),
        (version + 2, "home/cardShown"),
        (version + 3, "sessions/presented"),
    ]
    reactions = [step for step in trace["steps"] if step["step"] == "reaction"]
    assert [step["cause"] for step in reactions] == [version, version, version + 1]
    assert all(step["origin"].startswith("DefaultHomeModule/HomePresenter.swift:") for step in reactions[:2])
    assert [step["module"] for step in trace["steps"] if step["step"] == "reduce"] == [
        *["home", "movieCard", "home", "sessions"]
    ]


def test_b18_any_action_of_the_family_shows_the_whole_family(fresh):
    fresh.post({"type": "home/start"})
    tap = {"type": "didTapOnMovieCell", "payload": {"title": "Movie 3"}}
    version = ui(fresh, "home", tap).json["version"]
    whole = fresh.get(f"/trace?version={version}").json["steps"]
    assert fresh.get(f"/trace?version={version + 2}").json["steps"] == whole
    assert fresh.get("/trace").json["steps"] == whole


def test_b18_a_version_without_an_action_has_no_trace(fresh):
    assert fresh.get("/trace").json["steps"] == []
    fresh.get("/trace?version=1").problem("not-found", 404)
    fresh.get("/trace?version=x").problem("bad-request", 400)
