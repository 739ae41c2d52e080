"""Slices that determine their readers: `RestrictedModule` (docs/decisions/0052)."""

import json
import signal

import pytest
from access import ALL, House, session
from harness import Server, Stream, action, until
from programs import build_sample

MEMBER = {
    "read": ["*", "log"],
    "dispatch": ["*"],
    "call": ["*"],
    "use": ["sessions", "schema", "effects"],
}
ROLES = {"operator": ALL, "member": MEMBER, "support": MEMBER, "anonymous": MEMBER}


@pytest.fixture(scope="module")
def program():
    return build_sample("Teams")


@pytest.fixture
def house(tmp_path, program):
    return House(tmp_path, ROLES, program)


def do(server, who, type_, **fields):
    """Dispatches an action that the server applies. Returns the version."""
    answer = server.post(action(type_, **fields), who)
    assert answer.status == 200, answer
    return answer.json["version"]


def boards(server, who):
    return list(server.get("/state", who).json["board"])


def test_a_board_is_there_for_its_members_alone(house):
    ada, bob, eve = (house.bearer(name, "member") for name in ("ada", "bob", "eve"))
    help_ = house.bearer("carl", "support")
    with house.server() as server:
        do(server, ada, "board/one/start", title="One")
        do(server, bob, "board/two/start", title="Two")
        do(server, ada, "board/one/added", card="x")
        assert boards(server, ada) == ["one"] and boards(server, bob) == ["two"]
        assert boards(server, eve) == boards(server, {}) == [] and boards(server, help_) == ["one", "two"]
        assert boards(server, house.operator) == ["one", "two"]
        for path in ("/state/board/one", "/modules/board/one", "/state/board/one/cards/0"):
            assert server.get(path, ada).status == 200
            for stranger in (bob, eve, {}, session(server, bob)):
                assert server.get(path, stranger).status == 404, path
        assert server.get("/modules/board", bob).json == {"two": {**board("Two", "bob")}}
        assert server.get("/views/titles", ada).json == {"titles": ["One"]}
        assert server.get("/views/titles", eve).json == {"titles": []}
        assert server.get("/views/titles", help_).json == {"titles": ["One", "Two"]}
        # An action on a hidden board has the answer of an action on an absent board.
        for path in ("added", "stop", "removed"):
            fields = {"added": {"card": "y"}, "stop": {}, "removed": {"member": "ada"}}[path]
            hidden = server.post(action(f"board/one/{path}", **fields), eve)
            absent = server.post(action(f"board/six/{path}", **fields), eve)
            assert hidden.status == absent.status == 409
            texts = [{**answer.json, "instance": None} for answer in (hidden, absent)]
            assert json.dumps(texts[0]).replace("one", "six") == json.dumps(texts[1])
        taken = server.post(action("board/one/start", title="Mine"), eve)
        assert taken.problem("refused", 409)["reason"] == "'board/one' can't be started; choose another id."
        dry = server.post(action("board/one/added", card="y"), eve, query="?dry-run=true")
        assert dry.status == 409
        # The same holds in an array, and the array changes nothing.
        both = server.post([action("taps/tapped"), action("board/one/added", card="y")], eve)
        assert both.status == 409 and server.get("/state", eve).json["taps"]["count"] == 0
        assert do(server, help_, "board/one/added", card="h") and do(server, house.operator, "board/two/added", card="o")
        assert server.get("/modules/board/one", ada).json["cards"] == ["x", "h"]


def board(title, *members):
    return {"title": title, "members": list(members), "isPublic": False, "cards": []}


def test_all_clients_and_roles_may_be_readers(house):
    ada, bob, help_ = house.bearer("ada", "member"), house.bearer("bob", "member"), house.bearer("ada", "support")
    with house.server() as server:
        do(server, ada, "board/one/start", title="One")
        do(server, ada, "board/one/published")
        for who in (bob, {}, session(server, {})):
            assert boards(server, who) == ["one"]
            do(server, who, "board/one/added", card="x")
        do(server, bob, "board/one/withdrawn")
        assert boards(server, bob) == [] and len(server.get("/modules/board/one", ada).json["cards"]) == 3
        # A single slice for a role: absent for all other clients.
        do(server, help_, "notice/start", text="hush", role="support")
        assert server.get("/state", help_).json["notice"] == {"text": "hush", "role": "support"}
        for who in (ada, bob, {}):
            assert server.get("/state", who).json["notice"] is None
            assert server.get("/modules/notice", who).status == 404
            assert server.post(action("notice/changed", text="loud"), who).status == 409
            assert "hush" not in server.get("/actions", who).body.decode()
            assert "notice" not in server.get("/views/titles", who).json
        assert server.get("/views/titles", help_).json["notice"] == "hush"
        do(server, help_, "notice/changed", text="silence")
        assert server.get("/modules/notice", help_).json["text"] == "silence"
        assert "silence" in server.get("/actions", help_).body.decode()


TARGETS = [
    "/events", "/events?mode=patch", "/modules/board/events", "/modules/board/events?mode=patch",
    "/modules/board/events?old=true", "/modules/board/one/events", "/modules/board/one/events?mode=patch",
    "/events?path=/board", "/events?path=/board/one", "/events?path=/board/one/cards",
    "/views/titles/events", "/views/titles/events?mode=patch", "/actions/events",
]  # fmt: skip


def test_a_change_of_membership_is_exact_on_every_stream(house):
    ada, bob, eve = (house.bearer(name, "member") for name in ("ada", "bob", "eve"))
    with house.server() as server:
        do(server, ada, "board/one/start", title="secret-0")
        streams = {
            name: {target: Stream(server, target, headers=who.items()).opened() for target in TARGETS}
            for name, who in (("ada", ada), ("bob", session(server, bob)), ("eve", eve))
        }
        pace = Stream(server, "/events", headers=ada.items()).opened()

        def paced(*arguments, **fields):
            """Acts, and waits until the version is published, so that streams skip no version."""
            version = do(server, *arguments, **fields)
            while pace.event().version < version:
                pass
            return version

        paced(ada, "board/one/renamed", title="secret-1")
        added = paced(ada, "board/one/invited", member="bob")
        within = paced(ada, "board/one/renamed", title="secret-2")
        card = paced(bob, "board/one/added", card="secret-card")
        removed = paced(ada, "board/one/removed", member="bob")
        paced(ada, "board/one/renamed", title="secret-3")
        paced(ada, "board/one/added", card="secret-late")
        last = paced(ada, "taps/tapped")
        server.stop()
        seen = {
            name: {target: events_until_bye(stream) for target, stream in by_target.items()}
            for name, by_target in streams.items()
        }
        for target, events in seen["eve"].items():
            raw = b"".join(event.raw for event in events).decode()
            assert "secret" not in raw and '"one"' not in raw and "board/one" not in raw, (target, raw)
        for target, events in seen["bob"].items():
            for event in events:
                raw = event.raw.decode()
                for hidden in ("secret-0", "secret-1", "secret-3", "secret-late"):
                    # When the invitation makes the board readable, its state still has this title.
                    if hidden == "secret-1" and event.id and event.version in (added, within):
                        continue
                    assert hidden not in raw, (target, raw)
                is_old = "old" in target and event.version == removed
                if event.id and not added <= event.version < removed and not is_old:
                    assert "secret" not in raw, (target, raw)
            raws = {event.version: event.raw.decode() for event in events if event.id}
            if target.startswith("/actions"):
                assert [v for v in raws if added <= v <= removed] == [added, within, card], raws
            elif "/cards" not in target and "mode" not in target and "old" not in target:
                assert "secret-1" in raws.get(added, "secret-1"), (target, raws)
        for target in ("/modules/board/one/events", "/events?path=/board/one", "/events?path=/board/one/cards"):
            events = [event for event in seen["bob"][target] if event.id and event.version >= removed]
            assert [(event.name, event.version) for event in events] == [("gone", removed)], target
        patches = [event for event in seen["bob"]["/events?mode=patch"] if event.id and event.version == removed]
        assert [change["op"] for event in patches for change in event.json] == ["remove"], patches
        # The stranger's stream of the whole state has no event for a hidden change.
        assert [e.version for e in seen["eve"]["/events"] if e.id][1:] == [last]
        pace.close()
        for by_target in streams.values():
            for stream in by_target.values():
                stream.close()


def events_until_bye(stream):
    """Returns all events of a stream whose server has stopped, except the last event, `bye`."""
    events = []
    while not events or events[-1].name != "bye":
        events.append(stream.event())
    return events[:-1]


def test_reads_of_other_kinds_follow_the_readers(house):
    ada, bob, eve = (house.bearer(name, "member") for name in ("ada", "bob", "eve"))
    with house.server() as server:
        first = do(server, ada, "board/one/start", title="secret")
        tag = server.get("/state", bob)["etag"]
        second = do(server, ada, "board/one/added", card="a")
        # Conditions: nothing that bob reads has changed.
        assert server.get("/state", {**bob, "If-None-Match": tag}).status == 304
        assert server.post(action("taps/tapped"), {**bob, "If-Match": tag}).status == 200
        tag = server.get("/state", bob)["etag"]
        invited = do(server, ada, "board/one/invited", member="bob")
        assert server.get("/state", {**bob, "If-None-Match": tag}).status == 200
        assert server.post(action("taps/tapped"), {**bob, "If-Match": tag}).status == 412
        within = do(server, bob, "board/one/added", card="b")
        removed = do(server, ada, "board/one/removed", member="bob")
        tag = server.get("/state", bob)["etag"]
        after = do(server, ada, "board/one/added", card="c")
        assert server.get("/state", {**bob, "If-None-Match": tag}).status == 304

        def versions(who, query=""):
            page = server.get(f"/actions{query}", who).json["actions"]
            return [record["version"] for record in page if record["type"].startswith("board/")]

        every = [first, second, invited, within, removed, after]
        assert versions(ada) == versions(house.operator) == every and versions(eve) == versions({}) == []
        assert versions(bob) == [invited, within] == versions(bob, f"?after={second}&limit=3")
        for version in every:
            assert server.get(f"/trace?version={version}", ada).json["steps"] != []
            steps = server.get(f"/trace?version={version}", bob).json["steps"]
            assert bool(steps) == (version in (invited, within))
            assert server.get(f"/trace?version={version}", eve).json["steps"] == []
            past = server.get(f"/state?version={version}", bob).json["board"]
            assert ("one" in past) == (version in (invited, within)), version
        blame = server.get("/state/board/one/cards?blame=true", ada).json["changedBy"]
        assert blame["version"] == after
        assert server.get("/state/board/one/cards?blame=true", bob).json.get("changedBy") is None
        # A dry run.
        dry = server.post(action("taps/tapped"), bob, query="?dry-run=true")
        assert dry.status == 200 and "secret" not in dry.body.decode()
        # Effects and timers, and the answer of an effect that ends after its reader has left.
        do(server, ada, "board/one/invited", member="bob")
        do(server, bob, "board/one/postponed", card="late", ms=60_000)
        do(server, bob, "board/one/planned", card="late", ms=60_000)
        assert len(server.get("/effects", bob).json["effects"]) == len(server.get("/effects", ada).json["effects"]) == 1
        assert server.get("/effects", eve).json["effects"] == []
        [effect] = server.get("/effects", ada).json["effects"]
        assert server.request("DELETE", effect["href"], b"", eve).status == 404
        do(server, ada, "board/one/removed", member="bob")
        assert server.get("/effects", bob).json["effects"] == []
        assert server.request("DELETE", effect["href"], b"", bob).status == 404
        for who in (ada, bob, eve):
            state = server.get("/state", who).json
            assert state["effects"] == {"pending": []} or not state["effects"], state["effects"]
            assert "board" not in json.dumps(state["schedule"])
        assert "board" in json.dumps(server.get("/state", house.operator).json["schedule"])
        assert server.request("DELETE", effect["href"], b"", ada).status == 204


@pytest.mark.ci
def test_a_page_of_the_log_is_read_from_the_nearest_state(house, tmp_path):
    """A reader that goes from the oldest page to a far page gets its records. Between them are too many actions to
    replay in the time of a request."""
    count = 150
    ada = house.bearer("ada", "member")
    with house.server("--snapshot-every", "2000", data=tmp_path / "data") as server:
        do(server, ada, "board/one/start", title="One")
        both = json.dumps([action("board/one/renamed", title="x")] * 1_000).encode()
        for _ in range(count):
            assert server.post(both, ada).status == 200
        for after in (0, count * 950, 100, count * 900):
            page = server.get(f"/actions?after={after}&limit=2", ada).json["actions"]
            assert [record["version"] for record in page] == [after + 1, after + 2]


def test_a_late_answer_of_an_effect_goes_to_the_readers_of_its_version(house):
    ada, bob = house.bearer("ada", "member"), house.bearer("bob", "member")
    with house.server() as server:
        do(server, ada, "board/one/start", title="One")
        do(server, ada, "board/one/invited", member="bob")
        logs = {
            name: Stream(server, "/actions/events", headers=who.items()).opened()
            for name, who in (("ada", ada), ("bob", bob))
        }
        do(server, bob, "board/one/postponed", card="late", ms=200)
        do(server, bob, "board/one/planned", card="later", ms=200)
        do(server, ada, "board/one/removed", member="bob")
        until(lambda: len(server.get("/modules/board/one", ada).json["cards"]) == 2, "both cards have arrived")
        last = do(server, ada, "taps/tapped")
        raw = {}
        for name, log in logs.items():
            events = [log.event()]
            while not events[-1].id or events[-1].version < last:
                events.append(log.event())
            raw[name] = b"".join(event.raw for event in events).decode()
            log.close()
        assert raw["ada"].count('"card":"late') >= 2 and "board/one/arrived" in raw["ada"]
        assert "board/one/arrived" not in raw["bob"] and "schedule/fired" not in raw["bob"]
        assert "schedule/fired" not in raw["ada"] and f'"version":{last}' in raw["bob"].replace(" ", "")


def test_a_late_value_of_an_effect_goes_to_a_reader(house):
    ada, bob = house.bearer("ada", "member"), house.bearer("bob", "member")
    with house.server() as server:
        do(server, ada, "board/one/start", title="One")
        do(server, ada, "board/one/invited", member="bob")
        outcomes = []
        for refused in (False, True):
            for who in (ada, bob):
                awaited = action("board/one/Awaited", card="last", isRefused=refused)
                answer = server.post(awaited, {**who, "Prefer": "wait=0"})
                assert answer.status == 202, answer
                outcomes.append((answer["location"], who))
        do(server, ada, "board/one/removed", member="bob")
        do(server, ada, "board/one/renamed", title="Hidden")
        do(server, ada, "board/one/added", card="last")
        until(
            lambda: all(server.get(path, who).status != 202 for path, who in outcomes),
            "all four effects have ended",
        )
        value, none, reason, hidden = (server.get(path, who) for path, who in outcomes)
        assert value.json["value"]["title"] == "Hidden" and reason.json["reason"] == "Hidden"
        # bob was removed before the effects read the board.
        assert none.status == 200 and "value" not in none.json
        assert hidden.status == 424 and "Hidden" not in hidden.body.decode()


def test_functions_of_the_whole_state_change_readers(house):
    ada, bob = house.bearer("ada", "member"), house.bearer("bob", "member")
    with house.server() as server:
        for id_ in ("one", "two"):
            do(server, ada, f"board/{id_}/start", title=id_)
            do(server, ada, f"board/{id_}/invited", member="bob")
        stream = Stream(server, "/modules/board/events", headers=bob.items()).opened()
        assert list(stream.event().json) == ["one", "two"]
        do(server, house.operator, "Removed", member="bob")
        assert stream.event().json == {} and boards(server, bob) == [] and boards(server, ada) == ["one", "two"]
        do(server, ada, "board/two/stop")
        assert boards(server, ada) == ["one"] and server.get("/modules/board/two", ada).status == 404
        stream.close()


def test_a_client_of_restricted_slices_does_not_see_the_whole_state(house):
    ada, eve = house.bearer("ada", "member"), house.bearer("eve", "member")
    with house.server("--analytics-recent", "100") as server:
        do(server, ada, "board/one/start", title="Secret")
        # The reason of a function of the whole state may name a hidden slice.
        for who, reason in ((eve, "The store refuses this."), (house.operator, "Secret")):
            refused = server.post(action("Titled", board="one"), who)
            assert refused.problem("refused", 409)["reason"] == reason
        # The same holds for analytics, and for a running effect of a hidden slice.
        assert server.get("/analytics", eve).status == 403 and server.get("/analytics", house.operator).status == 200
        do(server, ada, "board/one/postponed", card="late", ms=60_000)
        [effect] = server.get("/effects", ada).json["effects"]
        assert server.request("DELETE", effect["href"], headers=eve).status == 404
        assert server.get("/effects", ada).json["effects"] == [effect]
        assert server.request("DELETE", effect["href"], headers=ada).status == 204


def test_readers_outlive_kill_9_and_snapshots(house, tmp_path):
    data = tmp_path / "data"
    ada, bob = house.bearer("ada", "member"), house.bearer("bob", "member")
    server = house.server(data=data)
    do(server, ada, "board/one/start", title="One")
    invited = do(server, ada, "board/one/invited", member="bob")
    do(server, ada, "board/two/start", title="Two")
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    for _ in range(2):
        with house.server(data=data) as server:
            assert boards(server, bob) == ["one"] and boards(server, ada) == ["one", "two"]
            records = server.get("/actions", bob).json["actions"]
            assert [r["version"] for r in records if r["type"].startswith("board/")] == [invited]
            assert server.post(action("board/two/added", card="x"), bob).status == 409


def test_without_access_control_only_public_boards_are_read(program):
    with Server(program=program) as server:
        refused = server.post(action("board/one/start", title="One"))
        assert refused.problem("forbidden", 403) and boards(server, {}) == []
