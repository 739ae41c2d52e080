"""Views of a picture that all sessions share, and the analytics of each payment at a till
(programs/Gallery.swift)."""

import json
import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from harness import Server, action
from programs import build_sample
from test_sessions import Client

UI = "/modules/picture/ui"
LIKED, SPAT_AT = {"type": "liked"}, {"type": "spatAt"}


@pytest.fixture(scope="module")
def program():
    return build_sample("Gallery")


def test_b13_no_session_dispatches_from_a_view_of_another_session(program):
    with Server(program=program) as server:
        ada, bob, all_others = Client(server).begin(), Client(server).begin(), Client(server)
        assert ada.wait(action("picture/start")).status == 200
        assert (ada.views, bob.views, all_others.views) == (["picture"], [], [])
        version = server.version
        for client in (bob, all_others):
            for body in (LIKED, [LIKED, LIKED], [LIKED, SPAT_AT, LIKED]):
                for query in ("", "?dry-run=true"):
                    refused = client.send(body, UI + query).problem("refused", 409)
                    assert "'picture' is not presented to this session" in refused["reason"]
        assert (server.version, server.state["picture"]) == (version, {"likes": 0})
        assert ada.send([LIKED, LIKED], UI).status == 200
        ada.send([LIKED, SPAT_AT, LIKED], UI).problem("refused", 409)
        # A session that shows the view later may dispatch, too. An ended session may not.
        assert bob.wait(action("picture/start")).status == 200
        assert (bob.views, server.state["picture"]) == (["picture"], {"likes": 0})
        assert bob.send(LIKED, UI).status == ada.send(LIKED, UI).status == 200
        ada.end()
        ada.send(LIKED, UI).problem("forbidden", 403)
        assert bob.wait(action("picture/stop")).status == 200
        assert "'picture' is not started" in bob.send(LIKED, UI).problem("refused", 409)["reason"]
        assert bob.views == []


def test_b13_of_many_sessions_only_sessions_that_show_a_view_dispatch_from_it(program):
    with Server(program=program) as server:
        clients = [Client(server).begin() for _ in range(32)]
        shown = set(random.Random(13).sample(range(32), 16))
        # The module is started again and again: each start presents it to the session that asked.
        for place in sorted(shown):
            assert clients[place].wait(action("picture/start")).status == 200

        def speak(place):
            expected = {200} if place in shown else {409}
            bodies = [LIKED, [LIKED, LIKED], LIKED] * 5
            assert {clients[place].send(body, UI).status for body in bodies} == expected

        with ThreadPoolExecutor(16) as pool:
            list(pool.map(speak, range(32)))
        assert server.state["picture"] == {"likes": len(shown) * 20}


def test_2_8_a_key_is_for_the_views_of_one_module(program):
    """Actions may omit the name of their module. So the same body is another action at another module's views."""
    with Server(program=program) as server:
        ada = Client(server).begin()
        assert ada.wait(action("picture/start")).status == 200
        key = {"Idempotency-Key": '"once"'}
        first = ada.send(LIKED, UI, **key)
        assert first.status == 200
        other = ada.send(LIKED, "/modules/poster/ui", **key)
        other.problem("idempotency-mismatch", 422)
        again = ada.send(LIKED, UI, **key)
        assert again["idempotency-replayed"] == "true" and again.body == first.body
        assert (server.state["picture"]["likes"], server.state["poster"]["likes"]) == (1, 0)
        # The keys of another session are its own.
        bob = Client(server).begin()
        assert bob.send(LIKED, "/modules/poster/ui", **key).status == 200
        assert (server.state["picture"]["likes"], server.state["poster"]["likes"]) == (1, 1)


def test_u21_analytics_have_the_state_before_each_action(program, tmp_path):
    """This also holds within an array, and for many clients at once. Refused actions and dry runs have no line."""
    file = tmp_path / "analytics.jsonl"
    with Server("--analytics", f"file:{file}", program=program) as server:

        def pay(place):
            chance = random.Random(place)
            for _ in range(25):
                payments = [action("till/paid", cents=chance.randrange(1, 9)) for _ in range(chance.randrange(1, 5))]
                assert server.post(payments).status == 200
                server.post([*payments, action("till/paid", cents=0), *payments]).problem("refused", 409)
                assert server.post(payments, query="?dry-run=true").status == 200

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(pay, range(8)))
        log, after = [], 0
        while page := server.actions(after):
            log, after = log + page, page[-1]["version"]
        total = server.state["till"]["cents"]
        assert server.stop() == 0
    events = [json.loads(line) for line in file.read_text().splitlines()]
    assert [int(event["id"].split(":")[1]) for event in events] == [each["version"] for each in log]
    cents = 0
    for event, record in zip(events, log, strict=True):
        assert event["data"] == {"before": cents}
        cents += record["payload"]["cents"]
    assert cents == total > 0
