"""Stores that are made of modules: slices, instances, their streams and their actions (protocol 6.3, 6.4, 4.5), on
the shipped store and on programs/Cinema.swift."""

import json
import signal
import subprocess
import time

import pytest
from harness import ROOT, Server, Stream, Wire, action, environment_with, step, until
from programs import typecheck

UI = "/modules/home/ui"
TAP = action("didTapOnMovieCell", title="Movie 3")


def tap(server, title, **headers):
    return server.send(UI, action("didTapOnMovieCell", title=title), headers)


def module(server, name):
    return next(each for each in server.get("/modules").json["modules"] if each["name"] == name)


# The list


def test_b6_modules_are_listed_with_the_actions_that_clients_may_dispatch(fresh):
    page = fresh.get("/modules").json
    assert (page["epoch"], page["version"]) == (fresh.epoch, 0)
    assert [each["name"] for each in page["modules"]] == list(fresh.state)
    home = module(fresh, "home")
    assert home == {
        "name": "home", "started": False, "href": "/modules/home",
        "events": "/modules/home/events", "actions": ["home/start", "home/stop"],
    }
    fresh.post(action("home/start"))
    assert module(fresh, "home")["started"] is True
    assert fresh.get(home["href"]).status == 200
    # The log may have actions of views, effects and presenters, but no other client dispatches them.
    schema = json.dumps(fresh.get("/schema").json["$defs"]["Action"])
    for private in ("didTapOnMovieCell", "cardShown", "login/succeeded", "user/start"):
        assert private not in json.dumps(page) and private not in schema
    public = [name for each in page["modules"] for name in each["actions"]]
    assert "movieCard/wanted" in public and "CounterIncreaseRequested" in public
    assert all(name in schema for name in public)


def test_b7_a_module_is_absent_until_it_is_started(fresh):
    assert fresh.state["home"] is None
    fresh.post(action("home/start"))
    assert isinstance(fresh.state["home"], dict)
    fresh.post(action("home/stop"))
    assert fresh.state["home"] is None
    members = fresh.post(action("home/stop")).problem("refused", 409)
    assert "'home' is not started" in members["reason"]


def test_b22_home_starts_with_eleven_films_and_ends_with_none(fresh):
    fresh.post(action("home/start"))
    titles = fresh.get("/modules/home").json["titles"]
    assert titles == [f"Movie {number}" for number in range(11)]
    fresh.post(action("home/stop"))
    fresh.get("/modules/home").problem("not-found", 404)


# Senders of each kind of action


@pytest.mark.parametrize(
    "type_, payload, said",
    [
        ("home/didTapOnMovieCell", {"title": "Movie 3"}, "POST /modules/home/ui"),
        ("home/cardShown", {}, "effects and presenters"),
        ("user/start", {"profile": {"userName": "eve", "displayName": "Eve"}}, "effects and"),
        ("user/stop", {}, "effects and presenters"),
        ("login/succeeded", {"user": {"userName": "eve", "displayName": "Eve"}}, "effects and"),
    ],
)
def test_b9_only_public_actions_come_from_outside(fresh, type_, payload, said):
    fresh.wait(action("home/start"))
    tag, before = fresh.tag, fresh.get("/state").body
    refused = {"type": type_, "payload": payload}
    assert said in fresh.post(refused).problem("forbidden", 403)["detail"]
    assert said in fresh.post(refused, query="?dry-run=true").problem("forbidden", 403)["detail"]
    # An array is applied whole or not at all.
    fresh.post([step(7), refused]).problem("forbidden", 403)
    assert (fresh.tag, fresh.get("/state").body) == (tag, before)


def test_b28_the_ui_route_of_a_module_takes_its_own_ui_actions_alone(fresh):
    fresh.post([action("home/start"), action("movieCard/start", title="Movie 1")])
    for type_ in ("movieCard/wanted", "cardShown", "home/start"):
        fresh.send(UI, action(type_)).problem("forbidden", 403)
    for type_ in ("didTap", "CounterIncreaseRequested"):
        members = fresh.send(UI, action(type_)).problem("unknown-action", 422)
        assert members["known"] == ["home/didTapOnMovieCell"]
    # The module has no UI actions, so the route does not exist.
    fresh.send("/modules/movieCard/ui", TAP).problem("not-found", 404)


def test_b13_a_view_dispatches_only_while_its_module_is_started(fresh):
    assert "'home' is not started" in tap(fresh, "Movie 3").problem("refused", 409)["reason"]
    fresh.post(action("home/start"))
    first = tap(fresh, "Movie 3", **{"Idempotency-Key": '"tap-1"'})
    assert first.status == 200
    # Every rule of POST /dispatch also holds for this route.
    again = tap(fresh, "Movie 3", **{"Idempotency-Key": '"tap-1"'})
    assert again["idempotency-replayed"] == "true" and again.body == first.body
    tap(fresh, "Movie 3", **{"If-Match": f'"{fresh.epoch}:0"'}).problem("version-mismatch", 412)
    tap(fresh, 7).problem("invalid-payload", 422)
    members = tap(fresh, "Casablanca").problem("refused", 409)
    assert members["pointer"] == "/payload/title"
    whole = fresh.send(UI, action("home/didTapOnMovieCell", title="Movie 4"))
    assert whole.status == 200
    until(lambda: fresh.state["movieCard"]["title"] == "Movie 4", "the card is another one")


def test_b27_a_tap_in_one_module_starts_another(fresh):
    fresh.post(action("home/start"))
    card = lambda: (fresh.state["movieCard"] or {}).get("title")  # noqa: E731
    tap(fresh, "Movie 3")
    until(lambda: card() == "Movie 3", "the card is shown")
    assert fresh.get("/modules/movieCard").json["title"] == "Movie 3"
    until(lambda: fresh.state["home"].get("selectedMovie") is None, "the tap is forgotten")
    # The same film again, after its card was closed
    fresh.post(action("movieCard/stop"))
    assert card() is None
    tap(fresh, "Movie 3")
    until(lambda: card() == "Movie 3", "the card is shown again")


def test_b16_an_action_of_a_presenter_is_logged_with_its_cause(fresh):
    fresh.wait(action("home/start"))
    version = tap(fresh, "Movie 3").json["version"]
    until(lambda: fresh.version == version + 3, "the presenters have dispatched")
    started, shown, presented = fresh.actions(after=version)
    assert (started["type"], shown["type"]) == ("movieCard/start", "home/cardShown")
    assert (presented["type"], presented["cause"]) == ("sessions/presented", version + 1)
    assert started["payload"] == {"title": "Movie 3"}
    for record in (started, shown):
        assert record["cause"] == version
        assert record["origin"].startswith("DefaultHomeModule/HomePresenter.swift:")


def test_b23_a_case_without_a_reducer_does_not_compile(cinema_program, tmp_path):
    reducer = (
        "    func reduce(_ state: inout State, _ action: Action) {\n"
        "        switch action { case .switched: state.isOn.toggle() }\n"
        "    }\n"
    )

    def check(kind, cases, reducer):
        return typecheck(
            "import StoreCore\n"
            "struct Lamp: Module {\n"
            "    struct State: ModuleState { var isOn = false }\n"
            f"    enum {kind}: ModuleAction {{ case {cases} }}\n"
            f"{reducer}"
            "}\n",
            tmp_path,
        )

    assert check("Action", "switched", reducer).returncode == 0
    wrong = check("Action", "switched, broken", reducer)
    assert wrong.returncode != 0 and "switch must be exhaustive" in wrong.stderr
    # A module without any reducer does not compile either: there is no default.
    for kind in ("Action", "UI", "Internal"):
        wrong = check(kind, "switched", "")
        assert wrong.returncode != 0 and "does not conform to protocol 'Module'" in wrong.stderr


def test_b23_a_foreign_action_at_run_time_is_refused_and_the_server_lives(fresh):
    members = fresh.post(action("movieCard/watned", isWanted=True)).problem("unknown-action", 422)
    assert 'Did you mean "movieCard/wanted"?' in members["detail"]
    members = fresh.post(action("movieCard/wanted", isWanted=True)).problem("refused", 409)
    assert "dispatch movieCard/start first" in members["reason"]
    fresh.post(action("movieCard/start")).problem("invalid-payload", 422)
    fresh.post(action("movieCard/start", title="")).problem("refused", 409)
    assert fresh.get("/livez").status == 200 and fresh.version == 0


# Slices


def test_b12_a_slice_is_its_part_of_the_state(fresh):
    for name in ("counter", "todos", "login"):
        assert fresh.get(f"/modules/{name}").json == fresh.state[name]
    for name in ("home", "nothing", "counter/step", "counter/events/x"):
        fresh.get(f"/modules/{name}").problem("not-found", 404)
    fresh.request("DELETE", "/modules/counter").problem("method-not-allowed", 405)
    fresh.get("/modules/counter?path=/step").problem("bad-request", 400)


def test_6_4_a_slice_has_a_tag_and_is_not_sent_twice(fresh):
    answer = fresh.get("/modules/counter")
    assert answer["etag"] == f'"{fresh.tag}"'
    assert answer["cache-control"] == "no-cache" and answer["content-type"] == "application/json"
    head = fresh.request("HEAD", "/modules/counter")
    assert (head.status, head.body) == (200, b"")
    assert head["content-length"] == answer["content-length"]
    same = fresh.get("/modules/counter", {"If-None-Match": answer["etag"]})
    assert (same.status, same.body, same["etag"]) == (304, b"", answer["etag"])
    fresh.post(step(7))
    changed = fresh.get("/modules/counter", {"If-None-Match": answer["etag"]})
    assert (changed.status, changed.json) == (200, {"counter": 0, "step": 7})


# Streams of slices


def test_b14_a_stream_of_a_module_gets_changes_of_its_slice_alone(fresh):
    with Stream(fresh, "/modules/counter/events") as stream:
        first = stream.opened().event()
        assert (first.id, first.json) == (fresh.tag, {"counter": 0, "step": 1})
        fresh.post([action("AddItem", text="x"), action("home/start")])
        assert stream.quiet(1)
        fresh.post(step(7))
        event = stream.event()
        assert (event.id, event.json) == (fresh.tag, {"counter": 0, "step": 7})
        # Version 3 presented the started list.
        assert event.version == 4


def test_b10_an_action_that_changes_nothing_is_answered_and_its_slice_sends_no_event(fresh):
    with Stream(fresh, "/modules/counter/events") as slice_, Stream(fresh) as whole:
        slice_.opened().event(), whole.opened().event()
        answer = fresh.wait(step(1)).json
        assert (answer["changed"], answer["completed"]) == (False, True)
        assert whole.event().version == 1
        # A change that is taken back in the same step sends no event either.
        assert fresh.post([step(7), step(1)]).json["changed"] is True
        assert whole.event().version == 3
        assert slice_.quiet(1)


def test_b24_an_event_has_the_slice_before_the_change(fresh):
    with Stream(fresh, "/modules/home/events?old=true") as stream:
        assert stream.opened().event().json == {"old": None, "new": None}
        fresh.post(action("home/start"))
        event = stream.event().json
        assert event["old"] is None and len(event["new"]["titles"]) == 11
        tap(fresh, "Movie 3")
        change = stream.event().json
        assert change["old"] == event["new"]
        assert change["new"]["selectedMovie"] == "Movie 3"
        # A reader that connects later or again begins with the current slice.
        until(lambda: fresh.version == 6, "the presenters have dispatched")
        known = fresh.tag
        assert stream.event().json["old"] == change["new"]
        target = "/modules/home/events?old=true"
        for last in (None, f"{fresh.epoch}:1", f"{fresh.epoch}:999"):
            with Stream(fresh, target, last=last) as late:
                first = late.opened().event()
                if last and last.endswith("999"):
                    assert first.name == "resync"
                    first = late.event()
                assert first.json == {"old": None, "new": event["new"]}
        with Stream(fresh, target, last=known) as back:
            assert back.opened().quiet(0.3)
            fresh.post(action("home/stop"))
            assert back.event().json == {"old": event["new"], "new": None}
    fresh.get("/modules/home/events?old=perhaps").problem("bad-request", 400)


def test_4_5_a_slice_that_ends_is_gone_and_comes_back(fresh):
    with Stream(fresh, "/modules/home/events") as stream:
        gone = stream.opened().event()
        assert (gone.name, gone.id) == ("gone", fresh.tag)
        fresh.post(action("home/start"))
        there = stream.event()
        assert there.name == "message" and len(there.json["titles"]) == 11
        stopped = fresh.post(action("home/stop"))
        gone = stream.event()
        assert (gone.name, gone.version) == ("gone", stopped.json["version"])
        fresh.post(action("home/start"))
        assert stream.event().json == there.json


def test_4_6_a_stream_of_a_module_goes_on_where_it_was(fresh):
    target = "/modules/counter/events"
    fresh.post(step(7))
    known = fresh.tag
    fresh.post(action("AddItem", text="x"))
    # The slice has not changed, so no event is sent to readers with either version.
    with Stream(fresh, target, last=known) as first, Stream(fresh, target, last=fresh.tag) as second:
        assert first.opened().quiet(0.3) and second.opened().quiet(0.3)
        fresh.post(step(6))
        assert first.event().id == second.event().id == fresh.tag
    fresh.post(step(8))
    with Stream(fresh, f"{target}?last_event_id={known}") as stream:
        assert stream.opened().event().json["step"] == 8
    for last, reason in [
        (f"{fresh.epoch}:999", "ahead"), ("00000000:1", "epoch-changed"), ("x", "malformed"),
    ]:
        with Stream(fresh, target, last=last) as stream:
            resync = stream.opened().event()
            assert (resync.name, resync.json) == ("resync", {"reason": reason})
            assert stream.event().json["step"] == 8


@pytest.mark.plain("memory is measured, and a sanitizer keeps what is freed")
def test_4_4_a_slow_reader_of_a_module_gets_the_newest_and_delays_no_other():
    with Server() as server:
        server.post(action("AddItem", text="x" * 500_000))
        slow = Stream(server, "/modules/todos/events", receive_bytes=4096).opened()
        with Stream(server, "/modules/todos/events") as fast, Wire(server) as wire:
            fast.opened().event()
            before, worst = server.resident_bytes, 0
            for number in range(100):
                began = time.monotonic()
                edit = action("EditItem", index=0, text=str(number))
                version = server.post(edit, wire=wire).json["version"]
                while fast.event().version < version:
                    pass
                worst = max(worst, time.monotonic() - began)
            assert worst < 1, f"a slow reader made a fast one wait {worst:.2f} s"
            # 100 versions of 500 KB would be 50 MB.
            assert server.resident_bytes - before < 25 << 20
        seen = [slow.event()]
        while seen[-1].version < server.version:
            seen.append(slow.event())
        assert [each.version for each in seen] == sorted({each.version for each in seen})
        assert len(seen) < 50
        assert seen[-1].json == server.state["todos"]
        slow.close()


def test_4_7_a_stream_of_a_module_gets_bye(fresh):
    with Stream(fresh, "/modules/counter/events") as stream:
        stream.opened().event()
        fresh.stop()
        assert stream.event().json["reason"] == "shutdown"


# Instances


def test_x19_each_instance_has_a_slice_and_a_stream(cinema):
    cinema.post([action("cards/7/start", title="Alien"), action("cards/8/start", title="Brazil")])
    assert cinema.get("/modules/cards/7").json == {"title": "Alien", "likes": 0}
    assert list(cinema.get("/modules/cards").json) == ["7", "8"]
    assert module(cinema, "cards")["instances"] == ["7", "8"]
    with Stream(cinema, "/modules/cards/7/events") as seven:
        with Stream(cinema, "/modules/cards/8/events") as eight:
            assert seven.opened().event().json["title"] == "Alien"
            assert eight.opened().event().json["title"] == "Brazil"
            cinema.post(action("cards/7/liked"))
            assert seven.event().json == {"title": "Alien", "likes": 1}
            assert eight.quiet(0.5)
            cinema.post([action("cards/8/liked"), action("tally/increased")])
            assert eight.event().json["likes"] == 1
            assert seven.quiet(0.5)
            cinema.post(action("cards/7/stop"))
            gone = seven.event()
            assert (gone.name, gone.id) == ("gone", cinema.tag)
            assert eight.quiet(0.3)
            cinema.post(action("cards/7/start", title="Aliens"))
            assert seven.event().json == {"title": "Aliens", "likes": 0}


def test_x19_an_action_of_an_instance_reaches_that_instance_alone(cinema):
    cinema.post(action("cards/7/start", title="Alien"))
    members = cinema.post(action("cards/8/liked")).problem("refused", 409)
    assert "dispatch cards/8/start first" in members["reason"]
    cinema.post(action("cards/8/start", title="")).problem("refused", 409)
    for name in ("cards/liked", "cards//liked", f"cards/{'x' * 129}/liked", "cards/7/"):
        cinema.post(action(name)).problem("unknown-action", 422)
    for id_ in ("8", "x" * 129, "%FF"):
        assert cinema.get(f"/modules/cards/{id_}").status in (400, 404)
    cinema.get("/modules/cards/7/likes").problem("not-found", 404)
    cinema.get("/modules/tally/7").problem("not-found", 404)
    assert cinema.version == 1


def test_x19_an_id_may_be_any_text(cinema):
    for id_, path in [("a/b", "a%2Fb"), ("é b", "%C3%A9%20b"), ("x" * 128, "x" * 128)]:
        assert cinema.post(action(f"cards/{id_}/start", title=id_[:3])).status == 200
        assert cinema.get(f"/modules/cards/{path}").json["title"] == id_[:3]
        with Stream(cinema, f"/modules/cards/{path}/events") as stream:
            assert stream.opened().event().json["title"] == id_[:3]


def test_x19_ids_that_only_look_alike_are_two(cinema):
    one, other = "\u00e9", "e\u0301"
    cinema.post([action(f"cards/{one}/start", title="one"), action(f"cards/{other}/start", title="other")])
    assert module(cinema, "cards")["instances"] == [other, one]
    with Stream(cinema, "/modules/cards/%C3%A9/events") as stream:
        assert stream.opened().event().json["title"] == "one"
        cinema.post(action(f"cards/{other}/liked"))
        assert stream.quiet(0.3)
        cinema.post(action(f"cards/{one}/liked"))
        assert stream.event().json == {"title": "one", "likes": 1}
    assert cinema.get("/modules/cards/e%CC%81").json == {"title": "other", "likes": 1}
    assert cinema.get("/state/cards/e%CC%81").json == {"title": "other", "likes": 1}


def test_x19_many_instances_change_in_one_array(cinema):
    ids = [f"{number}" for number in range(1_000)]
    with Stream(cinema, "/modules/cards/events") as whole, Stream(cinema) as state:
        assert whole.opened().event().json == state.opened().event().json["cards"] == {}
        assert cinema.post([action(f"cards/{id_}/start", title=id_) for id_ in ids]).status == 200
        cards = whole.event()
        assert list(cards.json) == sorted(ids)
        assert state.event().json["cards"] == cards.json
        assert cinema.get("/modules/cards").body == cards.data.encode()
        # An instance that ends and begins anew, an instance that ends, and an unchanged instance.
        cinema.post(
            [
                action("cards/7/stop"), action("cards/7/start", title="seven"),
                action("cards/8/liked"), action("cards/9/stop"),
                action("cards/10/stop"), action("cards/10/start", title="10"),
            ]
        )
        expected = cards.json | {"7": {"title": "seven", "likes": 0}, "8": {"title": "8", "likes": 1}}
        del expected["9"]
        assert whole.event().json == expected
        # A refused array leaves nothing.
        cinema.post([action("cards/7/liked"), action("cards/9/liked")]).problem("refused", 409)
        cinema.post(action("cards/8/liked"))
        expected["8"]["likes"] = 2
        assert whole.event().json == cinema.state["cards"] == expected


def test_x19_an_instance_has_a_tag(cinema):
    cinema.post(action("cards/7/start", title="Alien"))
    answer = cinema.get("/modules/cards/7")
    assert answer["etag"] == f'"{cinema.tag}"'
    assert cinema.get("/modules/cards/7", {"If-None-Match": answer["etag"]}).status == 304
    head = cinema.request("HEAD", "/modules/cards/7")
    assert (head.status, head["content-length"]) == (200, answer["content-length"])


# History


def filled(program, data):
    """Makes a history of modules, effects and instances, and kills its server."""
    server = Server(program=program, data=data)
    server.post([action("search/start"), action("cards/7/start", title="Alien")])
    server.post([action("cards/a/b/start", title="Brazil"), action("cards/a/b/liked")])
    assert server.wait(action("cards/7/opened", ms=1)).status == 200
    assert server.wait(action("search/asked", text="brazil", ms=1)).status == 200
    server.post([action("search/touched"), action("cards/7/liked"), action("tally/increased")])
    state, log = server.state, server.actions()
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    return state, log


def test_b40_a_kill_loses_neither_actions_of_modules_nor_where_they_came_from(
    cinema_program, tmp_path
):
    state, log = filled(cinema_program, tmp_path / "data")
    assert [each["type"] for each in log] == [
        "search/start", "cards/7/start", "cards/a/b/start", "cards/a/b/liked",
        "cards/7/opened", "cards/7/loaded", "search/asked", "search/found",
        "search/touched", "cards/7/liked", "tally/increased",
    ]
    source = (ROOT / "Tests/BlackBox/programs/Cinema.swift").read_text().splitlines()
    line = next(n for n, text in enumerate(source, 1) if "Internal.loaded(text:" in text)
    assert (log[5]["cause"], log[5]["origin"]) == (5, f"Cinema/main.swift:{line}")
    assert log[7]["cause"] == 7 and log[7]["payload"] == {"text": "brazil"}
    assert all("cause" not in log[n] and log[n]["origin"] == "127.0.0.1" for n in (0, 4, 6))
    with Server(program=cinema_program, data=tmp_path / "data") as server:
        assert server.state == state
        assert server.actions() == log
        assert server.get("/modules/cards/7").json["text"] == "All about Alien"
        # No finished effect runs again.
        assert server.get("/effects").json["effects"] == []
        past = server.get("/state/cards/7?version=5").json
        assert past == {"title": "Alien", "likes": 0}
        blame = server.get("/state/cards/7/text?blame=true").json
        assert blame["changedBy"]["type"] == "cards/7/loaded"
        with Stream(server, "/actions/events") as stream:
            stream.opened()
            assert [stream.event().json for _ in log] == log


def test_a_history_of_modules_is_exported_imported_and_verified(cinema_program, tmp_path):
    state, log = filled(cinema_program, tmp_path / "data")

    def run(*arguments):
        done = subprocess.run(
            [cinema_program, *map(str, arguments)], env=environment_with(),
            capture_output=True, text=True, timeout=60,
        )
        assert done.returncode == 0, done
        return done.stdout

    run("verify", "--data", tmp_path / "data")
    run("export", tmp_path / "lines", "--data", tmp_path / "data")
    run("import", tmp_path / "lines", "--data", tmp_path / "copy")
    run("verify", "--data", tmp_path / "copy")
    with Server(program=cinema_program, data=tmp_path / "copy") as server:
        assert server.state == state
        assert [each["type"] for each in server.actions()] == [each["type"] for each in log]
        assert [each.get("cause") for each in server.actions()] == [e.get("cause") for e in log]


def test_an_action_that_a_module_has_lost_stops_the_start_and_is_named(cinema_program, tmp_path):
    server = Server(program=cinema_program, data=tmp_path / "data")
    server.post([action("search/start"), action("search/touched")])
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    ended = subprocess.run(
        [cinema_program, "--data", tmp_path / "data", "--listen", "127.0.0.1:0"],
        env=environment_with({"CINEMA": "later"}), capture_output=True, text=True, timeout=20,
    )
    assert ended.returncode == 1
    assert "search/touched" in ended.stderr and "version 2" in ended.stderr
    with Server(program=cinema_program, data=tmp_path / "data") as server:
        assert server.version == 2


def test_6_6_a_post_to_an_unknown_module_is_404(fresh):
    for path in ("/modules/nobody/ui", "/modules/nobody", "/modules/home/nothing"):
        fresh.send(path, TAP).problem("not-found", 404)
    fresh.send("/modules/home", TAP).problem("method-not-allowed", 405)
