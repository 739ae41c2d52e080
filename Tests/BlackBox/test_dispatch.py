"""POST /dispatch from outside (protocol 1, 2)."""

import json
import re

import pytest
from harness import DECREASE, INCREASE, INITIAL, Wire, step


def item(index):
    return {"type": "CompleteItem", "payload": {"index": index}}


# Protocol 1: terms


def test_1_1_version_0_is_the_initial_state_and_the_tag_is_epoch_and_version(fresh):
    answer = fresh.get("/state")
    assert re.fullmatch(r'"[0-9a-f]{8}:0"', answer["etag"])
    assert answer.json == INITIAL


def test_1_1_every_applied_action_counts_even_if_it_changes_nothing(fresh):
    before = fresh.version
    answer = fresh.post({"type": "ScreenShown", "payload": {"name": "Main"}}).json
    assert answer["version"] == before + 1
    assert answer["changed"] is False
    assert fresh.version == before + 1


def test_1_2_the_same_state_gives_the_same_bytes_with_keys_as_declared(server):
    first = server.get("/state").body
    assert first == server.get("/state").body
    server.post(INCREASE)
    server.post(DECREASE)
    assert server.get("/state").body == first
    # The states of two servers, and so of two processes, have the same bytes.
    members = list(json.loads(first))
    assert members == [
        *["counter", "todos", "home", "movieCard", "login", "user", "sessions"]
    ]
    assert list(json.loads(first)["counter"]) == ["counter", "step"]
    assert list(json.loads(first)["todos"]["items"][0]) == ["text", "completed"]


def test_1_2_integers_are_exact_to_both_ends_of_64_bits(server):
    for number in (2**63 - 1, -(2**63), 9007199254740993):
        assert server.post(step(number)).status == 200
        assert f'"step":{number}'.encode() in server.get("/state/counter").body
    server.post(step(1))


# Protocol 2.1, 2.2: bodies


@pytest.mark.parametrize(
    "body",
    [
        b'{"type":"CounterIncreaseRequested"}',
        b'{"type":"CounterIncreaseRequested","payload":{}}',
        b'{"type":"CounterIncreaseRequested","payload":null}',
        b'  {"payload":{},\r\n\t"type":"CounterIncreaseRequested"} ',
        b'{"type":"CounterIncreaseRequested","meta":{"from":"test"}}',
        b'{"type":"Counter\\u0049ncreaseRequested"}',
    ],
)
def test_2_1_an_action_without_fields_is_taken_in_every_form(server, body):
    before = server.state["counter"]["counter"]
    answer = server.post(body)
    assert answer.status == 200, answer
    assert server.state["counter"]["counter"] == before + 1


def test_2_1_meta_is_an_object_of_at_most_4_KiB(server):
    fits = {"a": "x" * (4096 - len('{"a": ""}'))}
    assert server.post({**INCREASE, "meta": fits}).status == 200
    for meta in ({"a": "x" * 4096}, [], "text", 7):
        members = server.post({**INCREASE, "meta": meta}).problem("invalid-payload", 422)
        assert members["pointer"] == "/meta"


@pytest.mark.parametrize("body", [b"7", b'"x"', b"null", b"true", b"[]", b"1e3"])
def test_2_2_neither_object_nor_array_of_objects_is_a_bad_request(server, body):
    server.post(body).problem("bad-request", 400)


@pytest.mark.parametrize(
    ("body", "pointer"), [(b"[1]", "/0"), (b'[{"type":"CounterIncreaseRequested"},null]', "/1")]
)
def test_2_3_a_member_of_an_array_that_is_no_object_is_named(server, body, pointer):
    before = server.tag
    assert server.post(body).problem("invalid-payload", 422)["pointer"] == pointer
    assert server.tag == before


@pytest.mark.parametrize("body", [{}, {"payload": {}}, {"type": 7}, {"type": None}, {"type": {}}])
def test_2_2_a_type_that_is_missing_or_no_string_is_named(server, body):
    assert server.post(body).problem("invalid-payload", 422)["pointer"] == "/type"


@pytest.mark.parametrize(
    "number", ["9223372036854775808", "-9223372036854775809", "1.5", "1e400", "1e19", '"7"', "null"]
)
def test_2_2_a_number_that_its_type_cannot_hold_is_refused_not_trapped(server, number):
    before = server.tag
    body = b'{"type":"StepChangeRequested","payload":{"step":%s}}' % number.encode()
    members = server.post(body).problem("invalid-payload", 422)
    assert members["pointer"] == "/payload/step"
    assert members["expected"]
    assert server.tag == before


def test_2_2_a_missing_field_and_a_missing_payload_name_their_place(server):
    for body in ({"type": "StepChangeRequested", "payload": {}}, {"type": "StepChangeRequested"}):
        members = server.post(body).problem("invalid-payload", 422)
        assert members["pointer"].startswith("/payload")


def test_2_2_an_unknown_action_lists_the_known_and_names_the_nearest(server):
    members = server.post({"type": "CounterIncreseRequested"}).problem("unknown-action", 422)
    assert "CounterIncreaseRequested" in members["known"]
    assert len(members["known"]) == 19
    assert "CounterIncreaseRequested" in members["detail"] + json.dumps(
        {k: v for k, v in members.items() if k != "known"}
    )


# Protocol 2.3: batches


def test_2_3_a_batch_has_contiguous_versions_and_one_answer(server):
    before, counter = server.version, server.state["counter"]["counter"]
    answer = server.post([INCREASE] * 5)
    assert answer.status == 200
    assert answer.json["first"] == before + 1
    assert answer.json["version"] == before + 5
    assert answer.json["changed"] is True
    assert server.state["counter"]["counter"] == counter + 5


def test_2_3_a_batch_takes_1000_and_no_more(server):
    before = server.version
    assert server.post([INCREASE] * 1000).json["version"] == before + 1000
    assert server.post([INCREASE] * 1001).status == 400
    assert server.version == before + 1000


def test_2_3_a_refused_member_refuses_all_and_is_named(server):
    before, state = server.tag, server.get("/state").body
    members = server.post([INCREASE, INCREASE, item(99), INCREASE]).problem("refused", 409)
    assert members["pointer"].startswith("/2")
    assert server.tag == before
    assert server.get("/state").body == state


def test_2_3_an_invalid_member_refuses_all_and_is_named(server):
    before = server.tag
    for bad, slug in (
        ({"type": "StepChangeRequested", "payload": {"step": "x"}}, "invalid-payload"),
        ({"type": 1}, "invalid-payload"),
        ({"type": "Nothing"}, "unknown-action"),
    ):
        members = server.post([INCREASE, bad]).problem(slug, 422)
        assert members["pointer"].startswith("/1"), members
    assert server.tag == before


# Protocol 2.4: content type


@pytest.mark.parametrize(
    "type_",
    ["application/json", "application/json; charset=utf-8", "Application/JSON", "application/json;x=y"],
)
def test_2_4_json_is_taken_with_parameters(server, type_):
    assert server.post(INCREASE, {"Content-Type": type_}).status == 200


@pytest.mark.parametrize("type_", ["text/plain", "application/x-www-form-urlencoded", "", "json"])
def test_2_4_any_other_type_is_415(server, type_):
    answer = server.post(INCREASE, {"Content-Type": type_})
    answer.problem("unsupported-media-type", 415)
    assert answer["accept"] == "application/json"


def test_2_4_no_type_is_415(server):
    data = json.dumps(INCREASE).encode()
    server.request("POST", "/dispatch", data).problem("unsupported-media-type", 415)


def test_2_4_a_coded_body_is_415_and_identity_is_fine(server):
    server.post(INCREASE, {"Content-Encoding": "gzip"}).problem("unsupported-media-type", 415)
    assert server.post(INCREASE, {"Content-Encoding": "identity"}).status == 200


# Protocol 2.5, 2.6: answers


def test_2_5_success_has_epoch_version_changed_and_the_tag(server):
    before = server.version
    answer = server.post(INCREASE)
    assert answer.status == 200
    assert list(answer.json) == ["epoch", "version", "changed"]
    assert answer.json["version"] == before + 1
    assert answer["etag"] == f'"{answer.json["epoch"]}:{before + 1}"'
    assert answer["content-type"].split(";")[0] == "application/json"


def test_2_6_representation_adds_the_state_of_exactly_that_version(server):
    answer = server.post(INCREASE, {"Prefer": "return=representation"})
    assert answer.json["state"] == server.state
    assert "return=representation" in answer["preference-applied"]
    assert answer.json["version"] == server.version


def test_2_6_wait_is_answered_as_completed_while_there_are_no_effects(server):
    answer = server.post(INCREASE, {"Prefer": "wait=5"})
    assert answer.status == 200
    assert answer.json["completed"] is True
    assert "wait" in answer["preference-applied"]


def test_2_6_unknown_preferences_are_ignored(server):
    answer = server.post(INCREASE, {"Prefer": "nonsense, wait=abc, return=minimal"})
    assert answer.status == 200
    assert "nonsense" not in (answer["preference-applied"] or "")


# Protocol 2.7: If-Match


def test_2_7_the_current_tag_and_the_star_let_an_action_through(server):
    assert server.post(INCREASE, {"If-Match": f'"{server.tag}"'}).status == 200
    assert server.post(INCREASE, {"If-Match": "*"}).status == 200


def test_2_7_an_old_tag_or_another_epoch_is_412_with_the_current_version(server):
    old = server.tag
    server.post(INCREASE)
    for tag in (f'"{old}"', '"00000000:0"', f'"{server.epoch}:{server.version + 1}"', '"x"'):
        before = server.version
        members = server.post(INCREASE, {"If-Match": tag}).problem("version-mismatch", 412)
        assert members["epoch"] == server.epoch
        assert members["version"] == before == server.version


def test_2_7_the_same_tag_lets_a_single_request_of_many_through(server):
    tag, before = server.tag, server.version
    wires = [Wire(server) for _ in range(20)]
    body = json.dumps(INCREASE).encode()
    for wire in wires:
        wire.send(
            f"POST /dispatch HTTP/1.1\r\nHost: {server.authority}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            f'If-Match: "{tag}"\r\n\r\n'.encode() + body
        )
    statuses = sorted(wire.answer("POST").status for wire in wires)
    assert statuses == [200] + [412] * 19
    assert server.version == before + 1


# Protocol 2.9: dry runs


def test_2_9_a_dry_run_shows_the_patch_and_applies_nothing(server):
    server.post(step(1))
    before, counter = server.tag, server.state["counter"]["counter"]
    answer = server.post(INCREASE, query="?dry-run=true")
    assert answer.status == 200
    assert answer.json == {
        "changed": True,
        "patch": [{"op": "replace", "path": "/counter/counter", "value": counter + 1}],
    }
    assert server.tag == before


def test_2_9_a_dry_run_that_changes_nothing_has_an_empty_patch(server):
    screen = {"type": "ScreenShown", "payload": {"name": "Main"}}
    assert server.post(screen, query="?dry-run=true").json == {"changed": False, "patch": []}


def test_2_9_a_dry_run_is_refused_as_the_action_would_be(server):
    before = server.tag
    server.post(item(99), query="?dry-run=true").problem("refused", 409)
    server.post([INCREASE, item(99)], query="?dry-run=true").problem("refused", 409)
    assert server.tag == before


def test_2_9_a_dry_run_of_a_batch_patches_over_all_of_it(server):
    counter = server.state["counter"]["counter"]
    answer = server.post([INCREASE, INCREASE, step(1)], query="?dry-run=true")
    assert answer.json["patch"] == [
        {"op": "replace", "path": "/counter/counter", "value": counter + 2}
    ]


# The domain's refusals: 409 with a reason, never a trap


def test_8_overflow_at_both_ends_is_refused(fresh):
    top, bottom = 2**63 - 1, -(2**63)
    assert fresh.post([step(top), INCREASE]).status == 200
    members = fresh.post(INCREASE).problem("refused", 409)
    assert str(top) in members["reason"]
    assert fresh.post([step(bottom), INCREASE]).status == 200
    assert fresh.state["counter"]["counter"] == -1
    fresh.post(INCREASE).problem("refused", 409)
    fresh.post([DECREASE, DECREASE, DECREASE]).problem("refused", 409)


@pytest.mark.parametrize("index", [4, -1, 2**63 - 1, -(2**63)])
@pytest.mark.parametrize("type_", ["CompleteItem", "DeleteItem"])
def test_8_an_index_outside_the_list_is_refused(fresh, type_, index):
    members = fresh.post({"type": type_, "payload": {"index": index}}).problem("refused", 409)
    assert members["pointer"].endswith("/index")
    assert members["reason"]
    assert fresh.state == INITIAL


def test_the_todo_list_works_as_in_the_sample_that_it_comes_from(fresh):
    assert fresh.post({"type": "AddItem", "payload": {"text": 'Tab\t, "quote", 😀'}}).status == 200
    assert fresh.state["todos"]["items"][4] == {"text": 'Tab\t, "quote", 😀', "completed": False}
    assert fresh.post([item(0), item(0), item(4)]).status == 200
    assert fresh.post({"type": "DeleteItem", "payload": {"index": 1}}).status == 200
    assert fresh.post({"type": "ArchiveCompleted"}).status == 200
    todos = fresh.state["todos"]
    assert [entry["text"] for entry in todos["items"]] == [
        INITIAL["todos"]["items"][2]["text"],
        "Visit mars",
    ]
    assert [entry["text"] for entry in todos["archived"]] == [
        "Pet my unicorn",
        'Tab\t, "quote", 😀',
    ]
    answer = fresh.post({"type": "ArchiveCompleted"}).json
    assert answer["changed"] is False
