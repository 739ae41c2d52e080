"""`traceparent` of a request (W3C Trace Context) goes with its actions: into the log, to their consequences, to
analytics and to the access log."""

import json
import signal

import pytest
from harness import INCREASE, Server, action, until
from programs import build_sample
from test_metrics import samples

PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def traced(value=PARENT):
    return {"traceparent": value}


def test_the_record_of_an_action_has_the_trace_of_its_request():
    with Server() as server:
        assert server.post(INCREASE, traced()).status == 200
        assert server.post([INCREASE, {**INCREASE, "meta": {"who": "ada"}}], traced()).status == 200
        assert server.post({**INCREASE, "meta": {}}, traced()).status == 200
        own = "00-11111111111111111111111111111111-2222222222222222-00"
        assert server.post({**INCREASE, "meta": {"traceparent": own}}, traced()).status == 200
        assert server.post(INCREASE).status == 200
        assert [record.get("meta") for record in server.actions()] == [
            {"traceparent": PARENT},
            {"traceparent": PARENT},
            {"traceparent": PARENT, "who": "ada"},
            {"traceparent": PARENT},
            {"traceparent": own},
            None,
        ]


@pytest.mark.parametrize(
    "value",
    [
        "", "00", PARENT.upper(), PARENT + "-00", PARENT[:-1], PARENT.replace("00-4", "ff-4"),
        PARENT.replace("00-4", "01-4"), PARENT.replace("-", "_"), f'{PARENT[:-2]}"}}',
        "00-" + "0" * 32 + "-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-" + "0" * 16 + "-01",
        PARENT.replace("4bf9", "4bg9"), "x" * 2000,
    ],
)
def test_an_invalid_traceparent_is_ignored(value):
    with Server() as server:
        assert server.post(INCREASE, traced(value)).status == 200
        assert "meta" not in server.actions()[0]


def test_a_trace_survives_a_restart_and_verify(tmp_path):
    with Server(data=tmp_path) as server:
        server.post(INCREASE, traced())
        server.stop()
    with Server(data=tmp_path) as server:
        assert server.actions()[0]["meta"] == {"traceparent": PARENT}


def test_analytics_and_the_access_log_have_the_trace(tmp_path):
    file = tmp_path / "analytics.jsonl"
    flags = ("--analytics", f"file:{file}", "--access-log", "--log-format", "json")
    with Server(*flags) as server:
        server.post({"type": "ScreenShown", "payload": {"name": "a"}}, traced())
        server.post({"type": "ScreenShown", "payload": {"name": "b"}})
        assert server.stop() == 0
        events = [json.loads(line) for line in file.read_text().splitlines()]
        assert [event.get("traceparent") for event in events] == [PARENT, None]
        access = [json.loads(line) for line in server.log_text.splitlines()]
        found = [line.get("trace") for line in access if line["event"] == "request.ended"]
        assert found == [PARENT.split("-")[1], None]


def test_a_call_of_a_use_case_and_its_actions_are_a_part_of_the_trace(fresh):
    def call(*headers):
        fields = {"Prefer": "wait=10"}
        for each in headers:
            fields |= each
        return fresh.send("/usecases/login/login", {"userName": "demo", "password": "demo"}, fields)

    assert call(traced()).status == 200
    first = fresh.actions()
    assert first[0]["type"] == "usecases/login/login" and "login/loading" in [each["type"] for each in first]
    own = [each for each in first if each.get("cause", 1) == 1]
    assert len(own) > 1 and {each["meta"]["traceparent"] for each in own} == {PARENT}
    # Other requests have no trace, nor has a request with an invalid field.
    newest = fresh.version
    assert call().status == call(traced("00-x")).status == 200
    assert all("meta" not in each for each in fresh.actions(newest))


def test_the_actions_of_a_trace_are_counted_by_their_types(fresh):
    def count():
        counts = samples(fresh)
        return counts.get('store_reduce_seconds_count{type="login/loading"}', 0)

    for expected, fields in ((1, {}), (2, traced())):
        login = {"userName": "demo", "password": "demo"}
        assert fresh.send("/usecases/login/login", login, {**fields, "Prefer": "wait=10"}).status == 200
        assert count() == expected


def test_a_notification_and_its_reactions_are_a_part_of_the_trace():
    with Server(program=build_sample("Watched")) as server:
        assert server.send("/notify/bell", {"rings": 1}, {**traced(), "Prefer": "wait=10"}).status == 200
        # The first action belongs to the start.
        _, rung, noted = server.actions()
        assert (rung["type"], noted["type"], noted["cause"]) == ("notify/bell", "diary/noted", rung["version"])
        assert rung["meta"] == noted["meta"] == {"traceparent": PARENT}
        newest = server.version
        assert server.send("/notify/bell", {"rings": 1}, {"Prefer": "wait=10"}).status == 200
        assert all("meta" not in each for each in server.actions(newest))


def test_an_effect_that_goes_on_after_a_kill_is_a_part_of_its_trace(tmp_path):
    program = build_sample("Parcels")
    server = Server(program=program, data=tmp_path)
    assert server.post(action("parcels/taken", name="a", ms=2_000), traced()).status == 200
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    with Server(program=program, data=tmp_path) as server:
        until(lambda: server.actions()[-1]["type"] == "effects/ended", "the end of the effect")
        records = server.actions()
        assert [each["type"] for each in records] == ["parcels/taken", "parcels/noted", "effects/ended"]
        assert [each["meta"] for each in records] == [{"traceparent": PARENT}] * 3


def test_actions_of_interceptors_and_reactions_are_a_part_of_the_trace():
    with Server(program=build_sample("Watched")) as server:
        for fields in (traced(), {}):
            newest = server.version
            written = [{"type": "diary/written", "payload": {"text": text}} for text in ("secret", "one two three")]
            assert server.post([*written, {"type": "diary/asked"}], {**fields, "Prefer": "wait=10"}).status == 200
            replaced, followed, *notes, asked, noted = server.actions(newest)[:7]
            assert replaced["payload"] == {"text": "…"} and followed["payload"] == {"text": "one two three"}
            assert [each["payload"] for each in notes] == [{"by": name} for name in "123"]
            assert (asked["type"], noted["cause"] >= replaced["version"]) == ("diary/asked", True)
            expected = {"traceparent": PARENT} if fields else None
            assert {json.dumps(each.get("meta")) for each in server.actions(newest)} == {json.dumps(expected)}


def test_a_session_and_actions_of_presenters_are_a_part_of_the_trace():
    with Server("--operator-reads", program=build_sample("Market")) as server:
        until(lambda: server.get("/state/stall").json["bells"] == 1, "the bell has rung")

        def request(method, target, fields, body=b""):
            newest = server.version
            answer = server.request(method, target, body, {**fields, "Content-Type": "application/json"})
            assert answer.status in (200, 201, 204)
            return answer, server.actions(newest)

        for fields in (traced(), {}):
            expected = {"traceparent": PARENT} if fields else None
            # Modules that start with a session start in its trace.
            begun, records = request("POST", "/sessions", fields)
            assert [each["type"] for each in records] == ["sessions/began", "crate/start"]
            assert [each.get("meta") for each in records] == [expected] * 2
            cookie = {"Cookie": begun["set-cookie"].split(";")[0]}
            added = b'{"type":"cart/added","payload":{"_0":"pear"}}'
            request("POST", "/dispatch", cookie, added)
            wait = {"Prefer": "wait=10", **cookie}
            _, records = request("POST", "/dispatch", {**fields, **wait}, b'{"type":"Checkout"}')
            assert [each["type"] for each in records] == ["Checkout", "Themed"]
            assert [each.get("meta") for each in records] == [expected] * 2
            _, records = request("DELETE", "/session", {**fields, **cookie})
            assert [(each["type"], each.get("meta")) for each in records] == [("sessions/ended", expected)]


def test_a_request_that_is_sent_again_is_the_same_in_another_trace():
    with Server() as server:
        key = {"Idempotency-Key": '"a"'}
        first = server.post(INCREASE, {**key, **traced()})
        again = server.post(INCREASE, {**key, **traced(PARENT.replace("4bf9", "5bf9"))})
        assert first.json == again.json and again["idempotency-replayed"] == "true"


def test_actions_of_an_effect_are_a_part_of_the_trace(cinema):
    answer = cinema.post(action("MultiplyTwice", a=5, b=2), {**traced(), "Prefer": "wait=10"})
    assert answer.json["value"] == 20
    assert [record["meta"] for record in cinema.actions()] == [{"traceparent": PARENT}] * 3
    cinema.wait(action("MultiplyTwice", a=5, b=2))
    assert all("meta" not in record for record in cinema.actions(3))
