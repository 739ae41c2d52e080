"""A refusal by the whole state shows its reason only to roles that see the whole state (protocol 17.4)."""

import itertools
import json

import pytest
from access import ALL, House
from harness import action, until
from programs import build_sample

SECRET = "secret-gold"
ROLES = {
    "operator": ALL,
    "reader": {"read": ["/todos", "log"], "dispatch": ["*"], "call": ["*"]},
    "all": {"read": ["*"], "dispatch": ["*"], "call": ["*"]},
}
NEUTRAL = "The store refuses this."


@pytest.fixture
def server(tmp_path):
    house = House(tmp_path, ROLES, build_sample("Overseen"))
    headers = {role: house.bearer(role, role) for role in ("reader", "all")}
    with house.server() as server:
        assert server.post(action("safe/put", text=SECRET), house.operator).status == 200
        server.headers_of = headers
        yield server


def lines(server, event):
    """Returns the lines of the log about an event."""
    return [each for each in map(json.loads, server.log_text.splitlines()) if each["event"] == event]


def items(server):
    return server.get("/state/todos/items", server.headers_of["all"]).json


@pytest.mark.parametrize("text", ["watched", "blocked", "followed", "replaced", "forbidden"])
def test_17_4_only_a_role_that_sees_the_whole_state_reads_its_reasons(server, text):
    """The root state's reducer, an interceptor, or an action that an interceptor has chosen; alone, in arrays, as
    a dry run."""
    status, slug = (403, "forbidden") if text == "forbidden" else (409, "refused")
    refused, good = action("todos/added", text=text), action("todos/added", text="milk")
    bodies = [(refused, None), ([refused], "/0"), ([good, good, refused, good], "/2")]
    for (body, place), query in itertools.product(bodies, ["", "?dry-run=true"]):
        shown = server.post(body, server.headers_of["all"], query)
        detail = shown.problem(slug, status)["detail"]
        assert SECRET in detail, (body, query, shown)
        hidden = server.post(body, server.headers_of["reader"], query)
        problem = hidden.problem(slug, status)
        assert NEUTRAL in problem["detail"] and SECRET not in hidden.body.decode(), hidden
        if slug == "refused":
            assert shown.json["pointer"].endswith("/text" if text not in ("followed", "replaced") else "/safe")
            assert problem.get("pointer") == place and problem["reason"] == NEUTRAL
    assert items(server) == []


def test_17_8_an_interceptor_reads_name_and_role_apart(tmp_path):
    house = House(tmp_path, ROLES, build_sample("Overseen"))
    ada = house.bearer("issuer/ada", "all")
    with house.server("--access-log", "--log-format", "json") as server:
        problem = server.post(action("todos/added", text="signed"), ada).problem("refused", 409)
        assert problem["reason"] == "It is issuer/ada with all."
        [line] = until(lambda: [each for each in lines(server, "request.ended") if each["status"] == 409],
                       "the request has a line")
        assert (line["principal"], line["role"]) == ("issuer/ada", "all")


def test_17_4_a_role_that_may_dispatch_an_action_reads_the_reason_of_its_module(server):
    for role in "reader", "all":
        body = [action("todos/added", text="milk"), action("todos/added", text="")]
        problem = server.post(body, server.headers_of[role]).problem("refused", 409)
        assert problem["reason"] == "An item has a text." and problem["pointer"] == "/1/payload/text"
    problem = server.post(action("safe/refused"), server.headers_of["reader"]).problem("refused", 409)
    assert SECRET in problem["reason"] and problem["pointer"] == "/payload/safe"
    assert items(server) == []


@pytest.mark.parametrize("role", ["reader", "all"])
def test_17_4_work_that_the_whole_state_refused_fails_without_its_reason(server, role):
    header = server.headers_of[role]
    wait = {**header, "Prefer": "wait=10"}
    answers = [
        server.post(action("todos/asked", text="watched"), wait),
        server.send("/usecases/todos/enter", {"text": "watched"}, wait),
    ]
    begun = [
        server.post(action("todos/asked", text="watched"), {**header, "Prefer": "wait=0"}),
        server.send("/usecases/todos/enter", {"text": "watched"}, header),
    ]
    for each in begun:
        # The work may have ended already.
        answers.append(server.get(each["location"], wait) if each.status == 202 else each)
    for answer in answers:
        assert answer.status == 424, answer
        assert (SECRET in answer.body.decode()) == (role == "all"), answer
    assert items(server) == []
    assert server.send("/usecases/todos/enter", {"text": "milk"}, wait).status == 200
    assert items(server) == ["milk"]
