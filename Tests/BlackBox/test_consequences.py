"""An action that is not applied changes nothing that a client can see. Each consequence names the action that it
follows."""

import json
import signal
import threading

import pytest
from harness import INCREASE, Server, Stream, Wire, action, until
from programs import build_sample
from test_sessions import TAP, Client

COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"


@pytest.fixture(scope="module")
def program():
    return build_sample("Stage")


def seen(server, *clients):
    """Everything that clients can see of a store and of their sessions."""
    targets = ["/state", "/actions?limit=1000", "/effects", "/modules", "/trace"]
    answers = [server.get(target) for target in targets]
    answers += [server.get("/route", client.headers) for client in clients]
    versions = [line for line in metrics(server) if line.startswith("store_version")]
    return [(answer.body, answer["etag"]) for answer in answers], versions


def metrics(server):
    return server.get("/metrics").body.decode().splitlines()


def at_once(*works):
    """Calls each function on a thread of its own, all beginning together."""
    barrier, failures = threading.Barrier(len(works)), []

    def run(work):
        try:
            barrier.wait()
            work()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=[work]) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


# Actions that are not applied


def test_2_9_a_dry_run_leaves_no_trace(fresh):
    everybody, ada = Client(fresh), Client(fresh).begin()
    everybody.wait(action("home/start"))
    ada.wait(action("movieCard/start", title="Alien"))
    ada.wait(action("home/start"))
    assert (everybody.views, ada.views) == (["home"], ["movieCard", "home"])
    before = seen(fresh, everybody, ada)
    route = f"/events?path=/sessions/{ada.name}"
    with Stream(fresh) as states, Stream(fresh, route, headers=ada.headers.items()) as routes:
        states.opened().event(), routes.opened().event()
        dry = ada.send(action("movieCard/start", title="Brazil"), "/dispatch?dry-run=true")
        assert dry.json["changed"] is True
        again = ada.send(action("movieCard/start", title="Alien"), "/dispatch?dry-run=true")
        assert again.json["changed"] is False
        tap = [TAP, TAP]
        assert ada.send(tap, "/modules/home/ui?dry-run=true").json["changed"] is True
        assert states.quiet(0.3) and routes.quiet(0)
    assert seen(fresh, everybody, ada) == before
    # The same action is applied without the dry run.
    ada.wait(action("home/stop"))
    assert ada.views == ["movieCard"]


def test_2_3_a_refused_request_leaves_no_trace(fresh):
    ada = Client(fresh).begin()
    ada.wait(action("home/start"))
    before = seen(fresh, ada)
    with Stream(fresh) as states:
        states.opened().event()
        card, nothing = action("movieCard/start", title="Alien"), action("movieCard/start", title="")
        ada.wait([card, INCREASE, nothing]).problem("refused", 409)
        ada.wait([TAP, {"type": "didTapOnMovieCell", "payload": {"title": "None"}}], "/modules/home/ui")
        ada.send(card, **{"If-Match": f'"{fresh.epoch}:0"'}).problem("version-mismatch", 412)
        assert states.quiet(0.3)
    assert seen(fresh, ada) == before


def test_2_8_a_request_replayed_by_its_key_has_no_new_consequences(fresh):
    ada = Client(fresh).begin()
    ada.wait(action("home/start"))
    key = {"Idempotency-Key": '"tap"', "Prefer": "wait=10"}
    first = ada.send(TAP, "/modules/home/ui", **key)
    assert first.status == 200 and ada.views == ["home", "movieCard"]
    ada.wait(action("movieCard/stop"))
    before = seen(fresh, ada)
    again = ada.send(TAP, "/modules/home/ui", **key)
    assert again["idempotency-replayed"] == "true" and again.json["version"] == first.json["version"]
    assert seen(fresh, ada) == before and ada.views == ["home"]


# Consequences of an action


def taps_and_cards(server, client=None):
    """Returns the taps of a client's log by version, and the presenter's actions by cause."""
    log, after = [], 0
    headers = client.headers if client else {}
    while page := server.get(f"/actions?after={after}&limit=1000", headers).json["actions"]:
        log += page
        after = page[-1]["version"]
    taps = {each["version"]: each for each in log if each["type"] == "home/didTapOnMovieCell"}
    cards = [each for each in log if each["type"] == "movieCard/start"]
    return taps, cards


def test_b18_each_of_many_taps_at_once_leads_to_a_card(tmp_path):
    with Server(data=tmp_path / "data") as server:
        server.wait(action("home/start"))

        def tapping(client):
            body = json.dumps({"type": "didTapOnMovieCell", "payload": {"title": f"Movie {client}"}})
            with Wire(server) as wire:
                for _ in range(60):
                    wire.send(
                        "POST /modules/home/ui HTTP/1.1\r\nContent-Type: application/json\r\n"
                        f"Host: {server.authority}\r\nUser-Agent: client-{client}\r\n"
                        f"Content-Length: {len(body)}\r\n\r\n{body}"
                    )
                    assert wire.answer("POST").status == 200

        at_once(*[lambda client=client: tapping(client) for client in range(8)])
        taps, cards = taps_and_cards(server)
        assert len(taps) == 480
        until(lambda: len(taps_and_cards(server)[1]) == 480, "a card for each tap")
        taps, cards = taps_and_cards(server)
        assert sorted(card["cause"] for card in cards) == sorted(taps)
        for card in cards:
            assert card["payload"]["title"] == taps[card["cause"]]["payload"]["title"]


def test_b18_an_action_caused_by_a_member_of_an_array_names_that_member(fresh):
    ada = Client(fresh).begin()
    ada.wait(action("home/start"))
    taps = [{"type": "didTapOnMovieCell", "payload": {"title": f"Movie {n}"}} for n in (1, 2, 3)]
    answer = ada.wait(taps, "/modules/home/ui").json
    _, cards = taps_and_cards(fresh, ada)
    expected = [(answer["first"] + n, f"Movie {n + 1}") for n in range(3)]
    assert [(card["cause"], card["payload"]["title"]) for card in cards] == expected


def test_b18_a_trace_shows_nothing_of_another_client(tmp_path):
    with Server(data=tmp_path / "data") as server:
        credentials = {"userName": "demo", "password": "demo"}

        def logging_in():
            for _ in range(40):
                answer = server.send("/usecases/login/login", credentials, {"Prefer": "wait=10"})
                assert answer.json["completed"]
                server.wait(action("login/loggedOut"))

        def adding(client):
            for number in range(40):
                assert server.wait(action("AddItem", text=f"{client} {number}")).status == 200

        at_once(logging_in, *[lambda client=client: adding(client) for client in range(3)])
        log = {}
        while len(page := server.actions(len(log))) > 0:
            log |= {each["version"]: each for each in page}
        added = [version for version, each in log.items() if each["type"] == "AddItem"]
        assert len(added) == 120
        for version in added[::10]:
            steps = server.get(f"/trace?version={version}").json["steps"]
            assert {step["type"] for step in steps if "type" in step} == {"AddItem"}
        causes = {"login/loading": "usecases/login/login", "login/succeeded": "usecases/login/login"}
        found = [(log[each["cause"]]["type"], each["type"]) for each in log.values() if "cause" in each]
        assert {type_ for _, type_ in found} >= set(causes) and len(found) >= 80
        for cause, type_ in found:
            assert cause == causes.get(type_, cause) and cause != "AddItem"


def errand(server, name):
    """Returns the records of an errand's end in the log: cause and origin."""
    [found] = [each for each in server.actions() if each["payload"] == {"name": name}]
    return found["type"], found["cause"], found["origin"]


def test_13_an_effect_that_goes_on_after_a_kill_works_for_its_own_client(program, tmp_path):
    flags = {"program": program, "data": tmp_path / "data"}
    server = Server(**flags)
    ada, bob, cid = (Client(server).begin() for _ in range(3))
    everybody = Client(server)
    # A text that is not cut off is shown as it is.
    whole = ada.wait(action("errands/begun", name="whole", ms=1, again=True)).json["version"]
    origin = errand(server, "whole")[2]
    assert errand(server, "whole") == ("errands/ended", whole, origin) and ada.views == ["whole"]
    begun = {
        client: client.send(action("errands/begun", name=name, ms=1_000, again=True)).json["version"]
        for client, name in ((ada, "a"), (everybody, "e"), (cid, "c"))
    }
    bob.wait(action("errands/begun", name="r", ms=1, again=False))
    lost = bob.send(action("errands/begun", name="cut", ms=60_000, again=False)).json["version"]
    bob.send(action("errands/delegated", name="b", ms=1_000))
    # A client cannot become another client by its name.
    spoof = {"User-Agent": f"session={ada.name} curl"}
    everybody.send(action("errands/begun", name="s", ms=1_000, again=True), **spoof)
    until(lambda: len(server.state["effects"]["pending"]) == 6, "all has begun")
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    with Server(**flags) as server:
        for client in (ada, bob, cid, everybody):
            client.server = server
        assert cid.end().status == 204
        until(lambda: server.state["effects"]["pending"] == [], "all has ended")
        assert sorted(server.state["errands"]["done"]) == sorted(
            ["whole", "r", f"lost {lost}", "a", "b", "e", "s"]
        )
        assert ada.views == ["whole", "a"]
        assert sorted(bob.views) == sorted(["r", f"lost {lost}", "b"])
        assert sorted(everybody.views) == ["e", "s"]
        assert errand(server, "a") == ("errands/ended", begun[ada], origin)
        assert errand(server, "e") == ("errands/ended", begun[everybody], origin)
        told = [each for each in server.actions() if each["type"] == "errands/lost"]
        assert [(each["cause"], each["payload"]["version"]) for each in told] == [(lost, lost)]


# A tag identifies one state, byte for byte


def test_1_2_texts_that_look_the_same_differ_on_the_shipped_server(tmp_path):
    def versions(server):
        return [
            (answer.body, answer["etag"])
            for answer in (server.get(f"/state?version={n}") for n in range(1, server.version + 1))
        ]

    server = Server(data=tmp_path / "data")
    for title in (COMPOSED, DECOMPOSED, DECOMPOSED):
        server.wait(action("movieCard/start", title=title))
        assert server.state["movieCard"]["title"] == title
    for text in (COMPOSED, DECOMPOSED):
        edit = server.post(action("EditItem", index=0, text=text))
        assert edit.json["changed"] is True
        assert server.state["todos"]["items"][0]["text"] == text
    started = [each for each in server.actions() if each["type"] == "movieCard/start"]
    assert [each["changed"] for each in started] == [True, True, False]
    before = versions(server)
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    with Server(data=tmp_path / "data") as server:
        assert versions(server) == before
        newest = server.get("/state")
        assert (newest.body, newest["etag"]) == before[-1]


# The bound for actions of the program itself


DISPATCHED, OWN_MAX = 70_000, 65_536


def lost(server):
    """Returns the number of the program's own actions that were not applied."""
    [line] = [line for line in metrics(server) if line.startswith("store_actions_dropped_total ")]
    return int(line.split(" ")[1])


class Flood:
    """Fills all the room for the program's own actions, and blocks the Core for a time."""

    def __init__(self, server, ms):
        self.server = server
        send = lambda: server.post(action("flood/came", ms=ms))
        self.thread = threading.Thread(target=send)

    def __enter__(self):
        self.thread.start()
        until(lambda: lost(self.server) == DISPATCHED - OWN_MAX, "the mailbox is full", 30)
        return self

    def __exit__(self, *_):
        self.thread.join()
        until(lambda: self.server.state["flood"]["drops"] >= OWN_MAX, "all else is applied", 60)


def test_9_actions_of_the_program_have_a_bound_of_their_own(program):
    with Server("--history-max", "1000", program=program) as server:
        client = Client(server).begin()
        with Flood(server, 3_000):
            notified = client.send({}, "/notify/bell").problem("overloaded", 503)
            assert "the program's own" in notified["detail"]
            # A stream of the module's view needs an action of the program.
            opened = server.get("/modules/board/events")
            opened.problem("overloaded", 503)
            assert int(opened["retry-after"]) >= 1
            server.send("/usecases/none/none", {}).problem("not-found", 404)
            # Actions of clients have room of their own, and are answered when their turn comes.
            assert client.send(action("work/begun", name="a", ms=1)).status == 200
        assert server.state["flood"]["drops"] == OWN_MAX
        # The actions of the presenter, and the action of the view.
        assert lost(server) == DISPATCHED - OWN_MAX + 1
        assert client.send({}, "/notify/bell").status == 202


def test_13_an_expired_session_ends_even_if_there_was_no_room(program):
    # The flood begins before the session's time is over, and lasts longer.
    flags = ["--session-idle", "3", "--history-max", "1000", "--operator-reads"]
    with Server(*flags, program=program) as server:
        client = Client(server).begin()
        assert client.name in server.state["sessions"]
        with Flood(server, 5_000):
            pass
        until(lambda: client.name not in server.state["sessions"], "it has ended")
        assert lost(server) == DISPATCHED - OWN_MAX
