"""Cookies, sessions and records of authenticated clients (protocol 17)."""

import itertools
import json
import re
import signal
import urllib.parse

import pytest
from access import ALL, ROLES, cookie_of, guarded, reload, session
from harness import Server, Stream, action, until

ATTRIBUTES = r"store-auth=[\w.-]+; Path=/; HttpOnly; SameSite=Strict; Max-Age=\d+"


@pytest.fixture
def house(tmp_path):
    return guarded(tmp_path)


def begin(server, header, **further):
    return server.request("POST", "/session", b"", {**header, **further})


def records(server, house):
    return server.get("/actions?limit=1000", house.operator).json["actions"]


# The cookie


def test_17_a_bearer_token_is_exchanged_for_a_cookie(house):
    ada = house.bearer("ada", "reader")
    with house.server() as server:
        answer = begin(server, ada)
        assert answer.status == 204 and re.fullmatch(ATTRIBUTES, answer["set-cookie"])
        cookie = cookie_of(answer, "store-auth")
        assert server.get("/state", cookie).json == server.get("/state", ada).json
        # On a host other than loopback the cookie is for TLS alone.
        assert begin(server, ada, Origin=server.url).status == 204
        with Stream(server, "/events", headers=cookie.items()).opened() as stream:
            assert list(stream.event().json) == ["todos"]
        # A client gets no other cookie for its cookie, for the cookie's value as a token, or without a credential.
        value = cookie["Cookie"].split("=", 1)[1]
        for header in cookie, {}, {"Authorization": f"Bearer {value}"}:
            answer = begin(server, header)
            assert answer.status == 401 and "Max-Age=3" not in (answer["set-cookie"] or ""), (header, answer)
        taken = server.request("DELETE", "/session", headers=cookie)
        assert taken.status == 204 and "store-auth=;" in taken["set-cookie"]
        assert server.request("DELETE", "/session", headers=ada).status == 404
        own = session(server, ada)
        taken = server.request("DELETE", "/session", headers={**own, "Cookie": f"{own['Cookie']}; {cookie['Cookie']}"})
        assert taken.status == 204
        assert "store-auth=;" in taken["set-cookie"] and "store-session=;" in taken["set-cookie"]
        # If the session has ended already, the same request still removes both cookies.
        taken = server.request("DELETE", "/session", headers={"Cookie": f"{own['Cookie']}; {cookie['Cookie']}"})
        assert taken.status == 204 and "store-auth=;" in taken["set-cookie"]


@pytest.mark.parametrize("when, local, remote", [("auto", False, True), ("always", True, True), ("never", False, False)])
def test_17_the_cookie_is_secure_as_configured(house, when, local, remote):
    ada = house.bearer("ada", "reader")
    with house.server("--cookie-secure", when, "--allowed-host", "store.example") as server:
        for host, wanted in (server.authority, local), ("store.example", remote):
            answer = begin(server, ada, Host=host)
            assert answer.status == 204, answer
            assert ("Secure" in answer["set-cookie"]) == wanted, (when, host)


def test_13_2_a_principal_finds_out_its_role_its_end_and_its_session(house):
    ada, bob, brief = house.bearer("ada", "reader"), house.bearer("bob", "sender"), house.brief("joe", "reader", 300)
    with house.server() as server:
        assert server.get("/session").json["role"] == "anonymous"
        known = {"principal": "ada", "role": "reader", "expires": None, "session": None}
        assert server.get("/session", ada).json == known
        own = session(server, ada)
        shown = server.get("/session", own).json
        assert {**shown, "session": None} == known and shown["session"]
        # For another principal, the cookie names no session.
        assert server.get("/session", {**bob, "Cookie": own["Cookie"]}).json["session"] is None
        end = server.get("/session", brief).json["expires"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", end), end
        cookie = cookie_of(begin(server, ada), "store-auth")
        logged = server.get("/session", cookie).json
        assert (logged["principal"], logged["role"]) == ("ada", "reader") and logged["expires"]
        assert server.get("/session", {"Authorization": "Bearer nonsense"}).status == 401


def test_17_a_cookie_outlives_a_restart_and_not_its_key(house, tmp_path):
    ada = house.bearer("ada", "reader")
    data = tmp_path / "data"
    server = house.server(data=data)
    cookie = cookie_of(begin(server, ada), "store-auth")
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    with house.server(data=data) as server:
        assert server.get("/state", cookie).status == 200
        value = cookie["Cookie"]
        for wrong in value[:-1], value[:-2] + ("aa" if not value.endswith("aa") else "bb"), value + "a", value.replace(".", ""):
            answer = server.get("/state", {"Cookie": wrong})
            assert answer.status == 401 and "store-auth=; " in answer["set-cookie"], wrong
        house.revoke(ada)
        reload(server)
        answer = server.get("/state", cookie)
        assert answer.status == 401 and "Max-Age=0" in answer["set-cookie"]
    with house.server() as server:
        assert server.get("/state", cookie).status == 401


def test_17_chromium_reads_a_stream_with_the_cookie(house):
    from playwright.sync_api import sync_playwright
    from test_clients import CHROMIUM, PAGE

    ada = house.bearer("ada", "reader")
    with house.server() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, headless=True, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        page.goto(f"{server.url}/livez")
        status = page.evaluate(
            "async (value) => (await fetch('/session', {method: 'POST', headers: {Authorization: value}})).status",
            ada["Authorization"],
        )
        assert status == 204
        assert page.evaluate("document.cookie") == ""
        page.evaluate(PAGE)
        seen = lambda: [each for each in page.evaluate("seen") if each[0] == "message"]  # noqa: E731
        until(seen, "the first event", 20)
        assert list(json.loads(seen()[0][2])) == ["todos"]
        assert server.post(action("todos/added", text="milk"), house.operator).status == 200
        until(lambda: len(seen()) == 2, "the next event", 20)
        assert page.evaluate("fetch('/session', {method: 'DELETE'}).then((answer) => answer.status)") == 204
        assert page.evaluate("fetch('/state').then((answer) => answer.status)") == 401
        browser.close()


# Sessions


def test_17_a_session_belongs_to_its_principal(house, tmp_path):
    roles = {**ROLES, "keeper": {"read": ["/diary", "log"], "dispatch": ["diary/*"], "use": ["sessions"]},
             "anonymous": {"read": ["/diary"], "dispatch": ["diary/*"], "use": ["sessions"]}}
    house.write(roles)
    ada, bob = house.bearer("ada", "keeper"), house.bearer("bob", "keeper")
    again = house.bearer("ada", "keeper")
    server = house.server(data=tmp_path / "data")
    mine = session(server, ada)
    cookie = {"Cookie": mine["Cookie"]}
    assert server.post(action("diary/written", text="mine"), mine).status == 200
    nobodys = session(server, {})

    def check(server):
        assert server.get("/modules/diary", mine).json["lines"] == ["mine"]
        # With another key of the same principal, the session is the same.
        assert server.get("/modules/diary", {**again, **cookie}).json["lines"] == ["mine"]
        for header in {**bob, **cookie}, cookie:
            assert server.get("/modules/diary", header).problem("forbidden", 403)
            assert server.post(action("diary/written", text="theirs"), header).status == 403
            assert server.request("DELETE", "/session", headers=header).status == 403
        assert server.get("/modules/diary", {**ada, **nobodys}).status == 403
        assert server.get("/modules/diary", nobodys).json["lines"] == []

    check(server)
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    with house.server(data=tmp_path / "data") as server:
        check(server)


def test_17_idempotency_keys_belong_to_the_principal(house):
    roles = {**ROLES, "anonymous": {"read": ["/todos"], "dispatch": ["todos/*"], "use": ["sessions"]}}
    house.write(roles)
    ada, bob = house.bearer("ada", "reader"), house.bearer("bob", "reader")
    key = {"Idempotency-Key": '"same"'}
    with house.server() as server:
        clients = {name: [session(server, header) for _ in range(3)] for name, header in
                   (("ada", ada), ("bob", bob))}
        for name, headers in clients.items():
            versions = set()
            for number, header in enumerate(headers):
                answer = server.post(action("todos/added", text=name), {**header, **key})
                assert answer.status == 200, answer
                assert (answer["idempotency-replayed"] == "true") == (number > 0)
                versions.add(answer.json["version"])
            assert len(versions) == 1
        # The idempotency keys of anonymous clients belong to their sessions.
        for header in {}, session(server, {}), session(server, {}):
            answer = server.post(action("todos/added", text="nobody"), {**header, **key})
            assert (answer.status, answer["idempotency-replayed"]) == (200, None)
        items = server.get("/state", ada).json["todos"]["items"]
        assert items == ["ada", "bob"] + ["nobody"] * 3
        assert server.post(action("todos/added", text="other"), {**ada, **key}).status == 422


# Records


def followed(server, house, version):
    """Returns the records that followed from a version, once an effect has dispatched its last action."""

    def later():
        found, versions = [], {version}
        for each in records(server, house):
            if each.get("cause") in versions:
                versions.add(each["version"])
                found.append(each)
        return found if "todos/finished" in [each["type"] for each in found] else None

    return until(later, "the effect has run")


def test_17_records_have_the_principal_with_all_that_follows(house, tmp_path):
    house.write({**ROLES, "anonymous": {"read": ["/todos"], "dispatch": ["todos/*"]}, "caller": {
        "read": ["/todos"], "dispatch": ["todos/*"], "call": ["usecases/todos/enter", "notify/bell"]}})
    ada, bob = house.bearer("ada", "caller"), house.bearer("bob", "caller")
    server = house.server(data=tmp_path / "data")
    wait = {**ada, "Prefer": "wait=10"}
    for type_, payload in [("todos/added", {"text": "echo"}), ("todos/relayed", {"text": "on"}),
                           ("todos/planned", {"text": "short", "ms": 1})]:
        assert server.post(action(type_, **payload), wait).status == 200
    assert server.send("/usecases/todos/enter", {"text": "entered"}, wait).status == 200
    assert server.send("/notify/bell", {"text": "rung"}, wait).status == 200
    begun = server.send("/usecases/todos/enter", {"text": "again"}, ada)
    assert begun.status == 202
    assert server.get(begun["location"], wait).status == 200
    for header in {}, bob:
        assert server.get(begun["location"], header).status == 404
    logged = records(server, house)
    types = [each["type"] for each in logged]
    for type_ in ("todos/finished", "safe/put", "usecases/todos/enter", "notify/bell", "todos/relayed"):
        assert type_ in types, types
    stamps = lambda records: {(each.get("principal"), each.get("role")) for each in records}  # noqa: E731
    assert stamps(each for each in logged if each["version"] > 0) == {("ada", "caller")}, logged
    blame = server.get("/state/safe?blame=true", house.operator).json["changedBy"]
    assert (blame["principal"], blame["role"]) == ("ada", "caller")
    planned = server.post(action("todos/planned", text="late", ms=1_500), ada).json["version"]
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    with house.server(data=tmp_path / "data") as server:
        assert stamps(followed(server, house, planned)) == {("ada", "caller")}
        planned = server.post(action("todos/planned", text="nobody", ms=1)).json["version"]
        assert not any("principal" in each or "role" in each for each in followed(server, house, planned))


# Conditions


def test_17_a_condition_limits_a_principal_to_its_own_actions(house):
    ada = house.bearer("ada", "author")
    own, others = action("todos/added", text="x", authorID="ada"), action("todos/added", text="y", authorID="bob")

    def version():
        return server.get("/state", house.operator)["etag"]

    with house.server() as server:
        assert server.post(own, ada).status == 200
        assert server.send("/modules/todos/ui", action("todos/tapped", authorID="ada"), ada).status == 200
        before = version()
        for wrong in others, action("todos/added", text="x"), action("todos/added", text="x", authorID=None), \
                action("todos/added", text="x", authorID=["ada"]), action("todos/added", text="x", authorID="Ada"), \
                {"type": "todos/added"}, [own, others], [others, own], [action("todos/cleared"), own, others]:
            problem = server.post(wrong, ada).problem("forbidden", 403)
            assert "todos/added" in problem["detail"]
            assert server.post(wrong, ada, "?dry-run=true").status == 403
        for target, wrong in itertools.product(("/dispatch", "/modules/todos/ui"), (others,)):
            link = f"{target}?action={urllib.parse.quote(json.dumps(wrong))}"
            assert server.request("POST", link, b"", ada).status == 403
        assert server.send("/modules/todos/ui", action("todos/tapped", authorID="bob"), ada).status == 403
        assert server.send("/modules/todos/ui", action("todos/tapped"), ada).status == 403
        assert version() == before
        link = f"/dispatch?action={urllib.parse.quote(json.dumps(own))}"
        assert server.request("POST", link, b"", ada).status == 200
        assert server.post([own, action("todos/cleared"), own], ada).status == 200


def test_17_without_a_policy_no_route_checks_a_credential(tmp_path):
    with Server() as server:
        assert server.get("/state", {"Authorization": "Bearer nonsense"}).status == 200
        assert server.get("/state")["vary"] is None and server.request("POST", "/session", b"").status == 405
        assert ALL
