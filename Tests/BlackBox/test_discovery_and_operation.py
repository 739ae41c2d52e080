"""Discovery, health and shutdown from outside (protocol 6, 7)."""

import copy
import json
import os
import re
import signal
import time

import pytest
from harness import DECREASE, INCREASE, Server, Stream, Wire, action, open_streams, read_all, step, until
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

TYPES = [
    "CounterIncreaseRequested",
    "CounterDecreaseRequested",
    "StepChangeRequested",
    "AddItem",
    "CompleteItem",
    "DeleteItem",
    "ArchiveCompleted",
    "ScreenShown",
]


def validator(document, fragment):
    """Returns a validator of one definition, with the whole document to resolve references in."""
    return Draft202012Validator({**document, "$ref": fragment})


def state_definition(document):
    """Returns the path of the schema of the state."""
    found = [name for name in document["$defs"] if name.lower() in ("state", "appstate")]
    assert found, list(document["$defs"])
    return f"#/$defs/{found[0]}"


def action_validator(document, type_):
    """Returns a validator of a whole action as it is dispatched."""
    names = [name for name in document["$defs"] if name == type_]
    assert names, (type_, list(document["$defs"]))
    return names[0]


# Protocol 6.1


def test_6_1_the_schema_is_valid_2020_12(server):
    answer = server.get("/schema")
    assert answer.status == 200
    schema = answer.json
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)
    for definition in schema["$defs"].values():
        Draft202012Validator.check_schema(definition)


def test_6_1_real_states_are_valid_and_broken_ones_are_not(fresh):
    schema = fresh.get("/schema").json
    check = validator(schema, state_definition(schema))
    check.validate(fresh.state)
    fresh.post([step(-(2**63)), INCREASE, {"type": "CompleteItem", "payload": {"index": 1}}])
    check.validate(fresh.state)
    fresh.post({"type": "ArchiveCompleted"})
    state = fresh.state
    assert state["todos"]["archived"]
    check.validate(state)
    for break_ in (
        lambda s: s["counter"].update(counter="0"),
        lambda s: s["counter"].update(counter=0.5),
        lambda s: s["counter"].pop("step"),
        lambda s: s.pop("todos"),
        lambda s: s["todos"]["items"][0].update(completed=1),
        lambda s: s["todos"].update(items={}),
    ):
        broken = copy.deepcopy(state)
        break_(broken)
        assert not check.is_valid(broken), broken


def test_6_1_every_action_is_described(server):
    """The description has the name of each action and the types of its fields."""
    definitions = server.get("/schema").json["$defs"]
    described = {
        each["properties"]["type"]["enum"][0]: each["properties"]["payload"]
        for each in definitions["Action"]["oneOf"]
    }
    modules = server.get("/modules").json["modules"]
    public = {name for module in modules for name in module["actions"]}
    assert set(described) == public | {"ScreenShown"} >= set(TYPES)
    fields = {
        "StepChangeRequested": {"step": "integer"}, "ScreenShown": {"name": "string"},
        "AddItem": {"text": "string"}, "EditItem": {"index": "integer", "text": "string"},
        "movieCard/start": {"title": "string"}, "movieCard/wanted": {"isWanted": "boolean"},
        "CounterIncreaseRequested": {}, "home/start": {},
    }
    for name, types in fields.items():
        payload = definitions["payload." + name.replace("/", ".")]
        members = payload.get("properties", {})
        assert {member: schema["type"] for member, schema in members.items()} == types, name
        assert set(payload.get("required", [])) == set(types)


@pytest.mark.parametrize(
    "payload, fits",
    [
        ({"step": 7}, True), ({"step": -1}, True), ({}, False), (None, False), ({"step": "7"}, False),
        ({"step": 1.5}, False), ({"step": None}, False),
    ],
)
def test_6_1_the_server_and_the_schema_accept_the_same_payloads(server, payload, fits):
    body = {"type": "StepChangeRequested", "payload": payload}
    step = server.get("/schema").json["$defs"]["payload.StepChangeRequested"]
    assert Draft202012Validator(step).is_valid(payload) is fits
    assert server.post(body, query="?dry-run=true").status == (200 if fits else 422)


# Protocol 6.2


def test_6_2_the_description_is_valid_openapi_3_1(server):
    answer = server.get("/openapi.json")
    assert answer.status == 200
    document = answer.json
    assert document["openapi"].startswith("3.1")
    OpenAPIV31SpecValidator(document).validate()


def test_6_2_every_route_that_is_described_answers_and_only_its_methods(fresh):
    server = fresh
    followed = server.post(action("home/start"), {"Prefer": "wait=0"})
    assert server.get(followed["location"], {"Prefer": "wait=10"}).status == 200
    document = server.get("/openapi.json").json
    values = {"pointer": "counter", "slug": "refused", "module": "counter", "effect": "none",
              "version": str(followed.json["version"])}
    verbs = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}
    assert {"/dispatch", "/state", "/events", "/schema", "/openapi.json"} <= set(document["paths"])
    for template, operations in document["paths"].items():
        path = template
        for name, value in values.items():
            path = path.replace("{" + name + "}", value)
        assert "{" not in path, f"unknown parameter in {template}"
        described = verbs & set(operations)
        other = next(verb for verb in ("delete", "get", "put") if verb not in described)
        answer = server.request(other.upper(), path, b"")
        answer.problem("method-not-allowed", 405)
        allowed = {method.strip().lower() for method in answer["allow"].split(",")}
        assert described == allowed, (template, described, allowed)
        if "get" in described:
            assert "200" in operations["get"]["responses"]
            types = operations["get"]["responses"]["200"].get("content", {})
            if "text/event-stream" in types:
                with Stream(server, path) as stream:
                    answer = stream.opened().answer
                    assert (answer.status, answer["content-type"]) == (200, "text/event-stream")
                continue
            answer = server.get(path)
            assert answer.status == 200, (path, answer)
            if types:
                assert answer["content-type"].split(";")[0] in {t.split(";")[0] for t in types}


def test_6_2_answers_are_as_described(fresh):
    """Each real answer is valid against the schema that the description gives for its status."""
    document = fresh.get("/openapi.json").json

    def check(path, method, answer):
        response = document["paths"][path][method]["responses"].get(str(answer.status))
        assert response is not None, (path, method, answer.status)
        if "$ref" in response:
            node = document
            for part in response["$ref"].removeprefix("#/").split("/"):
                node = node[part]
            response = node
        content = response.get("content")
        if not content:
            return 0
        schema = content[answer["content-type"].split(";")[0]].get("schema")
        if not schema:
            return 0
        whole = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
        Draft202012Validator(
            {**whole, "components": document.get("components", {}), "allOf": [schema]}
        ).validate(answer.json)
        return 1

    checked = 0
    for answer in (
        fresh.post(INCREASE),
        fresh.post([INCREASE, DECREASE]),
        fresh.post(INCREASE, {"Prefer": "return=representation, wait=1"}),
        fresh.post(INCREASE, query="?dry-run=true"),
        fresh.post(b"{"),
        fresh.post({"type": "Nothing"}),
        fresh.post({"type": "DeleteItem", "payload": {"index": 9}}),
        fresh.post(INCREASE, {"If-Match": '"00000000:1"'}),
        fresh.post(INCREASE, {"Content-Type": "text/plain"}),
    ):
        checked += check("/dispatch", "post", answer)
    checked += check("/state", "get", fresh.get("/state"))
    assert checked >= 9


def test_6_2_every_described_action_example_or_schema_takes_real_actions(server):
    """The schema of the request body accepts the same bodies as the server."""
    document = server.get("/openapi.json").json
    body = document["paths"]["/dispatch"]["post"]["requestBody"]["content"]["application/json"]
    check = Draft202012Validator(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "components": document["components"],
            "allOf": [body["schema"]],
        }
    )
    taken = [
        INCREASE,
        {**INCREASE, "payload": None},
        {**INCREASE, "payload": {}, "meta": {"a": 1}},
        step(1),
        {"type": "AddItem", "payload": {"text": "x"}},
        {"type": "ScreenShown", "payload": {"name": "Main"}},
        [INCREASE, step(1)],
    ]
    refused = [
        7,
        [],
        {},
        {"type": "Nothing"},
        {"type": "StepChangeRequested"},
        {"type": "StepChangeRequested", "payload": {"step": "1"}},
        {"type": "StepChangeRequested", "payload": {"step": 1.5}},
        {"type": "AddItem", "payload": {}},
        [INCREASE, {"type": "Nothing"}],
        [INCREASE] * 1001,
    ]
    for value in taken:
        assert server.post(value).status == 200, value
        assert check.is_valid(value), value
    for value in refused:
        assert server.post(value).status in (400, 422), value
        assert not check.is_valid(value), value


def test_8_1_every_problem_has_a_page_that_explains_it(server):
    for slug in (
        "malformed-json bad-request not-found method-not-allowed timeout misdirected refused gone "
        "version-mismatch too-large uri-too-long headers-too-large unsupported-media-type "
        "unknown-action invalid-payload overloaded draining stream-limit storage-full"
    ).split():
        answer = server.get(f"/problems/{slug}")
        assert answer.status == 200, slug
        assert answer["content-type"] == "text/html; charset=utf-8"
        assert re.search(rf"<code>\d{{3}} {slug}</code>", answer.body.decode()), answer.body
    server.get("/problems/nothing").problem("not-found", 404)


# Protocol 7


def test_7_1_the_process_lives_and_is_ready(server):
    assert server.get("/livez").status == 200
    assert server.get("/readyz").status == 200
    assert server.request("HEAD", "/readyz").status == 200


def test_7_3_sigterm_sends_bye_to_every_stream_and_ends_with_0(request):
    server = Server()
    streams = open_streams(server, 300)
    for stream in streams:
        assert stream.event().version == 0
    with Wire(server) as poll:
        poll.send(f"GET /state?after=0&wait=60 HTTP/1.1\r\nHost: {server.authority}\r\n\r\n")
        server.get("/livez")
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        for events in read_all(streams, lambda events: events and events[-1].name == "bye"):
            bye = events[-1]
            assert bye.name == "bye" and bye.id is None
            assert bye.json["reason"] == "shutdown"
            assert bye.json["retry"] > 0
        for stream in streams:
            while not stream.ended:
                stream.read()
        # The open request is answered, not cut off.
        assert poll.answer().status in (200, 304, 503)
    assert server.process.wait(10) == 0
    assert time.monotonic() - began < 10
    for stream in streams:
        stream.close()


def test_7_3_readers_that_take_nothing_do_not_hold_the_end_up(request):
    server = Server()
    streams = [Stream(server, receive_bytes=4096) for _ in range(50)]
    for stream in streams:
        stream.opened()
    long = {"type": "AddItem", "payload": {"text": "x" * 100_000}}
    for _ in range(8):
        assert server.post(long).status == 200
    began = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - began < 10
    for stream in streams:
        stream.close()


def test_7_3_idle_connections_and_half_requests_do_not_hold_the_end_up(request):
    server = Server()
    idle, half = Wire(server), Wire(server)
    server.get("/state", wire=idle)
    half.send("POST /dispatch HTTP/1.1\r\nHost: localhost\r\n")
    began = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - began < 10
    assert idle.closed()


@pytest.mark.parametrize("signal_", [signal.SIGTERM, signal.SIGINT])
def test_7_3_an_idle_server_ends_at_once(signal_):
    server = Server()
    began = time.monotonic()
    assert server.stop(signal_) == 0
    assert time.monotonic() - began < 3


def test_7_3_a_signal_that_comes_as_soon_as_the_server_listens_is_a_clean_stop():
    for _ in range(100):
        with Server():
            pass  # the end of the block sends SIGTERM, and expects status 0


def test_7_3_a_stopping_server_refuses_new_work_with_draining():
    """Protocol 8.1, draining: provoked while a reader that takes nothing delays the end."""
    server = Server("--shutdown-timeout", "4")
    stuck = Stream(server, receive_bytes=2048)
    stuck.opened()
    keep = [Wire(server) for _ in range(3)]
    for wire in keep:
        assert server.get("/readyz", wire=wire).status == 200
    # Enough bytes that the reader's socket stays full, so that its `bye` cannot leave.
    for _ in range(40):
        server.post({"type": "AddItem", "payload": {"text": "x" * 200_000}})
    server.process.send_signal(signal.SIGTERM)
    until(lambda: "stopping" in server.log_text, "the log says that it stops")
    seen = []
    try:
        seen.append(server.post(INCREASE, wire=keep[0]))
        seen.append(server.get("/readyz", wire=keep[1]))
        reasons = server.get("/readyz", {"Accept": "application/json"}, wire=keep[2])
    except OSError as error:
        pytest.fail(f"connections that were open got no answer while draining: {error}")
    assert reasons.status == 503 and reasons.json["ready"] is False
    assert [reason["code"] for reason in reasons.json["reasons"]] == ["draining"]
    for answer in seen:
        answer.problem("draining", 503)
        assert int(answer["retry-after"]) >= 1
    assert server.process.wait(10) == 0
    stuck.close()


def test_7_3_sighup_does_not_end_the_server(server):
    os.kill(server.pid, signal.SIGHUP)
    assert server.get("/livez").status == 200


@pytest.mark.parametrize("listen", ["[::1]:0", "unix:"])
def test_10_2_other_addresses_serve_the_same(listen, tmp_path):
    if listen == "unix:":
        listen += str(tmp_path / "store.sock")
    with Server(listen=listen) as server:
        assert server.post(INCREASE).json["version"] == 1
        assert server.state["counter"]["counter"] == 1
        with Stream(server) as stream:
            assert stream.opened().event().version == 1
            server.post(INCREASE)
            assert stream.event().version == 2
    if server.path:
        assert not os.path.exists(server.path)
