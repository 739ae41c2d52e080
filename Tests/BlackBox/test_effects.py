"""Work outside the Core that follows actions: results, order, cancelling, failing (protocol 2.6)."""

import contextlib
import itertools
import json
import re
import socket
import threading
import time

import pytest
from harness import Server, Stream, Wire, action, until
from test_metrics import samples

SEARCH = action("search/start")


def head(server, body):
    """Returns the bytes of a request that dispatches this body."""
    return (
        f"POST /dispatch HTTP/1.1\r\nHost: {server.authority}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode() + body


def types(server, after=0):
    return [record["type"] for record in server.actions(after)]


def ask(text, ms):
    return action("search/asked", text=text, ms=ms)


def effects(server):
    return server.get("/effects").json["effects"]


def together(*calls):
    """Makes calls at the same time, and returns their results."""
    answers = [None] * len(calls)

    def run(index):
        answers[index] = calls[index]()

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


# Results


def test_k4_a_side_effect_returns_a_value_to_a_request_that_waits(cinema):
    answer = cinema.wait(action("Multiply", a=5, b=2))
    assert answer.json == {
        "epoch": cinema.epoch, "version": 1, "changed": False, "completed": True, "value": 10,
    }
    assert answer["preference-applied"] == "wait=10"
    assert "value" not in cinema.post(action("Multiply", a=5, b=2)).json


def test_k4_a_nested_side_effect_has_a_result_of_its_own(cinema):
    answer = cinema.wait(action("MultiplyTwice", a=5, b=2))
    assert (answer.json["version"], answer.json["value"]) == (1, 20)
    outer, first, second = cinema.actions()
    assert [outer["type"], first["type"], second["type"]] == ["MultiplyTwice", "Multiply", "Multiply"]
    assert second["payload"] == {"a": 10, "b": 2}
    assert first["cause"] == second["cause"] == 1 and "cause" not in outer


def test_k6_an_effect_sees_the_changes_of_its_actions(cinema):
    assert cinema.wait(action("Peek")).json["value"] == [0, 1]
    assert cinema.wait(action("Peek")).json["value"] == [1, 2]


def test_2_6_the_state_in_an_answer_that_waited_has_the_changes_of_the_effects(cinema):
    cinema.post(SEARCH)
    answer = cinema.post(ask("brazil", 50), {"Prefer": "wait=10, return=representation"})
    assert answer.json["state"]["search"]["found"] == ["brazil"]
    assert answer.json["version"] == 2 and cinema.version == 3


# Order


def test_k2_updaters_are_applied_in_the_order_in_which_they_came(cinema):
    with Wire(cinema) as wire:
        for number, ms in enumerate((300, 200, 0), 1):
            body = b'{"type":"Slow","payload":{"ms":%d,"number":%d}}' % (ms, number)
            wire.send(head(cinema, body))
        assert [wire.answer().json["version"] for _ in range(3)] == [1, 2, 3]
    assert cinema.state["tally"]["order"] == [1, 2, 3]


def test_k2_updaters_of_many_clients_are_applied_in_the_order_in_which_they_came(cinema):
    """While the Core works on the first action, all others wait together."""
    with contextlib.ExitStack() as open_:
        metrics, *wires = (open_.enter_context(Wire(cinema)) for _ in range(13))
        for number, wire in enumerate(wires):
            body = b'{"type":"Slow","payload":{"ms":%d,"number":%d}}'
            known = samples(cinema, metrics)["store_http_requests_total"]
            wire.send(head(cinema, body % (0 if number else 1_000, number)))
            # The metrics count each request for the metrics, too.
            looks = itertools.count(1)
            until(
                lambda: samples(cinema, metrics)["store_http_requests_total"] > known + next(looks),
                "the request is there",
            )
        versions = [wire.answer("POST").json["version"] for wire in wires]
    assert cinema.state["tally"]["order"] == list(range(12))
    assert versions == list(range(1, 13))


def test_t3_updaters_change_the_state_and_an_updater_that_does_not_fit_is_refused(cinema):
    for number in (1, 2):
        assert cinema.post(action("Slow", ms=0, number=number)).status == 200
    assert cinema.post(action("TurnTaken", index=0)).json["changed"] is True
    assert cinema.state["tally"]["order"] == [2]
    problem = cinema.post(action("TurnTaken", index=1)).problem("refused", 409)
    assert (problem["pointer"], problem["reason"]) == ("/payload/index", "There is no turn 1.")
    assert cinema.state["tally"]["order"] == [2]
    assert cinema.get("/livez").status == 200


def test_k3_ten_effects_of_a_second_run_at_the_same_time(cinema):
    began = time.monotonic()
    pause = action("Pause", ms=1_000)
    answers = together(*[lambda: cinema.wait(pause) for _ in range(10)])
    took = time.monotonic() - began
    assert [answer.json["completed"] for answer in answers] == [True] * 10
    assert 1 <= took < 1.3, f"ten effects of a second took {took:.2f} s"
    # The effects dispatched nothing: only actions change the state.
    assert types(cinema) == ["Pause"] * 10


def test_b8_a_late_result_meets_the_current_slice(cinema):
    cinema.post(SEARCH)
    began = time.monotonic()
    cinema.post(ask("brazil", 300))
    with Stream(cinema, "/modules/tally/events") as stream:
        stream.opened().event()
        assert cinema.wait(action("Pause", ms=100)).status == 200
        cinema.post([action("tally/increased"), action("search/touched")])
        assert stream.event().json["count"] == 1
    assert cinema.state["search"]["found"] == []
    until(lambda: cinema.state["search"]["found"] == ["brazil"], "the result is there", 2)
    assert time.monotonic() - began >= 0.3
    assert cinema.state["tally"]["count"] == 1


def test_b35_an_action_is_done_when_all_its_consequences_are(cinema):
    cinema.post(SEARCH)
    began = time.monotonic()
    answer = cinema.wait(ask("brazil", 300))
    assert time.monotonic() - began >= 0.3
    assert answer.json["completed"] is True
    assert cinema.state["search"]["found"] == ["brazil"]
    # An action without effects is done at once.
    began = time.monotonic()
    assert cinema.wait(action("tally/increased")).json["completed"] is True
    assert time.monotonic() - began < 1


def test_b35_a_wait_that_is_too_short_ends_with_202_and_the_applied_version(cinema):
    began = time.monotonic()
    answer = cinema.wait(action("Pause", ms=20_000), seconds=1)
    assert 1 <= time.monotonic() - began < 2
    assert (answer.status, answer["preference-applied"]) == (202, "wait=1")
    assert answer.json == {
        "epoch": cinema.epoch, "version": 1, "changed": False, "completed": False,
    }
    assert cinema.wait(action("Pause", ms=20_000), seconds=0).status == 202
    assert len(effects(cinema)) == 2


def test_x5_a_whole_array_is_waited_for(cinema):
    cinema.post(SEARCH)
    answer = cinema.wait([ask("alien", 100), action("cards/7/start", title="Alien"),
                          action("cards/7/opened", ms=200)])
    assert (answer.status, answer.json["first"], answer.json["version"]) == (200, 2, 4)
    assert cinema.state["search"]["found"] == ["alien"]
    assert cinema.state["cards"]["7"]["text"] == "All about Alien"


# Causes


def test_x1_an_action_of_an_effect_names_the_action_that_it_follows(cinema):
    cinema.post([SEARCH, action("cards/7/start", title="Alien")])
    cinema.wait([ask("alien", 1), action("cards/7/opened", ms=20)])
    asked, opened, found, loaded = cinema.actions(after=2)
    assert (asked["version"], opened["version"]) == (3, 4)
    assert (found["type"], found["cause"]) == ("search/found", 3)
    assert (loaded["type"], loaded["cause"]) == ("cards/7/loaded", 4)
    assert found["origin"].startswith("Cinema/main.swift:")
    assert "cause" not in asked and asked["origin"] == "127.0.0.1"
    with Stream(cinema, "/actions/events?after=4") as stream:
        assert stream.opened().event().json == found


# Cancelling. The tests wait for an effect that ends later than the cancelled effect would have.


def settled(server):
    """Returns the types of the dispatched actions, after every effect had time to end."""
    assert server.wait(action("Pause", ms=500)).status == 200
    return types(server)


def test_x2_a_new_search_takes_the_place_of_the_search_before_it(cinema):
    cinema.post(SEARCH)
    first, second = together(
        lambda: cinema.wait(ask("ab", 300)),
        lambda: until(lambda: effects(cinema), "the first runs") and cinema.wait(ask("abc", 50)),
    )
    assert "cancelled" in first.problem("effect-failed", 424)["reason"]
    assert second.status == 200
    assert settled(cinema).count("search/found") == 1
    assert cinema.state["search"]["found"] == ["abc"]


def test_x2_an_action_cancels_by_id(cinema):
    cinema.post([SEARCH, ask("ab", 200)])
    assert [each["id"] for each in effects(cinema)] == ["search/search"]
    cinema.post(action("search/givenUp"))
    assert effects(cinema) == []
    assert settled(cinema) == ["search/start", "search/asked", "search/givenUp", "Pause"]
    assert cinema.state["search"]["found"] == []


def test_x2_an_effect_is_cancelled_from_outside(cinema):
    cinema.post([SEARCH, ask("ab", 200), action("cards/a/b/start", title="Alien")])
    cinema.post([action("cards/a/b/opened", ms=200)])
    search, card = effects(cinema)
    assert search == {
        "id": "search/search", "module": "search", "cause": 2, "href": "/effects/search%2Fsearch",
    }
    assert card["module"] == "cards" and card["cause"] == 4
    # The id is the path, with encoded or plain slashes.
    search["href"] = "/effects/search/search"
    for effect in (search, card):
        assert cinema.request("DELETE", effect["href"]).status == 204
        cinema.request("DELETE", effect["href"]).problem("not-found", 404)
    elsewhere = {"Origin": "http://elsewhere.example"}
    cinema.request("DELETE", search["href"], headers=elsewhere).problem("forbidden", 403)
    cinema.get(search["href"]).problem("method-not-allowed", 405)
    assert settled(cinema)[-2:] == ["cards/a/b/opened", "Pause"]


@pytest.mark.parametrize("end", ["search/stop", "search/start"])
def test_x4_an_effect_ends_with_its_module(cinema, end):
    cinema.post(SEARCH)
    asked, _ = together(
        lambda: cinema.wait(ask("ab", 200)),
        lambda: until(lambda: effects(cinema), "it runs") and cinema.post(action(end)),
    )
    asked.problem("effect-failed", 424)
    if end == "search/stop":
        cinema.post(SEARCH)
    assert "search/found" not in settled(cinema)
    assert cinema.state["search"] == {"text": "", "found": []}


def test_x4_an_effect_ends_with_its_instance_alone(cinema):
    for id_ in ("7", "8", "9"):
        cinema.post([action(f"cards/{id_}/start", title=id_), action(f"cards/{id_}/opened", ms=200)])
    cinema.post([action("cards/7/stop"), action("cards/9/start", title="nine")])
    assert [each["cause"] for each in effects(cinema)] == [4]
    assert [type_ for type_ in settled(cinema) if "loaded" in type_] == ["cards/8/loaded"]


def test_x4_a_stop_under_load_leaves_no_late_action(cinema):
    """Effects that end while their slice is stopped and begun anew, over and over and by several clients: an
    effect of an earlier life changes nothing."""

    def live_and_die(id_):
        with Wire(cinema) as wire:
            for number in range(40):
                begun = action(f"cards/{id_}/start", title=f"{number}")
                opened = [action(f"cards/{id_}/opened", ms=ms) for ms in (0, number % 4)]
                assert cinema.post([begun, *opened], wire=wire).status == 200
                assert cinema.post(action(f"cards/{id_}/stop"), wire=wire).status == 200
            assert cinema.post(action(f"cards/{id_}/start", title="last"), wire=wire).status == 200

    together(*[lambda id_=id_: live_and_die(id_) for id_ in "abc"])
    cinema.wait(action("Pause", ms=50))
    log, lives = [], {}
    while page := cinema.actions(after=log[-1]["version"] if log else 0):
        log += page
    for record in log:
        card, _, kind = record["type"].rpartition("/")
        if kind in ("start", "stop"):
            lives[card] = record["version"]
        elif kind == "loaded":
            assert record["cause"] > lives[card], record


def test_x4_an_action_of_an_effect_behind_a_new_start_is_not_applied(cinema):
    """The effect ends while the Core is busy. Its action waits after an action that starts its module anew."""
    cinema.post([SEARCH, ask("ab", 100)])
    with Wire(cinema) as busy, Wire(cinema) as anew:
        busy.send(head(cinema, b'{"type":"Slow","payload":{"ms":400,"number":1}}'))
        assert len(effects(cinema)) == 1
        anew.send(head(cinema, b'{"type":"search/start"}'))
        assert (busy.answer().status, anew.answer().status) == (200, 200)
    assert settled(cinema) == ["search/start", "search/asked", "Slow", "search/start", "Pause"]
    assert cinema.state["search"] == {"text": "", "found": []}


# Failing


def test_k5_an_error_of_an_effect_reaches_its_dispatcher_alone(cinema):
    members = cinema.wait(action("Fail", reason="no film")).problem("effect-failed", 424)
    assert members["reason"] == "no film"
    assert (members["epoch"], members["version"]) == (cinema.epoch, 1)
    # Without a wait the failure is only logged.
    assert cinema.post(action("Fail", reason="no sound")).status == 200
    until(lambda: "no sound" in cinema.log_text, "the log has it")
    assert cinema.get("/livez").status == 200
    assert cinema.wait(action("Multiply", a=5, b=2)).json["value"] == 10
    assert types(cinema) == ["Fail", "Fail", "Multiply"]


def test_k13_an_effect_that_fails_once_is_tried_again(cinema):
    answer = cinema.wait(action("Flaky", failures=1))
    assert (answer.status, answer.json["value"]) == (200, 2)
    assert cinema.state["tally"]["count"] == 100
    assert types(cinema) == ["Flaky", "tally/changed"]


def test_k13_an_effect_fails_after_its_last_attempt(cinema):
    members = cinema.wait(action("Flaky", failures=2)).problem("effect-failed", 424)
    assert members["reason"] == "attempt 2 failed"
    assert types(cinema) == ["Flaky"]


def test_k13_a_key_applies_an_action_once(cinema):
    headers = {"Idempotency-Key": '"once"', "Prefer": "wait=10"}
    first = cinema.post(action("Peek"), headers)
    again = cinema.post(action("Peek"), headers)
    assert first.json["value"] == [0, 1]
    assert again["idempotency-replayed"] == "true"
    assert again.json["version"] == 1
    assert types(cinema) == ["Peek", "tally/increased"]


def test_2_8_a_replayed_answer_has_no_member_completed(cinema):
    headers = {"Idempotency-Key": '"running"', "Prefer": "wait=10"}
    first, again = together(
        lambda: cinema.post(action("Pause", ms=1_500), headers),
        lambda: until(lambda: effects(cinema), "it runs")
        and cinema.post(action("Pause", ms=1_500), headers),
    )
    assert first.json["completed"] is True and first["preference-applied"] == "wait=10"
    later = cinema.post(action("Pause", ms=1_500), headers)
    for answer in (again, later):
        assert answer["idempotency-replayed"] == "true" and answer["preference-applied"] is None
        assert answer.json == {"epoch": cinema.epoch, "version": 1, "changed": False}
    # A failed effect is not reported either.
    headers["Idempotency-Key"] = '"failing"'
    cinema.post(action("Fail", reason="no"), headers).problem("effect-failed", 424)
    assert "completed" not in cinema.post(action("Fail", reason="no"), headers).json
    assert types(cinema) == ["Pause", "Fail"]


# Stopping the server


def test_7_3_a_stop_does_not_wait_for_effects(cinema_program):
    with Server(program=cinema_program) as server:
        server.post(action("Pause", ms=60_000))
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < 5


def test_a_restart_does_not_run_unfinished_effects(cinema_program, tmp_path):
    with Server(program=cinema_program, data=tmp_path / "data") as server:
        server.post([SEARCH, ask("ab", 60_000)])
        assert len(effects(server)) == 1
        server.stop()
    with Server(program=cinema_program, data=tmp_path / "data") as server:
        assert effects(server) == []
        assert server.state["search"] == {"text": "ab", "found": []}


# Failures without a client that waits


def test_7_2_a_refused_action_of_a_reaction_is_logged_and_counted(cinema):
    assert samples(cinema)["store_actions_dropped_total"] == 0
    cinema.post(action("tally/changed", by=100))
    line = until(lambda: re.search("warning: (.*not applied.*)", cinema.log_text), "the line")[1]
    what, end = line.split(", which Cinema/main.swift:")
    assert what == "cards/hundred/start"
    assert re.fullmatch(
        r"\d+ dispatched after version 1, was not applied: A card has a title\. "
        r"type=cards/hundred/start cause=1 event=action\.dropped time=\S+",
        end,
    )
    assert samples(cinema)["store_actions_dropped_total"] == 1 and cinema.version == 1


# Closing while waiting


def waiting(server, target, body):
    """Sends a request that waits for effects, and returns its connection."""
    wire = Wire(server)
    data = json.dumps(body).encode()
    wire.send(
        f"POST {target} HTTP/1.1\r\nHost: {server.authority}\r\nPrefer: wait=60\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
    )
    wire.send(data)
    until(lambda: effects(server), "an effect runs")
    return wire


@pytest.mark.parametrize("target, body", [
    ("/dispatch?cancel=on-close", [SEARCH, ask("brazil", 2500)]),
    ("/usecases/account/wait?cancel=on-close", {}),
])
def test_x5_closing_cancels_the_effects_if_the_request_asks_for_it(cinema, target, body):
    waiting(cinema, target, body).socket.close()
    until(lambda: effects(cinema) == [], "the effect is gone")
    version = cinema.version
    # This effect of another client ends later than the cancelled effect would have.
    cinema.wait(action("Pause", ms=2600))
    assert cinema.version == version + 1
    if isinstance(body, list):
        assert cinema.state["search"] == {"text": "brazil", "found": []}


def test_x5_a_client_that_closes_only_its_side_gets_the_cancellation(cinema):
    wire = waiting(cinema, "/dispatch?cancel=on-close", action("Pause", ms=60_000))
    wire.socket.shutdown(socket.SHUT_WR)
    problem = wire.answer("POST").problem("effect-failed", 424)
    assert problem["version"] == 1 and "cancelled" in problem["detail"]


def test_x5_effects_of_an_effect_are_cancelled_too_and_other_effects_are_not(cinema):
    cinema.post([SEARCH, ask("other", 60_000)])
    wire = waiting(cinema, "/dispatch?cancel=on-close", action("PauseWithin", ms=60_000))
    until(lambda: len(effects(cinema)) == 3, "the effect of an effect runs")
    wire.socket.close()
    until(lambda: len(effects(cinema)) == 1, "both are gone")
    assert effects(cinema)[0]["id"] == "search/search"


def test_x5_effects_go_on_if_the_request_asks_for_no_cancelling(cinema):
    wire = waiting(cinema, "/dispatch", [SEARCH, ask("brazil", 1500)])
    wire.socket.close()
    until(lambda: cinema.state["search"]["found"] == ["brazil"], "the effect's action")


def test_x5_the_only_value_of_cancel_is_on_close(cinema):
    cinema.post(SEARCH, query="?cancel=yes").problem("bad-request", 400)
    assert cinema.post(SEARCH, query="?cancel=on-close").status == 200
