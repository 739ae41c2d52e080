"""One table of routes: each served route is described, and each answer has the described form."""

import json
import urllib.parse

import pytest
from harness import INCREASE, Server
from jsonschema import Draft202012Validator


def validator(schema, name):
    """Returns a validator of one definition of `GET /schema`."""
    return Draft202012Validator({**schema, "$ref": f"#/$defs/{name}"})


@pytest.fixture(scope="module")
def server():
    with Server("--debug-routes") as server:
        yield server


def test_6_1_every_record_of_the_log_fits_the_schema(server):
    """The log includes actions of the program, its presenters and use cases, which clients may not dispatch."""
    types = set()
    server.post(INCREASE)
    server.post({"type": "search/changed", "payload": {"query": "é"}, "meta": {"a": 1}})
    server.post({"type": "movieCard/start", "payload": {"title": "e\u0301"}})
    login = {"username": "ada", "password": "lovelace"}
    server.request(
        "POST",
        "/usecases/login/login",
        json.dumps(login).encode(),
        {"Content-Type": "application/json", "Prefer": "wait=10"},
    )
    schema = server.get("/schema").json
    record, action = validator(schema, "LogRecord"), validator(schema, "Action")
    for each in server.get("/actions?limit=1000").json["actions"]:
        types.add(each["type"])
        assert not list(record.iter_errors(each)), each
    assert any(
        list(action.iter_errors({"type": type_, "payload": {}})) for type_ in types
    ), "some may be logged and not dispatched"
    assert validator(schema, "State").is_valid(server.get("/state").json)


@pytest.mark.parametrize(
    ("action", "pointer"),
    [
        ({**INCREASE, "emitter": 1}, "/emitter"),
        ({**INCREASE, "meta": None}, "/meta"),
        ([INCREASE, 7], "/1"),
        ([INCREASE, {**INCREASE, "emitter": []}], "/1/emitter"),
        ([None], "/0"),
    ],
)
def test_2_the_server_refuses_an_action_that_the_schema_refuses(server, action, pointer):
    assert not validator(server.get("/schema").json, "Dispatch").is_valid(action)
    before = server.version
    problem = server.post(action).problem("invalid-payload", 422)
    assert problem["pointer"] == pointer
    assert server.version == before


def test_3_a_missing_part_is_404_whatever_if_none_match_names(server):
    """RFC 9110 §13.1.2: the condition of `If-None-Match: *` is true unless the resource exists."""
    for tag in ("*", server.get("/state")["etag"]):
        server.request("GET", "/state/nowhere", headers=[("If-None-Match", tag)]).problem("not-found", 404)
        assert server.request("GET", "/state/counter", headers=[("If-None-Match", tag)]).status == 304


def test_3_a_reader_may_ask_for_one_version_alone(server):
    server.post(INCREASE)
    tag = server.get("/state")["etag"]
    for path in ("/state", "/state/counter", "/modules/counter"):
        assert server.request("GET", path, headers={"If-Match": tag}).status == 200
        assert server.request("GET", path, headers={"If-Match": "*"}).status == 200
        server.request("GET", path, headers={"If-Match": '"00000000:0"'}).problem("version-mismatch", 412)
        server.request("GET", path, headers={"If-Match": "W/" + tag}).problem("version-mismatch", 412)
        server.request("GET", path, headers={"If-Match": "x"}).problem("bad-request", 400)


@pytest.mark.parametrize("value", ["null", "1e0", "1E0", "1.5", "true", '"1"', "", "[]", "-1"])
def test_5_a_number_of_a_view_is_written_in_digits(server, value):
    server.get("/views/items?limit=" + urllib.parse.quote(value)).problem("bad-request", 400)


def test_8_more_fields_than_are_taken_are_named(server):
    fields = {f"x-{index}": "1" for index in range(101)}
    problem = server.request("GET", "/state", headers=fields).problem("headers-too-large", 431)
    assert problem["limit"] == 100
    assert "header fields" in problem["detail"]


def test_6_the_index_has_every_route(server):
    document = server.get("/openapi.json").json
    described = {
        (method.upper(), path)
        for path, item in document["paths"].items()
        for method in item
        if method != "head"
    }
    answer = server.get("/")
    assert answer["content-type"] == "application/json"
    assert {(route["method"], route["path"]) for route in answer.json["routes"]} == described
    page = server.request("GET", "/", headers={"Accept": "text/html,*/*;q=0.8"})
    assert page["content-type"] == "text/html; charset=utf-8"
    for _, path in described:
        assert path.replace("&", "&amp;") in page.body.decode()


def test_6_2_the_description_has_the_parameters_and_answers_of_dispatch_and_state(server):
    document = server.get("/openapi.json").json
    dispatch = document["paths"]["/dispatch"]["post"]
    names = {parameter["name"] for parameter in dispatch["parameters"]}
    assert {"Idempotency-Key", "If-Match", "Prefer", "dry-run"} <= names
    assert "Idempotency-Replayed" in dispatch["responses"]["200"]["headers"]
    state = document["paths"]["/state"]["get"]
    assert {"version", "blame"} <= {parameter["name"] for parameter in state["parameters"]}
    assert {"404", "410", "412"} <= set(state["responses"])
