"""The end of a credential, and changes of keys and policy while a server runs (protocol 17)."""

import json
import select
import time

import pytest
from access import ROLES, cookie_of, guarded, reading, refusals, reload, session
from harness import ConnectionEnded, Stream, Wire, action, read_all, until

STREAMS = [
    "/events", "/events?mode=patch", "/events?path=/todos", "/modules/todos/events", "/modules/todos/events?old=true",
    "/views/list/events", "/actions/events",
]
LATE_SECONDS = 15


@pytest.fixture
def house(tmp_path):
    return guarded(tmp_path)


def last_events(stream):
    """Returns the names and events until the stream ends."""
    found = []
    while True:
        try:
            found.append(stream.event())
        except ConnectionEnded:
            return found


def ended(stream):
    """Checks that a stream ends because of its credential, and returns the events before the last event."""
    *before, bye = last_events(stream)
    assert bye.name == "bye" and bye.json["reason"] == "expired", bye
    return before


def listed(server, house):
    return server.get("/debug/subscriptions", house.operator).json["streams"]


def test_17_streams_end_with_their_credential(house):
    """A stream that ends soon is announced at once. A slow stream ends, too."""
    bob = house.bearer("bob", "reader")
    with house.server() as server:
        began = time.time()
        brief = house.brief("ada", "reader", 6)
        reload(server)
        end = int(began) + 6
        streams = reading(server, brief, *STREAMS)
        others = reading(server, bob, *STREAMS)
        slow = Stream(server, "/events", headers=brief.items(), receive_bytes=2_048).opened()
        for _ in range(40):
            assert server.post(action("todos/added", text="x" * 60_000), house.operator).status == 200
        is_over = lambda events: bool(events) and events[-1].name == "bye"  # noqa: E731
        for target, events in zip(STREAMS, read_all(streams, is_over, 6 + LATE_SECONDS)):
            *before, bye = events
            assert bye.json["reason"] == "expired" and time.time() >= end - 1, target
            announced = [each for each in before if each.name == "expiring"]
            assert len(announced) == 1 and 0 < announced[0].json["seconds"] <= 7, (target, announced)
            assert announced[0].id is None
        assert ended(slow)
        for stream in others:
            while (event := stream.take()) is not None:
                assert event.name not in ("bye", "expiring")
            assert not stream.ended
            stream.close()
        problem = server.get("/state", brief).problem("unauthorized", 401)
        assert "expired" in problem["detail"].lower()


def test_17_a_revoked_key_ends_its_streams_and_its_cookies(house):
    ada, bob = house.bearer("ada", "reader"), house.bearer("bob", "reader")
    with house.server("--debug-routes") as server:
        cookie = cookie_of(server.request("POST", "/session", b"", ada), "store-auth")
        streams = reading(server, ada, *STREAMS) + reading(server, cookie, *STREAMS)
        others = reading(server, bob, *STREAMS)
        house.revoke(ada)
        assert server.get("/state", ada).status == 200
        reload(server)
        for stream in streams:
            ended(stream)
        for header in ada, cookie:
            assert server.get("/state", header).status == 401
        until(lambda: len(listed(server, house)) == len(others), "the others' streams go on")
        assert server.get("/state", bob).status == 200


def test_17_a_new_policy_ends_the_streams_that_it_does_not_allow_and_no_others(house):
    ada, bob = house.bearer("ada", "reader"), house.bearer("bob", "author")
    with house.server("--debug-routes") as server:
        mine, others = reading(server, ada, *STREAMS), reading(server, bob, "/events", "/actions/events")
        # The role gets more grants than before, so no stream has to end.
        reader = ROLES["reader"]
        house.write({**ROLES, "reader": {**reader, "read": [*reader["read"], "/safe", "views/safe"]}})
        reload(server)
        assert list(server.get("/state", ada).json) == ["todos", "safe"]
        until(lambda: len(listed(server, house)) == len(mine) + len(others), "all go on")
        # Each stream is judged by its own topic.
        house.write({**ROLES, "reader": {**reader, "read": ["/todos", "/safe"]}})
        reload(server)
        gone = {target: stream for target, stream in zip(STREAMS, mine) if target.startswith(("/views", "/actions"))}
        for stream in gone.values():
            ended(stream)
        until(lambda: len(listed(server, house)) == len(mine) + len(others) - len(gone), "the rest goes on")
        house.write({**ROLES, "reader": {**reader, "read": ["/safe"]}})
        reload(server)
        for target, stream in zip(STREAMS, mine):
            if target not in gone:
                ended(stream)
        until(lambda: len(listed(server, house)) == len(others), "the other role's go on")
        assert server.post(action("todos/added", text="x"), house.operator).status == 200
        assert [stream.event() for stream in others]


def test_17_7_a_stream_of_a_pointer_goes_on_while_its_member_is_granted(house):
    reader = ROLES["reader"]
    house.write({**ROLES, "reader": {**reader, "read": ["/todos", "/safe", "log"]}})
    ada = house.bearer("ada", "reader")
    targets = ["/events?path=/todos", "/events?path=/todos/items&mode=patch", "/events?path=/diary"]
    with house.server("--debug-routes") as server:
        whole, safe = reading(server, ada, "/events", "/events?path=/safe")
        kept = reading(server, ada, *targets)
        for stream in kept:
            stream.event()
        house.write({**ROLES, "reader": {**reader, "read": ["/todos"]}})
        reload(server)
        ended(whole)
        ended(safe)
        assert server.post(action("todos/added", text="x"), house.operator).status == 200
        for target, stream in zip(targets[:2], kept):
            assert '"x"' in stream.event().data, target
        # The stream of hidden state stays silent, as before.
        assert kept[2].quiet(0.05)
        assert len(listed(server, house)) == len(kept)


def test_17_a_role_that_loses_operate_no_longer_reads_the_slices_of_all_sessions(house):
    roles = {**ROLES, "keeper": {"read": ["*"], "use": ["operate", "sessions"]}}
    house.write(roles)
    keeper = house.bearer("ada", "keeper")
    with house.server("--debug-routes") as server:
        own = session(server, keeper)
        streams = reading(server, keeper, "/events", "/modules/diary/events", "/events?path=/diary", "/actions/events")
        kept = reading(server, own, "/events", "/modules/diary/events")
        house.write({**roles, "keeper": {"read": ["*"], "use": ["sessions"]}})
        reload(server)
        for stream in streams:
            ended(stream)
        until(lambda: len(listed(server, house)) == len(kept), "those of a session go on")


@pytest.mark.parametrize("which", ["policy", "keys"])
def test_17_a_file_that_is_wrong_changes_nothing(house, which):
    with house.server("--debug-routes") as server:
        ada = house.bearer("ada", "reader")
        reload(server)
        streams = reading(server, ada, *STREAMS)
        file = getattr(house, which)
        good = file.read_text()
        for text in "", "{", '{"roles": {"reader": {"read": ["/nowhere"]}}}', "[]":
            file.write_text(text)
            reload(server)
            assert list(server.get("/state", ada).json) == ["todos"]
            assert server.get("/safe", ada).status == 404
            assert len(listed(server, house)) == len(streams)
        assert refusals(server) == 4 and str(file) in server.log_text
        file.write_text(good)
        reload(server)
        assert server.get("/state", ada).status == 200
        assert len(listed(server, house)) == len(streams)


def test_17_a_key_with_a_new_role_ends_its_streams(house):
    with house.server() as server:
        ada = house.bearer("ada", "reader")
        reload(server)
        [stream] = reading(server, ada, "/events")
        house.keys.write_text(house.keys.read_text().replace('"reader"', '"author"'))
        reload(server)
        ended(stream)
        assert server.get("/views", ada).status == 403


# Requests that wait


class Waiting:
    """Requests that wait in the server, each on a connection of its own."""

    def __init__(self, server, *requests):
        self.server = server
        self.wires = []
        for target, header in requests:
            wire = Wire(server, 90)
            fields = "".join(f"{name}: {value}\r\n" for name, value in header.items())
            wire.send(f"GET {target} HTTP/1.1\r\nHost: {server.authority}\r\n{fields}\r\n".encode())
            self.wires.append(wire)
        # When these requests are answered, the event loop has read the bytes of the waiting requests.
        for _ in range(3):
            assert server.get("/livez").status == 200

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for wire in self.wires:
            wire.socket.close()

    def answers(self):
        return [wire.answer() for wire in self.wires]

    @property
    def wait(self):
        """True if no request is answered."""
        return not select.select([wire.socket for wire in self.wires], [], [], 0.2)[0]


def polls(server, header, slow=None):
    """Returns requests that wait for a newer state, or for the end of a dispatch."""
    version = server.get("/state", header)["etag"].strip('"').split(":")[1]
    found = [(f"/state?after={version}&wait=60", header), (f"/state/todos?after={version}&wait=60", header)]
    if slow:
        found.append((slow, {**header, "Prefer": "wait=60"}))
    return found


def planned(server, header, ms=600_000):
    """Returns the location of the outcome of a dispatch whose effect takes `ms` milliseconds."""
    answer = server.post(action("todos/planned", text=f"{ms}", ms=ms), {**header, "Prefer": "wait=0"})
    assert answer.status == 202, answer
    return answer["location"]


def test_17_7_requests_that_wait_end_with_their_credential(house):
    bob = house.bearer("bob", "sender")
    with house.server() as server:
        brief = house.brief("ada", "sender", 4)
        end = int(time.time()) + 4
        reload(server)
        cookie = cookie_of(server.request("POST", "/session", b"", brief), "store-auth")
        slow = planned(server, brief)
        requests = polls(server, brief, slow) + polls(server, cookie)
        with Waiting(server, *requests) as waiting, Waiting(server, *polls(server, bob)) as others:
            for answer in waiting.answers():
                problem = answer.problem("unauthorized", 401)
                assert end - 1 <= time.time() <= end + LATE_SECONDS
                assert 'error="invalid_token"' in answer["www-authenticate"] and "expired" in problem["detail"]
                server.await_log(problem["instance"])
            assert others.wait
            assert server.post(action("todos/added", text="x"), bob).status == 200
            assert {answer.status for answer in others.answers()} == {200}


def test_17_7_requests_that_wait_end_when_their_key_is_revoked(house):
    ada, bob = house.bearer("ada", "sender"), house.bearer("bob", "sender")
    with house.server() as server:
        cookie = cookie_of(server.request("POST", "/session", b"", ada), "store-auth")
        mine = polls(server, ada, planned(server, ada)) + polls(server, session(server, ada)) + polls(server, cookie)
        with Waiting(server, *mine) as waiting, Waiting(server, *polls(server, bob)) as others:
            house.revoke(ada)
            assert waiting.wait
            began = time.time()
            reload(server)
            for answer in waiting.answers():
                answer.problem("unauthorized", 401)
            assert time.time() - began < LATE_SECONDS
            assert others.wait
            assert server.post(action("todos/added", text="x"), bob).status == 200
            assert {answer.status for answer in others.answers()} == {200}


def test_17_7_an_action_that_was_applied_is_answered_though_its_key_is_revoked(house):
    ada = house.bearer("ada", "sender")
    with house.server() as server, Wire(server, 60) as wire:
        body = json.dumps(action("todos/planned", text="slow", ms=3_000)).encode()
        fields = "".join(f"{name}: {value}\r\n" for name, value in {**ada, "Prefer": "wait=50"}.items())
        wire.send(
            f"POST /dispatch HTTP/1.1\r\nHost: {server.authority}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n{fields}\r\n".encode() + body
        )
        until(lambda: server.get("/effects", house.operator).json["effects"], "it has begun")
        house.revoke(ada)
        reload(server)
        assert server.get("/state", ada).status == 401
        answer = wire.answer("POST")
        assert answer.status == 200 and answer.json["completed"] is True


def test_17_7_requests_that_wait_end_when_a_new_policy_does_not_allow_them(house):
    ada, bob = house.bearer("ada", "sender"), house.bearer("bob", "reader")
    sender = ROLES["sender"]
    with house.server() as server:
        location = planned(server, ada)
        mine, others = Waiting(server, *polls(server, ada, location)), Waiting(server, *polls(server, bob))
        with mine as waiting, others:
            # The role sees more: its requests go on waiting.
            house.write({**ROLES, "sender": {**sender, "read": [*sender["read"], "/safe"]}})
            reload(server)
            assert waiting.wait
        with Waiting(server, *polls(server, ada, location)) as waiting, Waiting(server, *polls(server, bob)) as others:
            # The role sees less: its polls end. The wait for its own dispatch goes on.
            house.write(ROLES)
            reload(server)
            [_, _, outcome] = waiting.wires
            for wire in waiting.wires[:2]:
                assert "changed while this request waited" in wire.answer().problem("forbidden", 403)["detail"]
            waiting.wires = [outcome]
            assert waiting.wait
            house.write({**ROLES, "sender": {"read": ["/todos"]}})
            reload(server)
            outcome.answer().problem("forbidden", 403)
            assert others.wait


def test_17_7_an_anonymous_request_waits_until_the_policy_ends_it(house):
    house.write({**ROLES, "anonymous": {"read": ["/todos"]}})
    with house.server() as server:
        with Waiting(server, *[(f"/state?after={version}&wait=60", {}) for version in (0, 9)]) as waiting:
            reload(server)
            assert waiting.wait
            house.write(ROLES)
            began = time.time()
            reload(server)
            for answer in waiting.answers():
                answer.problem("unauthorized", 401)
            assert time.time() - began < LATE_SECONDS
