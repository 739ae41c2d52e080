"""Many clients tap on films at once, in single posts and in arrays, some of which are refused. Each tap has its
own consequences, and no others (Beaver's B16, B18 and B27)."""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from harness import Server, Wire, action
from test_sessions import Client

CLIENTS, TAPS, TRACED_TAPS = 64, 10_000, 960
UI = "/modules/home/ui"
STARTED, TAPPED, SHOWN = "movieCard/start", "home/didTapOnMovieCell", "home/cardShown"
PRESENTED = "sessions/presented"
# The word of a trace for the dispatch of an action
WORDS = {TAPPED: "ui", SHOWN: "internal", "home/start": "routing", STARTED: "routing"}


class Visitor(Client):
    """A client that marks its taps, and keeps the marks of applied taps."""

    def __init__(self, server, place):
        super().__init__(server)
        self.place, self.count, self.applied = place, 0, []

    def tap(self, title):
        self.count += 1
        mark = {"by": self.place, "tap": self.count}
        return {"type": "didTapOnMovieCell", "payload": {"title": title}, "meta": mark}

    def tap_around(self, count):
        """Taps in single posts and in arrays, at random. Some arrays contain a film that does not exist."""
        chance = random.Random(self.place)
        while self.count < count:
            titles = [f"Movie {chance.randrange(11)}" for _ in range(chance.choice((1, 1, 1, 8)))]
            refused = len(titles) > 1 and chance.random() < 0.3
            if refused:
                titles[len(titles) // 2] = "Movie of none"
            taps = [self.tap(title) for title in titles]
            answer = self.send(taps if len(taps) > 1 else taps[0], UI)
            if refused:
                members = answer.problem("refused", 409)
                assert members["pointer"] == f"/{len(titles) // 2}/payload/title"
            else:
                assert answer.status == 200
                self.applied += [(tap["meta"], tap["payload"]) for tap in taps]

    @property
    def log(self):
        records, target = [], "/actions?limit=1000"
        while True:
            page = self.server.get(target, self.headers).json
            records += page["actions"]
            if f"after={page['version']}&" in page["next"]:
                return records
            target = page["next"]


def at_once(visitors, work):
    with ThreadPoolExecutor(len(visitors)) as pool:
        list(pool.map(work, visitors))


def tapped(server, taps):
    """Returns the taps of many clients at once: visitors with sessions of their own, and visitors that share a session.
    All consequences have been applied."""
    own = [Visitor(server, place).begin() for place in range(CLIENTS // 2)]
    shared = [Visitor(server, CLIENTS // 2 + place) for place in range(CLIENTS // 2)]
    for client in own + shared[:1]:
        assert client.wait(action("home/start")).status == 200
    at_once(own + shared, lambda visitor: visitor.tap_around(taps // CLIENTS))
    for client in own + shared[:1]:
        # The client waits for a last tap, and so for all taps before it.
        last = client.tap("Movie 0")
        assert client.wait(last, UI).status == 200
        client.applied.append((last["meta"], last["payload"]))
    return own, shared


def consequences(records):
    """Returns the version and title of each tap in the log that selects another film."""
    selected, expected = None, []
    for record in records:
        if record["type"] == TAPPED:
            title = record["payload"]["title"]
            if title != selected:
                expected.append((record["version"], title))
            selected = title
        elif record["type"] == SHOWN:
            selected = None
    return expected


@pytest.mark.parametrize("kept", ["durable", "ephemeral"])
@pytest.mark.ci
def test_b16_each_tap_on_another_film_starts_one_card(kept, tmp_path):
    options = {"data": tmp_path / "data"} if kept == "durable" else {}
    with Server(**options) as server:
        own, shared = tapped(server, TAPS)
        for clients in [[each] for each in own] + [shared]:
            records = clients[0].log
            # The log has each client's taps once, in the client's order, and no tap of a refused array.
            for client in clients:
                taps = of_type(records, TAPPED)
                mine = [each for each in taps if each["meta"]["by"] == client.place]
                assert [(each["meta"], each["payload"]) for each in mine] == client.applied
            assert len(taps) == sum(len(client.applied) for client in clients)
            expected = consequences(records)
            # Each reaction once, in the order of its causes.
            made = {type_: of_type(records, type_) for type_ in (STARTED, SHOWN, PRESENTED)}
            started = [(each["cause"], each["payload"]["title"]) for each in made[STARTED]]
            assert started == expected and expected
            assert [each["cause"] for each in made[SHOWN]] == [cause for cause, _ in expected]
            presented = [(each["cause"], each["payload"]["view"]) for each in made[PRESENTED]]
            [home] = of_type(records, "home/start")
            cards = [(each["version"], "movieCard") for each in made[STARTED]]
            # A card that starts again before it is presented is presented once more.
            assert presented[:2] == [(home["version"], "home"), cards[0]]
            assert len(set(presented)) == len(presented) and set(presented[1:]) <= set(cards)


def of_type(records, type_):
    return [record for record in records if record["type"] == type_]


@pytest.mark.ci
def test_b18_the_trace_of_every_version_names_its_own_consequences_alone(tmp_path):
    with Server(data=tmp_path / "data") as server:
        own, shared = tapped(server, TRACED_TAPS)
        newest = server.version
        assert newest > 2_000

        def check(client):
            records = {record["version"]: record for record in client.log}
            families = families_of(records)
            with Wire(server) as wire:
                # The shared client also requests traces of other clients' actions, and these are empty.
                for version in range(1, newest + 1) if client is shared[0] else records:
                    answer = server.get(f"/trace?version={version}", client.headers, wire)
                    steps = [steps_of(records[each]) for each in families.get(version, [])]
                    assert answer.json["steps"] == sum(steps, []), version
            return len(records)

        with ThreadPoolExecutor(4) as pool:
            assert sum(pool.map(check, [*own, shared[0]])) == newest


def families_of(records):
    """For each version the versions of its family: the first action, and all its consequences."""
    roots, families = {}, {}
    for version in sorted(records):
        cause = records[version].get("cause")
        roots[version] = version if cause is None else roots[cause]
        families.setdefault(roots[version], []).append(version)
    return {version: families[root] for version, root in roots.items()}


def steps_of(record):
    """Returns the steps of a trace for one action."""
    version, type_ = record["version"], record["type"]
    steps = []
    if "cause" in record:
        steps.append({"step": "reaction", "cause": record["cause"], "origin": record["origin"]})
    steps.append({"step": WORDS.get(type_, "internal"), "version": version, "type": type_})
    module, changed = type_.split("/")[0], record["changed"]
    steps.append({"step": "reduce", "version": version, "module": module, "changed": changed})
    return steps + ([{"step": "notify", "version": version}] if changed else [])


def test_b27_in_each_of_many_sessions_a_tap_starts_its_own_card_again_and_again():
    with Server() as server:
        visitors = [Visitor(server, place).begin() for place in range(CLIENTS // 2)]

        def visit(visitor):
            get = lambda target: server.get(target, visitor.headers)  # noqa: E731
            title = f"Movie {visitor.place % 9}"
            visitor.wait(action("home/start"))
            for _ in range(5):
                # The card belongs to the last tap of an array.
                taps = [visitor.tap("Movie 10"), visitor.tap("Movie 9"), visitor.tap(title)]
                assert visitor.wait(taps, UI).status == 200
                assert get("/modules/movieCard").json["title"] == title
                assert visitor.views == ["home", "movieCard"]
                assert "selectedMovie" not in get("/modules/home").json
                assert visitor.wait(action("movieCard/stop")).status == 200
                assert get("/modules/movieCard").status == 404 and visitor.views == ["home"]
            started = [each["payload"]["title"] for each in visitor.log if each["type"] == STARTED]
            assert started == ["Movie 10", "Movie 9", title] * 5

        at_once(visitors, visit)
