"""Interceptors before the reducer and reactions after it, in a program for these tests."""

import json

import pytest
from harness import Server, action, until
from programs import build_sample


@pytest.fixture(scope="module")
def program():
    return build_sample("Watched")


@pytest.fixture
def watched(program):
    with Server(program=program) as running:
        until(lambda: notes(running) == ["start"], "the start is noted")
        yield running


def notes(server, after=0):
    """Returns the authors of notes, in the order of the log."""
    log = server.actions(after)
    return [each["payload"]["by"] for each in log if each["type"] == "diary/noted"]


def notify(server, name, body):
    headers = {"Content-Type": "application/json", "Prefer": "wait=10"}
    return server.request("POST", f"/notify/{name}", json.dumps(body).encode(), headers)


def test_k7_interceptors_are_asked_in_their_order(watched):
    version = watched.version
    assert watched.post(action("diary/written", text="one two three")).json["changed"] is True
    assert notes(watched, version)[:3] == ["1", "2", "3"]


def test_k7_x11_an_interceptor_that_blocks_leaves_the_state_as_it_was(watched):
    watched.wait(action("diary/asked"))
    before = watched.get("/state").body
    for burn in (action("diary/burned"), [action("diary/asked"), action("diary/burned")]):
        refused = watched.post(burn).problem("forbidden", 403)
        assert "Diaries don't burn." in refused["detail"]
    assert watched.get("/state").body == before


def test_x11_an_interceptor_may_put_another_action_in_its_place(watched):
    watched.post(action("diary/written", text="secret"))
    assert watched.state["diary"]["lines"] == ["noted by start", "…"]
    assert "secret" not in json.dumps(watched.actions())


def test_k8_each_of_the_four_triggers_dispatches_once(watched):
    assert watched.wait(action("diary/asked")).status == 200
    assert notes(watched) == ["start", "dispatch"]
    assert notify(watched, "bell", {"rings": 1}).status == 200
    # The third line is a change with a reaction.
    assert notes(watched) == ["start", "dispatch", "bell", "change"]
    assert notify(watched, "bell", {"rings": 0}).status == 200
    assert notes(watched) == ["start", "dispatch", "bell", "change"]
    origins = [each["origin"] for each in watched.actions() if each["type"] == "diary/noted"]
    assert all(each.startswith("Watched/main.swift:") for each in origins)


def test_k8_each_start_is_reacted_to_and_a_replay_is_not(program, tmp_path):
    for count in (1, 2, 3):
        with Server(program=program, data=tmp_path / "data") as server:
            until(lambda: notes(server).count("start") == count, "the start is noted")
            server.wait(action("diary/asked"))
            assert (notes(server).count("start"), notes(server).count("dispatch")) == (count, count)
