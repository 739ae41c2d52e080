"""Roles that read through views: they dispatch to modules that they do not see (protocol 2.7, 17.3, 17.4)."""

import itertools
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from access import ALL, House
from harness import Server, action, until
from programs import build_sample

SECRET = "secret-gold"
NEUTRAL = "The store refuses this."
ROLES = {
    "operator": ALL,
    "visitor": {
        "read": ["views/safe", "views/list"],
        "dispatch": ["safe/*", "todos/*", "boxes/{id}/labelled", "Swept"],
        "call": ["usecases/safe/look", "usecases/boxes/{id}/label"],
        "use": ["sessions"],
    },
    # May dispatch to the safe, and sees neither the safe nor its view.
    "blind": {"read": ["views/list"], "dispatch": ["safe/*"]},
}


@pytest.fixture
def house(tmp_path):
    house = House(tmp_path, ROLES, build_sample("Guarded"))
    # A server reads the keys when it starts.
    house.visitor, house.blind = house.bearer("ada", "visitor"), house.bearer("bob", "blind")
    return house


@pytest.fixture
def server(house, tmp_path):
    with house.server("--log-format", "json", data=tmp_path / "data") as server:
        assert server.post(action("safe/put", text=SECRET), house.operator).status == 200
        yield server


def refusals(server, request):
    """Returns the lines of the log about a refusal of this request."""
    found = [json.loads(line) for line in server.log_text.splitlines()]
    return [each for each in found if each["event"] == "action.refused" and each["request"] == request]


def test_17_4_a_role_that_may_dispatch_an_action_reads_the_reason_of_its_refusal(house, server):
    visitor = house.visitor
    good, bad = action("safe/opened"), action("safe/refused")
    for (body, pointer), query in itertools.product(
        [(bad, "/payload"), ([bad], "/0/payload"), ([good, good, bad, good], "/2/payload")], ["", "?dry-run=true"]
    ):
        problem = server.post(body, visitor, query).problem("refused", 409)
        assert SECRET in problem["reason"] and SECRET in problem["detail"], problem
        assert problem["pointer"].startswith(pointer + "/safe"), problem
    problem = server.post(action("boxes/7/labelled", text="x"), visitor).problem("refused", 409)
    assert "boxes" in problem["reason"] and problem["reason"] != NEUTRAL
    for wait in "wait=10", "wait=0":
        failed = server.send("/usecases/safe/look", {}, {**visitor, "Prefer": wait})
        if failed.status == 202:
            failed = server.get(failed["location"], {**visitor, "Prefer": "wait=10"})
        assert SECRET in failed.problem("effect-failed", 424)["reason"]
    failed = server.post(action("safe/jammed"), {**visitor, "Prefer": "wait=10"})
    assert SECRET in failed.problem("effect-failed", 424)["reason"]
    problem = server.send("/usecases/boxes/7/label", {"text": "x"}, visitor).problem("refused", 409)
    assert problem["reason"] != NEUTRAL and "pointer" not in problem


def test_17_4_reasons_of_other_modules_and_of_the_whole_state_stay_hidden(house, server):
    visitor = house.visitor
    for query in "", "?dry-run=true":
        problem = server.post(action("Swept", text="refuse"), visitor, query).problem("refused", 409)
        assert problem["reason"] == NEUTRAL and "pointer" not in problem
    # The request addressed the list, and the effect of the safe has failed.
    failed = server.post(action("todos/broken"), {**visitor, "Prefer": "wait=10"})
    assert SECRET not in str(failed.problem("effect-failed", 424))


def test_17_4_the_log_has_every_reason_with_the_pointer_and_the_request(house, server):
    visitor = house.visitor
    for body, query, type_, pointer in [
        (action("safe/refused"), "", "safe/refused", "/safe"),
        ([action("safe/opened"), action("safe/refused")], "?dry-run=true", "safe/refused", "/safe"),
        (action("Swept", text="refuse"), "", "Swept", None),
        (action("boxes/7/labelled", text="x"), "", "boxes/{id}/labelled", None),
    ]:
        problem = server.post(body, visitor, query).problem("refused", 409)
        [line] = until(lambda: refusals(server, problem["instance"]), "the log has the refusal")  # noqa: B023
        assert line["type"] == type_
        assert line["reason"] and line["reason"] != NEUTRAL, line
        assert (line.get("pointer") or "").startswith(pointer or ""), line
        if type_ != "boxes/{id}/labelled":
            assert SECRET in line["reason"]


def test_17_4_changed_covers_the_slice_of_the_action(house, server):
    visitor = house.visitor
    answers = {
        body: server.post([action(each) for each in body], visitor).json["changed"]
        for body in [("safe/opened",), ("todos/cleared",), ("todos/cleared", "safe/opened")]
    }
    assert answers == {("safe/opened",): True, ("todos/cleared",): False, ("todos/cleared", "safe/opened"): True}
    run = server.post(action("safe/opened"), visitor, "?dry-run=true").json
    assert run == {"changed": True, "patch": []}


# Conditions


def condition(header, answer):
    """Returns the condition that a resource is the same as in this answer."""
    return {**header, "If-Match": answer["etag"]}


def test_2_7_a_condition_on_a_view_holds_while_the_view_shows_the_same(house, server):
    visitor = house.visitor
    view = server.get("/views/safe", visitor)
    # None of these requests changes the view of the safe.
    assert server.request("POST", "/sessions", b"", visitor).status == 201
    for each in action("safe/opened"), action("boxes/7/start", label="x"), action("todos/added", text="x"):
        assert server.post(each, house.operator).status == 200
    put = action("safe/put", text="silver")
    assert server.post(put, condition(visitor, view)).status == 412
    named = "?if-match-of=/views/safe"
    run = server.post(put, condition(visitor, view), named + "&dry-run=true")
    assert run.status == 200 and run.json["changed"] is True
    assert server.post(put, condition(visitor, view), named).status == 200
    refused = server.post(put, condition(visitor, view), named)
    newest = server.get("/state", house.operator)["etag"].strip('"').split(":")[1]
    problem = refused.problem("version-mismatch", 412)
    assert problem["version"] == int(newest)
    assert problem["detail"].startswith("'/views/safe' has changed since the version that If-Match names")
    assert server.post(put, condition(visitor, server.get("/views/safe", visitor)), named).status == 200
    assert server.get("/views/safe", visitor).json["content"] == [SECRET, "silver", "silver"]


def test_2_7_a_condition_on_a_part_holds_while_the_part_is_the_same(house, server):
    root = house.operator
    assert server.post(action("todos/added", text="milk"), root).status == 200
    part = server.get("/state/todos/items", root)
    # The list stays the same, but the echoes beside it and the safe change.
    assert server.post(action("Swept", text="x"), root).status == 200
    add = action("todos/added", text="tea")
    for resource in "/state", "/state/todos", "/state/todos/echoes":
        assert server.post(add, condition(root, part), "?if-match-of=" + resource).status == 412, resource
    assert server.post(add, condition(root, part), "?if-match-of=/state/todos/items").status == 200
    assert server.post(add, condition(root, part), "?if-match-of=/state/todos/items").status == 412
    # The view has the same bytes again.
    part = server.get("/state/todos/items", root)
    for type_, extra in [("todos/cleared", {}), ("todos/added", {"text": "milk"}), ("todos/added", {"text": "tea"})]:
        assert server.post(action(type_, **extra), root).status == 200
    assert server.post(add, condition(root, part), "?if-match-of=/state/todos/items").status == 200
    # A missing resource has no tag.
    assert server.post(add, condition(root, part), "?if-match-of=/state/todos/items/9").status == 412
    assert server.post(add, condition(root, part), "?if-match-of=/state/nowhere").status == 412


def test_2_7_a_condition_of_an_operator_is_about_the_slices_of_all_sessions(house, server):
    root = house.operator
    client = {**root, "Cookie": server.request("POST", "/sessions", b"", root)["set-cookie"].split(";")[0]}
    part = server.get("/state/diary", root)
    write = action("diary/written", text="dear diary")
    assert server.post(write, client).status == 200
    assert server.get("/state/diary", root).body != part.body
    add = action("todos/added", text="tea")
    query = "?if-match-of=/state/diary"
    assert server.post(add, condition(root, part), query).status == 412
    part = server.get("/state/diary", root)
    assert server.post(add, condition(root, part), query).status == 200


def test_2_7_a_condition_on_a_part_holds_over_a_restart(house, tmp_path):
    root, server = house.operator, house.server(data=tmp_path / "data")
    assert server.post(action("todos/added", text="milk"), root).status == 200
    part = server.get("/state/todos/items", root)
    assert server.post(action("Swept", text="x"), root).status == 200
    assert server.stop() == 0
    with house.server(data=tmp_path / "data") as server:
        add = action("todos/added", text="tea")
        assert server.post(add, condition(root, part), "?if-match-of=/state/todos/items").status == 200
        assert server.post(add, condition(root, part), "?if-match-of=/state/todos/items").status == 412


def test_2_7_a_tag_of_a_resource_lets_a_single_request_of_many_through(house, server):
    root = house.operator
    assert server.post(action("todos/added", text="milk"), root).status == 200
    for _ in range(5):
        part, begin = server.get("/state/todos/items", root), threading.Barrier(8)

        def add(place, part=part, begin=begin):
            begin.wait(20)
            # The safe's member changes all the time, and so do the echoes beside the list.
            assert server.post(action("Swept", text="x"), root).status == 200
            header = condition(root, part)
            return server.post(action("todos/added", text=str(place)), header, "?if-match-of=/state/todos/items").status

        with ThreadPoolExecutor(8) as pool:
            statuses = sorted(pool.map(add, range(8)))
        assert statuses.count(200) == 1 and set(statuses) <= {200, 412, 503}, statuses


def test_2_7_a_replay_checks_no_condition(house, server):
    root = house.operator
    assert server.post(action("todos/added", text="milk"), root).status == 200
    header = {**condition(root, server.get("/state/todos/items", root)), "Idempotency-Key": '"a"'}
    first = server.post(action("todos/added", text="tea"), header, "?if-match-of=/state/todos/items")
    again = server.post(action("todos/added", text="tea"), header, "?if-match-of=/state/todos/items")
    assert first.status == again.status == 200 and first.json == again.json
    assert again["idempotency-replayed"] == "true"


def test_2_7_an_invalid_resource_is_400_and_a_hidden_one_is_answered_like_a_missing_one(house, server):
    visitor, blind = house.visitor, house.blind
    put = action("safe/put", text="x")
    header = condition(visitor, server.get("/views/safe", visitor))
    for resource in ["/views/nothing", "/views", "/views/", "/views/safe/events", "/actions", "x", "",
                     "/views/safe?limit=1", "/state/%zz", "/statex", "/state?path=/x"]:
        answer = server.post(put, header, "?if-match-of=" + resource.replace("%", "%25"))
        answer.problem("bad-request", 400)
    hidden, missing = (server.post(put, {**blind, "If-Match": header["If-Match"]}, f"?if-match-of=/views/{name}")
                       for name in ("safe", "nowhere"))
    assert hidden.status == missing.status == 400
    assert hidden.json["detail"] == missing.json["detail"]
    named = "?if-match-of=/views/safe"
    server.post(put, visitor, named).problem("bad-request", 400)
    for value in "*", '"a:1", "b:2"', "W/" + header["If-Match"], "":
        server.post(put, {**visitor, "If-Match": value}, named).problem("bad-request", 400)
    for value in '"00000000:1"', '"nonsense"', header["If-Match"].split(":")[0] + ':999"':
        server.post(put, {**visitor, "If-Match": value}, named).problem("version-mismatch", 412)
    # A part that the role does not see is answered like a missing part.
    for part in "/state/safe", "/state/nowhere":
        server.post(put, header, "?if-match-of=" + part).problem("version-mismatch", 412)


def test_2_7_a_condition_names_a_view_with_its_parameters():
    with Server() as server:
        done, open_ = (server.get(f"/views/items?completed={each}&limit=2") for each in ("true", "false"))
        assert server.post(action("ScreenShown", name="x")).status == 200
        add = action("AddItem", text="tea")
        assert server.post(add, condition({}, done), "?if-match-of=/views/items?completed=true%26limit=2").status == 200
        # The list has one more item, but this view still shows the same two items.
        assert server.post(add, condition({}, done), "?if-match-of=/views/items?completed=true%26limit=2").status == 200
        complete = action("CompleteItem", index=0)
        assert server.post(complete).status == 200
        for view in "completed=true%26limit=2", "completed=false%26limit=2":
            answer = server.post(add, condition({}, open_), "?if-match-of=/views/items?" + view)
            assert answer.status == 412, view
