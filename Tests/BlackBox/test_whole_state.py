"""Actions, presenters and members of the whole state, and automatic starts (programs/Market.swift)."""

import contextlib
import signal
import subprocess
import threading

import pytest
from harness import NotStarted, Server, Stream, action, until
from programs import build_sample
from test_sessions import Client

FIRST = ["stall/start", "crate/start"]


@pytest.fixture(scope="module")
def program():
    return build_sample("Market")


@pytest.fixture
def market(program):
    with Server(program=program) as server:
        until_rung(server)
        yield server


def until_rung(server):
    until(lambda: server.get("/state/stall").json["bells"] == 1, "the bell has rung")


@contextlib.contextmanager
def killed(program, data):
    """A server that is killed."""
    server = Server(program=program, data=data)
    try:
        yield server
    finally:
        server.stop(signal.SIGKILL)


def get(client, target, **headers):
    return client.server.get(target, {**client.headers, **headers})


def add(client, item):
    answer = client.wait({"type": "cart/added", "payload": {"_0": item}})
    assert answer.status == 200, answer.json
    return answer.json["version"]


def wait(client, type, **payload):
    return client.wait({"type": type, "payload": payload})


def types(server, headers=None):
    return [record["type"] for record in server.get("/actions?after=0", headers or {}).json["actions"]]


def value(stream):
    """Returns the value of the next event."""
    return stream.event().json


def command(*words):
    ended = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def version(client):
    return int(get(client, "/state")["etag"].strip('"').split(":")[1])


# A single action for several slices


def test_a_single_action_changes_two_slices_in_one_version(market):
    ada, bob = Client(market).begin(), Client(market).begin()
    add(ada, "pear")
    before = add(bob, "plum")
    answer = ada.send(action("Checkout"))
    assert (answer.status, answer.json["version"]) == (200, before + 1)
    past = f"version={before + 1}"
    assert get(ada, f"/state/orders?{past}").json == {"placed": ["pear"]}
    assert get(ada, f"/state/cart?{past}").json == {"items": [], "placed": 1}
    assert get(bob, f"/state/cart?{past}").json == {"items": ["plum"], "placed": 1}
    # All clients read its record, which shows nothing of the cart.
    log = get(bob, f"/actions?after={before}&limit=1")
    assert [record["type"] for record in log.json["actions"]] == ["Checkout"]
    assert "pear" not in log.body.decode()


def test_a_refused_action_of_the_whole_state_changes_nothing_also_in_an_array(market):
    ada = Client(market).begin()
    before = version(ada)
    answer = ada.send(action("Checkout"))
    assert (answer.status, answer.json["reason"]) == (409, "The cart is empty.")
    added = {"type": "cart/added", "payload": {"_0": "pear"}}
    answer = ada.send([added, action("Checkout"), action("Checkout")])
    assert (answer.status, answer.json["pointer"]) == (409, "/2")
    assert get(ada, "/state/orders").json == {"placed": []}
    assert get(ada, "/state/cart").json["items"] == []
    assert version(ada) == before


def test_a_dry_run_shows_the_patch_that_the_session_sees(market):
    ada, bob = Client(market).begin(), Client(market).begin()
    add(ada, "pear")
    answer = ada.send(action("Checkout"), "/dispatch?dry-run=true")
    assert {operation["path"].split("/")[1] for operation in answer.json["patch"]} == {"cart", "orders"}
    # The answer does not show a change to the cart of another session.
    gift = {"type": "Gift", "payload": {"to": bob.name, "item": "toy"}}
    assert ada.send(gift, "/dispatch?dry-run=true").json["patch"] == []
    assert get(bob, "/state/cart").json["items"] == []


def test_only_streams_of_changed_parts_get_an_event(market):
    ada, bob = Client(market).begin(), Client(market).begin()
    add(ada, "pear")
    with (
        Stream(market, "/events", headers=bob.headers) as whole,
        Stream(market, "/events?path=/cart", headers=bob.headers) as cart,
        Stream(market, "/events?path=/title", headers=bob.headers) as title,
        Stream(market, "/events?path=/theme", headers=ada.headers) as theme,
    ):
        for stream in (whole, cart, title, theme):
            stream.opened().event()
        assert wait(ada, "Renamed", title="Bazaar").status == 200
        assert value(title) == "Bazaar"
        assert value(whole)["title"] == "Bazaar"
        assert wait(bob, "Themed", theme="dark").status == 200
        assert value(whole)["theme"] == "dark"
        assert wait(ada, "Gift", to=bob.name, item="toy").status == 200
        # The next event of the cart belongs to this action, because the other actions did not change the cart.
        assert value(cart)["items"] == ["toy"]
        assert wait(ada, "Themed", theme="blue").status == 200
        assert value(theme) == "blue"


def test_a_condition_holds_for_a_session_that_does_not_see_the_change(market):
    ada, bob = Client(market).begin(), Client(market).begin()
    tag = get(bob, "/state")["etag"]
    assert wait(ada, "Themed", theme="dark").status == 200
    added = {"type": "cart/added", "payload": {"_0": "pear"}}
    assert bob.send(added, **{"If-Match": tag}).status == 200
    assert ada.send(added, **{"If-Match": tag}).status == 412


def test_nothing_is_written_to_a_session_that_has_ended(market):
    ada, bob = Client(market).begin(), Client(market).begin()
    assert wait(ada, "Gift", to=bob.name, item="toy").status == 200
    assert bob.end().status == 204
    answer = wait(ada, "Gift", to=bob.name, item="toy")
    assert (answer.status, answer.json["reason"]) == (
        409,
        "The action would change a slice of a session that has ended.",
    )
    assert bob.name not in answer.body.decode()
    assert wait(ada, "Gift", to="never", item="toy").status == 409


def test_an_action_of_a_module_that_others_read_is_applied(market):
    ada, bob = Client(market).begin(), Client(market).begin()
    add(ada, "pear")
    assert wait(ada, "Checkout").status == 200
    assert [get(each, "/state/cart").json["placed"] for each in (ada, bob)] == [1, 1]
    # All carts have a copy of the shared value, also carts that no session has touched.
    answer = wait(bob, "orders/cleared")
    assert answer.status == 200, answer.json
    assert [get(each, "/state/cart").json["placed"] for each in (ada, bob)] == [0, 0]


def test_blame_names_the_action_that_changed_an_untouched_slice(market):
    ada, bob = Client(market).begin(), Client(market).begin()
    add(ada, "pear")
    done = wait(ada, "Checkout").json["version"]
    assert get(bob, "/state/cart").json == {"items": [], "placed": 1}
    found = get(bob, "/state/cart?blame=true").json["changedBy"]
    assert found["version"] == done and found["type"] == "Checkout"


def test_no_operator_sees_an_ended_session(program):
    with Server("--operator-reads", program=program) as server:
        ada, bob = Client(server).begin(), Client(server).begin()
        for client in (ada, bob):
            for theme in ("dark", "light"):
                assert wait(client, "Themed", theme=theme).status == 200
        assert server.get("/state/theme").json == {ada.name: "light", bob.name: "light"}
        with Stream(server, "/events?path=/theme").opened() as stream:
            assert set(value(stream)) == {ada.name, bob.name}
            # The end of a session removes its value.
            assert ada.end().status == 204
            assert value(stream) == server.get("/state/theme").json == {bob.name: "light"}
        assert ada.name not in server.get("/state").body.decode()


def test_blame_names_actions_of_the_whole_state_and_no_module_lists_them(market):
    ada = Client(market).begin()
    wait(ada, "Renamed", title="Bazaar")
    assert get(ada, "/state/title?blame=true").json["changedBy"]["type"] == "Renamed"
    assert "Checkout" not in market.get("/modules").body.decode()


# The root state's reducer and presenters


def test_the_reducer_sees_each_action_behind_its_module(market):
    ada = Client(market).begin()
    for item in ("pear", "plum", "fig"):
        add(ada, item)
    before = version(ada)
    answer = ada.send({"type": "cart/added", "payload": {"_0": "nut"}})
    assert (answer.status, answer.json["reason"]) == (409, "A cart takes three.")
    assert get(ada, "/state/cart").json["items"] == ["pear", "plum", "fig"]
    assert version(ada) == before
    assert wait(ada, "Renamed", title="Bazaar").json["version"] == before + 1
    assert wait(ada, "Noted").json["version"] == before + 2
    assert market.get("/state/journal").json == {"lines": ["renamed to Bazaar", "noted"]}


def test_a_presenter_of_the_whole_state_dispatches_for_the_session(market):
    ada, bob = Client(market).begin(), Client(market).begin()
    add(ada, "pear")
    assert wait(ada, "Checkout").status == 200
    until(lambda: get(ada, "/state/theme").json == "thanks", "the presenter has dispatched")
    assert get(bob, "/state/theme").json == "light"


def test_presenters_of_the_whole_state_are_listed(program):
    with Server("--debug-routes", program=program) as server:
        listed = server.get("/debug/subscriptions").json["presenters"]
        assert {"name": "ReceiptPresenter"} in listed


def test_views_follow_fields_and_the_whole_state(market):
    ada, bob = Client(market).begin(), Client(market).begin()
    with (
        Stream(market, "/views/sign/events", headers=ada.headers) as sign,
        Stream(market, "/views/whole/events", headers=bob.headers) as whole,
    ):
        assert value(sign.opened()) == {"text": "Market, light: 0"}
        assert value(whole.opened()) == {"carts": 0, "title": "Market"}
        wait(ada, "Themed", theme="dark")
        assert value(sign) == {"text": "Market, dark: 0"}
        wait(ada, "Renamed", title="Bazaar")
        assert value(whole) == {"carts": 0, "title": "Bazaar"}
        add(bob, "pear")
        assert value(whole) == {"carts": 1, "title": "Bazaar"}
    assert get(bob, "/views/sign").json == {"text": "Bazaar, light: 0"}


# Fields


def test_a_field_is_read_as_a_slice_and_is_no_module(market):
    ada, bob = Client(market).begin(), Client(market).begin()
    wait(ada, "Themed", theme="dark")
    assert (get(ada, "/state").json["theme"], get(bob, "/state").json["theme"]) == ("dark", "light")
    assert get(ada, "/state/title").json == "Market"
    names = [module["name"] for module in market.get("/modules").json["modules"]]
    assert names == ["orders", "cart", "stall", "crate", "journal", "sessions"]
    assert market.get("/modules/title").status == market.get("/modules/theme").status == 404
    schema = market.get("/schema").body.decode()
    assert '"title"' in schema and '"theme"' in schema


def test_history_keeps_fields_and_actions_of_the_whole_state(program, tmp_path):
    data = tmp_path / "data"
    with killed(program, data) as server:
        until_rung(server)
        ada = Client(server).begin()
        add(ada, "pear")
        wait(ada, "Checkout")
        wait(ada, "Renamed", title="Bazaar")
        until(lambda: get(ada, "/state/theme").json == "thanks", "the presenter has dispatched")
        wait(ada, "Themed", theme="dark")
        before = get(ada, "/state").json
    with Server(program=program, data=data) as server:
        ada.server = server
        assert get(ada, "/state").json == before
    assert "actions replayed" in command(program, "verify", "--data", data)
    lines = tmp_path / "lines"
    command(program, "export", lines, "--data", data)
    copy = tmp_path / "copy"
    command(program, "import", lines, "--data", copy)
    with Server(program=program, data=copy) as server:
        ada.server = server
        assert get(ada, "/state").json == before


# Automatic starts


def test_a_fresh_store_starts_the_declared_modules_in_its_first_versions(market):
    records = market.get("/actions?after=0").json["actions"][:2]
    assert [(record["version"], record["type"]) for record in records] == [
        (1, "stall/start"),
        (2, "crate/start"),
    ]
    assert market.get("/state/stall").json["name"] == "fruit"
    # Clients without a session have the slice of the session `shared`.
    assert market.get("/state/crate").json == {"apples": 3}


def test_a_declared_module_is_started_once_however_often_the_process_ends(program, tmp_path):
    data = tmp_path / "data"
    for _ in range(4):
        with killed(program, data) as server:
            until(lambda: types(server).count("stall/rang") >= 1, "the bell has rung")
            assert types(server).count("stall/start") == 1
            assert types(server).count("crate/start") == 1
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()


def test_a_session_has_its_slice_when_it_begins(market):
    ada = Client(market).begin()
    assert get(ada, "/state/crate").json == {"apples": 3}
    assert ada.wait(action("crate/emptied")).status == 200
    bob = Client(market).begin()
    assert get(bob, "/state/crate").json == {"apples": 3}
    assert get(ada, "/state/crate").json == {"apples": 0}
    assert market.get("/state/crate").json == {"apples": 3}


def test_many_sessions_begin_at_once_each_with_its_slice(market):
    clients = [Client(market) for _ in range(16)]
    threads = [threading.Thread(target=client.begin) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [get(client, "/state/crate").json for client in clients] == [{"apples": 3}] * 16


def test_a_module_that_refuses_its_start_keeps_the_server_from_starting(program, tmp_path):
    with pytest.raises(NotStarted) as failure:
        Server(program=program, data=tmp_path / "data", environment={"MARKET": "closed"})
    assert "the store can't begin with 'stall/start': The stall is closed today." in str(failure.value)
    # No history has begun: the next start is the first.
    with Server(program=program, data=tmp_path / "data") as server:
        assert types(server)[:2] == FIRST


def test_a_refused_slice_of_the_shared_session_keeps_the_server_from_starting(program):
    with pytest.raises(NotStarted) as failure:
        Server(program=program, environment={"MARKET": "crate"})
    assert "There are no crates left." in str(failure.value)
