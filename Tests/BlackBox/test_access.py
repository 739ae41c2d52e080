"""Hidden state reaches a role on no route (protocol 17)."""

import itertools
import json
import threading

import pytest
from access import ROLES, guarded, reading, session
from harness import Stream, action

SECRET = "secret-"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
HIDDEN = ("safe", "boxes", "diary", "effects", "sessions")
STREAMS = [
    "/events", "/events?mode=patch", "/events?path=/todos", "/events?path=/todos/items&mode=patch",
    "/events?path=/safe", "/events?path=/boxes/a", "/events?path=/motto", "/modules/todos/events",
    "/modules/todos/events?old=true", "/modules/todos/events?mode=patch", "/views/list/events", "/actions/events",
    "/route/events",
]


@pytest.fixture
def house(tmp_path):
    return guarded(tmp_path)


def put(server, header, *actions, **headers):
    fields = {**header, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return server.post(list(actions), fields)


def plant(server, house, rounds=1):
    """Puts secrets everywhere except in the list: into the state, sessions, the log and effects."""
    others = [session(server, house.operator) for _ in range(2)]
    for number in range(rounds):
        text = f"{SECRET}{number}"
        planted = [
            action("safe/put", text=text), action(f"boxes/{text}/start", label=text), action("Named", text=text),
            action("Swept", text=text), {**action("todos/cleared"), "meta": {}},
        ]
        answer = server.post(planted, house.operator)
        assert answer.status == 200, answer
        for other in others:
            assert server.post(action("diary/written", text=text), other).status == 200
        assert server.post(action("safe/refused"), house.operator).status == 409
        failed = server.post(action("safe/jammed"), {**house.operator, "Prefer": "wait=10"})
        assert failed.status == 424 and SECRET in failed.json["detail"]
    assert server.post(action("safe/waited", ms=600_000), house.operator).status == 200
    assert server.get("/state", house.operator).body.count(SECRET.encode()) >= 4


def has_secret(answer):
    return SECRET.encode() in answer.body or any(SECRET in value for _, value in answer.headers)


def paths(server, header):
    """Returns each path of the table of routes, with values for its parameters."""
    found = []
    for template in server.get("/openapi.json", header).json["paths"]:
        names = [part[1:-1] for part in template.split("/") if part.startswith("{")]
        values = {
            "module": ("todos", *HIDDEN, "nowhere"), "collection": ("boxes", "nowhere"), "id": (f"{SECRET}0", "a"),
            "version": ("3", "8"), "effect": ("1", f"{SECRET}0"), "slug": ("refused", "nothing"),
            "pointer": ("todos", "safe", "safe/content/0", "boxes", "motto", "diary", "nowhere"),
        }
        for chosen in itertools.product(*(values.get(name.strip(".").split(".")[0], ("a",)) for name in names)):
            path = template
            for name, value in zip(names, chosen):
                path = path.replace("{" + name + "}", value)
            found.append((template, path))
    return found


def queries(path):
    if path.startswith("/state"):
        return ("", "?version=4", "?version=9", "?blame=true", "?blame=true&version=9", "?after=0&wait=1")
    if path == "/actions":
        return ("", "?limit=1000", "?type=safe/put", "?type=Swept", "?after=2")
    if path == "/trace":
        return ("", *(f"?version={version}" for version in range(1, 14)))
    return ("",)


@pytest.mark.parametrize("role", ["reader", "sender", "nothing", "nobody"])
def test_17_no_route_shows_a_role_a_hidden_value(house, role):
    header = house.bearer("ada", role)
    with house.server() as server:
        plant(server, house)
        own = session(server, header) if role in ("reader", "sender") else header
        count = 0
        for template, path in paths(server, house.operator):
            if template.endswith("/events"):
                continue
            for method, query in itertools.product(METHODS, queries(path)):
                body = b"{}" if method in ("POST", "PUT", "PATCH") else None
                fields = {**own, "Content-Type": "application/json"} if body else own
                answer = server.request(method, path + query, body, fields)
                count += 1
                assert answer.status < 500, (method, path, answer)
                shown = SECRET in path + query
                assert shown or not has_secret(answer), (method, path + query, answer)
                if method == "DELETE" and path == "/session" and role in ("reader", "sender"):
                    own = session(server, header)
        assert count > 200


def test_17_a_reader_of_the_list_sees_nothing_but_the_list(house):
    header = house.bearer("ada", "reader")
    with house.server() as server:
        plant(server, house)
        assert put(server, header, action("todos/added", text="milk")).status == 200
        last = server.get("/state", header)
        assert list(last.json) == ["todos"] and last.json["todos"]["items"] == ["milk"]
        assert (last["cache-control"], last["vary"]) == ("private, no-cache", "Authorization, Cookie")
        assert [each["name"] for each in server.get("/modules", header).json["modules"]] == ["todos"]
        assert [each["name"] for each in server.get("/views", header).json["views"]] == ["list"]
        records = server.get("/actions?limit=1000", header).json["actions"]
        assert {each["type"].split("/")[0] for each in records} == {"todos"}
        past = server.get("/state?version=5", header)
        assert list(past.json) == ["todos"]
        blame = server.get("/state/todos/echoes?blame=true", header).json
        assert blame["changedBy"] is None and "Swept" not in json.dumps(blame)
        hidden, missing = (server.get(f"/state/{name}?blame=true", header).json for name in ("safe", "nowhere"))
        assert {**hidden, "pointer": "/nowhere"} == missing
        run = server.post(
            [action("todos/added", text="tea")], header, "?dry-run=true").json
        assert run["changed"] is True and {each["path"].split("/")[1] for each in run["patch"]} == {"todos"}
        shown = put(server, header, action("todos/added", text="tea"), Prefer="return=representation")
        assert list(shown.json["state"]) == ["todos"]


def test_17_answers_to_actions_contain_no_hidden_value(house):
    """Looks for secrets of the whole state, of effects of other modules, of values and of states. The module that
    the request addressed may answer with a reason of its own."""
    header = house.bearer("ada", "sender")
    with house.server() as server:
        plant(server, house)
        own = session(server, header)
        keyed = {"Idempotency-Key": '"once"'}
        answers = []
        for type_, extra in itertools.product(
            ["Told", "todos/broken", "safe/opened"],
            [{}, {"Prefer": "wait=10"}, {"Prefer": "return=representation, wait=10"}],
        ):
            answers.append(server.post(action(type_), {**own, **extra}))
        for text in "refuse", "on":
            answers.append(server.post(action("Swept", text=text), own))
            answers.append(server.post(action("Swept", text=text), own, "?dry-run=true"))
        answers += [server.post(action("Told"), {**own, **keyed, "Prefer": "wait=10"}) for _ in range(2)]
        for wait in {}, {"Prefer": "wait=10"}:
            answers.append(server.send("/notify/bell", {"text": "on"}, {**own, **wait}))
        answers += [server.get(target, own) for target in ("/effects", "/actions?limit=1000", "/")]
        statuses = {answer.status for answer in answers}
        assert statuses >= {200, 409, 424} and max(statuses) < 500, statuses
        for answer in answers:
            assert not has_secret(answer), answer
        for query in "", "?dry-run=true":
            refused = server.post(action("Swept", text="refuse"), own, query).problem("refused", 409)
            assert "The store refuses this." in refused["detail"]
        # A role that sees the whole state gets the text.
        assert SECRET in server.post(action("Swept", text="refuse"), house.operator).json["detail"]


def test_17_changed_covers_visible_slices_and_the_slices_of_the_actions(house):
    header = house.bearer("ada", "sender")

    def changed(*actions, **headers):
        answer = put(server, header, *actions, **headers)
        assert answer.status == 200, answer
        return answer.json["changed"]

    with house.server() as server:
        assert changed(action("safe/put", text="x")) is True
        assert changed(action("todos/added", text="x")) is True
        assert changed(action("todos/cleared"), action("safe/put", text="y")) is True
        assert changed(action("todos/cleared"), action("safe/waited", ms=1)) is False
        assert changed(action("Named", text="x")) is False
        assert changed(action("Swept", text="x")) is True
        key = {"Idempotency_Key": '"a"'}
        assert [changed(action("safe/opened"), **key) for _ in range(2)] == [True, True]
        run = server.post([action("safe/opened")], header, "?dry-run=true").json
        assert (run["changed"], run["patch"]) == (True, [])
        assert put(server, house.operator, action("safe/put", text="w")).json["changed"] is True


def common(answer, path):
    """Returns an answer without the parts that differ for each request."""
    own = {"date", "content-length"}
    headers = sorted((name, value) for name, value in answer.headers if name not in own)
    body = answer.json if answer.body else {}
    body.pop("instance", None)
    text = json.dumps([answer.status, headers, body])
    return text.replace(path, "PATH").replace(json.dumps(path)[1:-1], "PATH")


@pytest.mark.parametrize("role", ["reader", "anonymous", "nobody"])
@pytest.mark.parametrize("pair", [
    ("/modules/safe", "/modules/nope"), ("/modules/safe/events", "/modules/nope/events"),
    ("/modules/safe/ui", "/modules/nope/ui"), ("/modules/boxes/ui", "/modules/nopes/ui"),
    ("/modules/boxes/a", "/modules/nopes/a"), ("/modules/boxes/a/events", "/modules/nopes/a/events"),
    ("/modules/boxes/a/ui", "/modules/nopes/a/ui"), ("/modules/motto", "/modules/nopes"),
    ("/usecases/safe/look", "/usecases/nope/look"), ("/usecases/boxes/a/label", "/usecases/nopes/a/label"),
    ("/views/safe", "/views/nope"), ("/views/safe/events", "/views/nope/events"),
    ("/state/safe", "/state/nope"), ("/state/motto", "/state/nopes"), ("/state/boxes/a", "/state/nopes/a"),
    ("/state/safe?blame=true", "/state/nope?blame=true"), ("/state/safe?version=1", "/state/nope?version=1"),
])
def test_17_a_hidden_resource_is_answered_like_a_missing_one(house, role, pair):
    roles = {**ROLES, "anonymous": {"read": ["/todos"], "dispatch": ["todos/added"]}}
    house.write(roles)
    header = {} if role == "anonymous" else house.bearer("ada", role)
    with house.server() as server:
        assert server.post(action("boxes/a/start", label="x"), house.operator).status == 200
        for method, extra in itertools.product(METHODS, [{}, {"Accept": "text/html"}, {"If-Match": '"x"'}]):
            body = b"{}" if method in ("POST", "PUT", "PATCH") else None
            fields = {**header, **extra, **({"Content-Type": "application/json"} if body else {})}
            first, second = (
                common(server.request(method, target, body, fields), target.split("?")[0]) for target in pair
            )
            assert first.replace("safe", "nope").replace("boxes", "nopes").replace("motto", "nopes") == second, (
                method, extra)


def test_17_names_of_actions_that_a_role_may_not_dispatch_are_not_offered(house):
    header = house.bearer("ada", "reader")
    with house.server() as server:
        for target in "/dispatch", "/modules/todos/ui":
            problem = server.send(target, action("todos/addd"), header).problem("unknown-action", 422)
            known = json.dumps(problem)
            assert "safe" not in known and "boxes" not in known and "Swept" not in known, known
        for type_ in "safe/put", "Swept", "boxes/a/labelled":
            assert server.post(action(type_, text="x"), header).problem("forbidden", 403)
        routes = server.get("/", {**header, "Accept": "application/json"}).json["routes"]
        page = server.get("/", {**header, "Accept": "text/html"}).body.decode()
        for text in json.dumps(routes), page:
            assert "safe" not in text and "boxes" not in text and "bell" not in text
            assert "/modules/todos/ui" in text and "/metrics" not in text
        everything = server.get("/", {**house.operator, "Accept": "application/json"}).json["routes"]
        assert len(everything) > len(routes)


def test_17_effects_of_hidden_modules_are_neither_listed_nor_cancelled(house):
    header = house.bearer("ada", "sender")
    with house.server() as server:
        plant(server, house)
        assert server.get("/effects", header).json["effects"] == []
        [effect] = server.get("/effects", house.operator).json["effects"]
        assert server.request("DELETE", effect["href"], headers=header).status == 404
        assert server.get("/effects", house.operator).json["effects"] == [effect]
        assert server.request("DELETE", effect["href"], headers=house.operator).status in (200, 204)


def test_17_streams_contain_no_hidden_value_and_are_silent_during_hidden_changes(house):
    """Thousands of hidden changes, alone and beside visible ones; with a session and without."""
    header = house.bearer("ada", "reader")
    with house.server() as server:
        plant(server, house)
        for client in header, session(server, header):
            targets = [target for target in STREAMS if target != "/route/events" or client is not header]
            streams = reading(server, client, *targets)
            texts = [[] for _ in streams]
            for target, stream, text in zip(targets, streams, texts):
                event = stream.event()
                while target == "/actions/events" and event.name != "caught-up":
                    text.append(event.raw)
                    event = stream.event()
                text.append(event.raw)
            hide(server, house, 3_000)
            for target, stream in zip(targets, streams):
                assert stream.quiet(0.05), target
            mixed = [action("safe/put", text=SECRET), action("todos/added", text="milk"), action("Named", text=SECRET)]
            version = server.post(mixed, house.operator).json["version"] - 1
            for target, stream, text in zip(targets, streams, texts):
                if not any(part in target for part in ("safe", "boxes", "motto", "route")):
                    event = stream.event()
                    text.append(event.raw)
                    assert "milk" in event.data, (target, event)
                    assert event.version >= version
                assert stream.quiet(0.05), target
                stream.close()
            assert server.post(action("todos/cleared"), house.operator).status == 200
            for target, text in zip(targets, texts):
                assert SECRET.encode() not in b"".join(text), target


@pytest.mark.parametrize("target", ["/events", "/events?mode=patch"])
def test_17_3_a_stream_is_silent_when_another_stream_of_its_role_begins(house, target):
    """Hidden changes happen after the first stream begins and before the second. The first reader gets no event."""
    ada, bob = house.bearer("ada", "reader"), house.bearer("bob", "reader")
    with house.server() as server:
        assert server.post(action("todos/added", text="first"), house.operator).status == 200
        [stream] = reading(server, ada, target)
        begun = stream.event()
        hide(server, house, 90)
        [other] = reading(server, bob, target)
        also = other.event()
        assert (also.data, also.id) == (begun.data, begun.id)
        assert stream.quiet(0.2)
        # Both streams and a resumed stream go on with the visible state.
        with Stream(server, target, last=begun.id, headers=bob.items()).opened() as again:
            assert again.quiet(0.2) and stream.quiet(0.05)
            assert server.post(action("todos/added", text="next"), house.operator).status == 200
            events = [each.event() for each in (stream, other, again)]
            assert len({(event.id, event.data) for event in events}) == 1 and "next" in events[0].data
            assert (events[0].name == "patch") == ("patch" in target)


def hide(server, house, count):
    """Dispatches this number of hidden actions."""
    text = f"{SECRET}x"
    batch = [action("safe/opened"), action("Named", text=text), action("diary/written", text=text)] * 30
    for _ in range(count // len(batch) + 1):
        assert server.post(batch, house.operator).status == 200
        assert server.post(action("Named", text="other"), house.operator).status == 200


def test_17_a_stream_resumes_where_it_was_if_only_hidden_state_has_changed(house):
    header = house.bearer("ada", "reader")
    with house.server() as server:
        assert server.post(action("todos/added", text="first"), house.operator).status == 200
        for target in "/events", "/events?mode=patch", "/events?path=/todos", "/modules/todos/events":
            [stream] = reading(server, header, target)
            last = stream.event().id
            stream.close()
            hide(server, house, 300)
            with Stream(server, target, last=last, headers=header.items()).opened() as stream:
                assert stream.quiet(0.2), target
                assert server.post(action("todos/added", text="next"), house.operator).status == 200
                event = stream.event()
                assert event.name == "message" or event.name == "patch", event
                assert "next" in event.data and SECRET not in event.data


def test_17_a_long_poll_waits_for_a_change_that_its_role_sees(house):
    header = house.bearer("ada", "reader")
    with house.server() as server:
        assert server.post(action("todos/added", text="first"), house.operator).status == 200
        state = server.get("/state", header)
        version = int(state["etag"].strip('"').split(":")[1])
        answers = []
        poll = threading.Thread(
            target=lambda: answers.append(server.get(f"/state?after={version}&wait=30", header)))
        poll.start()
        hide(server, house, 300)
        assert server.get(f"/state?after={version}", header).status == 304
        assert server.get("/state", {**header, "If-None-Match": state["etag"]}).status == 304
        assert answers == []
        assert server.post(action("todos/added", text="next"), house.operator).status == 200
        poll.join()
        assert answers[0].json["todos"]["items"] == ["first", "next"] and list(answers[0].json) == ["todos"]
        assert server.get("/state", {**header, "If-None-Match": state["etag"]}).status == 200
