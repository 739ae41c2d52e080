"""Many clients tap on films at once: each tap leads to what it leads to alone (Beaver's B16, B18 and
B27, with many clients and arrays)."""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from harness import Server, action
from test_sessions import Client

CLIENTS, TAPS = 64, 10_000
STARTED, TAPPED, SHOWN = "movieCard/start", "home/didTapOnMovieCell", "home/cardShown"


def tap(title):
    return {"type": "didTapOnMovieCell", "payload": {"title": title}}


def tapping(client, chance, count):
    """Taps in single posts and in arrays, at random."""
    while count > 0:
        titles = [f"Movie {chance.randrange(11)}" for _ in range(chance.choice((1, 1, 1, 8)))]
        body = [tap(title) for title in titles] if len(titles) > 1 else tap(titles[0])
        assert client.send(body, "/modules/home/ui").status == 200
        count -= len(titles)


def log(client):
    records, target = [], "/actions?limit=1000"
    while True:
        page = client.server.get(target, client.headers).json
        records += page["actions"]
        if f"after={page['version']}&" in page["next"]:
            return records
        target = page["next"]


@pytest.mark.parametrize("kept", ["durable", "ephemeral"])
def test_b16_each_tap_on_another_film_starts_one_card(kept, tmp_path):
    options = {"data": tmp_path / "data"} if kept == "durable" else {}
    with Server(**options) as server:
        own = [Client(server).begin() for _ in range(CLIENTS // 2)]
        shared = [Client(server) for _ in range(CLIENTS // 2)]
        for client in own + shared[:1]:
            assert client.wait(action("home/start")).status == 200
        with ThreadPoolExecutor(CLIENTS) as pool:
            list(
                pool.map(
                    lambda place: tapping((own + shared)[place], random.Random(place), TAPS // CLIENTS),
                    range(CLIENTS),
                )
            )
        for client in own + shared[:1]:
            assert client.wait(action("home/stop")).status == 200
        traced = 0
        for client in own + shared[:1]:
            records = log(client)
            by_version = {record["version"]: record for record in records}
            selected, expected = None, []
            for record in records:
                if record["type"] == TAPPED:
                    title = record["payload"]["title"]
                    if title != selected:
                        expected.append((record["version"], title))
                    selected = title
                elif record["type"] == SHOWN:
                    selected = None
            started = [
                (record["cause"], record["payload"]["title"])
                for record in records
                if record["type"] == STARTED
            ]
            assert started == expected and expected
            # What each version led to: nothing that has another cause.
            for version in random.Random(1).sample(sorted(by_version), 8):
                steps = server.get(f"/trace?version={version}", client.headers).json["steps"]
                seen = {step["version"] for step in steps if step["step"] == "reduce"}
                assert seen == family(by_version, version)
                traced += len(seen)
        assert traced > 0


def family(records, version):
    """The action that a version began with, and all that came of it."""
    root = version
    while "cause" in records[root]:
        root = records[root]["cause"]
    found = {root}
    for each in sorted(records):
        if records[each].get("cause") in found:
            found.add(each)
    return found
