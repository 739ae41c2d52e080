"""Texts are compared by their bytes (programs/Ballots.swift).

Swift compares texts by canonical equivalence: é is one character or two, the Kelvin sign is a K. Clients choose
ids, names and keys, and macOS writes file names in a spelling that other systems do not use.
"""

import json
import re
import signal
import unicodedata
import urllib.parse

import pytest
from harness import NotStarted, Server, Stream, Wire, action, until
from programs import build_sample

COMPOSED, DECOMPOSED = "\u00e9", "e\u0301"
TWINS = [
    (COMPOSED, DECOMPOSED),
    ("K", "\u212a"),
    (";", "\u037e"),
    ("Grüße.txt", unicodedata.normalize("NFD", "Grüße.txt")),
    # As characters, the mark at the beginning of the first id belongs to the slash before it.
    ("\u0301a", "\u0301a\u0301"),
]


@pytest.fixture(scope="module")
def program():
    return build_sample("Ballots")


@pytest.fixture(scope="module")
def ballots(program):
    with Server(program=program) as running:
        yield running


def quoted(text):
    return urllib.parse.quote(text, safe="")


def started(server, *ids):
    for id in ids:
        server.post(action(f"ballots/{id}/start"))
    return ids


def ballot(server, id):
    return server.get(f"/modules/ballots/{quoted(id)}").json


@pytest.mark.parametrize("one, other", TWINS)
def test_instances_whose_ids_look_alike_live_side_by_side(ballots, one, other):
    started(ballots, one, other)
    for id, count in ((one, 1), (other, 2)):
        for _ in range(count):
            assert ballots.post(action(f"ballots/{id}/raised")).json["changed"]
    assert (ballot(ballots, one)["raised"], ballot(ballots, other)["raised"]) == (1, 2)
    assert ballots.get(f"/state/ballots/{quoted(other)}/raised").json == 2
    ballots.post(action(f"ballots/{one}/stop"))
    assert ballots.get(f"/modules/ballots/{quoted(one)}").status == 404
    assert ballot(ballots, other)["raised"] == 2
    ballots.post(action(f"ballots/{other}/stop"))


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_restart_takes_no_instance_for_another(program, tmp_path, how):
    server = Server(program=program, data=tmp_path / "data")
    ids = [id for pair in TWINS for id in pair]
    started(server, *ids)
    # A replay caches actions without fields by their types.
    for count, id in enumerate(ids):
        for _ in range(count + 1):
            server.post(action(f"ballots/{id}/raised"))
        server.post(action(f"ballots/{id}/voted", name=COMPOSED))
        server.post(action(f"ballots/{id}/voted", name=DECOMPOSED))
    state, etag = server.get("/state").body, server.get("/state")["etag"]
    assert [ballot(server, id)["raised"] for id in ids] == [n + 1 for n in range(len(ids))]
    server.stop(how)
    for flags in ([], ["--snapshot-every", "1"], []):
        with Server(*flags, program=program, data=tmp_path / "data") as server:
            assert server.get("/state").body == state and server.get("/state")["etag"] == etag
            assert ballot(server, ids[0])["votes"] == {COMPOSED: 1, DECOMPOSED: 1}


def test_the_log_gives_the_actions_of_a_type_and_of_no_type_that_looks_like_it(program, tmp_path):
    types = [f"ballots/{id}/raised" for id in (COMPOSED, DECOMPOSED)]
    for data in (None, tmp_path / "data"):
        with Server(program=program, data=data) as server:
            started(server, COMPOSED, DECOMPOSED)
            for type_ in types:
                server.post(action(type_))
            for type_ in types:
                page = server.get(f"/actions?type={quoted(type_)}").json
                assert [each["type"] for each in page["actions"]] == [type_]
                tree = server.get(f"/actions?type={quoted(type_)}&cause=1").json
                assert tree["actions"] == []


def test_metrics_have_one_label_for_all_instances(ballots):
    def raised():
        text = ballots.get("/metrics").body.decode()
        assert COMPOSED not in text and DECOMPOSED not in text
        found = re.search(r'^store_reduce_seconds_count\{type="ballots/\{id\}/raised"\} (\d+)$', text, re.M)
        return int(found[1]) if found else 0

    started(ballots, COMPOSED, DECOMPOSED)
    before = raised()
    for id in (COMPOSED, DECOMPOSED):
        ballots.post(action(f"ballots/{id}/raised"))
    assert raised() == before + 2


def at(stream, version):
    """Returns the first event of a stream for this version or a later version."""
    event = stream.event()
    while event.version < version:
        event = stream.event()
    return event


def tells(server, streams, names):
    """Verifies that the streams of these names, and no others, get an event for the newest version."""
    newest = server.version
    for name in names:
        assert at(streams[name], newest).version == newest, name
    # An event for all streams comes next. Only after the events above, since streams may skip versions.
    server.post(action("ballots/told/raised"))
    for name, stream in streams.items():
        assert at(stream, newest).version == newest + 1, name


def test_recipients_are_the_streams_of_exactly_these_names(program):
    one, other = COMPOSED, DECOMPOSED
    with Server(program=program) as server:
        started(server, "told")
        streams = {
            name: Stream(server, f"/events?subscriber={quoted(name)}").opened()
            for name in (one, other)
        }

        for names, audience in [
            ({one}, {"recipients": "emitter", "emitter": one}),
            ({other}, {"recipients": "allExcludingEmitter", "emitter": one}),
            ({other}, {"recipients": {"authorized": [other]}}),
            ({one, other}, {"recipients": {"authorized": [one, other]}}),
        ]:
            server.post({"type": "ballots/told/raised", **audience})
            tells(server, streams, names)
        raised = {"type": "ballots/told/raised", "recipients": "emitter"}
        array = [{**raised, "emitter": one}, {**raised, "emitter": other}]
        assert server.post(array).problem("invalid-payload", 422)["pointer"] == "/1/recipients"
        for stream in streams.values():
            stream.close()


def test_parts_are_watched_by_their_own_bytes(ballots):
    one, other = started(ballots, "a" + COMPOSED, "a" + DECOMPOSED)
    for prefix in ("/events?path=/ballots/", None):
        paths = [
            f"{prefix}{quoted(id)}" if prefix else f"/modules/ballots/{quoted(id)}/events"
            for id in (one, other)
        ]
        streams = [Stream(ballots, path).opened() for path in paths]
        before = [stream.event().json["raised"] for stream in streams]
        ballots.post(action(f"ballots/{one}/raised"))
        ballots.post(action(f"ballots/{other}/voted", name="x"))
        assert streams[0].event().json["raised"] == before[0] + 1
        assert streams[1].event().json["votes"].keys() == {"x"}
        for stream in streams:
            stream.close()


def test_an_effect_is_cancelled_by_its_own_id(ballots):
    one, other = started(ballots, "b" + COMPOSED, "b" + DECOMPOSED)
    for id in (one, other):
        ballots.post(action(f"ballots/{id}/awaited"))

    def running():
        return {each["id"] for each in ballots.get("/effects").json["effects"]}

    assert running() == {f"ballots/{one}/wait", f"ballots/{other}/wait"}
    assert ballots.request("DELETE", "/effects/" + quoted(f"ballots/{one}/wait")).status == 204
    assert running() == {f"ballots/{other}/wait"}
    ballots.post(action(f"ballots/{one}/awaited"))
    ballots.post(action(f"ballots/{other}/stop"))
    until(lambda: running() == {f"ballots/{one}/wait"}, "the end of one effect")


def test_two_names_that_are_equal_to_swift_are_refused(ballots):
    started(ballots, "c")
    words = {"x": 1, COMPOSED: 2, DECOMPOSED: 3}
    problem = ballots.post(action("ballots/c/counted", words=words)).problem("invalid-payload", 422)
    assert problem["pointer"] == f"/payload/words/{DECOMPOSED}"
    assert "ExactText" in problem["detail"]
    dry = ballots.post(action("ballots/c/counted", words=words), query="?dry-run=true")
    assert dry.problem("invalid-payload", 422)["pointer"] == problem["pointer"]
    marks = [COMPOSED, COMPOSED, DECOMPOSED]
    problem = ballots.post(action("ballots/c/marked", **{"with": marks}))
    assert problem.problem("invalid-payload", 422)["pointer"] == "/payload/with/2"
    assert ballot(ballots, "c")["words"] == {}
    ballots.post(action("ballots/c/counted", words={DECOMPOSED: 3}))
    assert ballot(ballots, "c")["words"] == {DECOMPOSED: 3}
    ballots.post(action("ballots/c/tallied", votes=words))
    assert ballot(ballots, "c")["votes"] == words


def test_names_of_actions_members_and_cases_are_compared_by_their_bytes(ballots):
    started(ballots, "d")
    for unit, fits in (("Kelvin", True), ("\u212aelvin", False), ("e\u0301tal", False)):
        answer = ballots.post(action("ballots/d/weighed", by=unit))
        assert answer.status == (200 if fits else 422), answer
    assert ballots.get("/views/page?K=x").json == {"text": "x"}
    ballots.get(f"/views/page?{quoted(chr(0x212A))}=x").problem("bad-request", 400)


def test_a_first_state_with_two_names_for_one_place_is_refused(program, tmp_path):
    def given(**slice_):
        state = {"raised": 0, "votes": {}, "words": {}, "last": "", **slice_}
        file = tmp_path / "state.json"
        file.write_text(json.dumps({"ballots": {COMPOSED: state, DECOMPOSED: state}}))
        return str(file)

    twins = {COMPOSED: 1, DECOMPOSED: 2}
    with Server("--state-file", given(votes=twins), program=program) as server:
        assert ballot(server, DECOMPOSED)["votes"] == twins
    with pytest.raises(NotStarted) as caught:
        Server("--state-file", given(words=twins), program=program)
    said = str(caught.value)
    assert f"/words/{DECOMPOSED}: The name" in said and "ExactText" in said, said


def test_idempotency_keys_are_ascii(ballots):
    started(ballots, "e")
    with Wire(ballots) as wire:
        for key, status in (("K", 200), ("\u212a", 400), (COMPOSED, 400)):
            body = json.dumps(action("ballots/e/raised")).encode()
            head = (
                f"POST /dispatch HTTP/1.1\r\nHost: {ballots.authority}\r\n"
                f'Content-Type: application/json\r\nIdempotency-Key: "{key}"\r\n'
                f"Content-Length: {len(body)}\r\n\r\n"
            )
            wire.send(head.encode() + body)
            assert wire.answer().status == status
    assert ballot(ballots, "e")["raised"] == 1


def test_a_host_or_an_origin_that_only_looks_allowed_is_refused(program):
    def answer(server, request):
        with Wire(server) as wire:
            wire.send(request.encode())
            return wire.answer()

    with Server("--allowed-host", "bank.example", program=program) as server:
        for host, status in (
            ("bank.example", 200),
            ("BANK.example", 200),
            ("ban\u212a.example", 421),
        ):
            request = f"GET /state HTTP/1.1\r\nHost: {host}\r\n\r\n"
            assert answer(server, request).status == status, host
        for origin, status in (("http://BANK.example", 404), ("http://ban\u212a.example", 403)):
            request = (
                "DELETE /effects/none HTTP/1.1\r\nHost: bank.example\r\n"
                f"Origin: {origin}\r\n\r\n"
            )
            assert answer(server, request).status == status, origin
