"""Dispatches that arrive twice, and earlier states (protocol 2.8, 3.3)."""

import json
import pathlib
import shutil

import pytest
from harness import DECREASE, INCREASE, INITIAL, Server, Wire, step

KEY = {"Idempotency-Key": '"8e03978e"'}


# Protocol 2.8: Idempotency-Key


def test_the_same_key_and_body_is_applied_once(fresh):
    first = fresh.post(INCREASE, KEY)
    again = fresh.post(INCREASE, KEY)
    assert first.status == again.status == 200
    assert first.body == again.body
    assert first["etag"] == again["etag"]
    assert first["idempotency-replayed"] is None
    assert again["idempotency-replayed"] == "true"
    assert fresh.get("/state").json["counter"]["counter"] == 1


def test_a_batch_is_answered_again_with_all_its_versions(fresh):
    fresh.post(INCREASE)
    first = fresh.post([INCREASE, step(2), INCREASE], KEY)
    assert first.json["first"] == 2 and first.json["version"] == 4
    assert fresh.post([INCREASE, step(2), INCREASE], KEY).body == first.body


def test_a_repeated_request_does_not_look_at_if_match(fresh):
    condition = {"If-Match": f'"{fresh.tag}"'}
    assert fresh.post(INCREASE, {**KEY, **condition}).status == 200
    again = fresh.post(INCREASE, {**KEY, **condition})
    assert again.status == 200 and again["idempotency-replayed"] == "true"
    # Without the key the condition counts.
    fresh.post(INCREASE, condition).problem("version-mismatch", 412)


def test_a_repeated_request_gets_the_state_that_it_got_first(fresh):
    wanted = {**KEY, "Prefer": "return=representation"}
    first = fresh.post(INCREASE, wanted)
    fresh.post(INCREASE)
    again = fresh.post(INCREASE, wanted)
    assert again.body == first.body
    assert again.json["state"]["counter"]["counter"] == 1
    assert again["preference-applied"] == "return=representation"


def test_another_body_under_the_same_key_is_refused(fresh):
    fresh.post(INCREASE, KEY)
    fresh.post(DECREASE, KEY).problem("idempotency-mismatch", 422)
    assert fresh.get("/state").json["counter"]["counter"] == 1


def test_a_refused_request_keeps_nothing(fresh):
    wrong = {"type": "DeleteItem", "payload": {"index": 99}}
    fresh.post(wrong, KEY).problem("refused", 409)
    fresh.post(wrong, KEY).problem("refused", 409)
    fresh.post({"type": "Nope"}, KEY).problem("unknown-action", 422)
    assert fresh.post(INCREASE, KEY).status == 200


def test_a_dry_run_takes_no_key(fresh):
    assert fresh.post(INCREASE, KEY, query="?dry-run=true").status == 200
    answer = fresh.post(DECREASE, KEY)
    assert answer.status == 200 and answer["idempotency-replayed"] is None


@pytest.mark.parametrize("key", ['""', "8e03978e", '"a', '"' + "x" * 256 + '"', '"a" "b"', "7"])
def test_a_key_is_a_quoted_string_of_1_to_255_characters(server, key):
    problem = server.post(INCREASE, {"Idempotency-Key": key}).problem("bad-request", 400)
    assert "Idempotency-Key" in problem["detail"] and "255" in problem["detail"]


def test_a_key_of_255_characters_is_taken(server):
    assert server.post(INCREASE, {"Idempotency-Key": '"' + "x" * 255 + '"'}).status == 200


def test_a_flood_of_one_key_is_applied_once(fresh):
    body = json.dumps(INCREASE)
    request = (
        f"POST /dispatch HTTP/1.1\r\nHost: {fresh.authority}\r\nContent-Type: application/json\r\n"
        f'Idempotency-Key: "k"\r\nContent-Length: {len(body)}\r\n\r\n{body}'
    )
    wires = [Wire(fresh) for _ in range(50)]
    for wire in wires:
        wire.send(request)
    answers = [wire.answer() for wire in wires]
    for wire in wires:
        wire.socket.close()
    assert {answer.status for answer in answers} == {200}
    assert len({answer.body for answer in answers}) == 1
    assert [a["idempotency-replayed"] for a in answers].count(None) == 1
    assert fresh.get("/state").json["counter"]["counter"] == 1


# Protocol 3.3: earlier states


def test_every_version_can_be_read_again(fresh):
    epoch = fresh.tag.split(":")[0]
    states = [fresh.get("/state").body]
    for action in (INCREASE, step(5), INCREASE, {"type": "AddItem", "payload": {"text": "é"}}):
        fresh.post(action)
        states.append(fresh.get("/state").body)
    for version, state in enumerate(states):
        answer = fresh.get(f"/state?version={version}")
        assert answer.status == 200 and answer.body == state
        assert answer["etag"] == f'"{epoch}:{version}"'
    assert fresh.get("/state/counter/counter?version=3").json == 6
    assert fresh.get("/state?version=0").json == INITIAL


def test_a_past_version_does_not_change(fresh):
    fresh.post(INCREASE)
    fresh.post(INCREASE)
    tag = fresh.get("/state?version=1")["etag"]
    answer = fresh.get("/state?version=1", {"If-None-Match": tag})
    assert answer.status == 304 and answer["etag"] == tag
    head = fresh.request("HEAD", "/state?version=1")
    assert head.status == 200 and head["etag"] == tag


def test_a_version_that_does_not_exist_yet_is_404(fresh):
    problem = fresh.get("/state?version=1").problem("not-found", 404)
    assert "newest is 0" in problem["detail"]
    fresh.get("/state/counter/nothing?version=0").problem("not-found", 404)


@pytest.mark.parametrize("query", ["version=-1", "version=x", "version=1&after=0", "blame=maybe"])
def test_a_bad_version_is_400(server, query):
    server.get(f"/state?{query}").problem("bad-request", 400)


def test_forgotten_history_is_410_with_the_oldest_version():
    with Server("--history-max", "100", "--snapshot-every", "50") as server:
        for _ in range(4):
            server.post([INCREASE] * 100)
        problem = server.get("/state?version=3").problem("gone", 410)
        oldest = problem["oldest"]
        assert 200 < oldest <= 400
        assert server.get(f"/state/counter/counter?version={oldest}").json == oldest


# The action that last changed a part


def test_blame_names_the_last_action_that_changed_a_part(fresh):
    for action in (INCREASE, step(5), step(5), INCREASE, {"type": "ScreenShown", "payload": {"name": "x"}}):
        assert fresh.post(action).status == 200
    for pointer, version, kind in (
        ("/counter/counter", 4, "CounterIncreaseRequested"),
        ("/counter/step", 2, "StepChangeRequested"),
        ("/counter", 4, "CounterIncreaseRequested"),
        ("", 4, "CounterIncreaseRequested"),
    ):
        found = fresh.get(f"/state{pointer}?blame=true").json
        assert found["changedBy"]["version"] == version, found
        assert found["changedBy"]["type"] == kind
        assert found["changedBy"]["time"].endswith("Z")
        assert found["complete"] is True and found["version"] == 5
        assert found["pointer"] == pointer
    untouched = fresh.get("/state/todos?blame=true").json
    assert untouched["changedBy"] is None
    assert untouched["complete"] is True and untouched["searchedAfter"] == 0


def test_blame_can_ask_about_the_past(fresh):
    fresh.post([INCREASE, INCREASE, INCREASE])
    assert fresh.get("/state/counter?blame=true&version=2").json["changedBy"]["version"] == 2


def test_blame_reports_where_it_stopped():
    with Server("--history-max", "100", "--snapshot-every", "50") as server:
        for _ in range(4):
            server.post([INCREASE] * 100)
        found = server.get("/state/todos?blame=true").json
        assert found["changedBy"] is None and found["complete"] is False
        assert found["searchedAfter"] >= 200


# The wire names of the shipped store are a promise: histories contain them.

# An earlier server has written this directory, and was killed. Its only snapshot has the first state.
SHIPPED = pathlib.Path(__file__).parent / "fixtures" / "shipped-history"
SHIPPED_TYPES = [
    "CounterIncreaseRequested", "StepChangeRequested", "CounterIncreaseRequested",
    "CounterDecreaseRequested", "CounterIncreaseRequested", "AddItem", "EditItem", "CompleteItem",
    "CompleteItem", "CompleteItem", "ReopenItem", "ArchiveCompleted", "UnarchiveItem", "DeleteItem",
    "ClearArchive",
]


def test_a_history_of_an_earlier_server_is_read_and_gone_on_with(tmp_path):
    data = tmp_path / "data"
    shutil.copytree(SHIPPED, data)
    with Server(data=data) as server:
        assert server.version == len(SHIPPED_TYPES)
        assert server.state["counter"] == {"counter": 8, "step": 7}
        second, third = (item["text"] for item in INITIAL["todos"]["items"][1:3])
        items = [("Pet two unicorns", False), (third, False), (second, True)]
        items = [{"text": text, "completed": completed} for text, completed in items]
        assert server.state["todos"] == {"items": items}
        before = server.get("/state?version=14").json["todos"]
        assert before["archived"] == [{"text": "Visit mars", "completed": True}]
        actions = server.actions()
        assert [each["type"] for each in actions] == SHIPPED_TYPES
        assert actions[5]["payload"] == {"text": 'Sleep "well" \u00e9'}
        assert actions[6]["payload"] == {"index": 0, "text": "Pet two unicorns"}
        assert server.post(INCREASE).json["version"] == 16
