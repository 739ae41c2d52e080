"""Tables in a slice (docs/decisions/0055), on programs/Pinboard.swift."""

import signal

import pytest
from harness import Server, Stream, action
from patching import patched
from programs import build_sample

MANY = 3_000


@pytest.fixture(scope="module")
def program():
    return build_sample("Pinboard")


@pytest.fixture
def server(program):
    with Server(program=program) as server:
        yield server


def do(server, name, header=None, **fields):
    answer = server.post(action(name, **fields), header or {})
    assert answer.status == 200, answer
    return answer.json


def card(title, votes=0):
    return {"title": title, "votes": votes}


def name_of(number):
    return f"card-{100_000 + number}"


def test_a_patch_has_the_changed_row_only(server):
    do(server, "board/filled", count=MANY)
    with Stream(server, "/events?mode=patch") as whole, Stream(server, "/modules/board/events?mode=patch") as module:
        state, board = whole.event().json, module.event().json
        assert list(board["cards"]) == [name_of(number) for number in range(MANY)]
        steps = [
            (("board/voted", {"card": name_of(7)}), [("replace", "/cards/card-100007/votes", 1)]),
            (("board/pinned", {"card": "a/b", "title": "A"}), [("add", "/cards/a~1b", card("A"))]),
            (("board/removed", {"card": name_of(9)}), [("remove", "/cards/card-100009", None)]),
            (("board/titled", {"title": "B"}), [("replace", "/title", "B")]),
        ]
        for (name, fields), operations in steps:
            do(server, name, **fields)
            event, same = whole.event(), module.event()
            assert event.name == same.name == "patch"
            assert [(each["op"], each["path"], each.get("value")) for each in same.json] == operations
            assert [each["path"] for each in event.json] == [f"/board{path}" for _, path, _ in operations]
            state, board = patched(state, event.json), patched(board, same.json)
        assert state == server.state and board == server.state["board"]


def test_an_action_that_changes_no_byte_changes_nothing(server):
    do(server, "board/filled", count=MANY)
    before = server.get("/modules/board")["etag"]
    assert do(server, "board/confirmed", card=name_of(3))["changed"] is False
    with Stream(server, "/modules/board/events") as stream:
        assert stream.event().version == int(before.strip('"').split(":")[1])
    # Two texts that look the same but have different bytes are two keys.
    do(server, "board/pinned", card="x", title="\u00e9")
    assert do(server, "board/pinned", card="x", title="e\u0301")["changed"] is True
    do(server, "board/pinned", card="\u00e9", title="composed")
    do(server, "board/pinned", card="e\u0301", title="combined")
    assert server.state["board"]["cards"]["\u00e9"] == card("composed")
    assert server.state["board"]["cards"]["e\u0301"] == card("combined")


def test_a_row_is_read_and_watched_by_its_pointer(server):
    do(server, "board/filled", count=MANY)
    assert server.get(f"/state/board/cards/{name_of(5)}").json == card("Card 5")
    assert server.get(f"/state/board/cards/{name_of(5)}/title").json == "Card 5"
    assert server.get("/state/board/cards/nothing").status == 404
    assert server.get("/state/board/cards/nothing/title").status == 404
    assert len(server.get("/state/board/cards").json) == MANY
    assert server.get("/state/board/title").json == "Board"
    row = Stream(server, f"/events?path=/board/cards/{name_of(5)}")
    votes = Stream(server, f"/events?path=/board/cards/{name_of(5)}/votes")
    cards = Stream(server, "/events?path=/board/cards&mode=patch")
    with row, votes, cards:
        assert row.event().json == card("Card 5") and votes.event().json == 0
        state = cards.event().json
        do(server, "board/voted", card=name_of(6))
        version = do(server, "board/voted", card=name_of(5))["version"]
        # Nothing comes for another row.
        assert (event := row.event()).json == card("Card 5", 1) and event.version == version
        assert votes.event().json == 1
        for _ in range(2):
            event = cards.event()
            assert event.name == "patch" and len(event.json) == 1
            state = patched(state, event.json)
        assert state == server.state["board"]["cards"]
        do(server, "board/removed", card=name_of(5))
        assert row.event().name == "gone" and votes.event().name == "gone"
        do(server, "board/pinned", card=name_of(5), title="again")
        assert row.event().json == card("again") and votes.event().json == 0


def test_a_window_has_a_range_of_rows(server):
    do(server, "board/filled", count=MANY)
    cards = server.state["board"]["cards"]

    def window(query, status=200):
        answer = server.get(f"/state/board/cards?{query}")
        assert answer.status == status, answer
        return answer

    first = window(f"from={name_of(5)}&limit=3")
    assert list(first.json) == [name_of(5), name_of(6), name_of(7)] and first["etag"] == server.get("/state")["etag"]
    assert first["link"] == f'</state/board/cards?limit=3&from={name_of(8)}>; rel="next"'
    assert server.get("/state/board/cards", {"If-None-Match": first["etag"]}).status == 304
    again = server.get("/state/board/cards?limit=3", {"If-None-Match": first["etag"]})
    assert again.status == 304 and not again.body
    # All windows, followed by their links, together have the whole table.
    path, found = "/state/board/cards?limit=700", {}
    while path:
        answer = server.get(path)
        found |= answer.json
        path = answer["link"].partition(">")[0][1:] if answer["link"] else None
    assert found == cards and list(found) == list(cards)
    assert len(window("limit=10000").json) == MANY
    assert len(window("from=").json) == 1_000
    assert window("from=z").json == {}
    assert window("from=card-100005x&limit=1").json == {name_of(6): cards[name_of(6)]}
    # The members of any object: sorted by name.
    assert list(server.get("/state/board?limit=1").json) == ["cards"]
    do(server, "board/pinned", card="a/b", title="\u00e9")
    assert window("limit=1").json == {"a/b": card("\u00e9")}
    assert server.get("/state/board/cards/a~1b?limit=1").json == {"title": "\u00e9"}
    past = server.get(f"/state/board/cards?limit=1&version=1")
    assert list(past.json) == [name_of(0)] and past["link"].endswith('&version=1>; rel="next"')
    for query in ("limit=0", "limit=10001", "limit=x", "limit=", "from=a&start=b", "limit=1&limit=2"):
        assert window(query, 400).problem("bad-request", 400), query
    assert "is no object" in server.get("/state/board/title?limit=1").problem("bad-request", 400)["detail"]
    assert "whole part" in window("limit=1&blame=true", 400).json["detail"]
    assert server.get("/state/board/nothing?limit=1").status == 404
    assert server.get("/state?limit=1").problem("bad-request", 400)


def test_a_window_is_awaited_and_streamed(server):
    do(server, "board/filled", count=MANY)
    target = f"/events?path=/board/cards&from={name_of(5)}&limit=3"
    with Stream(server, target) as whole, Stream(server, f"{target}&mode=patch") as patches:
        first = whole.event().json
        assert list(first) == [name_of(5), name_of(6), name_of(7)] and patches.event().json == first
        do(server, "board/voted", card=name_of(4))
        do(server, "board/voted", card=name_of(8))
        version = do(server, "board/voted", card=name_of(6))["version"]
        # Rows outside of the window send nothing.
        assert (event := whole.event()).version == version and event.json[name_of(6)]["votes"] == 1
        assert patches.event().json == [{"op": "replace", "path": f"/{name_of(6)}/votes", "value": 1}]
        do(server, "board/removed", card=name_of(5))
        assert list(whole.event().json) == [name_of(6), name_of(7), name_of(8)]
        assert [each["op"] for each in patches.event().json] == ["remove", "add"]
    with Stream(server, "/events?path=/board/title&limit=3") as gone:
        assert gone.event().name == "gone"
    assert server.get("/events?limit=3").problem("bad-request", 400)["detail"].endswith("to an object.")
    awaited = server.get(f"/state/board/cards?limit=1&after={server.version - 1}&wait=5")
    assert list(awaited.json) == [name_of(0)]


def test_a_window_of_instances(server):
    for number in range(70):
        do(server, f"rooms/r{number:02}/start")
    assert list(server.get("/state/rooms?from=r10&limit=2").json) == ["r10", "r11"]
    with Stream(server, "/events?path=/rooms&from=r10&limit=2&mode=patch") as stream:
        assert list(stream.event().json) == ["r10", "r11"]
        do(server, "rooms/r12/pinned", card="a", title="A")
        do(server, "rooms/r11/pinned", card="a", title="A")
        assert stream.event().json == [{"op": "add", "path": "/r11/cards/a", "value": card("A")}]
    with Stream(server, "/events?mode=patch") as stream:
        state = stream.event().json
        for name, fields in (
            ("rooms/r12/pinned", {"card": "b", "title": "B"}), ("rooms/r13/stop", {}), ("rooms/r99/start", {}),
        ):
            do(server, name, **fields)
            patch = stream.event().json
            assert len(patch) == 1 and patch[0]["path"].startswith(f"/{name.rpartition('/')[0]}")
            state = patched(state, patch)
        assert state == server.state


def test_a_resumed_stream_gets_the_rows_that_changed_meanwhile(server):
    do(server, "board/filled", count=MANY)
    with Stream(server, "/events?mode=patch") as stream:
        first = stream.event()
        with Stream(server, "/events?mode=patch") as other:
            other.event()
            for number in range(3):
                do(server, "board/voted", card=name_of(number))
                other.event()
            with Stream(server, "/events?mode=patch", last=first.id) as resumed:
                event = resumed.event()
                assert event.name == "patch", "the versions share their rows, so the server keeps them"
                assert sorted(each["path"] for each in event.json) == [
                    f"/board/cards/{name_of(number)}/votes" for number in range(3)
                ]


def test_a_dry_run_and_a_representation_have_the_row(server):
    do(server, "board/filled", count=10)
    dry = server.post(action("board/voted", card=name_of(1)), query="?dry-run=true")
    assert dry.json["patch"] == [{"op": "replace", "path": f"/board/cards/{name_of(1)}/votes", "value": 1}]
    shown = server.post(action("board/voted", card=name_of(1)), {"Prefer": "return=representation"})
    assert shown.json["state"]["board"]["cards"][name_of(1)]["votes"] == 1
    refused = server.post(action("board/voted", card="nothing")).problem("refused", 409)
    assert refused["reason"] == "There is no 'nothing'."


def test_a_row_without_a_json_form_is_refused(server):
    do(server, "board/filled", count=10)
    refused = server.post(action("board/spoiled")).problem("refused", 409)
    assert "JSON has no number for inf" in refused["reason"], refused
    do(server, "board/voted", card=name_of(1))
    assert server.state["board"]["cards"][name_of(1)]["votes"] == 1


def test_instances_and_users_have_tables(server):
    header = {"Cookie": server.request("POST", "/sessions", b"")["set-cookie"].partition(";")[0]}
    do(server, "rooms/tea/start")
    do(server, "rooms/tea/pinned", card="a", title="A")
    do(server, "own/pinned", header, card="m", title="Mine")
    with Stream(server, "/modules/rooms/tea/events?mode=patch") as room:
        assert room.event().json == {"cards": {"a": card("A")}}
        do(server, "rooms/tea/pinned", card="b", title="B")
        assert room.event().json == [{"op": "add", "path": "/cards/b", "value": card("B")}]
    with Stream(server, "/events?mode=patch", headers=header.items()) as own:
        assert own.event().json["own"] == {"cards": {"m": card("Mine")}}
        do(server, "own/pinned", header, card="n", title="New")
        assert own.event().json == [{"op": "add", "path": "/own/cards/n", "value": card("New")}]
    assert server.get("/state/rooms/tea/cards/b").json == card("B")
    assert server.get("/state/own/cards/n", header).json == card("New")
    assert server.get("/state/own/cards").json == {}


def test_rows_survive_a_kill_and_a_snapshot(program, tmp_path):
    data, often = tmp_path / "data", ("--snapshot-every", "5")
    server = Server(*often, program=program, data=data)
    do(server, "board/filled", count=MANY)
    for number in range(12):
        do(server, "board/voted", card=name_of(number))
    do(server, "board/removed", card=name_of(20))
    state, tag = server.state, server.tag
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    with Server(*often, program=program, data=data) as server:
        assert server.state == state and server.tag == tag
        past = server.get(f"/state/board/cards/{name_of(11)}?version=12").json
        assert past == card("Card 11")
        blame = server.get(f"/state/board/cards/{name_of(3)}?blame=true").json
        assert blame["changedBy"] is None or blame["changedBy"]["version"] == 5


def test_a_dictionary_becomes_a_table_on_old_data(program, tmp_path):
    data, often = tmp_path / "data", ("--snapshot-every", "5")
    first = {"EDITION": "first"}
    with Server(*often, program=program, data=data, environment=first) as server:
        do(server, "board/filled", count=100)
        for number in range(20):
            do(server, "board/pinned", card=f"\u00e9/{number}", title="old")
        old = server.state["board"]
    with Server(*often, program=program, data=data) as server:
        assert server.state["board"] == old
        assert list(server.state["board"]["cards"]) == list(old["cards"])
        do(server, "board/voted", card="\u00e9/3")
        assert server.get("/state/board/cards/%C3%A9%2F3").json == card("old", 1)
    # The program may go back, too.
    with Server(*often, program=program, data=data, environment=first) as server:
        assert server.get("/state/board/cards/%C3%A9%2F3").json == card("old", 1)


def test_the_schema_of_a_table_is_that_of_a_dictionary(program):
    def cards(server):
        schema = server.get("/schema").json
        objects = [node for node in nodes(schema) if isinstance(node, dict)]
        found = next(node["properties"]["cards"] for node in objects if "cards" in node.get("properties", {}))
        # A definition that several members share has a name.
        name = found.get("$ref", "").removeprefix("#/$defs/")
        return schema["$defs"][name] if name else found

    with Server(program=program) as table, Server(program=program, environment={"EDITION": "first"}) as dictionary:
        assert cards(table) == cards(dictionary)


def nodes(value):
    yield value
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    for child in children:
        yield from nodes(child)
