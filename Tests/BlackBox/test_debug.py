"""The operator's debug surface (docs/PROTOCOL.md, 12), on the server that ships."""

import json
import re
import subprocess

import pytest
from harness import INCREASE, Server, Stream, Wire, action, open_streams, run, until
from openapi_spec_validator import OpenAPIV31SpecValidator
from test_description import Description, allowed, ask, forbidden, hold

PATHS = ["/debug/subscriptions", "/debug/middleware", "/debug/interceptors", "/debug/commands"]


@pytest.fixture(scope="module")
def debugged():
    with Server("--debug-routes") as server:
        yield server


def streams(server):
    return server.get("/debug/subscriptions").json["streams"]


def test_12_1_without_the_flag_there_is_no_debug_route(server):
    for path in PATHS:
        server.get(path).problem("not-found", 404)
        for method in ("GET", "DELETE", "POST"):
            server.request(method, f"{path}/analytics", b"").problem("not-found", 404)
    assert not any(path.startswith("/debug") for path in server.get("/openapi.json").json["paths"])


def test_12_1_the_environment_switches_it_on():
    with Server(environment={"STORE_SERVER_DEBUG_ROUTES": "true"}) as server:
        for path in PATHS:
            assert server.get(path).status == 200
    assert json.loads(run("--print-config").stdout)["debug-routes"] == "false"


def test_12_2_a_fresh_server_has_no_presenter_of_a_slice_that_no_session_has_changed():
    with Server("--debug-routes") as server:
        def presenters():
            listed = server.get("/debug/subscriptions").json["presenters"]
            return [(each["module"], each["slices"]) for each in listed]

        assert presenters() == []
        assert server.wait(action("home/start")).status == 200
        assert presenters() == [("home", 1)]


@pytest.mark.parametrize("address, warned", [("127.0.0.1:0", False), ("0.0.0.0:0", True)])
def test_12_1_the_log_warns_if_other_machines_reach_the_routes(address, warned):
    with Server("--debug-routes", "--allow-anonymous", listen=address) as server:
        pass
    assert ("--debug-routes: every client may end" in server.log_text) == warned


def test_12_1_the_description_is_true(debugged):
    document = debugged.get("/openapi.json").json
    OpenAPIV31SpecValidator(document).validate()
    described = {path: set(verbs) for path, verbs in document["paths"].items() if "/debug" in path}
    assert described == {
        "/debug/subscriptions": {"get", "head"},
        "/debug/subscriptions/{id}": {"delete"},
        "/debug/middleware": {"get", "head"},
        "/debug/middleware/{id}": {"delete"},
        "/debug/interceptors": {"get", "head"},
        "/debug/interceptors/{id}": {"delete"},
        "/debug/commands": {"get", "head"},
        "/debug/commands/{name}": {"get", "head", "post"},
    }
    with Stream(debugged) as stream:
        stream.opened().event()
        for path in PATHS:
            answer = debugged.get(path)
            assert answer["cache-control"] == "no-store"
            debugged.request("PUT", path, b"").problem("method-not-allowed", 405)
        description = Description(document)
        for method, path, operation in description.operations:
            if "/debug" not in path:
                continue
            for request in allowed(description, method, path, operation):
                answer = ask(debugged, request)
                hold(description, operation, request, answer)
                assert answer.status == (404 if "{" in path else 200), (request, answer)
            for status, request in forbidden(description, method, path, operation):
                answer = ask(debugged, request)
                hold(description, operation, request, answer)
                # The server checks the form of a body only if the command exists.
                assert answer.status == status or method == "POST" and answer.status == 404


def test_12_2_an_open_stream_is_listed_with_its_topic_peer_and_version(fresh_debugged):
    server = fresh_debugged
    with Stream(server) as stream:
        event = stream.opened().event()
        (listed,) = streams(server)
        host, port = stream.wire.socket.getsockname()
        assert listed == {
            "id": listed["id"], "topic": "state", "peer": f"{host}:{port}",
            "seconds": listed["seconds"], "version": 0, "behind": False,
        }
        assert re.fullmatch(r"\d+-\d+", listed["id"])
        server.post(INCREASE)
        assert stream.event().version == event.version + 1
        assert streams(server)[0]["version"] == 1
        until(lambda: streams(server)[0]["seconds"] >= 1, "a second has passed", 5)
    until(lambda: streams(server) == [], "the list is empty", 2)


@pytest.fixture
def fresh_debugged():
    with Server("--debug-routes") as server:
        yield server


def test_12_2_a_killed_client_is_gone_within_two_seconds(fresh_debugged):
    """Row U19: curl is killed, and the list is empty."""
    url = f"{fresh_debugged.url}/events"
    curl = subprocess.Popen(["curl", "-sN", url], stdout=subprocess.DEVNULL)
    try:
        until(lambda: len(streams(fresh_debugged)) == 1, "the stream is listed", 5)
    finally:
        curl.kill()
        curl.wait()
    until(lambda: streams(fresh_debugged) == [], "the list is empty", 2)


def test_12_2_a_deleted_stream_gets_bye_and_the_others_go_on(fresh_debugged):
    server = fresh_debugged
    opened = open_streams(server, 3)
    for stream in opened:
        stream.event()
    port = opened[1].wire.socket.getsockname()[1]
    (id,) = [each["id"] for each in streams(server) if each["peer"].endswith(f":{port}")]
    answer = server.request("DELETE", f"/debug/subscriptions/{id}")
    assert (answer.status, answer.body, answer["content-length"]) == (204, b"", None)
    bye = opened[1].event()
    assert (bye.name, bye.json["reason"], bye.id) == ("bye", "expired", None)
    while not opened[1].ended:
        opened[1].read()
    assert id not in {each["id"] for each in streams(server)}
    server.request("DELETE", f"/debug/subscriptions/{id}").problem("not-found", 404)
    server.post(INCREASE)
    for stream in (opened[0], opened[2]):
        assert stream.event().version == 1
        stream.close()
    opened[1].close()
    # The next stream takes the free place, under another id.
    with Stream(server) as stream:
        stream.opened().event()
        assert id not in {each["id"] for each in streams(server)}


def test_12_2_a_reader_that_is_behind_is_listed_as_behind(fresh_debugged):
    server = fresh_debugged
    server.post([{"type": "AddItem", "payload": {"text": "x" * 1000}}] * 200)
    with Stream(server, receive_bytes=4096) as sleeper:
        def behind():
            server.post(INCREASE)
            return streams(server)[0]["behind"]

        until(behind, "the reader is behind")
        (listed,) = streams(server)
        assert listed["version"] is None or listed["version"] < server.version
        id = listed["id"]
        for _ in range(2):
            assert server.request("DELETE", f"/debug/subscriptions/{id}").status == 204
        # The server finishes the event that it has begun, then it sends bye.
        sleeper.opened()
        while (event := sleeper.event()).name != "bye":
            pass
        assert event.json["reason"] == "expired"
    until(lambda: streams(server) == [], "the list is empty", 2)


@pytest.mark.parametrize("id", ["", "0", "0-0", "9999999-1", "-1-1", "00-1", "0-1x", "a/b", "%00"])
def test_12_2_an_unknown_subscription_is_404(debugged, id):
    debugged.request("DELETE", f"/debug/subscriptions/{id}").problem("not-found", 404)


def test_12_2_a_thousand_streams_come_and_go_and_none_is_left(fresh_debugged):
    """Row U19: afterwards, the server has the same list of streams and the same sockets as before."""
    before = fresh_debugged.sockets
    for _ in range(10):
        opened = open_streams(fresh_debugged, 100)
        assert len(streams(fresh_debugged)) == 100
        for stream in opened:
            stream.reset()
        until(lambda: streams(fresh_debugged) == [], "the list is empty", 2)
    until(lambda: fresh_debugged.sockets == before, "all sockets are back", 5)


def test_12_2_a_stream_over_a_path_has_no_address(tmp_path):
    with Server("--debug-routes", listen=f"unix:{tmp_path}/s") as server:
        with Stream(server) as stream:
            stream.opened().event()
            assert streams(server)[0]["peer"] == "unix"


def test_12_2_a_list_during_a_stop_does_not_hold_the_server_up():
    for _ in range(20):
        with Server("--debug-routes") as server:
            with Wire(server) as wire:
                wire.send(f"GET /debug/subscriptions HTTP/1.1\r\nHost: {server.authority}\r\n\r\n" * 20)
                server.process.terminate()
                assert server.process.wait(5) == 0


def test_12_3_analytics_can_be_taken_away_for_good(tmp_path):
    """Row U22: after the answer, no record of analytics is written."""
    file = tmp_path / "analytics.jsonl"
    with Server("--debug-routes", "--analytics", f"file:{file}") as server:
        item = {"id": "analytics", "href": "/debug/middleware/analytics"}
        assert server.get("/debug/middleware").json == {"middleware": [item]}
        server.post([INCREASE] * 10)
        assert server.request("DELETE", "/debug/middleware/analytics").status == 204
        server.post([INCREASE] * 10)
        server.request("DELETE", "/debug/middleware/analytics").problem("not-found", 404)
        assert server.get("/debug/middleware").json == {"middleware": []}
    # The server has stopped, so it has written all lines.
    ids = [json.loads(line)["id"].split(":")[1] for line in file.read_text().splitlines()]
    assert ids == [str(number) for number in range(1, 11)]


def test_12_3_without_analytics_there_is_nothing_to_take_away(debugged):
    assert debugged.get("/debug/middleware").json == {"middleware": []}
    debugged.request("DELETE", "/debug/middleware/analytics").problem("not-found", 404)


def test_12_4_the_shipped_server_exposes_no_command(debugged):
    assert debugged.get("/debug/commands").json == {"commands": []}
    debugged.get("/debug/commands/print-int").problem("not-found", 404)
    debugged.request("POST", "/debug/commands/print-int", b"").problem("not-found", 404)


@pytest.mark.parametrize("method, path", [
    ("DELETE", "/debug/subscriptions/0-1"), ("DELETE", "/debug/middleware/x"),
    ("DELETE", "/debug/interceptors/x"),
    ("POST", "/debug/commands/x"),
])
def test_12_5_a_page_of_another_origin_is_refused(debugged, method, path):
    for origin in ("https://evil.example", "null", "http://127.0.0.1:1"):
        debugged.request(method, path, b"", {"Origin": origin}).problem("forbidden", 403)
    # A GET from another origin is harmless: without a CORS header, the browser shows no page the answer.
    debugged.get("/debug/commands/x", {"Origin": "null"}).problem("not-found", 404)
    own = f"http://{debugged.authority}"
    debugged.request(method, path, b"", {"Origin": own}).problem("not-found", 404)
