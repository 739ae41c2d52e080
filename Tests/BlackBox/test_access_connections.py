"""Each request is authenticated by itself, also if one connection carries many (protocol 17)."""

import contextlib
import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from access import ALL, ROLES, House, cookie_of, guarded, reload, session
from harness import Wire, action, until
from programs import build_sample


@pytest.fixture
def house(tmp_path):
    return guarded(tmp_path)


def sees(server, header, wire):
    """Returns the members that a request on this connection gets; the status if it is not 200."""
    answer = server.get("/state", header, wire=wire)
    return set(answer.json) if answer.status == 200 else answer.status


def test_17_each_request_on_a_connection_is_judged_by_its_own_credential(house):
    reader, author = house.bearer("ada", "reader"), house.bearer("bob", "author")
    nothing = house.bearer("eve", "nothing")
    token = reader["Authorization"]
    # These tokens have the length of a good token, and another byte near the beginning, in the middle or at the end.
    wrong = [token[:place] + ("a" if token[place] != "a" else "b") + token[place + 1 :] for place in (12, 20, -1)]
    long = {"Authorization": token.replace(" ", " " * 1_500)}
    with house.server() as server, Wire(server) as wire:
        everything = sees(server, house.operator, wire)
        expected = [
            (reader, {"todos"}), (house.operator, everything), (nothing, 403), (author, {"todos"}), ({}, 401),
            (long, {"todos"}), *(({"Authorization": each}, 401) for each in wrong),
            ({"Authorization": token[:-1]}, 401), ({"Authorization": token + "a"}, 401),
            ({"Authorization": token.replace("Bearer", "bearer")}, {"todos"}),
            ({"Authorization": token.replace("Bearer", "Basic")}, 401),
        ]
        assert len(everything) > 3
        # A browser's cookie counts if there is no header field. A session makes no difference.
        cookie = cookie_of(server.request("POST", "/session", b"", author), "store-auth")
        expected += [
            (cookie, {"todos"}), ({**house.operator, **cookie}, everything), ({**nothing, **cookie}, 403),
            (session(server, house.operator), everything), (session(server, reader), {"todos"}),
        ]
        nobody = sees(server, {}, wire)
        expected = [(header, nobody if header == {} else shown) for header, shown in expected]
        chance = random.Random(7)
        for _ in range(20):
            chance.shuffle(expected)
            for header, shown in expected:
                for _ in range(chance.choice((1, 2))):
                    found = sees(server, header, wire)
                    if shown == 403:
                        assert found == 403 or found == set(), (header, found)
                    else:
                        assert found == shown, (header, found)


def test_17_each_record_of_a_shared_connection_has_the_principal_of_its_request(house):
    people = {name: house.bearer(name, "operator") for name in ("ada", "bob", "eve", "joe")}
    with house.server() as server:

        def work(place):
            chance = random.Random(place)
            with Wire(server) as wire:
                for number in range(50):
                    name = chance.choice(list(people))
                    text = f"{name} {place}.{number}"
                    sent = [action("safe/put", text=text)] * chance.choice((1, 3))
                    assert server.post(sent, people[name], wire=wire).status == 200

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(work, range(6)))
        records = server.get("/actions?limit=1000", house.operator).json["actions"]
        assert len(records) >= 300
        for record in records:
            assert (record["principal"], record["role"]) == (record["payload"]["text"].split()[0], "operator")


def test_17_an_open_connection_keeps_no_right_that_was_taken_away(house):
    ada, bob = house.bearer("ada", "reader"), house.bearer("bob", "reader")
    with house.server() as server, contextlib.ExitStack() as stack:
        brief = house.brief("joe", "reader", 4)
        reload(server)
        mine, others, soon = (stack.enter_context(Wire(server)) for _ in range(3))
        for header, wire in ((ada, mine), (bob, others), (brief, soon)):
            assert [sees(server, header, wire) for _ in range(3)] == [{"todos"}] * 3
        # The end of a key
        until(lambda: sees(server, brief, soon) == 401, "the key has ended")
        # Another policy
        house.write({**ROLES, "reader": {**ROLES["reader"], "read": ["/safe"]}})
        reload(server)
        assert [sees(server, header, wire) for header, wire in ((ada, mine), (bob, others))] == [{"safe"}] * 2
        # A revoked key
        house.revoke(ada)
        assert sees(server, ada, mine) == {"safe"}
        reload(server)
        assert [sees(server, ada, mine), sees(server, bob, others)] == [401, {"safe"}]
        assert server.get("/livez", wire=mine).status == 200


def test_17_each_store_judges_a_credential_on_a_shared_connection_for_itself(tmp_path):
    reader = {"read": ["/chat"], "dispatch": ["*"]}
    house = House(tmp_path, {"operator": ALL, "reader": reader}, build_sample("Rooms"))
    ada = house.bearer("ada", "reader")
    with house.server() as server, Wire(server) as wire:
        hidden = server.get("/state", ada).status
        for _ in range(3):
            assert server.get("/state", ada, wire=wire).status == hidden == 403
            assert server.get("/stores/chat/state", ada, wire=wire).json == {"chat": {"lines": []}}
