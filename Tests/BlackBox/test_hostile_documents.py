"""Hostile paths and documents: tricks with paths on every route, JSON that is deep, huge or full of keys, pointers
that expand (protocol 3, 8, 9)."""

import json
import re
import time

import pytest
from harness import Server, Wire

SECONDS_MAX = 5


def paths_of(server):
    """Returns every path of the route table, with a value for each parameter."""
    described = server.get("/openapi.json").json["paths"]
    return sorted({re.sub(r"\{[^}]*\}", "1", path) for path in described})


def tricks(path):
    """Yields other spellings of a path. None of them is a path of its resource."""
    inner = path.rstrip("/") or "/state"
    yield f"/..{path}"
    yield f"/%2e%2e{path}"
    yield f"/%2E.{path}"
    yield f"/.{path}"
    yield f"/%2e{path}"
    yield f"/{path}"
    yield f"/x/..{path}"
    yield f"/%2f{path.lstrip('/')}"
    yield f"/%5c..{path}"
    yield f"{path}%00"
    yield f"/%00{path}"
    yield f"{inner};x=y/z"
    if "/" in inner[1:]:
        yield f"/{inner[1:].replace('/', '%2f')}"
    yield f"{inner}%20"
    yield f"{inner}/%zz"
    yield f"{inner}%"
    yield f"{inner}%c0%ae"


@pytest.mark.parametrize("debug", [False, True])
def test_8_no_trick_with_a_path_leads_anywhere(debug):
    flags = ["--debug-routes", "--clock", "test"] if debug else []
    with Server(*flags) as server:
        known = paths_of(server)
        assert len(known) > 20
        before = server.tag
        for path in known:
            with Wire(server) as wire:
                for trick in dict.fromkeys(tricks(path)):
                    for method in ("GET",):
                        answer = server.request(method, trick, wire=wire)
                        assert answer.status in (400, 404, 405), (method, trick, answer)
                        answer.problem({400: "bad-request", 404: "not-found", 405: "method-not-allowed"}[
                            answer.status
                        ], answer.status)
                        assert answer["connection"] is None, trick
                answer = server.request("POST", path + "%00", b"{}", {"Content-Type": "application/json"})
                assert answer.status in (400, 404, 405), (path, answer)
        assert server.tag == before


@pytest.mark.parametrize(
    "pointer",
    ["/0" * 3_000, "/~0~1" * 1_000, "/~2", "/~", "/%ff", "/%c3", "/todos/items/" + "9" * 400, "/todos/items/-",
     "/todos/items/-1", "/todos/items/+1", "/todos/items/00", "/todos/items/0x0", "/todos/items/%30%30", "/" * 4_000,
     "/todos/items/1e0", "/todos/items/%20 1".replace(" ", ""), "/todos/items/0/text/0", "/counter/%00", "/__proto__"],
)  # fmt: skip
def test_3_hostile_pointers_lead_to_nothing(server, pointer):
    began = time.monotonic()
    answer = server.get("/state" + pointer)
    assert answer.status in (400, 404), answer
    assert server.get("/state?pointer=" + pointer).status == 400
    assert time.monotonic() - began < SECONDS_MAX


def action(payload):
    return b'{"type":"AddItem","payload":' + payload + b"}"


def keys(count, form):
    return b"{" + b",".join(b'"%s":0' % (form % number) for number in range(count)) + b"}"


@pytest.mark.parametrize(
    "body",
    [
        keys(60_000, b"%d"),
        keys(30_000, b"same beginning %08d"),
        keys(30_000, b"%08d same end of it"),
        keys(20_000, b"\\u0061%d"),
        b'{"payload":' + keys(60_000, b"%x") + b',"type":"X"}',
        b'{"type":"X","meta":' + keys(50_000, b"k%d") + b"}",
        b"[" + b",".join([keys(12, b"%d")] * 8_000) + b"]",
    ],
    ids=["numbers", "beginning", "end", "escapes", "payload", "meta", "many"],
)
def test_9_objects_full_of_keys_are_read_in_time(server, body):
    assert len(body) < 1 << 20
    began = time.monotonic()
    assert server.post(body).status in (400, 422)
    assert time.monotonic() - began < SECONDS_MAX


def test_9_a_key_that_stands_twice_among_many_is_found(server):
    body = keys(40_000, b"%d")[:-1] + b',"3\\u0037":0}'
    members = server.post(body).problem("malformed-json", 400)
    assert "37" in members["detail"]


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 500_000, b'{"a":' * 150_000, b"[" * 65 + b"]" * 65, b"[[[[{}]]]]" * 1_000, b'"' + b"\\" * 900_000,
        b'"' + b"\\u0000" * 150_000 + b'"', b"1" * 900_000, b"-" + b"9" * 900_000, b"1e" + b"9" * 900_000,
        b"0." + b"0" * 900_000 + b"1", b" " * 900_000, b"[" + b"1," * 400_000 + b"1]", b"\xf0\x9f\x98" * 300_000,
        b'{"type":"' + b"x" * 900_000 + b'"}', b'{"type":"X","payload":' + b"9" * 900_000 + b"}",
    ],
    ids=range(15),
)  # fmt: skip
def test_9_deep_and_huge_json_is_refused_in_time(server, body):
    began = time.monotonic()
    answer = server.post(body)
    assert answer.status in (400, 422), answer
    assert len(answer.body) < 10_000
    assert time.monotonic() - began < SECONDS_MAX


@pytest.mark.parametrize(
    "number", ["1e400", "-1e400", "1" * 400, "9223372036854775808", "-9223372036854775809", "1.5", "1e-400", "1E2"]
)
def test_2_numbers_that_no_integer_holds_are_refused(server, number):
    body = b'{"type":"StepChangeRequested","payload":{"step":%s}}' % number.encode()
    answer = server.post(body)
    if number == "1E2":
        assert answer.status in (200, 422)
    else:
        answer.problem("invalid-payload", 422)


@pytest.mark.parametrize(
    "text",
    ["\u202e\u2066x", "a\u0301" * 10_000, "\u0000", "\ufeff", "\ufffe\uffff", "\U0010ffff", "\U000e0001" * 1_000,
     "\ud7ff\ue000", "\u1112\u1161\u11ab" * 1_000, "\u0344" * 5_000, "z" + "\u0335" * 50_000],
    ids=range(11),
)  # fmt: skip
def test_2_odd_texts_come_back_as_they_were_sent(text):
    with Server() as server:
        body = {"type": "AddItem", "payload": {"text": text}}
        assert server.post(body).status == 200
        assert server.post(body, query="?dry-run=true").status == 200
        assert server.state["todos"]["items"][-1]["text"] == text
        record = server.actions()[-1]
        assert json.dumps(record["payload"]["text"]) == json.dumps(text)
