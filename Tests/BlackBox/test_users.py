"""Slices of users: `PerPrincipal`, sign-ins, and the routes of users (docs/decisions/0050)."""

import json
import os
import signal

import pytest
from access import ALL, House, cookie_of, session
from harness import Server, SmallDisk, Stream, action, until
from programs import build_sample

ROLES = {
    "operator": ALL,
    "buyer": {
        "read": ["*", "log"],
        "dispatch": ["*"],
        "call": ["*"],
        "use": ["sessions", "schema", "effects"],
    },
    "anonymous": {"read": ["*", "log"], "dispatch": ["*"], "use": ["sessions", "effects"]},
}


@pytest.fixture(scope="module")
def program():
    return build_sample("Carts")


@pytest.fixture
def house(tmp_path, program):
    return House(tmp_path, ROLES, program)


def items(server, header=None):
    return server.get("/state", header or {}).json["cart"]["items"]


def add(server, item, header=None, query=""):
    answer = server.post(action("cart/added", item=item), header or {}, query=query)
    assert answer.status == 200, answer
    return answer.json["version"]


def test_all_devices_of_a_user_have_one_slice(house):
    ada, bob = house.bearer("ada", "buyer"), house.bearer("bob", "buyer")
    with house.server() as server:
        phone, desk = session(server, ada), session(server, ada)
        add(server, "tea", phone)
        add(server, "mug", desk)
        add(server, "tea", ada)
        for device in (phone, desk, ada):
            assert items(server, device) == ["tea", "mug", "tea"]
            assert server.get("/modules/cart", device).json["items"] == ["tea", "mug", "tea"]
            assert server.get("/state/cart/items/1", device).json == "mug"
            assert server.get("/views/sum", device).json == {"sum": 15}
            # Another module reads the cart of the same user.
            assert server.get("/modules/badge", device).json == {"count": 3}
        assert items(server, bob) == [] and items(server) == []
        # A slice of a session still belongs to the session alone.
        assert server.post(action("taps/tapped"), phone).status == 200
        assert server.get("/modules/taps", phone).json["count"] == 1
        assert server.get("/modules/taps", desk).json["count"] == 0
        assert server.get("/views/desk", phone).json == {"items": 3, "taps": 1}
        assert server.get("/views/desk", desk).json == {"items": 3, "taps": 0}
        # An operator without a session reads the carts of all users.
        carts = server.get("/modules/cart", house.operator).json
        assert set(carts) == {"@ada"} and carts["@ada"]["items"] == ["tea", "mug", "tea"]


def test_each_form_of_a_slice_may_belong_to_users(house):
    ada, bob = house.bearer("ada", "buyer"), house.bearer("bob", "buyer")
    with house.server() as server:
        assert server.post(action("order/o1/start"), ada).status == 200
        assert server.post(action("order/o1/noted", line="fast"), session(server, ada)).status == 200
        assert server.post(action("order/o1/start"), bob).status == 200
        assert server.get("/modules/order", ada).json == {"o1": {"lines": ["ada:o1:fast"]}}
        assert server.get("/modules/order/o1", bob).json == {"lines": []}
        assert server.get("/modules/order/o1").status == 404
        assert server.post(action("note/start", text="milk"), ada).status == 200
        assert server.get("/modules/note", ada).json == {"text": "milk"}
        assert server.get("/modules/note", bob).status == 404
        refused = server.post(action("note/changed", text="x"), bob)
        refused.problem("refused", 409)
        assert server.post(action("ThemeChosen", theme="dark"), ada).status == 200
        assert server.get("/state", ada).json["theme"] == "dark"
        assert server.get("/state", bob).json["theme"] == "light"
        assert server.post(action("note/stop"), ada).status == 200
        assert server.get("/modules/note", ada).status == 404
        # An effect works for the user, and reads the user's slices.
        add(server, "tea", bob)
        paid = server.post(action("cart/paid", ms=1), {**bob, "Prefer": "wait=10"})
        assert paid.status == 200
        assert items(server, bob) == ["thanks, bob tea light"]
        add(server, "tea", ada)
        paid = server.post(action("cart/paid", ms=1), {**session(server, ada), "Prefer": "wait=10"})
        assert paid.status == 200
        assert items(server, ada) == ["thanks, ada tea dark"]
        # A change of a shared value reaches the copies of all users.
        assert server.post(action("catalogue/priced", item="tea", price=4), bob).status == 200
        for user in (ada, bob):
            assert server.get("/modules/cart", user).json["prices"]["tea"] == 4


def test_streams_show_a_user_its_own_slices_alone(house):
    ada, bob = house.bearer("ada", "buyer"), house.bearer("bob", "buyer")
    targets = [
        "/events", "/events?mode=patch", "/modules/cart/events", "/modules/cart/events?mode=patch",
        "/events?path=/cart/items", "/views/sum/events", "/modules/order/o1/events", "/actions/events",
        "/modules/cart/events?old=true",
    ]
    with house.server() as server:
        phone, desk = session(server, ada), session(server, ada)
        for user in (ada, bob):
            assert server.post(action("order/o1/start"), user).status == 200
        streams = {
            name: [Stream(server, target, headers=who.items()).opened() for target in targets]
            for name, who in (("phone", phone), ("desk", desk), ("bob", bob))
        }
        version = add(server, "mug", phone)
        noted = server.post(action("order/o1/noted", line="secret"), desk).json["version"]
        shared = server.post(action("catalogue/priced", item="cup", price=1), bob).json["version"]

        def text(stream, last):
            """Returns all that a stream got until an event of `last`."""
            seen = ""
            while True:
                event = stream.event()
                seen += event.raw.decode()
                if event.id and event.version >= last:
                    return seen

        for name in ("phone", "desk"):
            whole, patch, slice_, slice_patch, part, view, order, log, old = streams[name]
            assert '"items":["mug"]' in text(whole, shared)
            assert "secret" in text(order, noted)
            assert "mug" in text(patch, shared)
            for stream in (slice_, slice_patch, old):
                assert "mug" in text(stream, version)
            assert "mug" in text(part, version)
            assert '"sum":9' in text(view, version)
            assert "cart/added" in text(log, shared)
        whole, patch, slice_, slice_patch, part, view, order, log, old = streams["bob"]
        for stream in (whole, patch, slice_, log, old):
            seen = text(stream, shared)
            assert "secret" not in seen and "cart/added" not in seen and '"mug"]' not in seen, seen
        # These streams had nothing new, so the next change of bob's is their next event.
        mine = add(server, "tea", bob)
        for stream in (part, view):
            first = stream.event()
            assert (first if first.version == mine else stream.event()).version == mine
        for stream in (stream for all_ in streams.values() for stream in all_):
            stream.close()


def test_reads_of_other_kinds_show_a_user_its_own_slices_alone(house):
    ada, bob = house.bearer("ada", "buyer"), house.bearer("bob", "buyer")
    with house.server() as server:
        first = add(server, "tea", ada)
        second = add(server, "mug", session(server, ada))
        newest = add(server, "tea", bob)
        # The log, traces, blame and past versions.
        types = lambda who: [record["type"] for record in server.get("/actions", who).json["actions"]]  # noqa: E731
        assert types(ada).count("cart/added") == 2 and types(bob).count("cart/added") == 1
        assert types({}).count("cart/added") == 0 and types(house.operator).count("cart/added") == 3
        assert server.get(f"/trace?version={first}", bob).json["steps"] == []
        assert server.get(f"/trace?version={first}", ada).json["steps"][0]["type"] == "cart/added"
        blame = server.get("/state/cart/items?blame=true", ada).json
        assert blame["changedBy"]["version"] == second, blame
        assert server.get(f"/state?version={second}", ada).json["cart"]["items"] == ["tea", "mug"]
        assert server.get(f"/state?version={second}", bob).json["cart"]["items"] == []
        # Conditions: bob's state has not changed since, ada's has.
        tag = server.get("/state", ada)["etag"]
        add(server, "mug", bob)
        assert server.get("/state", {**ada, "If-None-Match": tag}).status == 304
        assert server.post(action("cart/touched"), {**ada, "If-Match": tag}).status == 200
        tag = server.get("/state", ada)["etag"]
        add(server, "mug", session(server, ada))
        assert server.get("/state", {**ada, "If-None-Match": tag}).status == 200
        assert server.post(action("cart/touched"), {**ada, "If-Match": tag}).status == 412
        # A dry run.
        dry = server.post(action("cart/added", item="tea"), bob, query="?dry-run=true")
        assert dry.status == 200 and "tea" in dry.body.decode() and "mug" not in json.dumps(dry.json["patch"])
        # Effects that run for a user.
        assert server.post(action("cart/paid", ms=60_000), ada).status == 200
        assert [effect["module"] for effect in server.get("/effects", session(server, ada)).json["effects"]] == ["cart"]
        assert server.get("/effects", bob).json["effects"] == []
        [effect] = server.get("/effects", ada).json["effects"]
        assert server.request("DELETE", effect["href"], b"", bob).status == 404
        assert server.request("DELETE", effect["href"], b"", ada).status == 204
        assert newest < server.version


def test_a_visitor_that_signs_in_takes_its_slices_along(house):
    ada = house.bearer("ada", "buyer")
    with house.server() as server:
        visitor = session(server, {})
        add(server, "tea", visitor)
        assert server.post(action("note/start", text="visitor"), visitor).status == 200
        assert server.post(action("order/o1/start"), visitor).status == 200
        assert server.post(action("ThemeChosen", theme="pink"), visitor).status == 200
        add(server, "mug", ada)
        stream = Stream(server, "/events", headers=visitor.items()).opened()
        signed = server.request("POST", "/sessions", b"", {**ada, **visitor})
        assert signed.status == 201, signed
        user = {**ada, **cookie_of(signed, "store-session")}
        state = server.get("/state", user).json
        # The cart is joined, the note and the order are taken over or dropped, as the modules declare.
        assert state["cart"]["items"] == ["mug", "tea"] and state["badge"]["count"] == 2
        assert state["note"] == {"text": "visitor"} and state["order"] == {} and state["theme"] == "light"
        # The visitor's session has ended, with its streams and slices.
        until(lambda: stream.take() is None and (stream.ended or stream.read()), "the stream has ended")
        assert server.get("/state", visitor).status == 403
        assert set(server.get("/modules/cart", house.operator).json) == {"@ada"}
        # One version joins the slices of all modules, with one record, which other clients don't read.
        log = server.get("/actions", house.operator).json["actions"]
        [record] = [record for record in log if record["type"] == "users/signedIn"]
        assert record["payload"]["principal"] == "ada"
        assert "users/signedIn" in [record["type"] for record in server.get("/actions", user).json["actions"]]
        assert "users/signedIn" not in [record["type"] for record in server.get("/actions").json["actions"]]
        # A second device signs in, and has no visitor's session any more.
        assert server.request("POST", "/sessions", b"", {**ada, **visitor}).status == 201
        assert items(server, ada) == ["mug", "tea"]
        stream.close()


def test_a_module_may_refuse_a_sign_in(house):
    ada = house.bearer("ada", "buyer")
    with house.server() as server:
        visitor = session(server, {})
        for _ in range(3):
            add(server, "tea", visitor)
            add(server, "tea", ada)
        refused = server.request("POST", "/sessions", b"", {**ada, **visitor})
        assert refused.problem("refused", 409)["reason"] == "The cart is too full."
        # Nothing has changed: the visitor goes on.
        assert items(server, visitor) == ["tea"] * 3 and items(server, ada) == ["tea"] * 3
        add(server, "tea", visitor)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
def test_a_sign_in_on_a_full_disk_changes_nothing(house, tmp_path):
    ada = house.bearer("ada", "buyer")
    with SmallDisk(tmp_path) as disk, house.server(data=disk.data) as server:
        visitor = session(server, {})
        add(server, "tea", visitor)
        disk.fill()
        until(lambda: server.post(action("cart/touched"), ada).status == 507, "the disk is full")
        sign_in = lambda: server.request("POST", "/sessions", b"", {**ada, **visitor})  # noqa: E731
        sign_in().problem("storage-full", 507)
        assert items(server, visitor) == ["tea"] and items(server, ada) == []
        disk.clear()
        until(lambda: sign_in().status == 201, "there is room again")
        assert items(server, ada) == ["tea"] and server.get("/state", visitor).status == 403


def test_the_end_of_a_session_ends_a_visitor_and_no_user(house):
    ada = house.bearer("ada", "buyer")
    with house.server() as server:
        visitor, user = session(server, {}), session(server, ada)
        add(server, "tea", visitor)
        add(server, "mug", user)
        for client in (visitor, user):
            assert server.request("DELETE", "/session", b"", client).status == 204
        assert set(server.get("/modules/cart", house.operator).json) == {"@ada"}
        assert items(server, ada) == ["mug"]
        # All visitors without a session share a slice.
        add(server, "tea")
        assert items(server) == ["tea"] and items(server, ada) == ["mug"]


def test_operators_list_users_and_forget_them(house):
    ada, bob = house.bearer("ada", "buyer"), house.bearer("bob", "buyer")
    with house.server() as server:
        add(server, "tea", ada)
        assert server.post(action("note/start", text="x"), ada).status == 200
        add(server, "mug", bob)
        add(server, "mug", session(server, {}))
        listed = server.get("/users", house.operator).json
        assert listed["users"] == [
            {"principal": "ada", "modules": ["cart", "badge", "note"]},
            {"principal": "bob", "modules": ["cart", "badge"]},
        ]
        page = server.get("/users?limit=1", house.operator).json
        assert [user["principal"] for user in page["users"]] == ["ada"]
        page = server.get(page["next"], house.operator).json
        assert [user["principal"] for user in page["users"]] == ["bob"] and "next" not in page
        for who in (ada, {}):
            assert server.get("/users", who).status in (401, 403)
            assert server.request("DELETE", "/users/bob", b"", who).status in (401, 403)
        server.get("/users?limit=0", house.operator).problem("bad-request", 400)
        assert server.request("DELETE", "/users/carla", b"", house.operator).status == 404
        assert server.post(action("cart/paid", ms=60_000), ada).status == 200
        stream = Stream(server, "/modules/cart/events", headers=ada.items()).opened()
        last = stream.event().id
        tags = {path: server.get(path, ada)["etag"] for path in ("/state", "/modules/cart")}
        assert server.request("DELETE", "/users/ada", b"", house.operator).status == 204
        assert stream.event().json["items"] == []
        # A client that returns with an earlier tag gets the change.
        for path, tag in tags.items():
            assert server.get(path, {**ada, "If-None-Match": tag}).status == 200
        with Stream(server, "/modules/cart/events", last=last, headers=ada.items()) as again:
            assert again.opened().event().json["items"] == []
        assert items(server, ada) == [] and items(server, bob) == ["mug"]
        assert server.get("/modules/note", ada).status == 404
        until(lambda: server.get("/effects", house.operator).json["effects"] == [], "the effect is cancelled")
        assert [user["principal"] for user in server.get("/users", house.operator).json["users"]] == ["bob"]
        # The user may return, and begins anew.
        add(server, "tea", ada)
        assert items(server, ada) == ["tea"]
        stream.close()


def test_slices_of_users_outlive_kill_9_and_snapshots(house, tmp_path):
    data = tmp_path / "data"
    ada, bob = house.bearer("ada", "buyer"), house.bearer("bob", "buyer")
    server = house.server(data=data)
    visitor, phone = session(server, {}), session(server, ada)
    add(server, "tea", visitor)
    add(server, "mug", phone)
    add(server, "tea", bob)
    assert server.post(action("cart/kept", ms=60_000), bob).status == 200
    assert server.request("POST", "/sessions", b"", {**bob, **visitor}).status == 201
    assert server.request("DELETE", "/users/ada", b"", house.operator).status == 204
    add(server, "mug", ada)
    assert server.post(action("cart/kept", ms=100), ada).status == 200
    before = {name: server.get("/state", who).json for name, who in (("bob", bob), ("phone", phone))}
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    with house.server(data=data) as server:
        assert {name: server.get("/state", who).json["note"] for name, who in (("bob", bob),)} == {
            "bob": before["bob"]["note"]
        }
        assert items(server, bob) == before["bob"]["cart"]["items"] == ["tea", "tea"]
        # Kept work runs again in the name of its user, on its slice.
        until(lambda: items(server, phone) == ["thanks, ada"], "the work has run again")
        assert server.get("/modules/cart", ada).json["thanks"] == 1
        version = server.version
    # This start begins with a snapshot, not with the first record.
    with house.server(data=data) as server:
        assert server.version >= version
        assert items(server, phone) == ["thanks, ada"] and items(server, bob) == ["tea", "tea"]
        assert [user["principal"] for user in server.get("/users", house.operator).json["users"]] == ["ada", "bob"]


def test_without_access_control_everybody_is_a_visitor(program):
    with Server(program=program) as server:
        one, two = session(server, {}), session(server, {})
        add(server, "tea", one)
        assert items(server, one) == ["tea"] and items(server, two) == [] and items(server) == []
        assert server.get("/users").status == 404
        assert server.get("/views/sum", one).json == {"sum": 3}


def test_a_second_version_gives_users_the_slices_that_sessions_had(house, tmp_path):
    data = tmp_path / "data"
    first = House(tmp_path, ROLES, build_sample("Trolleys"))
    ada = first.bearer("ada", "buyer")
    with first.server(data=data) as server:
        phone, desk, visitor = session(server, ada), session(server, ada), session(server, {})
        for client, item in ((phone, "tea"), (desk, "mug"), (visitor, "tea")):
            add(server, item, client)
        assert items(server, phone) == ["tea"] and items(server, desk) == ["mug"]
    # The snapshot of the stop has the carts of sessions, so the second version replays the records.
    with house.server(data=data) as server:
        for client in (phone, desk, ada):
            assert items(server, client) == ["tea", "mug"]
        assert items(server, visitor) == ["tea"]
        add(server, "mug", phone)
        assert set(server.get("/modules/cart", house.operator).json) == {"@ada", "~" + name_of(server, visitor)}
    with house.server(data=data) as server:
        assert items(server, desk) == ["tea", "mug", "mug"]


def name_of(server, client):
    """Returns the name of a client's session."""
    return server.get("/session", client).json["session"]
