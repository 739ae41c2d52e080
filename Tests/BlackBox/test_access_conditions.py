"""Conditions on versions cover the state that a role sees (protocol 17.3). They show nothing of hidden state, not
even that it has changed."""

import itertools
import random

import pytest
from access import ALL, guarded, session
from harness import action

SEEN = {"sender": {"todos"}, "keeper": {"todos", "diary"}, "operator": None}
ROLES = {
    "operator": ALL,
    # The view is made from the safe, which this role sees, too.
    "sender": {"read": ["/todos", "views/list", "log"], "dispatch": ["*"], "use": ["sessions"]},
    "keeper": {"read": ["/todos", "/diary"], "dispatch": ["*"], "use": ["sessions"]},
    # Sees the safe only through a view.
    "viewer": {"read": ["/todos", "views/safe", "views/list"], "dispatch": ["*"], "use": ["sessions"]},
    "nothing": {"dispatch": ["*"]},
}
DRY = "?dry-run=true"


@pytest.fixture
def house(tmp_path):
    return guarded(tmp_path, ROLES)


def tags(server, house):
    """Makes the entity tags of a server's versions."""
    epoch = server.get("/state", house.operator)["etag"].strip('"').split(":")[0]
    return lambda version: f'"{epoch}:{version}"'


def added(text="milk"):
    return action("todos/added", text=text)


def put(text="gold"):
    return action("safe/put", text=text)


class Client:
    """A client, and the last version that changed a part of the state that it sees."""

    def __init__(self, server, header, role, has_session):
        self.name = object() if has_session else None
        self.header = session(server, header) if has_session else header
        self.role = role
        self.changed = None

    def sees(self, member, owner=None):
        seen = SEEN[self.role]
        return (seen is None or member in seen) and owner in (None, self.name)


def some_action(random_, client, number):
    """Chooses an action, and returns it with the members that it changes."""
    name = f"{number}-{random_.random()}"
    own = ("diary", client.name if client.name else "shared")
    return random_.choice([
        (added(name), [("todos", None)]), (put(name), [("safe", None)]), (action("Named", text=name), [("motto", None)]),
        (action("Swept", text=name), [("safe", None), ("todos", None)]), (action("safe/opened"), [("safe", None)]),
        (action("diary/written", text=name), [own]), (action(f"boxes/{name}/start", label="x"), [("boxes", None)]),
    ])


@pytest.mark.parametrize("seed", range(3))
def test_17_3_a_condition_holds_while_nothing_changes_that_the_caller_sees(house, seed):
    """Clients of several roles and sessions, and arrays of all kinds. The test itself computes which conditions
    hold."""
    random_ = random.Random(seed)
    who = [("sender", False), ("sender", True), ("keeper", True), ("keeper", True), ("operator", True)]
    headers = [house.bearer(f"p{place}", role) for place, (role, _) in enumerate(who)]
    with house.server() as server:
        tag = tags(server, house)
        clients = [Client(server, header, *each) for header, each in zip(headers, who)]
        first = version = int(server.get("/state", house.operator)["etag"].strip('"').split(":")[1])
        # Readers get no version within an array.
        published = [first]
        for client in clients:
            client.changed = first
        for number in range(120):
            sender = random_.choice(clients)
            chosen = [some_action(random_, sender, number) for _ in range(random_.randint(1, 3))]
            fields = dict(sender.header)
            holds = True
            if random_.random() < 0.4:
                wanted = random_.choice(published[-6:])
                fields["If-Match"] = tag(wanted)
                holds = wanted == version or wanted >= sender.changed
            answer = server.post([each for each, _ in chosen], fields)
            assert answer.status == (200 if holds else 412), (number, sender.role, fields, answer)
            if holds:
                for each, touched in chosen:
                    version += 1
                    for client in clients:
                        if any(client.sees(*touch) for touch in touched):
                            client.changed = version
                assert answer.json["version"] == version
                published.append(version)
            for client in clients:
                asked = random_.choice(published[-6:])
                holds = asked == version or asked >= client.changed
                fields = {**client.header, "If-Match": tag(asked)}
                answers = [server.post([added(), put()], fields, DRY), server.get("/state", fields)]
                assert [each.status for each in answers] == [200 if holds else 412] * 2, (number, client.role, asked)
                known = server.get("/state", {**client.header, "If-None-Match": tag(asked)})
                assert known.status == (304 if holds else 200), (number, client.role, asked, known)


def test_17_3_a_condition_with_several_tags_holds_if_any_tag_holds(house):
    ada = house.bearer("ada", "sender")
    with house.server() as server:
        tag = tags(server, house)
        version = server.post(added(), house.operator).json["version"]
        for _ in range(3):
            newest = server.post(put(), house.operator).json["version"]
        old, seen = tag(version - 1), tag(version)
        conditions = [
            (seen, 200), (old, 412), (f"{old}, {seen}", 200), (f"{seen}, {old}", 200), (tag(newest - 1), 200),
            (tag(newest + 9), 412), ('"00000000:1"', 412), ("W/" + seen, 412), ("*", 200),
        ]
        for condition, status in conditions:
            answer = server.post(put(), {**ada, "If-Match": condition}, DRY)
            assert answer.status == status, (condition, answer)
        # A role that sees the whole state cannot use an older version.
        assert server.post(put(), {**house.operator, "If-Match": seen}, DRY).status == 412


def test_17_3_a_condition_holds_after_a_restart_as_far_as_is_known(house, tmp_path):
    ada = house.bearer("ada", "sender")
    data = tmp_path / "data"
    with house.server(data=data) as server:
        tag = tags(server, house)
        before = server.post(added(), house.operator).json["version"]
        newest = server.post(put(), house.operator).json["version"]
    with house.server(data=data) as server:
        tag = tags(server, house)
        assert server.post(put(), house.operator).status == 200
        assert server.post(put(), {**ada, "If-Match": tag(newest)}, DRY).status == 200
        assert server.post(put(), {**ada, "If-Match": tag(before)}, DRY).status == 412
        assert server.post(added(), {**ada, "If-Match": tag(newest)}).status == 200
        assert server.post(added(), {**ada, "If-Match": tag(newest)}).status == 412


def test_17_3_conditions_show_a_reader_of_views_no_more_than_the_version(house):
    """The view may or may not show the change. A condition must reveal neither."""
    eve = house.bearer("eve", "viewer")
    with house.server() as server:
        own = session(server, eve)
        for client, hidden in itertools.product((eve, own), (put(), action("safe/opened"), action("Named", text="x"))):
            tagged = server.get("/views/safe", client)
            known = {"If-None-Match": tagged["etag"]}
            assert server.get("/views/safe", {**client, **known}).status == 304
            assert server.post(hidden, house.operator).status == 200
            assert server.get("/views/safe", {**client, **known}).status == 200
            # The rest of the visible state has not changed.
            assert server.get("/state", {**client, **known}).status == 304
            stale = server.post(added(), {**client, "If-Match": tagged["etag"]}, DRY)
            assert stale.problem("version-mismatch", 412)
            fresh = server.get("/views/safe", client)["etag"]
            assert server.post(added(), {**client, "If-Match": fresh}, DRY).status == 200


def test_17_3_a_condition_always_holds_for_a_role_that_sees_nothing(house):
    eve = house.bearer("eve", "nothing")
    with house.server() as server:
        tag = tags(server, house)
        first = tag(server.post(added(), house.operator).json["version"])
        for each in added(), put(), action("Swept", text="x"):
            assert server.post(each, house.operator).status == 200
            assert server.post(added(), {**eve, "If-Match": first}).status == 200
