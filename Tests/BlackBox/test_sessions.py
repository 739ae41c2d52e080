"""Sessions of clients, and the views that are presented to them (protocol 13)."""

import json
import re
import signal
import time

import pytest
from harness import Server, Stream, Wire, action, until
from programs import build_sample

TAP = {"type": "didTapOnMovieCell", "payload": {"title": "Movie 3"}}


class Client:
    """A client with a session of its own, from `begin` on."""

    def __init__(self, server):
        self.server = server
        self.headers = {}
        self.name = None

    def begin(self):
        answer = self.server.request("POST", "/sessions", b"")
        assert answer.status == 201
        cookie = answer["set-cookie"]
        assert re.fullmatch(
            r"store-session=[0-9a-f]{32}; Path=/; HttpOnly; SameSite=Strict", cookie
        )
        self.headers = {"Cookie": cookie.split(";")[0]}
        self.name = answer.json["session"]
        return self

    def send(self, body, target="/dispatch", **headers):
        headers = {"Content-Type": "application/json", **self.headers, **headers}
        return self.server.request("POST", target, json.dumps(body).encode(), headers)

    def wait(self, body, target="/dispatch"):
        return self.send(body, target, Prefer="wait=10")

    @property
    def route(self):
        answer = self.server.get("/route", self.headers)
        assert answer.status == 200
        return answer.json

    @property
    def views(self):
        return [each["view"] for each in self.route]

    def end(self):
        return self.server.request("DELETE", "/session", headers=self.headers)


@pytest.fixture(scope="module")
def stage_program():
    return build_sample("Stage")


@pytest.fixture
def stage(stage_program):
    with Server(program=stage_program) as running:
        yield running


# Routes


def test_b25_a_presenter_presents_while_there_is_something_to_show(fresh):
    client = Client(fresh)
    assert client.route == []
    client.wait(action("home/start"))
    assert client.route == [{"view": "home", "style": "push"}]
    client.wait(action("home/stop"))
    assert client.route == []


def test_b27_a_tap_leads_to_another_view(fresh):
    client = Client(fresh)
    client.wait(action("home/start"))
    client.wait(TAP, "/modules/home/ui")
    assert client.views == ["home", "movieCard"]
    client.wait(action("movieCard/stop"))
    assert client.views == ["home"]
    client.wait(TAP, "/modules/home/ui")
    assert client.views == ["home", "movieCard"]


def test_13_a_route_is_streamed_as_a_part_of_the_state(fresh):
    ada = Client(fresh).begin()
    target = f"/events?path=/sessions/{ada.name}/route"
    with Stream(fresh, target, headers=ada.headers.items()) as stream:
        assert stream.opened().event().json == []
        Client(fresh).wait(action("home/start"))
        ada.wait(action("home/start"))
        assert stream.event().json == ada.route == [{"view": "home", "style": "push"}]


def ask(client, verb, view=""):
    """Lets the presenter change the route. The change completes when the client shows the view."""
    answer = client.send(action("stage/asked", verb=verb, view=view))
    assert answer.status == 200
    version = answer.json["version"]

    def is_changed():
        log = client.server.get(f"/actions?after={version}", client.headers).json["actions"]
        return any(each.get("cause") == version for each in log)

    until(is_changed, "the route is changed")
    return [f"{each['style']} {each['view']}" for each in client.route]


def test_b26_contexts_push_pop_and_present(stage):
    client = Client(stage)
    assert ask(client, "push", "x") == ["push x"]
    assert ask(client, "push", "y") == ["push x", "push y"]
    assert ask(client, "push", "x") == ["push x", "push y"]
    assert ask(client, "pop") == ["push x"]
    assert ask(client, "modal", "m") == ["push x", "modal m"]
    assert ask(client, "push", "z") == ["push x", "modal m", "push z"]
    assert ask(client, "close") == ["push x"]
    assert ask(client, "push", "y") == ["push x", "push y"]
    assert ask(client, "until", "x") == ["push x"]
    assert ask(client, "root", "r") == ["root r"]


def shown(client, version, status=204):
    answer = client.send({"version": version}, "/route/shown")
    assert answer.status == status, answer
    return answer


def test_b26_a_completion_waits_for_the_client_to_show_it(stage):
    client = Client(stage)
    ask(client, "push", "x")
    assert stage.state["stage"]["outcomes"] == []
    shown(client, stage.version)
    until(lambda: stage.state["stage"]["outcomes"] == ["1 shown"], "the presenter has heard")


def test_b26_the_wait_for_a_client_that_sends_nothing_has_an_end(stage):
    ask(Client(stage), "push", "x")
    until(lambda: stage.state["stage"]["outcomes"] == ["1 unconfirmed"], "the time is over", 6)


def test_b26_a_client_that_shows_an_older_route_confirms_no_newer_route(stage):
    client = Client(stage)
    ask(client, "push", "x")
    first = stage.version
    ask(client, "push", "y")
    shown(client, first)
    until(lambda: stage.state["stage"]["outcomes"] == ["1 shown"], "the first is confirmed")
    shown(client, 999, 404).problem("not-found", 404)
    client.send({"version": "x"}, "/route/shown").problem("invalid-payload", 422)
    client.send({}, "/route/shown").problem("invalid-payload", 422)
    client.send([], "/route/shown").problem("bad-request", 400)


def test_b11_a_presenter_is_at_work_while_its_module_is_started():
    with Server("--debug-routes") as server:

        def presenters():
            listed = server.get("/debug/subscriptions").json["presenters"]
            return [each["name"] for each in listed if each["module"] == "home"]

        assert presenters() == []
        server.wait(action("home/start"))
        assert presenters() == ["HomePresenter"]
        server.wait(action("home/stop"))
        assert presenters() == []


def lifecycle(server):
    return [
        (each["type"].removeprefix("board/"), each["origin"].split(" ")[0])
        for each in server.actions()
        if each["type"].startswith("board/will")
    ]


def test_b17_a_view_reports_when_it_is_shown_and_when_that_ends(stage_program):
    with Server("--debug-routes", program=stage_program) as server:

        def streams():
            listed = server.get("/debug/subscriptions").json["streams"]
            return [each["topic"] for each in listed]

        # The log names the client of the stream.
        said = ("willAppear", "127.0.0.1"), ("willDisappear", "127.0.0.1")
        assert streams() == []
        with Stream(server, "/modules/board/events") as stream:
            stream.opened().event()
            until(lambda: lifecycle(server) == [said[0]], "the view has appeared")
            assert streams() == ["modules/board"]
            # Another stream of the same client shows no new view.
            with Stream(server, "/modules/board/events?old=true") as more:
                more.opened().event()
            until(lambda: len(streams()) == 1, "it has left")
            assert lifecycle(server) == [said[0]]
        until(lambda: lifecycle(server) == list(said), "the view has disappeared")
        assert streams() == []
        # Another session shows another view. The other streams show no view.
        ada = Client(server).begin()
        with Stream(server, "/modules/board/events", headers=ada.headers.items()) as own:
            with Stream(server, "/modules/board/events") as stream, Stream(server) as whole:
                own.opened().event(), stream.opened().event(), whole.opened().event()
                until(lambda: len(lifecycle(server)) == 4, "both have appeared")
        until(lambda: len(lifecycle(server)) == 6, "both have disappeared")


# Sessions


def test_b13_a_session_dispatches_from_a_view_only_if_the_view_is_presented_to_it(fresh):
    everybody, ada = Client(fresh), Client(fresh).begin()
    everybody.wait(action("home/start"))
    assert (everybody.views, ada.views) == (["home"], [])
    version = fresh.version
    refused = ada.send(TAP, "/modules/home/ui").problem("refused", 409)
    assert "'home' is not started" in refused["reason"] and fresh.version == version
    ada.wait(action("home/start"))
    assert ada.views == ["home"]
    ada.wait(TAP, "/modules/home/ui")
    assert (ada.views, everybody.views) == (["home", "movieCard"], ["home"])


def test_13_an_array_and_a_dry_run_meet_the_same_rule(fresh):
    Client(fresh).wait(action("home/start"))
    ada = Client(fresh).begin()
    ada.send([TAP, TAP], "/modules/home/ui").problem("refused", 409)
    ada.send(TAP, "/modules/home/ui?dry-run=true").problem("refused", 409)


def test_p6_effects_of_a_session_end_with_it(stage):
    ada, bob = Client(stage).begin(), Client(stage).begin()
    for client, name in ((ada, "a"), (bob, "b"), (Client(stage), "c")):
        assert client.send(action("work/begun", name=name, ms=700)).status == 200
    assert ada.end().status == 204
    assert {each["id"] for each in stage.get("/effects").json["effects"]} == {"work/b", "work/c"}
    until(lambda: sorted(stage.state["work"]["done"]) == ["b", "c"], "the others end", 5)
    assert "a" not in stage.state["work"]["done"]


def test_u20_the_streams_of_a_session_end_with_it(stage):
    ada, bob = Client(stage).begin(), Client(stage).begin()
    targets = ["/events", "/modules/work/events", "/actions/events"]
    own = [Stream(stage, each, headers=ada.headers.items()).opened() for each in targets]
    others = [Stream(stage, headers=client.headers.items()).opened() for client in (bob, Client(stage))]
    assert ada.end().status == 204
    for stream in own:
        while (event := stream.event()).name != "bye":
            pass
        assert event.json["reason"] == "expired"
        until(lambda: stream.ended or stream.read(), "it has ended")
        assert stream.take() is None
    version = bob.send(action("work/begun", name="b", ms=1)).json["version"]
    for stream in others:
        while stream.event().version < version:
            pass
        stream.close()


def test_13_a_session_that_has_ended_may_do_nothing(stage):
    ada = Client(stage).begin()
    assert ada.name in stage.get("/state", ada.headers).json["sessions"]
    gone = ada.end()
    assert "Max-Age=0" in gone["set-cookie"]
    begun = action("work/begun", name="a", ms=1)
    for answer in (
        ada.send(begun), ada.end(), stage.get("/route", ada.headers),
        ada.send({"version": 0}, "/route/shown"), stage.get("/events", ada.headers),
    ):
        assert "POST /sessions" in answer.problem("forbidden", 403)["detail"]
    assert Client(stage).send(begun).status == 200
    stage.request("DELETE", "/session").problem("not-found", 404)


def test_13_a_page_of_another_origin_begins_no_session(stage):
    stage.request("POST", "/sessions", b"", {"Origin": "https://evil.example"}).problem(
        "forbidden", 403
    )
    stage.request("GET", "/sessions").problem("method-not-allowed", 405)


def test_13_the_number_of_sessions_has_a_bound(stage_program):
    with Server("--sessions-max", "2", program=stage_program) as server:
        ada, _ = Client(server).begin(), Client(server).begin()
        full = server.request("POST", "/sessions", b"")
        assert "2 sessions" in full.problem("overloaded", 503)["detail"]
        assert int(full["retry-after"]) >= 1
        ada.end()
        Client(server).begin()
        server.request("POST", "/sessions", b"").problem("overloaded", 503)


def test_13_the_number_of_sessions_of_one_address_has_a_bound(stage_program, tmp_path):
    path = f"unix:{tmp_path}/socket"
    flags = ["--sessions-per-address-max", "2"]
    with Server(*flags, program=stage_program) as server:
        ada, _ = Client(server).begin(), Client(server).begin()
        full = server.request("POST", "/sessions", b"")
        assert "2 sessions that 127.0.0.1 has begun" in full.problem("overloaded", 503)["detail"]
        assert int(full["retry-after"]) >= 1
        ada.end()
        Client(server).begin()
    with Server(*flags, program=stage_program, listen=path) as server:
        Client(server).begin(), Client(server).begin()
        server.request("POST", "/sessions", b"").problem("overloaded", 503)


def sessions(server):
    """Returns all sessions, as an operator sees them."""
    return set(server.state["sessions"])


def test_13_an_unused_session_ends_by_itself(stage_program):
    with Server("--session-idle", "1", "--operator-reads", program=stage_program) as server:
        idle, busy = Client(server).begin(), Client(server).begin()
        until(lambda: busy.route == [] and idle.name not in sessions(server), "it has ended", 5)
        assert sessions(server) == {"shared", busy.name} and busy.route == []
        ended = next(each for each in server.actions() if each["type"] == "sessions/ended")
        assert ended["origin"] == "StoreServer/idle"
        idle.send(action("work/begun", name="a", ms=1)).problem("forbidden", 403)
        until(lambda: sessions(server) == {"shared"}, "the other one ends, too", 5)


@pytest.mark.parametrize("target", ["/events", "/modules/board/events", "/actions/events"])
def test_13_a_session_with_an_open_stream_lives(stage_program, target):
    with Server("--session-idle", "1", "--operator-reads", program=stage_program) as server:
        idle, ada = Client(server).begin(), Client(server).begin()
        with Stream(server, target, headers=ada.headers.items()) as stream:
            stream.opened()
            until(lambda: idle.name not in sessions(server), "the other one has ended", 5)
            until(lambda: server.get("/livez").status == 200 and waited(2.5), "some time passes")
            assert sessions(server) == {"shared", ada.name}
        until(lambda: sessions(server) == {"shared"}, "it ends when its stream has", 5)


def test_13_a_session_with_a_request_that_waits_lives(stage_program):
    with Server("--session-idle", "1", "--operator-reads", program=stage_program) as server:
        ada, bob = Client(server).begin(), Client(server).begin()
        begun = json.dumps(action("work/begun", name="a", ms=3_000)).encode()
        with Wire(server) as working, Wire(server) as polling:
            fields = {"Host": server.authority, "Prefer": "wait=10", **ada.headers}
            fields |= {"Content-Type": "application/json", "Content-Length": len(begun)}
            working.send("POST /dispatch HTTP/1.1\r\n" + lines(fields))
            working.send(begun)
            polling.send(
                "GET /state?after=1000&wait=3 HTTP/1.1\r\n"
                + lines({"Host": server.authority, **bob.headers})
            )
            assert working.answer("POST").json["completed"]
            assert polling.answer().status == 304
        assert {ada.name, bob.name} <= sessions(server)
        assert ada.route == bob.route == []
        until(lambda: sessions(server) == {"shared"}, "both end afterwards", 5)


def lines(fields):
    return "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"


def waited(seconds, began=[]):
    """Returns true if `seconds` have passed since the first call."""
    began.append(time.monotonic())
    if began[-1] - began[0] < seconds:
        return False
    began.clear()
    return True


def test_13_a_secret_is_nowhere_but_in_its_cookie(stage_program, tmp_path):
    with Server(program=stage_program, data=tmp_path / "data") as server:
        ada = Client(server).begin()
        secret = ada.headers["Cookie"].split("=")[1]
        ada.wait(action("stage/asked", verb="push", view="x"))
        answers = [server.get(target, ada.headers).json for target in ("/state", "/actions")]
        seen = json.dumps(answers) + server.log_text
        assert secret not in seen and ada.name in seen
    for file in (tmp_path / "data").rglob("*"):
        if file.is_file():
            assert secret.encode() not in file.read_bytes(), file


def test_13_sessions_and_routes_survive_a_kill(stage_program, tmp_path):
    server = Server(program=stage_program, data=tmp_path / "data")
    ada = Client(server).begin()
    ask(ada, "push", "x")
    state = server.state
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    with Server(program=stage_program, data=tmp_path / "data") as server:
        ada.server = server
        assert ada.views == ["x"] and server.state == state
        assert ask(ada, "push", "y") == ["push x", "push y"]
        assert Client(server).route == []


# Origins


def test_b40_the_log_names_the_client_that_an_action_came_from(stage):
    ada = Client(stage).begin()
    ada.send(action("work/begun", name="a", ms=1), **{"User-Agent": "probe/1.0 (a test)"})
    began, begun = stage.get("/actions", ada.headers).json["actions"][:2]
    assert began["origin"] == f"127.0.0.1 session={ada.name}"
    assert begun["origin"] == f"127.0.0.1 session={ada.name} probe/1.0 (a test)"
    long = {"User-Agent": "x" * 1_000}
    version = Client(stage).send(action("work/begun", name="b", ms=1), **long).json["version"]
    assert stage.actions(after=version - 1)[0]["origin"] == "127.0.0.1 " + "x" * 200


def test_b40_clients_can_be_forgotten(stage_program):
    with Server("--forget-clients", program=stage_program) as server:
        Client(server).send(action("work/begun", name="a", ms=1))
        assert "origin" not in server.actions()[0]


@pytest.mark.parametrize("fields, secure", [
    ({"X-Forwarded-Proto": "https"}, True),
    ({"X-Forwarded-Proto": "HTTPS, http"}, True),
    ({"Forwarded": 'for=192.0.2.1;proto=https, for="[2001:db8::1]";proto=http'}, True),
    ({"Forwarded": 'for=192.0.2.1;Proto="https"'}, True),
    ({"X-Forwarded-Proto": "http"}, False),
    ({"X-Forwarded-Proto": "http, https"}, False),
    ({"X-Forwarded-Proto": "httpsx"}, False),
    ({"Forwarded": "for=192.0.2.1;proto=http"}, False),
    ({"Forwarded": "for=192.0.2.1"}, False),
    ({}, False),
])
def test_13_the_cookie_of_a_session_is_for_tls_alone_behind_a_proxy_with_tls(fields, secure):
    with Server("--trusted-proxy", "127.0.0.1") as server:
        begun = server.request("POST", "/sessions", b"", fields)
        assert begun.status == 201
        assert ("; Secure" in begun["set-cookie"]) == secure, begun["set-cookie"]
        ended = server.request("DELETE", "/session", headers={**fields, "Cookie": begun["set-cookie"].split(";")[0]})
        assert ended.status == 204 and ("; Secure" in ended["set-cookie"]) == secure


@pytest.mark.parametrize("flags, secure", [((), False), (("--cookie-secure", "always"), True),
                                           (("--cookie-secure", "never", "--trusted-proxy", "127.0.0.1"), False)])
def test_13_a_client_s_own_header_makes_no_cookie_secure_and_the_operator_decides(flags, secure):
    with Server(*flags) as server:
        begun = server.request("POST", "/sessions", b"", {"X-Forwarded-Proto": "https"})
        assert ("; Secure" in begun["set-cookie"]) == secure


def test_13_2_a_page_reads_its_principal_without_failing():
    nobody = {"principal": "anonymous", "role": "anonymous", "expires": None, "session": None}
    with Server() as server:
        answer = server.get("/session")
        assert (answer.status, answer.json, answer["cache-control"]) == (200, nobody, "no-store")
        assert server.request("HEAD", "/session").status == 200
        begun = server.request("POST", "/sessions", b"")
        cookie = {"Cookie": begun["set-cookie"].split(";")[0]}
        assert server.get("/session", cookie).json == {**nobody, "session": begun.json["session"]}
        assert server.request("DELETE", "/session", headers=cookie).status == 204
        # The cookie of an ended session gets 403 on every other route. This route answers that there is no session.
        assert server.get("/state", cookie).status == 403
        assert (server.get("/session", cookie).status, server.get("/session", cookie).json) == (200, nobody)
