"""Starts and stops: a start does not empty a slice that exists (docs/decisions/0032)."""

import pytest
from access import ALL, House
from harness import Server, action
from programs import build_sample


@pytest.fixture(scope="module")
def boards_program():
    return build_sample("Boards")


@pytest.fixture
def boards(boards_program):
    with Server(program=boards_program) as running:
        yield running


def test_a_start_of_an_instance_that_is_there_is_refused_and_changes_nothing(boards):
    assert boards.post(action("boards/b1/start", title="Ada's")).status == 200
    assert boards.post(action("boards/b1/written", text="a line")).status == 200
    before = boards.state["boards"]
    refused = boards.post(action("boards/b1/start", title="Bob's")).problem("refused", 409)
    assert refused["reason"] == "'boards/b1' is started already."
    both = [action("boards/b2/start", title="new"), action("boards/b1/start", title="Bob's")]
    assert boards.post(both).problem("refused", 409)["reason"] == refused["reason"]
    assert boards.state["boards"] == before and boards.version == 2


def test_a_start_of_a_started_module_is_refused_by_default(boards):
    assert boards.post(action("note/start")).status == 200
    refused = boards.post(action("note/start")).problem("refused", 409)
    assert refused["reason"] == "'note' is started already."
    assert boards.post([action("note/stop"), action("note/start")]).status == 200


def test_a_module_may_begin_over_the_slice_that_is_there_or_refuse_it_in_its_own_words(boards):
    for title in ("one", "two"):
        assert boards.post(action("page/start", title=title)).status == 200
    assert boards.state["page"] == {"title": "two", "turned": 1}
    refused = boards.post(action("page/start", title="two")).problem("refused", 409)
    assert refused["reason"] == "It is open at that."


def test_no_client_starts_or_stops_a_shared_slice_unless_its_mount_allows_it(boards):
    boards.post(action("lamp/start")).problem("forbidden", 403)
    assert boards.send("/usecases/panel/press", {}, {"Prefer": "wait=10"}).status == 200
    assert boards.state["lamp"] == {"isBright": False}
    boards.post(action("lamp/stop")).problem("forbidden", 403)
    boards.post(action("boards/b1/start", title="Ada's"))
    boards.post(action("boards/b1/stop")).problem("forbidden", 403)
    modules = {each["name"]: each["actions"] for each in boards.get("/modules").json["modules"]}
    assert modules["lamp"] == [] and modules["page"] == ["page/start", "page/stop"]
    assert sorted(modules["boards"]) == ["boards/{id}/start", "boards/{id}/written"]


def test_a_slice_of_a_session_is_started_and_stopped_by_that_session(boards):
    for type_ in ("note/start", "note/stop"):
        assert boards.post(action(type_)).status == 200


def test_17_3_a_403_of_an_instance_names_the_pattern_that_a_policy_grants(boards_program, tmp_path):
    """The pattern is neither `boards/b1/start`, which no policy has, nor `boards/start`."""
    roles = {"operator": ALL, "writer": {"read": ["/boards"], "dispatch": ["boards/{id}/written"]}}
    house = House(tmp_path, roles, boards_program)
    writer = house.bearer("ada", "writer")
    with house.server() as server:
        start = action("boards/b1/start", title="Ada's")
        detail = server.post(start, writer).problem("forbidden", 403)["detail"]
        assert "boards/{id}/start" in detail and "boards/b1" not in detail, detail
        assert server.post(start, house.operator).status == 200
        assert server.post(action("boards/b1/written", text="a line"), writer).status == 200
        # A policy with the pattern of the answer grants the action.
        roles["writer"]["dispatch"].append("boards/{id}/start")
        house.write(roles)
    with house.server() as server:
        assert server.post(action("boards/b2/start", title="Ada's"), writer).status == 200
