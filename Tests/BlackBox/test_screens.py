"""State for screens: links, cells, lists by key, instances as full members, and commands to the screens of one
session (protocol 2.11, 4.3, 6.6, 13.3 to 13.7)."""

import json
import random
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import pytest
from harness import Server, Stream, action, until
from patching import Mirror
from programs import build_sample
from test_sessions import Client

IDS = ["7", "8", "a/b", "\u00e9", "e\u0301", "with space&=?#"]


@pytest.fixture(scope="module")
def program():
    return build_sample("Board")


@pytest.fixture
def board(program):
    with Server("--debug-routes", program=program) as server:
        yield server


def segment(id):
    return urllib.parse.quote(id, safe="")


def card(module, id, name, **payload):
    return action(f"{module}/{id}/{name}", **payload)


def start(client, module, *ids, wait=True):
    for id in ids:
        send = client.wait if wait else client.send
        assert send(card(module, id, "start", title=f"card {id}")).status == 200


def follow(client, link, **headers):
    """Sends the request of a link, without a body."""
    assert link["method"] == "POST" and set(link) == {"href", "method"}
    return client.server.request("POST", link["href"], b"", {**client.headers, **headers})


def links(client, base=""):
    answer = client.server.get(base + "/views/links", client.headers)
    assert answer.status == 200
    return answer.json


def linked(href):
    path, _, query = href.partition("?")
    parameters = dict(urllib.parse.parse_qsl(query, strict_parsing=True))
    assert set(parameters) == {"action"}
    return path, json.loads(parameters["action"])


# Instances are full members


@pytest.mark.parametrize("module", ["cards", "notes"])
def test_b25_the_view_of_an_instance_is_presented_while_that_is_there(board, module):
    ada, bob = Client(board).begin(), Client(board).begin()
    start(ada, module, *IDS)
    if module == "notes":
        start(bob, module, "7")
    assert ada.views == [f"{module}/{id}" for id in IDS]
    assert {each["style"] for each in ada.route} == {"modal" if module == "notes" else "push"}
    assert bob.views == (["notes/7"] if module == "notes" else [])
    ada.wait([card(module, "7", "stop"), card(module, "\u00e9", "stop")])
    gone = {f"{module}/7", f"{module}/\u00e9"}
    assert set(ada.views) == {f"{module}/{id}" for id in IDS} - gone
    assert bob.views == (["notes/7"] if module == "notes" else [])
    # A start of a started instance presents the instance only to the session that dispatches the start.
    eve = Client(board).begin()
    start(eve, "cards", "8")
    start(eve, "cards", "8")
    assert eve.views == ["cards/8"] and "cards/8" not in bob.views


@pytest.mark.parametrize("module", ["cards", "notes"])
def test_b13_a_session_dispatches_from_the_view_of_an_instance_only_while_it_is_presented(board, module):
    ada, bob = Client(board).begin(), Client(board).begin()
    start(ada, module, *IDS)
    for count, id in enumerate(IDS, 1):
        place = f"/modules/{module}/{segment(id)}"
        assert ada.send(action("tapped"), place + "/ui").status == 200
        body = [card(module, id, "turned", by=2), action("turned", by=count)]
        assert ada.send(body, place + "/ui").json["first"] > 0
        assert board.get(place, ada.headers).json["taps"] == 3 + count
        # Another session does not show the view, or has no such slice.
        refused = bob.send(action("tapped"), place + "/ui").problem("refused", 409)
        missing = "is not presented" if module == "cards" else "is not started"
        assert missing in refused["reason"], refused
    # An array is applied as a whole or not at all, also for several instances, and so is a dry run.
    at = f"/modules/{module}/7/ui"
    far = ada.send([action("tapped"), action("turned", by=10)], at).problem("refused", 409)
    assert far["pointer"] == "/1/payload/by"
    patch = ada.send(action("tapped"), at + "?dry-run=true").json["patch"]
    assert patch == [{"op": "replace", "path": f"/{module}/7/taps", "value": 5}]
    assert board.get(f"/modules/{module}/7", ada.headers).json["taps"] == 4
    # Actions of all instances, at the path of the module
    body = [card(module, id, "tapped") for id in IDS]
    assert ada.send(body, f"/modules/{module}/ui").json["changed"]
    # An action of another instance, of another kind, or of no module
    other = ada.send(card(module, "8", "tapped"), at).problem("forbidden", 403)
    assert f"POST /modules/{module}/8/ui" in other["detail"]
    ada.send(action("renamed", title="x"), at).problem("forbidden", 403)
    ada.send(action("titled", title="x"), at).problem("forbidden", 403)
    ada.send(action("torn"), at).problem("unknown-action", 422)
    ada.send(action("tapped"), f"/modules/{module}/none/ui").problem("refused", 409)
    ada.send(action("tapped"), f"/modules/{module}/{'x' * 129}/ui").problem("not-found", 404)


def test_b13_the_view_of_the_module_shows_all_its_instances(board):
    ada, bob = Client(board).begin(), Client(board).begin()
    start(ada, "cards", "7", "8")
    bob.send(action("tapped"), "/modules/cards/7/ui").problem("refused", 409)
    bob.wait(action("overview/start"))
    assert bob.route == [{"view": "cards", "style": "root"}]
    for id in ("7", "8"):
        assert bob.send(action("tapped"), f"/modules/cards/{id}/ui").status == 200
    bob.wait(action("overview/stop"))
    bob.send(action("tapped"), "/modules/cards/7/ui").problem("refused", 409)


def test_b17_streams_of_an_instance_show_it_once_for_each_session(board):
    ada, bob = Client(board).begin(), Client(board).begin()
    for client in (ada, bob):
        start(client, "cards", "7", "8")
        start(client, "notes", "7")

    def viewers(module, id, client=ada):
        return board.get(f"/modules/{module}/{id}", client.headers).json["viewers"]

    for module, sessions in (("cards", 2), ("notes", 1)):
        place = f"/modules/{module}/7/events"
        with Stream(board, place, headers=ada.headers.items()) as one:
            one.opened().event()
            until(lambda: viewers(module, "7") == 1, "it has appeared")
            with (
                Stream(board, place, headers=ada.headers.items()) as two,
                Stream(board, place, headers=bob.headers.items()) as other,
                Stream(board, f"/modules/{module}/events", headers=ada.headers.items()) as all,
            ):
                two.opened().event(), other.opened().event(), all.opened().event()
                until(lambda: viewers(module, "7") == sessions, "both have appeared")
                until(lambda: viewers(module, "7", bob) == sessions, "both have appeared")
                assert module == "notes" or viewers("cards", "8") == 0
        until(lambda: viewers(module, "7") == viewers(module, "7", bob) == 0, "both are gone")


@pytest.mark.parametrize("module", ["cards", "notes"])
def test_6_5_a_use_case_is_called_for_one_instance(board, module):
    ada, bob = Client(board).begin(), Client(board).begin()
    start(ada, module, *IDS)
    start(bob, "notes", "7")
    for id in IDS:
        target = f"/usecases/{module}/{segment(id)}/title"
        assert ada.wait({"title": f"new {id}"}, target).json["completed"]
        assert board.get(f"/modules/{module}/{segment(id)}", ada.headers).json["log"] == [f"new {id}"]
    assert board.get("/modules/notes/7", bob.headers).json["log"] == []
    records = board.get("/actions?limit=1000", ada.headers).json["actions"]
    asked = [each for each in records if each["type"].startswith("usecases/")]
    assert [each["type"] for each in asked] == [f"usecases/{module}/{id}/title" for id in IDS]
    assert all(each["payload"] == {} for each in asked)
    named = [each["cause"] for each in records if each["type"].endswith("/titled")]
    assert named == [each["version"] for each in asked]
    ada.wait({"title": ""}, f"/usecases/{module}/7/title").problem("effect-failed", 424)
    ada.wait({"title": "x"}, f"/usecases/{module}/none/title").problem("refused", 409)
    ada.send({"title": "x"}, f"/usecases/{module}/title").problem("not-found", 404)
    ada.send({"title": 7}, f"/usecases/{module}/7/title").problem("invalid-payload", 422)


def test_x19_many_sessions_tap_on_instances_of_their_own_and_of_all(board):
    clients = [Client(board).begin() for _ in range(24)]
    start(clients[0], "cards", "7", "8")
    for client in clients:
        client.wait(action("overview/start"))
        start(client, "notes", "7", "8")

    def tap(place):
        client, chance = clients[place], random.Random(place)
        taps = {"cards/7": 0, "cards/8": 0, "notes/7": 0, "notes/8": 0}
        for _ in range(40):
            path = chance.choice(sorted(taps))
            count = chance.choice((1, 1, 5))
            body = [action("tapped")] * count if count > 1 else action("tapped")
            assert client.send(body, f"/modules/{path}/ui").status == 200
            taps[path] += count
        return taps

    with ThreadPoolExecutor(len(clients)) as pool:
        taps = list(pool.map(tap, range(len(clients))))
    for id in ("7", "8"):
        shared = board.get(f"/modules/cards/{id}").json["taps"]
        assert shared == sum(each[f"cards/{id}"] for each in taps)
        for client, own in zip(clients, taps):
            seen = board.get(f"/modules/notes/{id}", client.headers).json["taps"]
            assert seen == own[f"notes/{id}"]


# Links


def test_u28_a_link_in_a_view_is_followed_by_an_empty_post(board):
    ada, bob = Client(board).begin(), Client(board).begin()
    for client in (ada, bob):
        start(client, "notes", *IDS)
    start(ada, "cards", *IDS)
    shown = links(ada)
    assert [cell["id"] for cell in shown["notes"]] == sorted(IDS, key=lambda id: id.encode())
    for cell in shown["cards"] + shown["notes"]:
        module = "cards" if cell in shown["cards"] else "notes"
        id, place = cell["id"], f"/modules/{module}/{segment(cell['id'])}"
        type_ = f"{module}/{id}/" + ("turned" if module == "cards" else "tapped")
        payload = {"payload": {"by": 2}} if module == "cards" else {}
        assert linked(cell["tap"]["href"]) == (place + "/ui", {"type": type_, **payload})
        before = board.get(place, ada.headers).json["taps"]
        answer = follow(ada, cell["tap"])
        assert answer.status == 200 and answer.json["changed"]
        now = board.get(place, ada.headers).json
        assert now["taps"] == before + (2 if module == "cards" else 1)
        assert follow(ada, cell["rename"]).status == 200
        title = "a & b+c/\u00e4" if module == "cards" else "linked"
        assert board.get(place, ada.headers).json["title"] == title
    # Each session has its own slices: ada's links changed no slice of bob's.
    assert all(each["taps"] == 0 for each in board.get("/modules/notes", bob.headers).json.values())
    # A view's action is refused if the view is not presented, with a link and without.
    refused = follow(bob, shown["cards"][0]["tap"]).problem("refused", 409)
    assert "is not presented" in refused["reason"]
    assert follow(bob, shown["cards"][0]["rename"]).status == 200
    # The started view is presented to the session that followed the link.
    assert linked(shown["open"]["href"]) == ("/dispatch", {"type": "overview/start"})
    assert follow(bob, shown["open"], Prefer="wait=10").json["completed"]
    assert "cards" in bob.views and "cards" not in ada.views
    # The log shows an action from a link like an action from a body.
    last = board.get("/actions?limit=1000", bob.headers).json["actions"][-2]
    assert (last["type"], last["payload"]) == ("overview/start", {})


def test_u28_a_link_takes_the_options_of_a_dispatch(board):
    ada = Client(board).begin()
    start(ada, "notes", "7")
    link = links(ada)["notes"][0]["tap"]

    def taps():
        return board.get("/modules/notes/7", ada.headers).json["taps"]

    dry = {**link, "href": link["href"] + "&dry-run=true"}
    assert follow(ada, dry).json == {
        "changed": True,
        "patch": [{"op": "replace", "path": "/notes/7/taps", "value": 1}],
    }
    assert taps() == 0
    answer = follow(ada, link, Prefer="return=representation")
    assert answer.json["state"]["notes"]["7"]["taps"] == 1
    stale = answer["etag"]
    key = {"Idempotency-Key": '"once"'}
    first = follow(ada, link, **key)
    again = follow(ada, link, **key)
    assert (first.status, again.json, again["idempotency-replayed"]) == (200, first.json, "true")
    assert taps() == 2
    follow(ada, links(ada)["notes"][0]["rename"], **key).problem("idempotency-mismatch", 422)
    follow(ada, link, **{"If-Match": stale}).problem("version-mismatch", 412)
    # A form of a page sends a type, and an empty body.
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert follow(ada, link, **form).status == 200 and taps() == 3


def test_u28_an_invalid_link_is_refused_in_words(board):
    def post(query, body=b"", path="/dispatch", **headers):
        return board.request("POST", f"{path}?{query}", body, headers)

    def asked(text):
        return "action=" + urllib.parse.quote(text, safe="")

    added = json.dumps(action("todos/added", text="x"))
    both = post(asked(added), added.encode(), **{"Content-Type": "application/json"})
    assert "and also a body" in both.problem("bad-request", 400)["detail"]
    for text in ("", "x", "{", '{"type":"todos/added",}', "[]", "7", f"[{added}]"):
        detail = post(asked(text)).problem("bad-request", 400)["detail"]
        assert '"action"' in detail, detail
    assert "byte 22" in post(asked('{"type":"todos/added",}')).json["detail"]
    post("action=%7B%zz").problem("bad-request", 400)
    post(asked(added) + "&" + asked(added)).problem("bad-request", 400)
    wrong = json.dumps({"type": "todos/added", "payload": {"text": 7}})
    assert post(asked(wrong)).problem("invalid-payload", 422)["pointer"] == "/payload/text"
    post(asked('{"type":"todos/lost"}')).problem("unknown-action", 422)
    internal = json.dumps(card("cards", "7", "titled", title="x"))
    post(asked(internal)).problem("forbidden", 403)
    post(asked(json.dumps(card("cards", "7", "tapped")))).problem("forbidden", 403)
    post(asked(json.dumps(action("todos/added", text="x" * 9_000)))).problem("uri-too-long", 414)
    # Without an action in the query, the rules for bodies hold.
    post("dry-run=true", added.encode()).problem("unsupported-media-type", 415)
    board.request("POST", "/dispatch", added.encode()).problem("unsupported-media-type", 415)
    assert board.version == 0


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "OWN", "Sec-Fetch-Site": "cross-site"},
    ],
)
def test_u28_a_page_of_another_site_follows_no_link(board, headers):
    headers = {k: f"http://{board.authority}" if v == "OWN" else v for k, v in headers.items()}
    ada = Client(board).begin()
    start(ada, "notes", "7")
    for link in (links(ada)["open"], links(ada)["notes"][0]["tap"]):
        follow(ada, link, **headers).problem("forbidden", 403)
        # A link is also refused without a session.
        follow(Client(board), link, **headers).problem("forbidden", 403)
    own = {"Origin": f"http://{board.authority}", "Sec-Fetch-Site": "same-origin"}
    assert follow(ada, links(ada)["notes"][0]["tap"], **{"Sec-Fetch-Site": "none"}).status == 200
    assert follow(ada, links(ada)["open"], **own).status == 200


def test_u28_links_of_a_store_lead_to_that_store(program):
    with Server(program=program, environment={"BOARD": "two"}) as server:
        ada = Client(server)
        for base in ("", "/stores/second"):
            ada.send(card("cards", "7", "start", title="x"), base + "/dispatch")
            shown = links(ada, base)
            assert linked(shown["open"]["href"])[0] == base + "/dispatch"
            assert linked(shown["cards"][0]["tap"]["href"])[0] == base + "/modules/cards/7/ui"
        assert follow(ada, links(ada, "/stores/second")["open"]).status == 200
        assert server.get("/modules/overview").status == 404
        assert server.get("/stores/second/modules/overview").status == 200


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("lost", "Lost is dispatched by the program, but is not registered"),
        ("internal", "'cards/7/titled' leads nowhere: no client may dispatch that action"),
        ("unaddressed", "'cards/blinked' names no instance of its module"),
        ("long", "bind smaller arguments"),
    ],
)
def test_u28_a_link_that_leads_nowhere_keeps_its_view_from_being_made(board, text, said):
    assert board.get("/views/lost").json == {}
    with Stream(board, "/views/lost/events") as stream:
        assert stream.opened().event().json == {}
        board.post(action("todos/added", text=text))
        failed = board.get("/views/lost").problem("view-failed", 500)
        assert "'lost'" in failed["detail"] and said not in failed["detail"]
        board.await_log(said)
        assert "the view lost can't be made" in board.log_text
        # Other views are made, and the stream keeps its last event until the view can be made.
        assert len(board.get("/views/todos").json["cells"]) == 1
        board.post(action("todos/removed", id=1))
        board.post(action("todos/added", text="lost"))
        board.post(action("todos/removed", id=2))
        assert stream.quiet(0.3)
    assert board.get("/views/lost").json == {}


# Cells and lists by key


def test_s8_cells_are_compared_by_their_key(board):
    def cell(id, place, text, completed=False):
        link = lambda name: {
            "href": "/dispatch?action="
            + urllib.parse.quote(
                json.dumps(action(f"todos/{name}", id=id), separators=(",", ":")), safe=""
            ),
            "method": "POST",
        }
        shown = {"id": id, "text": text, "place": place}
        return {**shown, **({} if completed else {"complete": link("completed")}), "remove": link("removed")}

    for number in range(1, 13):
        board.post(action("todos/added", text=f"item {number}"))
    targets = ("/views/todos/events?mode=patch", "/modules/todos/events?mode=patch")
    with Stream(board, targets[0]) as view, Stream(board, targets[1]) as slice:
        mirrors = [Mirror().take(stream.opened().event()) for stream in (view, slice)]

        def patches(*actions):
            """Returns the patches of a change, for the view and for the slice."""
            assert board.post(list(actions) if len(actions) > 1 else actions[0]).status == 200
            events = [stream.event() for stream in (view, slice)]
            for mirror, event in zip(mirrors, events):
                mirror.take(event)
            assert mirrors[0].state == board.get("/views/todos").json
            assert mirrors[1].state == board.get("/modules/todos").json
            kinds = [[(each["op"], each["path"]) for each in event.json] for event in events]
            return kinds[0], kinds[1]

        # The places of all other cells change, so each of them has one changed member.
        of_view, of_slice = patches(action("todos/added", text="newest"))
        assert of_view[0] == ("add", "/cells/0") and len(of_view) == 13
        assert of_view[1:] == [("replace", f"/cells/{at}/place") for at in range(1, 13)]
        assert of_slice == [("add", "/items/0"), ("replace", "/count")]
        assert mirrors[0].state["cells"][0] == cell(13, 0, "newest")
        # A change inside a cell, and nothing else
        of_view, of_slice = patches(action("todos/completed", id=5))
        assert of_view == [("remove", "/cells/8/complete")]
        assert of_slice == [("replace", "/items/8/isCompleted")]
        # Changes at both ends and in the middle at once
        of_view, of_slice = patches(
            action("todos/added", text="newer still"),
            action("todos/completed", id=1),
            action("todos/removed", id=13),
        )
        assert of_slice == [
            ("replace", "/items/0"), ("replace", "/items/12/isCompleted"), ("replace", "/count"),
        ]
        assert of_view == [("replace", "/cells/0"), ("remove", "/cells/12/complete")]
        # A moved item leaves the others alone.
        _, of_slice = patches(action("todos/raised", id=3))
        assert of_slice == [("add", "/items/0"), ("remove", "/items/11")]
        dry = board.post(action("todos/raised", id=1), query="?dry-run=true").json["patch"]
        assert [(each["op"], each["path"]) for each in dry] == [
            ("add", "/todos/items/0"), ("remove", "/todos/items/13"),
        ]


def test_s8_a_link_of_a_cell_is_followed(board):
    for number in range(1, 4):
        board.post(action("todos/added", text=f"item {number}"))
    ada = Client(board)
    cells = board.get("/views/todos").json["cells"]
    assert follow(ada, cells[1]["complete"]).status == 200
    assert follow(ada, cells[2]["remove"]).status == 200
    follow(ada, cells[2]["complete"]).problem("refused", 409)
    cells = board.get("/views/todos").json["cells"]
    assert [(each["id"], each["complete"] is None if "complete" in each else True) for each in cells] == [
        (3, False), (2, True),
    ]


# Presenters that are at work


def test_b11_presenters_of_instances_and_sessions_come_and_go_with_their_slices(board):
    def presenters():
        listed = board.get("/debug/subscriptions").json["presenters"]
        return {(each["module"], each["name"]): each["slices"] for each in listed}

    assert presenters() == {}
    ada, bob = Client(board).begin(), Client(board).begin()
    start(ada, "cards", "7", "8")
    assert presenters() == {("cards", "presented"): 2}
    start(ada, "notes", "7", "8")
    start(bob, "notes", "7")
    bob.wait(action("overview/start"))
    assert presenters() == {
        ("cards", "presented"): 2,
        ("notes", "NotePresenter"): 3,
        ("overview", "OverviewPresenter"): 1,
    }
    ada.wait([card("cards", "7", "stop"), card("cards", "8", "stop"), card("notes", "7", "stop")])
    assert presenters() == {("notes", "NotePresenter"): 2, ("overview", "OverviewPresenter"): 1}
    assert bob.end().status == 204
    assert presenters() == {("notes", "NotePresenter"): 1}
    assert ada.end().status == 204
    assert presenters() == {}


# Commands to screens


def commands(stream, count):
    """Returns the next `count` commands. Other events are skipped."""
    found = []
    while len(found) < count:
        event = stream.event()
        if event.name == "command":
            assert event.id is None
            found.append(event.json)
    return found


def test_p10_a_command_reaches_the_streams_of_one_session_once(board):
    ada, bob = Client(board).begin(), Client(board).begin()
    for client in (ada, bob):
        start(client, "notes", "7")
    with (
        Stream(board, "/route/events", headers=ada.headers.items()) as one,
        Stream(board, "/route/events?mode=patch", headers=ada.headers.items()) as two,
        Stream(board, "/route/events", headers=bob.headers.items()) as other,
        Stream(board, "/route/events") as shared,
        Stream(board, "/events", headers=ada.headers.items()) as whole,
    ):
        streams = (one, two, other, shared, whole)
        first = [stream.opened().event() for stream in streams]
        assert first[0].json == first[1].json == [{"view": "notes/7", "style": "modal"}]
        assert shared.answer.status == 200 and first[3].json == []
        version = first[0].version
        for taps in (1, 2, 3):
            ada.send(action("tapped"), "/modules/notes/7/ui")
            expected = {"command": "scrollTo", "payload": {"id": "7", "taps": taps}}
            assert commands(one, 1) == commands(two, 1) == [expected]
        # The commands of an effect, in the effect's order
        assert ada.wait(card("notes", "7", "blinked", times=5)).json["completed"]
        blinks = [{"command": "blink", "payload": number} for number in range(5)]
        assert commands(one, 5) == commands(two, 5) == blinks
        assert other.quiet(0.3) and shared.quiet(0.1) and one.quiet(0.1) and two.quiet(0.1)
        # A late reader gets the current route, and no earlier command. A resume replays none.
        late = Stream(board, "/route/events", headers=ada.headers.items())
        tag = f"{board.epoch}:{version}"
        back = Stream(board, "/route/events", last=tag, headers=ada.headers.items())
        with late, back:
            event = late.opened().event()
            assert (event.name or "message", event.json) == (first[0].name or "message", first[0].json)
            assert late.quiet(0.3) and back.opened().quiet(0.1)
            # The next command reaches all streams of the session.
            ada.send(action("tapped"), "/modules/notes/7/ui")
            for stream in (one, two, late, back):
                assert commands(stream, 1)[0]["payload"]["taps"] == 4
        # The stream of the state has the states, and no commands.
        seen = 0
        while seen < 4:
            event = whole.event()
            assert event.name is None or event.name == "message"
            seen = event.json["notes"]["7"]["taps"]
    assert not [each for each in board.actions() if "scrollTo" in json.dumps(each)]


def test_p10_a_command_for_a_client_without_a_session_reaches_all_such_clients(board):
    start(Client(board), "notes", "7")
    ada = Client(board).begin()
    with (
        Stream(board, "/route/events") as one,
        Stream(board, "/route/events") as two,
        Stream(board, "/route/events", headers=ada.headers.items()) as own,
    ):
        for stream in (one, two, own):
            stream.opened().event()
        Client(board).send(action("tapped"), "/modules/notes/7/ui")
        assert commands(one, 1) == commands(two, 1)
        assert own.quiet(0.3)


def test_p10_a_command_comes_behind_the_route_that_led_to_it(board):
    ada = Client(board).begin()
    with Stream(board, "/route/events", headers=ada.headers.items()) as stream:
        stream.opened().event()
        shown, tapped = set(), 0
        for id in range(20):
            start(ada, "notes", str(id), wait=False)
            # A tap may come before its view is presented.
            tapped += ada.send(action("tapped"), f"/modules/notes/{id}/ui").status == 200
        assert tapped > 0
        while tapped > 0:
            event = stream.event()
            if event.name == "command":
                assert f"notes/{event.json['payload']['id']}" in shown
                tapped -= 1
            else:
                shown = {each["view"] for each in event.json}


def test_p10_commands_for_a_slow_reader_are_bounded_and_drops_are_counted(board):
    def dropped():
        text = board.get("/metrics").body.decode()
        return int(text.split("\nstore_stream_commands_dropped_total ")[1].split("\n")[0])

    ada = Client(board).begin()
    start(ada, "notes", "7")
    with Stream(
        board, "/route/events", headers=ada.headers.items(), receive_bytes=2_048
    ) as slow, Stream(board, "/route/events", headers=ada.headers.items()) as quick:
        slow.opened().event(), quick.opened().event()
        assert dropped() == 0
        for _ in range(60):
            assert ada.wait(card("notes", "7", "blinked", times=1_000)).status == 200
            assert len(commands(quick, 1)) == 1
            if dropped() > 0:
                break
        assert dropped() > 0
        # The commands that the slow reader gets are in order, and the streams go on.
        numbers = [each["payload"] for each in commands(slow, 50)]
        assert numbers == list(range(50))
    assert board.get("/livez").status == 200
