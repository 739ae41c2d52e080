"""A reducer returns its effects (docs/decisions/0019): programs/Parcels.swift."""

import signal

import pytest
from harness import Server, action, until
from programs import build_sample
from test_metrics import samples


@pytest.fixture(scope="module")
def parcels_program():
    return build_sample("Parcels")


@pytest.fixture
def parcels(parcels_program):
    with Server(program=parcels_program) as running:
        yield running


def taken(name, ms=0):
    return action("parcels/taken", name=name, ms=ms)


def types(server):
    return [record["type"] for record in server.actions()]


def notes(server):
    return server.state["parcels"]["notes"]


def test_an_effect_has_the_state_before_its_action_and_the_state_behind_it(parcels):
    for name in ("a", "b"):
        assert parcels.wait(taken(name)).json["completed"]
    assert notes(parcels) == ["a: 0 before, 1 now", "b: 1 before, 2 now"]


def test_a_refused_action_a_dry_run_and_an_array_with_a_refusal_have_no_effect(parcels):
    parcels.wait(taken("a"))
    assert parcels.post(taken("a")).status == 409
    assert parcels.post(taken("b"), query="?dry-run=true").json["changed"]
    assert parcels.post([taken("c"), taken("a")]).status == 409
    assert parcels.get("/effects").json["effects"] == []
    # An action of a dropped effect would have been applied before this action.
    parcels.wait(taken("d"))
    assert notes(parcels) == ["a: 0 before, 1 now", "d: 1 before, 2 now"]


def test_each_action_of_an_array_has_its_own_effect(parcels):
    parcels.wait([taken("a"), taken("b")])
    assert sorted(notes(parcels)) == ["a: 0 before, 1 now", "b: 1 before, 2 now"]


def test_a_replay_has_no_effect(parcels_program, tmp_path):
    server = Server(program=parcels_program, data=tmp_path / "data")
    server.wait(taken("a"))
    until(lambda: types(server)[-1] == "effects/ended", "the end of the effect in the ledger")
    before = types(server)
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    with Server(program=parcels_program, data=tmp_path / "data") as server:
        assert server.get("/effects").json["effects"] == []
        server.wait(action("parcels/stamped", times=0))
        assert types(server) == before + ["parcels/stamped"]


def test_a_resumed_effect_has_the_states_of_its_own_action(parcels_program, tmp_path):
    """The reducer would refuse its action now, and other actions have been applied since."""
    server = Server(program=parcels_program, data=tmp_path / "data")
    server.post(taken("a", ms=2_000))
    server.wait(taken("b"))
    assert notes(server) == ["b: 1 before, 2 now"], "the other effect has not ended"
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    with Server(program=parcels_program, data=tmp_path / "data") as server:
        until(lambda: "a: 0 before, 1 now" in notes(server), "the note of the effect")
        state = server.state["parcels"]
        assert state["taken"] == ["a", "b"] and state["lost"] == []


def test_an_action_that_an_effect_sends_has_its_cause_and_its_place_and_is_waited_for(parcels):
    parcels.wait(action("parcels/stamped", times=1))
    first, second = parcels.actions()
    assert second["type"] == "parcels/noted" and second["cause"] == first["version"]
    assert second["origin"].startswith("Parcels/main.swift:")


def test_a_refused_action_of_an_effect_is_counted_and_the_next_is_applied(parcels):
    parcels.wait(action("parcels/stamped", times=3))
    assert notes(parcels) == ["stamp 0", "stamp 2"]
    assert samples(parcels)["store_actions_dropped_total"] == 1
