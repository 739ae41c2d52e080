"""Use cases: input that is kept nowhere, interactors, and their outputs (protocol 6.5)."""

import itertools
import json
import re
import subprocess

import pytest
from harness import INCREASE, ROOT, Server, Stream, action, until
from test_effects import types

LOGIN = "/usecases/login/login"
PASSWORD = "demo-is-what-nobody-may-keep"
WAIT = {"Prefer": "wait=10"}


def login(server, user="demo", password="demo", headers=()):
    return server.send(LOGIN, {"userName": user, "password": password}, headers)


def account(server, method, headers=(), **input_):
    return server.send(f"/usecases/account/{method}", input_, headers)


# The login of the shipped store


def test_p9_a_login_loads_and_succeeds_with_the_user(fresh):
    with Stream(fresh, "/modules/login/events") as stream:
        assert stream.opened().event().json == {"progress": "idle"}
        assert login(fresh, headers=WAIT).json["completed"] is True
        assert stream.event().json == {"progress": "loading"}
        assert stream.event().json == {"progress": "loadSucceeded"}
    demo = {"userName": "demo", "displayName": "Demo"}
    assert fresh.get("/modules/user").json == {"profile": demo}
    assert fresh.get("/views/greeting").json == {"text": "Hello Demo"}
    asked, loading, succeeded, started = fresh.actions()
    # The call is recorded without its input, and is the cause of its actions.
    assert (asked["type"], asked["payload"], asked["changed"]) == ("usecases/login/login", {}, False)
    assert "cause" not in asked and asked["origin"].startswith("127.0.0.1")
    assert loading["cause"] == succeeded["cause"] == asked["version"]
    assert succeeded["payload"] == {"user": demo}
    assert (started["type"], started["cause"]) == ("user/start", succeeded["version"])
    fresh.post(action("login/loggedOut"))
    until(lambda: fresh.state["user"] is None, "the user is gone")
    assert fresh.get("/views/greeting").body == b"null"


def test_6_5_every_answer_to_a_call_has_the_version_of_its_record(fresh):
    for password, prefer in itertools.product(("demo", "wrong"), (None, "wait=0", "wait=10")):
        call = login(fresh, password=password, headers={"Prefer": prefer} if prefer else {})
        record = [each for each in fresh.actions() if each["type"] == "usecases/login/login"][-1]["version"]
        answers = [call]
        if call.status == 202:
            assert call["location"] == f"/dispatch/{record}"
            answers.append(fresh.get(call["location"], {"Prefer": "wait=10"}))
        assert answers[-1].status == 200
        # Actions after the record have versions of their own.
        assert fresh.version > record
        for answer in answers:
            assert answer.json["version"] == record, answer
            assert answer["etag"].endswith(f':{record}"')
            assert set(answer.json) == {"epoch", "version", "completed"}


def test_6_5_the_outcome_of_a_call_can_be_read_later(fresh):
    for password in ("demo", "wrong") * 20:
        call = login(fresh, password=password)
        assert call.status == 202 and call.json["completed"] is False
        assert call["location"] == f"/dispatch/{call.json['version']}"
        done = fresh.get(call["location"], {"Prefer": "wait=10"})
        assert done.status == 200 and done.json["completed"] is True
        assert done.json["version"] == call.json["version"]
    # A login cancels the login before it.
    *cancelled, late = [login(fresh, headers={"Prefer": "wait=0"}) for _ in range(3)]
    for call in cancelled:
        if (answer := fresh.get(call["location"], {"Prefer": "wait=10"})).status != 200:
            assert answer.problem("effect-failed", 424)["reason"] == "It was cancelled."
    assert fresh.get(late["location"], {"Prefer": "wait=10"}).json["completed"] is True
    fresh.get(f"/dispatch/{fresh.post(INCREASE).json['version']}").problem("not-found", 404)


@pytest.mark.parametrize("header", [("If-Match", '"0"'), ("Idempotency-Key", '"k"')])
def test_6_5_a_call_takes_no_condition_and_no_key(fresh, header):
    before = fresh.version
    problem = login(fresh, headers=dict([header])).problem("bad-request", 400)
    assert header[0] in problem["detail"]
    assert fresh.version == before and fresh.state["login"] == {"progress": "idle"}


def test_p9_a_wrong_password_loads_and_fails(fresh):
    with Stream(fresh, "/modules/login/events") as stream:
        stream.opened().event()
        assert login(fresh, password="wrong", headers=WAIT).status == 200
        assert stream.event().json["progress"] == "loading"
        failed = stream.event().json
    assert failed == {
        "progress": "loadFailed", "failure": "The name or the password is wrong.",
    }
    assert fresh.state["user"] is None
    fresh.get("/modules/user").problem("not-found", 404)
    # The client tries again, and the failure is forgotten.
    login(fresh, headers=WAIT)
    assert fresh.get("/modules/login").json == {"progress": "loadSucceeded"}


@pytest.mark.parametrize("password", ["demo", PASSWORD])
def test_the_password_is_found_nowhere(tmp_path, password):
    """Logs in with the right and with a wrong password. A mark makes the right password easy to find."""
    data, lines = tmp_path / "data", tmp_path / "analytics"
    marked = f"{PASSWORD}-{password}"
    targets = ("/events", "/actions/events", "/modules/login/events", "/modules/login/events?old=true",
               "/modules/user/events", "/views/greeting/events")
    with Server("--analytics", f"file:{lines}", "--debug-routes", data=data) as server:
        streams = [Stream(server, target).opened() for target in targets]
        answers = [
            login(server, password=marked, headers=WAIT),
            login(server, user=marked + "x", password=marked),
            server.send(LOGIN, {"userName": 7, "password": marked}),
            server.send(LOGIN, {"userName": "demo", "password": [marked]}),
            server.send(LOGIN, json.dumps({"password": marked}).encode()[:-1]),
            login(server, password=marked, headers={"Origin": "http://elsewhere.example"}),
            login(server, password="demo", headers=WAIT),
        ]
        assert [answer.status for answer in answers] == [200, 202, 422, 422, 400, 403, 200]
        until(lambda: server.actions()[-1]["type"] == "user/start", "the last one is through")
        version = server.version
        for stream in streams:
            stream.read()
        seen = [answer.body for answer in answers] + [stream.text for stream in streams]
        for target in ("/state", "/actions", "/effects", "/modules", "/schema", "/openapi.json",
                       "/debug/subscriptions", f"/state?version={version}"):
            answer = server.get(target)
            assert answer.status == 200
            seen.append(answer.body)
        assert server.stop() == 0
        seen.append(server.log_text.encode())
    kept = [path for path in [*data.iterdir(), lines] if path.is_file()]
    assert len(kept) > 1
    seen += [path.read_bytes() for path in kept]
    assert any(b"login/loading" in each for each in seen)
    assert all(PASSWORD.encode() not in each for each in seen)


# The adapter


def test_p2_the_adapter_reads_the_input_and_does_nothing_else(cinema):
    answer = account(cinema, "names", names=["Ada"])
    assert answer.status == 202
    assert answer.json == {"epoch": cinema.epoch, "version": 1, "completed": False}
    until(lambda: cinema.state["account"]["names"] == ["Ada"], "it is done")
    assert account(cinema, "names", WAIT, names=["Bob"]).json["completed"] is True
    assert cinema.state["account"]["names"] == ["Ada", "Bob"]
    for body, slug, status in [
        (b"{}", "invalid-payload", 422), (b'{"names":["x",7]}', "invalid-payload", 422),
        (b"[]", "bad-request", 400), (b"{", "malformed-json", 400), (b"", "malformed-json", 400),
    ]:
        members = cinema.send("/usecases/account/names", body).problem(slug, status)
        if body == b'{"names":["x",7]}':
            assert members["pointer"] == "/names/1"
    plain = {"Content-Type": "text/plain"}
    cinema.send("/usecases/account/names", b"{}", plain).problem("unsupported-media-type", 415)
    cinema.get("/usecases/account/names").problem("method-not-allowed", 405)
    for path in ("/usecases/account/nothing", "/usecases/account", "/usecases"):
        cinema.send(path, {}).problem("not-found", 404)
    # Two calls are recorded, with one name each. The refused call is not.
    assert cinema.version == 4


def test_p5_the_route_of_a_use_case_is_described(cinema):
    route = cinema.get("/openapi.json").json["paths"]["/usecases/account/signIn"]["post"]
    schema = route["requestBody"]["content"]["application/json"]["schema"]
    assert list(schema["properties"]) == ["user", "password"]


def test_p4_an_error_of_an_interactor_reaches_the_request_that_waits(cinema):
    members = account(cinema, "signIn", WAIT, user="Ada", password="x").problem("effect-failed", 424)
    assert members["reason"] == "The word is another one."
    assert cinema.state["account"]["progress"] == "loading"
    assert account(cinema, "signIn", user="Ada", password="x").status == 202
    assert cinema.get("/livez").status == 200


def test_2_6_a_use_case_that_takes_too_long_goes_on(cinema):
    answer = account(cinema, "wait", {"Prefer": "wait=1"})
    assert (answer.status, answer.json["completed"]) == (202, False)
    assert answer["preference-applied"] == "wait=1"
    assert [each["id"] for each in cinema.get("/effects").json["effects"]] == [
        "account/account/wait"
    ]


def test_p9_the_log_has_the_reason_of_a_failed_login_without_the_password(fresh):
    login(fresh, password="S3cret", headers=WAIT)
    fresh.await_log('warning: a login failed user="demo" reason="The name or the password is wrong."')
    # A name is a field: it forges no line, and is cut. A name that contains the password is left out.
    login(fresh, user='"\n' + "é" * 300, password="S3cret", headers=WAIT)
    fresh.await_log('user="\\"\\u{a}' + "é" * 49 + '…" reason=')
    login(fresh, user="demo S3cret", password="S3cret", headers=WAIT)
    fresh.await_log('user="" reason=')
    assert fresh.log_text.count("a login failed") == 3 and "S3cret" not in fresh.log_text


# Interactor, dispatcher, translator, store, presenter


def test_p1_a_use_case_depends_on_neither_http_nor_its_presenter():
    """The use case depends on the engine, the patterns and the fields of a user. A module depends on the
    interfaces of others, and the patterns depend on the engine."""
    package = json.loads(
        subprocess.run(
            ["swift", "package", "dump-package"], cwd=ROOT, check=True, capture_output=True, timeout=60
        ).stdout
    )
    needs = {
        target["name"]: {next(iter(each.values()))[0] for each in target["dependencies"]}
        for target in package["targets"]
    }
    library = {"StoreCore", "StorePatterns"}
    assert needs["DefaultLoginUseCases"] == library | {"DefaultUserInterface"}
    interfaces = {name for name in needs if name.endswith("Interface")}
    modules = {name for name in needs if name.endswith("Module")}
    assert len(modules) == len(interfaces) == 6
    for name in interfaces:
        assert needs[name] == {"StoreCore"}, name
    for name in modules:
        assert needs[name] <= library | interfaces | {"DefaultLoginUseCases"}, name
    assert needs["DefaultStore"] == library | interfaces | modules | {"DefaultLoginUseCases"}
    assert needs["StorePatterns"] == {"StorePlatform", "StoreCore", "StoreJSON"}
    assert needs["StoreCore"] <= {"StorePlatform", "StoreTexts", "StoreTraces"}
    assert needs["StoreTraces"] == {"StorePlatform"} and not needs["StoreTexts"] | needs["StorePlatform"]
    for name, allowed in (
        ("Domain/Login/UseCase", needs["DefaultLoginUseCases"]),
        ("Domain", needs["DefaultStore"]),
        ("StoreCore/Actions/ClientRequest.swift", set()),
        ("StoreCore/Actions/UseCaseMethod.swift", set()),
        ("StorePatterns/UseCases", {"StoreCore"}),
    ):
        place = ROOT / "Sources" / name
        for file in [place] if place.suffix else place.rglob("*.swift"):
            imported = re.findall(r"^(?:@?\w+ )*import (\w+)", file.read_text(), re.M)
            assert set(imported) <= allowed, file


def test_p7_outputs_come_in_the_order_of_the_calls(cinema):
    names = [str(number) for number in range(500)]
    assert account(cinema, "names", WAIT, names=names).status == 200
    assert cinema.state["account"]["names"] == names
    outputs = cinema.actions()[1:]
    assert [each["payload"]["_0"]["loaded"]["name"] for each in outputs] == names


def test_p8_the_shown_value_is_a_slice_of_the_one_state(cinema):
    account(cinema, "signIn", WAIT, user="Ada", password="open sesame")
    shown = cinema.get("/modules/account").json
    assert shown == cinema.state["account"]
    assert (shown["progress"], shown["user"]) == ("loadSucceeded", "Ada")


def test_p10_a_late_reader_gets_the_current_slice_and_no_earlier_change(cinema):
    account(cinema, "signIn", WAIT, user="Ada", password="open sesame")
    with Stream(cinema, "/modules/account/events") as stream:
        assert stream.opened().event().json["progress"] == "loadSucceeded"
        assert stream.quiet(0.5)


def test_p13_the_outputs_of_two_interactors_reach_one_presenter(cinema):
    with Stream(cinema, "/modules/account/events") as stream:
        stream.opened().event()
        account(cinema, "signIn", WAIT, user="Ada", password="open sesame")
        account(cinema, "names", WAIT, names=["Bob"])
        seen = [stream.event().json]
        while not seen[-1]["names"]:
            seen.append(stream.event().json)
    assert (seen[-1]["names"], seen[-1]["user"]) == (["Bob"], "Ada")
    # A slow reader gets the newest state: states may be left out, but the order holds.
    shown = iter([("loading", []), ("loadSucceeded", []), ("loadSucceeded", ["Bob"])])
    assert all((each["progress"], each["names"]) in shown for each in seen), seen


def test_p14_interactors_that_work_at_once_lose_nothing(cinema):
    with Stream(cinema, "/actions/events") as log:
        log.opened()
        for number in range(50):
            account(cinema, "names", names=[f"{number}-{each}" for each in range(10)])
            account(cinema, "signIn", user=str(number), password="open sesame")
        until(lambda: not cinema.get("/effects").json["effects"], "all are through")
        names = cinema.state["account"]["names"]
        outputs = 0
        while outputs < 500:
            event = log.event()
            outputs += event.name == "message" and event.json["type"] == "account/userInfo"
    assert sorted(names) == sorted(f"{n}-{each}" for n in range(50) for each in range(10))
    # The outputs of each interactor are in order.
    for number in range(50):
        mine = [name for name in names if name.startswith(f"{number}-")]
        assert mine == [f"{number}-{each}" for each in range(10)]


def test_p15_a_change_of_two_fields_is_one_event(cinema):
    with Stream(cinema, "/modules/account/events") as stream:
        stream.opened().event()
        account(cinema, "signIn", WAIT, user="Ada", password="x")
        event = stream.event()
        assert (event.json["progress"], event.json["message"]) == ("loading", "Who is that?")
        # Version 1 is the record of the call.
        assert event.version == 2 and stream.quiet(0.3)


def test_p6_a_login_that_is_cancelled_dispatches_nothing_more(cinema):
    account(cinema, "wait")
    effect = until(lambda: cinema.get("/effects").json["effects"], "it runs")[0]
    assert cinema.request("DELETE", effect["href"]).status == 204
    assert cinema.get("/effects").json["effects"] == []
    assert types(cinema) == ["usecases/account/wait"]
