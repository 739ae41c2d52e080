"""Slices of a session, which no other client gets (protocol 15)."""

import json
import random
import re
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from harness import INCREASE, ConnectionEnded, Server, Stream, Wire, action, until
from jsonschema import Draft202012Validator
from test_sessions import Client

CELL = "/modules/home/ui"


def tap(client, title, **headers):
    return client.send({"type": "didTapOnMovieCell", "payload": {"title": title}}, CELL, **headers)


def login(client, name="demo"):
    return client.wait({"userName": name, "password": "demo"}, "/usecases/login/login")


def get(client, target):
    return client.server.get(target, client.headers)


def state(client):
    return get(client, "/state").json


def newest(client):
    return int(get(client, "/state")["etag"].strip('"').split(":")[1])


def begun(server):
    client = Client(server).begin()
    assert client.wait(action("home/start")).status == 200
    return client


@pytest.fixture
def two(fresh):
    return begun(fresh), begun(fresh)


# Two users, and a client without a session


def test_15_1_each_session_has_its_own_film_login_and_route(fresh, two):
    ada, bob = two
    assert tap(ada, "Movie 5", Prefer="wait=10").status == 200
    assert tap(bob, "Movie 7", Prefer="wait=10").status == 200
    assert login(ada).json["completed"] is True
    assert get(ada, "/modules/movieCard").json["title"] == "Movie 5"
    assert get(bob, "/modules/movieCard").json["title"] == "Movie 7"
    assert get(ada, "/views/greeting").json == {"text": "Hello Demo"}
    assert get(bob, "/views/greeting").json is None
    assert state(bob)["login"] == {"progress": "idle"}
    assert fresh.get("/state").json["home"] is None
    assert ada.views == bob.views == ["home", "movieCard"]
    assert Client(fresh).route == []
    assert list(state(ada)["sessions"]) == [ada.name]
    assert login(bob).status == 200
    assert bob.wait(action("login/loggedOut")).status == 200
    assert get(ada, "/views/greeting").json == {"text": "Hello Demo"}
    assert get(bob, "/views/greeting").json is None


def test_15_1_every_session_sees_a_shared_slice(fresh, two):
    ada, bob = two
    assert ada.wait(action("CounterIncreaseRequested")).status == 200
    assert state(bob)["counter"]["counter"] == fresh.get("/state").json["counter"]["counter"] == 1


def test_15_1_a_client_without_a_session_has_the_slices_of_the_shared_session(fresh):
    ada = begun(fresh)
    nobody = Client(fresh)
    assert nobody.wait(action("home/start")).status == 200
    assert tap(nobody, "Movie 1", Prefer="wait=10").status == 200
    assert fresh.get("/modules/movieCard").json["title"] == "Movie 1"
    assert get(ada, "/modules/movieCard").status == 404
    assert list(fresh.get("/state").json["sessions"]) == ["shared"]


def test_15_1_a_login_does_not_cancel_the_login_of_another_session(fresh):
    clients = [Client(fresh).begin() for _ in range(8)]
    answers = [None] * len(clients)

    def log_in(place):
        answers[place] = login(clients[place])

    threads = [threading.Thread(target=log_in, args=(place,)) for place in range(len(clients))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.status for answer in answers] == [200] * len(clients)
    assert all(get(client, "/views/greeting").json for client in clients)


def test_15_1_idempotency_keys_are_each_sessions_own(fresh, two):
    ada, bob = two
    key = {"Idempotency-Key": '"same"'}
    first = ada.send(action("CounterIncreaseRequested"), **key)
    other = bob.send(action("CounterDecreaseRequested"), **key)
    assert (first.status, other.status) == (200, 200)
    assert other["idempotency-replayed"] is None
    again = ada.send(action("CounterIncreaseRequested"), **key)
    assert (again["idempotency-replayed"], again.json["version"]) == ("true", first.json["version"])


def test_15_1_a_past_version_and_a_dry_run_are_the_callers_own(fresh, two):
    ada, bob = two
    tap(ada, "Movie 5", Prefer="wait=10")
    version = newest(ada)
    tap(bob, "Movie 7", Prefer="wait=10")
    assert get(ada, f"/state/movieCard?version={version}").json["title"] == "Movie 5"
    assert get(bob, f"/state/movieCard?version={version}").json is None
    patch = bob.send(action("home/stop"), "/dispatch?dry-run=true").json["patch"]
    assert [each["path"] for each in patch] == ["/home"]
    blame = get(bob, "/state/movieCard?blame=true").json["changedBy"]
    assert blame["version"] > version and blame["type"] == "movieCard/start"
    assert get(bob, "/state/user?blame=true").json["changedBy"] is None


# The log


def versions(client, target="/actions?limit=1000"):
    return [each["version"] for each in get(client, target).json["actions"]]


def test_15_2_the_log_has_shared_actions_and_the_actions_of_its_reader(fresh, two):
    ada, bob = two
    tap(ada, "Movie 5", Prefer="wait=10")
    shared = ada.wait(action("CounterIncreaseRequested")).json["version"]
    tap(bob, "Movie 7", Prefer="wait=10")
    last = newest(bob)
    mine, theirs = set(versions(ada)), set(versions(bob))
    assert mine & theirs == {shared}
    page = get(ada, "/actions?limit=1000").json
    assert page["version"] >= last
    assert page["next"] == f"/actions?after={page['version']}&limit=1000"
    for version in theirs - mine:
        assert get(ada, f"/trace?version={version}").json["steps"] == []
    with Stream(fresh, "/actions/events", headers=ada.headers.items()).opened() as stream:
        seen = []
        while True:
            event = stream.event()
            if event.name == "caught-up":
                break
            seen.append(int(event.id.split(":")[1]))
        assert seen == sorted(mine)


def test_15_2_pages_of_the_log_pass_over_actions_of_other_sessions(fresh, two):
    ada, bob = two
    for number in range(30):
        tap(bob, f"Movie {number % 11}", Prefer="wait=10")
    ada.wait(action("CounterIncreaseRequested"))
    mine = versions(ada)
    found, target = [], "/actions?limit=2"
    while len(found) < len(mine):
        page = get(ada, target).json
        assert len(page["actions"]) <= 32
        found += [each["version"] for each in page["actions"]]
        target = page["next"]
    assert found == mine


# Streams


def test_15_3_a_stream_is_silent_while_other_sessions_change_their_slices(fresh, two):
    ada, bob = two
    targets = ["/events", "/events?mode=patch", "/modules/home/events", "/views/greeting/events",
               "/events?path=/movieCard", "/modules/home/events?old=true"]
    streams = [Stream(fresh, each, headers=ada.headers.items()).opened() for each in targets]
    for stream in streams:
        stream.event()
    for title in ("Movie 1", "Movie 2"):
        tap(bob, title, Prefer="wait=10")
    login(bob)
    version = ada.wait(action("CounterIncreaseRequested")).json["version"]
    for stream in streams[:2]:
        assert int(stream.event().id.split(":")[1]) == version
    tap(ada, "Movie 9", Prefer="wait=10")
    assert json.loads(streams[4].event().data)["title"] == "Movie 9"
    assert json.loads(streams[2].event().data)["selectedMovie"] == "Movie 9"
    login(ada)
    assert json.loads(streams[3].event().data) == {"text": "Hello Demo"}
    for stream in streams:
        stream.close()


def test_15_3_changes_of_other_sessions_slices_break_no_condition(fresh, two):
    ada, bob = two
    seen = get(ada, "/state")["etag"]
    tap(bob, "Movie 7", Prefer="wait=10")
    assert fresh.get("/state", {**ada.headers, "If-None-Match": seen}).status == 304
    newer = get(ada, "/state")["etag"]
    assert newer != seen
    assert fresh.get("/state", {**ada.headers, "If-None-Match": f'"other", {seen}'}).status == 304
    assert ada.send(action("home/stop"), **{"If-Match": seen}).status == 200
    assert ada.send(action("home/start"), **{"If-Match": seen}).status == 412
    assert fresh.get("/state", {**ada.headers, "If-None-Match": seen}).status == 200
    seen = get(ada, "/state")["etag"]
    bob.wait(action("CounterIncreaseRequested"))
    assert ada.send(action("home/start"), **{"If-Match": seen}).status == 412


def test_15_3_a_long_poll_waits_for_a_change_that_its_client_sees(fresh, two):
    ada, bob = two
    version = newest(ada)
    answers = []
    poll = threading.Thread(
        target=lambda: answers.append(get(ada, f"/state/counter?after={version}&wait=20"))
    )
    poll.start()
    for _ in range(5):
        tap(bob, "Movie 3", Prefer="wait=10")
    counted = ada.wait(action("CounterIncreaseRequested")).json["version"]
    poll.join()
    assert answers[0].status == 200 and answers[0].json["counter"] == 1
    assert answers[0]["etag"].endswith(f':{counted}"')


# The end


def test_15_4_the_end_of_a_session_takes_its_slices_out(fresh, two):
    ada, bob = two
    login(ada)
    before = newest(bob)
    with Stream(fresh, "/modules/home/events", headers=ada.headers.items()).opened() as stream:
        stream.event()
        assert ada.end().status == 204
        # The version that removes the slice may still reach its reader.
        while (event := stream.event()).name != "bye":
            assert event.name == "gone"
        assert event.json["reason"] == "expired"
    for target in ("/state", "/modules/home", "/actions", "/views/greeting"):
        assert get(ada, target).status == 403
    # Later actions of presenters change nothing in this slice.
    assert fresh.get(f"/state/home?version={before}", bob.headers).status == 200
    assert newest(bob) > before
    assert get(bob, "/modules/home").status == 200


def test_15_4_a_request_that_waits_for_a_change_ends_with_its_session(fresh, two):
    """Such requests end at once, without any state. Requests of others go on."""
    ada, bob = two
    # A third client changes the shared state, so its consequences belong to neither of the two.
    everybody, version = Client(fresh), newest(ada)
    waits = f"?after={version + 3}&wait=30"
    targets = [target + waits for target in ("/state", "/state/counter", "/state/home/titles")]
    asked = [(client, target) for client in (ada, bob, everybody) for target in targets * 3]
    at_rest = fresh.sockets_at_rest
    until(lambda: fresh.sockets == at_rest, "the connections so far are closed")
    with ThreadPoolExecutor(len(asked)) as pool:
        answers = [(client, pool.submit(get, client, target)) for client, target in asked]
        until(lambda: fresh.sockets == at_rest + len(asked), "all of them wait")
        began = time.monotonic()
        assert ada.end().status == 204
        for client, answer in answers:
            if client is ada:
                assert "POST /sessions" in answer.result().problem("forbidden", 403)["detail"]
        assert time.monotonic() - began < 5
        assert not any(answer.done() for client, answer in answers if client is not ada)
        increases = [action("CounterIncreaseRequested")] * 3
        assert everybody.wait(increases).status == 200
        assert {answer.result().status for client, answer in answers if client is bob} == {200}
        found = {answer.result().status for client, answer in answers if client is everybody}
        # A client without a session gets no films.
        assert found == {200, 404}


STREAMED = [
    "/events", "/events?mode=patch", "/events?path=/counter", "/modules/counter/events",
    "/modules/home/events?old=true", "/views/list/events", "/actions/events",
]


def test_15_4_a_stream_that_opens_while_its_session_ends_ends_with_it():
    """The test repeats this while other clients change the state. In the end, no stream is left."""
    with Server("--debug-routes") as server:
        done = threading.Event()

        def change():
            with Wire(server) as wire:
                while not done.is_set():
                    assert server.post(INCREASE, wire=wire).status == 200

        def open_and_end(place):
            for number in range(60):
                client = Client(server).begin()
                target = STREAMED[(place + number) % len(STREAMED)]
                head = f"DELETE /session HTTP/1.1\r\nHost: {server.authority}\r\n"
                with Wire(server) as end:
                    with Stream(server, target, headers=client.headers.items()) as stream:
                        end.send(f"{head}Cookie: {client.headers['Cookie']}\r\n\r\n")
                        assert end.answer("DELETE").status == 204
                        if stream.opened().answer.status != 200:
                            assert stream.answer.problem("forbidden", 403)
                            continue
                        deadline = time.monotonic() + 10
                        while (event := stream.event()).name != "bye":
                            assert time.monotonic() < deadline, f"{target} goes on"
                        assert event.json["reason"] == "expired"

        with ThreadPoolExecutor(5) as pool:
            changing = pool.submit(change)
            try:
                for ended in [pool.submit(open_and_end, place) for place in range(4)]:
                    ended.result()
            finally:
                done.set()
            changing.result()
        listed = lambda: server.get("/debug/subscriptions").json["streams"]  # noqa: E731
        until(lambda: listed() == [], "none is left")


def test_15_4_slices_survive_a_restart_and_go_with_their_session(tmp_path):
    server = Server(data=tmp_path / "data")
    ada, bob = begun(server), begun(server)
    tap(ada, "Movie 5", Prefer="wait=10")
    login(bob)
    bob.end()
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    with Server(data=tmp_path / "data") as server:
        ada.server = server
        assert get(ada, "/modules/movieCard").json["title"] == "Movie 5"
        assert bob.name.encode() not in server.get("/state").body
    with Server("--operator-reads", data=tmp_path / "data") as server:
        all_of_it = server.get("/state").json
        assert list(all_of_it["movieCard"]) == [ada.name]
        assert all_of_it["user"] == {}
        assert len(server.get("/actions").json["actions"]) == server.get("/actions").json["version"]


def test_15_5_the_schema_describes_the_state_that_its_reader_gets():
    with Server("--operator-reads") as server:
        client = begun(server)
        tap(client, "Movie 5", Prefer="wait=10")
        login(client)
        for headers in {}, client.headers:
            schema = Draft202012Validator(server.get("/schema", headers).json)
            schema.validate(server.get("/state", headers).json)
        operators = Draft202012Validator(server.get("/schema").json)
        assert not operators.is_valid(server.get("/state", client.headers).json)


# Many


def rest(stream):
    """Everything that a stream sends until it ends."""
    parts = []
    while True:
        try:
            event = stream.event()
        except ConnectionEnded:
            return parts
        parts.append((event.data or "").encode())


ROUTES = [
    "/state", "/state/user", "/state/sessions", "/state?version=300",
    "/state/movieCard?version=900", "/modules", "/modules/user", "/modules/movieCard", "/views/greeting",
    "/actions?limit=1000", "/actions?limit=1000&type=user/edited", "/trace", "/effects", "/route",
    "/metrics", "/",
]
STREAMS = [
    "/events", "/events?mode=patch", "/events?path=/user/profile", "/actions/events",
    "/modules/user/events?old=true", "/views/greeting/events",
]


@pytest.mark.ci
def test_15_no_session_gets_a_byte_of_another(fresh):
    """A thousand clients use random routes of every kind, some with streams, and one without a session. Each has a
    secret, in its slices and in the log. The test searches all received bytes."""
    count, streaming = 1_000, 40
    with ThreadPoolExecutor(16) as pool:
        clients = list(pool.map(lambda _: Client(fresh).begin(), range(count - 1))) + [Client(fresh)]
        secrets = [f"secret-{random.Random(place).getrandbits(64):016x}" for place in range(count)]
        received = [[] for _ in clients]
        streams = [
            (place, Stream(fresh, target, headers=clients[place].headers.items()).opened())
            for place in range(streaming)
            for target in STREAMS
        ]

        def act(place):
            client, secret, mine = clients[place], secrets[place], random.Random(place)
            login(client)
            edit = action("user/edited", displayName=secret)
            bodies = [client.wait(edit).body]
            for _ in range(6):
                kind = mine.randrange(5)
                if kind < 2:
                    bodies.append(get(client, mine.choice(ROUTES)).body)
                elif kind == 2:
                    bodies.append(client.send(action("movieCard/start", title=secret)).body)
                elif kind == 3:
                    both = [edit, action("home/start")]
                    bodies.append(client.send(both, Prefer="return=representation").body)
                else:
                    dry = action("user/edited", displayName=secret + "?")
                    bodies.append(client.send(dry, "/dispatch?dry-run=true").body)
            bodies.append(get(client, "/state").body)
            if place % 100 == 0:
                bodies.append(get(client, "/state?blame=true").body)
            received[place] += bodies

        list(pool.map(act, range(count)))
        for place in range(streaming):
            assert clients[place].end().status == 204
        for place, stream in streams:
            received[place] += rest(stream)
    text = re.compile(b"secret-[0-9a-f]{16}")
    for place, parts in enumerate(received):
        assert set(text.findall(b"".join(parts))) == {secrets[place].encode()}


def test_15_the_end_of_a_session_has_no_consequences_for_the_session(tmp_path):
    """Presenters are called for the slices that end, and their actions have no slice."""
    with Server("--operator-reads", data=tmp_path / "data") as server:
        clients = [begun(server) for _ in range(8)]
        for client in clients:
            assert tap(client, "Movie 3", Prefer="wait=10").status == 200
            assert login(client).json["completed"] is True
        for client in clients:
            assert get(client, "/modules/movieCard").status == 200
            client.end()
        done = server.wait(INCREASE)
        assert done.status == 200
        records = server.actions()
        ended = [place for place, record in enumerate(records) if record["type"] == "sessions/ended"]
        assert len(ended) == len(clients)
        behind = {record["type"] for record in records[ended[0] :]}
        assert behind == {"sessions/ended", INCREASE["type"]}
        server.stop()
        assert "not applied" not in server.log_text
