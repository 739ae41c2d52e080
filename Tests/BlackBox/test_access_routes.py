"""The grants of each route of the table, for each kind of credential (protocol 17)."""

import itertools

import pytest
from access import ALL, ROLES, cookie_of, guarded, session
from harness import action, until

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
# All clients may use these, under any policy.
FREE = {("GET", "/"), ("GET", "/livez"), ("GET", "/readyz"), ("GET", "/problems/{slug}"), ("GET", "/session"), ("DELETE", "/session"),
        ("POST", "/session")}
VALUES = {"module": "todos", "collection": "boxes", "id": "a", "version": "1", "effect": "1", "slug": "refused",
          "pointer...": "todos", "pointer": "todos"}


@pytest.fixture
def house(tmp_path):
    return guarded(tmp_path)


def filled(template):
    path = template
    for name, value in VALUES.items():
        path = path.replace("{" + name + "}", value)
    return path


def bad(house):
    """Bad credentials, by their fault."""
    good = house.operator["Authorization"].split(" ")[1]
    revoked = house.bearer("gone", "operator")
    house.revoke(revoked)
    return {
        "no bearer": {"Authorization": "Basic cm9vdDpyb290"},
        "empty": {"Authorization": ""},
        "no token": {"Authorization": "Bearer"},
        "cut": {"Authorization": f"Bearer {good[:-1]}"},
        "mistyped": {"Authorization": f"Bearer {good[:-1]}{'a' if good[-1] != 'a' else 'b'}"},
        "unknown": {"Authorization": "Bearer nonsense"},
        "no issuer": {"Authorization": "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJyb290In0."},
        "long": {"Authorization": "Bearer " + "x" * 8_193},
        "revoked": revoked,
        "forged cookie": {"Cookie": "store-auth=eyJwcmluY2lwYWwiOiJyb290In0.AAAA"},
        "empty cookie": {"Cookie": "store-auth="},
    }


def request(server, method, path, header):
    body = b"{}" if method in ("POST", "PUT", "PATCH") else None
    fields = {**header, **({"Content-Type": "application/json"} if body else {})}
    return server.request(method, path, body, fields)


def test_17_each_route_checks_the_credential(house):
    """Each route and method, without a credential, with a bad one, and with each role."""
    headers = {role: house.bearer("ada", role) for role in (*ROLES, "unheard")}
    shown = bad(house)
    with house.server() as server:
        assert server.post(action("boxes/a/start", label="x"), house.operator).status == 200
        catalog = server.get("/openapi.json", house.operator).json["paths"]
        assert len(catalog) > 30
        for template, method in itertools.product(catalog, METHODS):
            path, where = filled(template), (method, template)
            if template.endswith("/events") and method == "GET":
                continue  # Another test checks streams.
            methods = {each.upper() for each in catalog[template]}
            exists = method in methods or method == "OPTIONS" or (method == "HEAD" and "GET" in methods)
            isFree = where in FREE or ("GET", template) in FREE and method in ("HEAD", "OPTIONS")
            # Without a credential: 401, or 404 for a resource that has to stay hidden; never its content.
            answer = request(server, method, path, {})
            assert answer.status < 500, (where, answer)
            if method == "HEAD" and template.endswith("/events"):
                assert answer.status in (401, 403, 404, 405)
                continue
            if exists and not isFree and method != "OPTIONS":
                assert answer.status in (401, 404), (where, answer)
            if answer.status == 401:
                assert answer["www-authenticate"].startswith("Bearer"), where
            answer = request(server, method, path, headers["unheard"])
            if exists and not isFree and method != "OPTIONS":
                assert answer.status in (403, 404), (where, answer)
            for role in "nothing", "reader", "operator":
                answer = request(server, method, path, headers[role])
                assert answer.status < 500 and answer.status != 401 or path == "/session", (role, where, answer)
            # A role with all permissions is never refused.
            assert answer.status != 403, (where, answer)
            if not exists:
                assert answer.status == 405, (where, answer)
        for what, header in shown.items():
            for template, method in itertools.product(catalog, ("GET", "POST", "DELETE")):
                answer = request(server, method, filled(template), header)
                assert answer.status == 401, (what, method, template, answer)
                assert answer["www-authenticate"].startswith("Bearer"), (what, answer)
                taken = answer["set-cookie"]
                if "cookie" in what:
                    assert taken.startswith("store-auth=;") and "Max-Age=0" in taken
                else:
                    assert taken is None


def test_17_the_log_has_the_reason_of_a_refused_credential_under_the_requests_id(house):
    shown = bad(house)
    with house.server() as server:
        for what, header in shown.items():
            problem = server.get("/state", header).problem("unauthorized", 401)
            line = until(
                lambda id_=problem["instance"]: [each for each in server.log_text.splitlines() if id_ in each],
                f"a line with {problem['instance']}",
            )
            assert len(line) == 1 and "is refused: " in line[0], (what, line)
            for secret in header.values():
                token = secret.split(" ")[-1].removeprefix("store-auth=")
                assert len(token) < 8 or token not in server.log_text, what


def test_17_a_stream_needs_the_grants_of_its_route(house):
    headers = {role: house.bearer("ada", role) for role in ("reader", "nothing")}
    with house.server() as server:
        wanted = {
            "/events": (401, 403, 200), "/events?path=/safe": (401, 403, 200), "/actions/events": (401, 403, 200),
            "/modules/todos/events": (404, 404, 200), "/modules/safe/events": (404, 404, 404),
            "/views/list/events": (404, 404, 200), "/views/safe/events": (404, 404, 404),
            "/route/events": (401, 403, 200),
        }
        for target, statuses in wanted.items():
            for header, status in zip(({}, headers["nothing"], headers["reader"]), statuses):
                if status == 200:
                    continue
                assert server.get(target, header).status == status, (target, header)


def test_17_the_header_decides_even_if_the_request_has_a_cookie(house):
    ada, bob = house.bearer("ada", "reader"), house.bearer("bob", "author")
    with house.server() as server:
        cookie = cookie_of(server.request("POST", "/session", b"", ada), "store-auth")
        added = {**action("todos/added", text="x", authorID="bob")}
        assert server.post(added, {**bob, **cookie}).status == 200
        assert server.actions is not None
        last = server.get("/actions?limit=1000", house.operator).json["actions"][-1]
        assert (last["principal"], last["role"]) == ("bob", "author")
        assert server.get("/state", {**cookie, "Authorization": "Bearer nonsense"}).status == 401
        assert server.get("/state", cookie).status == 200


def test_17_use_cases_of_instances_are_granted_by_their_names(tmp_path):
    roles = {"operator": ALL, "clerk": {"read": ["/boxes"], "call": ["usecases/boxes/{id}/label"]}}
    house = guarded(tmp_path, roles)
    clerk = house.bearer("ada", "clerk")
    with house.server() as server:
        assert server.post(action("boxes/a/start", label="x"), house.operator).status == 200
        answer = server.send("/usecases/boxes/a/label", {"text": "y"}, {**clerk, "Prefer": "wait=10"})
        assert answer.status == 200, answer
        assert server.send("/usecases/safe/look", {}, clerk).status == 404
        assert session(server, house.operator)
