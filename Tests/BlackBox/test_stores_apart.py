"""Clients of one store change nothing in the other stores of the process (protocol 16)."""

import pytest
from harness import Server, Stream, Wire, until
from programs import build_sample
from test_default_bounds import holds, inode
from test_stores import add, rows, say

CHAT, TALK, SCORES = "/stores/chat", "/stores/talk", "/stores/scores"
LINE_BYTES = 800_000


@pytest.fixture(scope="module")
def program():
    return build_sample("Rooms")


@pytest.fixture
def chats(program):
    """Two stores of one type, `chat` and `talk`, beside two tallies."""
    with Server(program=program, environment={"ROOMS": "chats"}) as server:
        yield server


def said(server, base, line, **options):
    return server.send(
        base + "/dispatch", {"type": "chat/said", "payload": {"_0": line}}, **options
    )


def shown(server, but=()):
    """State, tag and log of every store except the stores in `but`."""
    paths = [row["path"].rstrip("/") for row in rows(server).values()]
    targets = [path + what for path in paths if path not in but for what in ("/state", "/actions")]
    return [(target, answer["ETag"], answer.body) for target in targets if (answer := server.get(target))]


# Dispatching


def test_a_dry_run_changes_no_store(chats):
    assert said(chats, CHAT, "hello").status == 200
    before = shown(chats)
    body = {"type": "chat/said", "payload": {"_0": "again"}}
    for base, at in ((CHAT, "/chat/lines/1"), (TALK, "/chat/lines/0")):
        answer = chats.send(base + "/dispatch?dry-run=true", body)
        patch = answer.json["patch"]
        assert (answer.status, answer.json["changed"], patch[0]["path"]) == (200, True, at)
    refused = chats.send(SCORES + "/dispatch?dry-run=true", body)
    assert refused.problem("unknown-action", 422)["store"] == "scores"
    refused = chats.send(SCORES + "/dispatch?dry-run=true", {"type": "Added", "payload": {"count": -1}})
    assert refused.problem("refused", 409)["store"] == "scores"
    assert shown(chats) == before


def test_an_array_with_a_refusal_in_its_midst_leaves_nothing_anywhere(chats):
    assert add(chats, SCORES, 5).status == add(chats, "", 1).status == 200
    before = shown(chats)
    counts = [{"type": "Added", "payload": {"count": count}} for count in (1, -1, 1)]
    for base, name in ((SCORES, "scores"), ("", None)):
        problem = chats.send(base + "/dispatch", counts).problem("refused", 409)
        assert problem["pointer"].startswith("/1")
        assert problem.get("store") == name
    # An array with members of two stores belongs to neither.
    mixed = [counts[0], {"type": "chat/said", "payload": {"_0": "x"}}, counts[0]]
    for base in ("", SCORES, CHAT):
        chats.send(base + "/dispatch", mixed).problem("unknown-action", 422)
    assert shown(chats) == before
    taken = chats.send(SCORES + "/dispatch", [counts[0], counts[2]]).json
    assert (taken["first"], taken["version"]) == (2, 3)
    assert shown(chats, but=[SCORES]) == [row for row in before if not row[0].startswith(SCORES)]


def test_equal_keys_of_two_stores_are_two_keys(chats):
    key = {"Idempotency-Key": '"one"'}
    first = said(chats, CHAT, "hello", headers=key)
    second = said(chats, TALK, "hello", headers=key)
    for answer in (first, second):
        assert (answer.status, answer["Idempotency-Replayed"]) == (200, None)
    assert first.json["epoch"] != second.json["epoch"]
    # Another body under the same key is a mismatch in its own store alone.
    assert add(chats, SCORES, 1).status == 200
    assert chats.send(SCORES + "/dispatch", {"type": "Added", "payload": {"count": 2}}, key).status == 200
    assert said(chats, CHAT, "other", headers=key).problem("idempotency-mismatch", 422)["store"] == "chat"
    for base, answer in ((CHAT, first), (TALK, second)):
        again = said(chats, base, "hello", headers=key)
        assert (again["Idempotency-Replayed"], again.body) == ("true", answer.body)
        assert chats.get(base + "/state/chat").json == {"lines": ["hello"]}


def test_instances_of_one_id_belong_to_their_stores(chats):
    for base in (CHAT, TALK):
        begun = chats.send(base + "/dispatch", {"type": "topics/7/start", "payload": {}})
        assert begun.status == 200
    path = "/modules/topics/7"
    with Stream(chats, CHAT + path + "/events") as chat, Stream(chats, TALK + path + "/events") as talk:
        assert chat.opened().event().json == talk.opened().event().json == {"likes": 0}
        assert chats.send(CHAT + "/dispatch", {"type": "topics/7/liked"}).status == 200
        assert chat.event().json == {"likes": 1}
        assert chats.send(CHAT + "/dispatch", {"type": "topics/7/stop"}).status == 200
        assert chat.event().name == "gone"
        assert chats.get(CHAT + path).problem("not-found", 404)["store"] == "chat"
        refused = chats.send(CHAT + "/dispatch", {"type": "topics/7/liked"})
        assert refused.problem("refused", 409)["store"] == "chat"
        # The next event of the other store belongs to its own first change.
        assert chats.send(TALK + "/dispatch", {"type": "topics/7/liked"}).json["version"] == 2
        event = talk.event()
        assert (event.version, event.json) == (2, {"likes": 1})
        assert chats.get(TALK + path).json == {"likes": 1}
        modules = {each["name"]: each for each in chats.get(TALK + "/modules").json["modules"]}
        assert modules["topics"]["href"].startswith(TALK + "/modules/")
    chats.get(SCORES + path).problem("not-found", 404)


def test_a_client_has_a_session_in_each_store(chats):
    begun = {base: chats.request("POST", base + "/sessions", b"") for base in (CHAT, TALK)}
    sent = "; ".join(answer["Set-Cookie"].split(";")[0] for answer in begun.values())
    both = {"Cookie": sent}
    for base in (CHAT, TALK):
        assert said(chats, base, "hello", headers=both).status == 200
        origin = chats.get(base + "/actions?type=chat/said", both).json["actions"][0]["origin"]
        others = TALK if base == CHAT else CHAT
        assert begun[base].json["session"] in origin
        assert begun[others].json["session"] not in origin
    # The secret of one store under the name of the other opens nothing.
    secrets = [part.split("=", 1)[1] for part in sent.split("; ")]
    swapped = {"Cookie": f"store-session-talk={secrets[0]}; store-session-chat={secrets[1]}"}
    for base, name in ((CHAT, "chat"), (TALK, "talk")):
        assert said(chats, base, "x", headers=swapped).problem("forbidden", 403)["store"] == name
    with Stream(chats, TALK + "/events?path=/chat", headers=both.items()) as stream:
        stream.opened().event()
        ended = chats.request("DELETE", CHAT + "/session", headers=both)
        assert ended.status == 204 and "Path=/stores/chat;" in ended["Set-Cookie"]
        said(chats, CHAT, "hello", headers=both).problem("forbidden", 403)
        assert said(chats, TALK, "still here", headers=both).status == 200
        assert stream.event().json["lines"][-1] == "still here"
    left = chats.get(TALK + "/state/sessions", both).json
    assert list(left) == [begun[TALK].json["session"]]


# Streams


@pytest.mark.plain("memory is measured, and a sanitizer keeps what is freed")
def test_a_reader_that_takes_nothing_is_closed_and_delays_no_other_store(program):
    with Server("--stall-timeout", "5", program=program) as server:
        stalled = Stream(server, CHAT + "/events", receive_bytes=4096)
        stalled.opened()
        name = inode(server, stalled.wire.socket)
        targets = ["/events", "/actions/events", SCORES + "/events", CHAT + "/actions/events"]
        first, log, scores, lines = [Stream(server, target).opened() for target in targets]
        assert first.event().json == scores.event().json == {"count": 0}
        assert log.event().name == lines.event().name == "caught-up"
        with Wire(server) as wire:
            # Each frame has all lines: more than the system's buffers hold.
            for number in range(8):
                line = f"{number} " + "x" * LINE_BYTES
                assert say(server, line, wire=wire).status == 200
                assert lines.event().json["payload"]["_0"] == line
            assert holds(server, name)
            before = server.resident_bytes
            for number in range(1, 201):
                body = {"type": "Added", "payload": {"count": 1}}
                assert server.send("/dispatch", body, wire=wire).status == 200
                assert server.send(SCORES + "/dispatch", body, wire=wire).status == 200
                # Every event, in order, before the next action is posted.
                assert first.event().json == scores.event().json == {"count": number}
                assert log.event().json["version"] == number
                if number % 40 == 0:
                    assert say(server, f"{number}", wire=wire).status == 200
                    assert lines.event().json["payload"]["_0"] == f"{number}"
        # The data that waits for the stalled reader is bounded by the newest state.
        assert server.resident_bytes - before < 100 << 20
        until(lambda: not holds(server, name), "the stalled reader is closed")
        with Stream(server, CHAT + "/events", receive_bytes=1 << 20) as late:
            assert len(late.opened().event().json["chat"]["lines"]) == 13
        for stream in (stalled, first, log, scores, lines):
            stream.close()


def test_9_all_stores_share_the_places_for_streams(program):
    with Server("--streams-max", "4", program=program) as server:
        chat = [Stream(server, CHAT + "/events").opened() for _ in range(3)]
        log = Stream(server, SCORES + "/actions/events").opened()
        streams = [*chat, log]
        for stream in streams:
            assert stream.answer.status == 200 and stream.event()

        def refused(target, name):
            with Stream(server, target) as stream:
                answer = stream.opened().answer
                problem = answer.problem("stream-limit", 503)
                assert problem.get("store") == name
                assert int(answer["retry-after"]) >= 1
                assert " 4 streams" in problem["detail"]

        refused(SCORES + "/events", "scores")
        refused("/events", None)
        refused(CHAT + "/actions/events", "chat")
        assert add(server, SCORES, 1).status == say(server, "hello").status == 200
        # A closed stream leaves exactly one place, for any store.
        for closing, base in ((chat[0], ""), (log, SCORES), (chat[1], CHAT)):
            closing.close()
            streams.append(until(lambda: opened(server, base + "/events"), "a place comes back"))
            assert streams[-1].event().version >= 0
            refused("/events", None)
        for stream in streams:
            stream.close()


def opened(server, target):
    """Returns a stream, or `None` if there is no place for it."""
    stream = Stream(server, target).opened()
    if stream.answer.status == 200:
        return stream
    stream.close()
    return None


def test_9_all_stores_share_the_places_for_connections(program):
    with Server("--connections-max", "3", program=program) as server:
        held = [Wire(server) for _ in range(3)]
        for wire, base in zip(held, ("", CHAT, SCORES), strict=True):
            assert server.get(base + "/livez", wire=wire).status == 200
        problem = server.get(CHAT + "/livez").problem("overloaded", 503)
        assert "all of the 3 connections" in problem["detail"]
        held[0].socket.close()
        until(lambda: server.get(SCORES + "/livez").status == 200, "a place comes back")
        for wire in held:
            wire.socket.close()


# The index, and the clock for tests


def test_15_1_the_index_of_a_store_is_there_with_a_slash_and_without(program):
    with Server(program=program) as server:
        index = server.get(CHAT)
        for target in (CHAT + "/", "/stores/ch%61t/", CHAT + "/?"):
            answer = server.get(target)
            assert (answer.status, answer.body) == (200, index.body)
        html = {"Accept": "text/html"}
        page = server.get(CHAT + "/", html)
        assert page.body == server.get(CHAT, html).body
        assert b'href="/stores/chat/state"' in page.body
        assert server.request("HEAD", CHAT + "/").status == 200
        options = server.request("OPTIONS", CHAT + "/")
        assert options["Allow"] == server.request("OPTIONS", CHAT)["Allow"]
        assert server.request("POST", CHAT + "/", b"").problem("method-not-allowed", 405)["store"] == "chat"
        # The path with a slash is the same resource, and has no line of its own in lists.
        assert CHAT + "/" not in server.get(CHAT + "/openapi.json").json["paths"]
        for target in ("/stores/", CHAT + "//", CHAT + "/state/", "//", "/stores/nobody/"):
            server.get(target).problem("not-found", 404)


def test_14_each_store_has_a_clock_for_tests(program):
    with Server("--clock", "test", program=program, environment={"ROOMS": "chats"}) as server:
        clocks = {base: base + "/test/clock" for base in ("", CHAT, TALK, SCORES)}

        def sleeping(base):
            return server.get(clocks[base]).json["sleeping"]

        for base in (CHAT, TALK):
            assert said(server, base, "later").status == 200
            until(lambda: sleeping(base) == 1, "it sleeps")
        moved = server.send(clocks[CHAT] + "/advance", {"seconds": 60})
        assert (moved.status, moved.json["seconds"], moved.json["sleeping"]) == (200, 60, 0)
        assert server.get(CHAT + "/state/chat").json["lines"] == ["later", "now"]
        times = [each["time"] for each in server.get(CHAT + "/actions").json["actions"]]
        assert [time[14:19] for time in times] == ["00:00", "01:00"]
        # The clocks of the other stores have not moved.
        assert [server.get(clocks[base]).json["seconds"] for base in ("", TALK, SCORES)] == [0, 0, 0]
        assert server.get(TALK + "/state/chat").json["lines"] == ["later"]
        assert sleeping(TALK) == 1
        refused = server.send(clocks[TALK] + "/advance", {"seconds": -1})
        assert refused.problem("invalid-payload", 422)["store"] == "talk"
        assert server.send(clocks[""] + "/advance", {"seconds": 3600}).status == 200
        assert sleeping(TALK) == 1
        assert server.send(clocks[TALK] + "/advance", {"seconds": 60}).json["sleeping"] == 0
        assert server.get(TALK + "/state/chat").json["lines"] == ["later", "now"]
        for name in ("chat: ", "scores: ", ""):
            server.await_log(f"warning: {name}--clock test: time stands still")
