"""Pages, proxies and shares with a policy that limits some clients (protocol 9.3, 10.6, decision 0022)."""

import json

import pytest
from harness import INCREASE, Server, run

APP = "https://app.example"
POLICY = {
    "roles": {
        "anonymous": {"read": ["/counter"]},
        "author": {"read": ["*"], "dispatch": ["*"], "use": ["sessions", "metrics"]},
    }
}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """Starts a server with the policy, and returns the header fields of each principal's credential."""
    folder = tmp_path_factory.mktemp("guarded")
    (folder / "policy.json").write_text(json.dumps(POLICY))
    keys = folder / "keys.json"

    def bearer(principal):
        words = ["token", "create", "--keys", str(keys), "--principal", principal, "--role", "author"]
        made = run(*words)
        assert made.returncode == 0, made
        return {"Authorization": f"Bearer {made.stdout.strip()}"}

    fields = {name: bearer(name) for name in ("ada", "bob")}

    def start(*flags):
        own = ["--policy", str(folder / "policy.json"), "--auth-keys", str(keys)]
        return Server(*own, "--trusted-proxy", "127.0.0.1", *flags)

    return start, fields


def test_10_6_a_preflight_shows_nothing_that_its_client_may_not_see(guarded):
    start, fields = guarded
    with start("--cors-origin", APP) as server:
        asked = {"Origin": APP, "Access-Control-Request-Method": "GET"}
        answers = [
            server.request("OPTIONS", path, headers=asked)
            for path in ("/modules/counter", "/modules/todos", "/modules/nothing", "/nowhere", "/dispatch")
        ]
        heads = [[item for item in answer.headers if item[0] != "date"] for answer in answers]
        assert [answer.status for answer in answers] == [204] * 5
        assert all(head == heads[0] for head in heads)
        allowed = {name.strip() for name in answers[0]["access-control-allow-headers"].split(",")}
        assert {"Authorization", "Content-Type", "If-Match", "Last-Event-ID", "Idempotency-Key"} <= allowed
        # Without the header fields of a page, the policy decides as always.
        assert server.request("OPTIONS", "/modules/todos").status == 404
        # A page may read that an action is forbidden.
        page = {"Origin": APP}
        for answer, status in (
            (server.post(INCREASE, page), 401),
            (server.get("/state", {**page, "Authorization": "Bearer x"}), 401),
            (server.get("/modules/todos", page), 404),
            (server.post(INCREASE, {**page, **fields["ada"]}), 200),
        ):
            assert answer.status == status and answer["access-control-allow-origin"] == APP, answer


def share(answer, name):
    for item in (answer["ratelimit"] or "").split(", "):
        if item.startswith(f'"{name}";'):
            return int(item.split("r=")[1].split(";")[0])
    return None


def test_9_3_a_principal_has_one_share_wherever_it_is(guarded):
    start, fields = guarded
    with start("--rate-actions", "10/3600") as server:

        def dispatch(count, principal, address):
            return server.post([INCREASE] * count, {**fields[principal], "X-Forwarded-For": address})

        first = dispatch(6, "ada", "192.0.2.1")
        assert share(first, "actions") == share(first, "principal-actions") == 4
        second = dispatch(4, "ada", "192.0.2.2")
        assert (share(second, "actions"), share(second, "principal-actions")) == (6, 0)
        refused = dispatch(1, "ada", "192.0.2.3")
        refused.problem("too-many-requests", 429)
        assert share(refused, "principal-actions") == 0
        # The address has its whole share, because nothing was taken from it. Another principal has its own.
        third = dispatch(10, "bob", "192.0.2.3")
        assert third.status == 200 and share(third, "actions") == share(third, "principal-actions") == 0
        # The address has no share left.
        dispatch(1, "bob", "192.0.2.3").problem("too-many-requests", 429)
        assert server.version == 20


def test_9_3_wrong_tokens_use_up_the_share_of_the_address(guarded):
    start, fields = guarded
    with start("--rate-requests", "5/3600") as server:
        wrong = {"Authorization": "Bearer ssk_wrong", "X-Forwarded-For": "192.0.2.9"}
        assert [server.get("/state", wrong).status for _ in range(7)] == [401] * 5 + [429] * 2
        # The principal has another share than the address.
        good = {**fields["ada"], "X-Forwarded-For": "192.0.2.10"}
        assert server.get("/state", good).status == 200


def test_9_3_a_principal_is_counted_for_its_requests_too(guarded):
    start, fields = guarded
    with start("--rate-requests", "3/3600") as server:
        statuses = [
            server.get("/state", {**fields["ada"], "X-Forwarded-For": f"192.0.2.{number}"}).status for number in range(5)
        ]
        assert statuses == [200, 200, 200, 429, 429]
        assert server.get("/state", {"X-Forwarded-For": "192.0.2.0"}).status == 200
