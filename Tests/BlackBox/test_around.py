"""Code around the reducer, and consequences of an action, in a program for these tests."""

import json
import os
import queue
import resource
import shutil
import signal
import subprocess
import threading
import time
import urllib.parse

import pytest
from harness import Server, action, environment_with, until
from programs import build_sample
from test_effects import together
from test_metrics import samples
from test_sessions import Client


@pytest.fixture(scope="module")
def program():
    return build_sample("Around")


class Lines:
    """A server, and the lines of its standard output as they arrive."""

    def __init__(self, *flags, **options):
        reading, writing = os.pipe()
        self.lines = []
        self.server = Server(*flags, stdout=writing, **options)
        os.close(writing)
        self.thread = threading.Thread(target=self._read, args=(reading,))
        self.thread.start()

    def _read(self, descriptor):
        with os.fdopen(descriptor) as stream:
            for line in stream:
                self.lines.append(line.rstrip("\n"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.stop()
        self.thread.join()

    def await_line(self, text):
        until(lambda: text in self.lines, f"the line {text!r}")


def write(text):
    return action("desk/written", text=text)


def ids(server, kind):
    return [each["id"] for each in server.get(f"/debug/{kind}").json[kind]]


def remove(server, kind, name):
    return server.request("DELETE", f"/debug/{kind}/{urllib.parse.quote(name, safe='')}").status


# Middleware and interceptors


def test_s6_middleware_has_an_envelope_and_work_that_waits_for_the_commit(program):
    with Lines(program=program) as around:
        server = around.server
        assert server.post(write("a")).status == 200
        assert server.post(write("refused")).status == 409
        # An array is one envelope. If it is refused, the closures for its first action are dropped, too.
        assert server.post([write("b"), write("refused")]).status == 409
        assert server.post([write("c"), write("d")]).status == 200
        assert server.post(write("e"), query="?dry-run=true").status == 200
        assert server.post(write("f")).status == 200
        around.await_line("second 2: f of shared")
    committed = [line for line in around.lines if " sees " not in line]
    assert committed == [
        f"{name} {part}: {text} {rest}"
        for text, version in (("a", 1), ("c", 2), ("d", 3), ("f", 4))
        for name in ("first", "second")
        for part, rest in ((1, f"is {version}, desk/written, cause none"), (2, "of shared"))
    ]
    looked = [line for line in around.lines if line.startswith("first sees")]
    assert looked == [
        *("first sees a, before it 0", "first sees refused, before it 1"),
        *("first sees b, before it 1", "first sees refused, before it 2"),
        *("first sees c, before it 1", "first sees d, before it 2", "first sees f, before it 3"),
    ]


def test_s6_the_envelope_names_session_and_cause(program):
    with Lines(program=program) as around:
        ada = Client(around.server).begin()
        assert ada.wait(action("note/looked")).status == 200
        until(lambda: any(f"of {ada.name}" in line for line in around.lines), "the session's line")
        looked = next(
            each["version"] for each in around.server.get("/actions", ada.headers).json["actions"]
            if each["type"] == "note/looked"
        )
        assert any(line.endswith(f"desk/written, cause {looked}") for line in around.lines)


def test_u22_s6_of_two_middlewares_with_one_name_the_first_is_taken_away_first(program):
    with Lines("--debug-routes", program=program) as around:
        server = around.server
        listed = ids(server, "middleware")
        assert listed[:2] == ["twin", "twin"] and listed[2].startswith("Around/main.swift:")
        assert server.post(write("a")).status == 200
        assert remove(server, "middleware", "twin") == 204
        assert server.post(write("b")).status == 200
        assert remove(server, "middleware", "twin") == 204
        assert remove(server, "middleware", "twin") == 404
        assert server.post(write("c")).status == 200
        # The middleware without a name is removed by its place, which is in its link.
        href = server.get("/debug/middleware").json["middleware"][0]["href"]
        assert server.request("DELETE", href).status == 204
        assert ids(server, "middleware") == []
    assert [line for line in around.lines if " sees " in line] == [
        *("first sees a, before it 0", "second sees a, before it 0"),
        "second sees b, before it 1",
    ]


def test_u22_a_middleware_is_taken_away_while_actions_are_under_way(program):
    """Each action has all of the middleware's work, or none."""
    with Lines("--debug-routes", program=program) as around:
        server = around.server
        stop = threading.Event()
        sent = []

        def dispatch(name):
            number = 0
            while not stop.is_set():
                text = f"{name}{number}"
                sent.append((text, server.post(write(text)).json["version"], stop.is_set()))
                number += 1

        def take_away():
            until(lambda: len(sent) > 60, "actions are under way")
            answers = together(*[lambda: remove(server, "middleware", "twin") for _ in range(3)])
            stop.set()
            return answers

        *_, answers = together(*[lambda name=name: dispatch(name) for name in "abc"], take_away)
        assert sorted(answers) == [204, 204, 404]
        after = server.post(write("last")).json["version"]
    by = {name: [line for line in around.lines if line.startswith(name)] for name in ("first", "second")}
    for name, lines in by.items():
        seen = [line.split(" ")[2].rstrip(",") for line in lines if " sees " in line]
        done = [line.split(" ")[2] for line in lines if f"{name} 2:" in line]
        assert seen == done and len(seen) >= 60, (name, seen, done)
        assert "last" not in seen and after == len(sent) + 1


def test_s6_interceptors_are_listed_and_a_removed_interceptor_decides_no_more(program):
    with Server("--debug-routes", program=program) as server:
        listed = ids(server, "interceptors")
        assert listed[:2] == ["no x", "no y"] and listed[2].startswith("Around/main.swift:")
        assert (server.post(write("x")).status, server.post(write("y")).status) == (403, 403)
        assert remove(server, "interceptors", "no x") == 204
        assert (server.post(write("x")).status, server.post(write("y")).status) == (200, 403)
        assert remove(server, "interceptors", "no x") == 404
        assert remove(server, "interceptors", "no y") == 204
        assert server.post([write("y"), write("x")]).status == 200
        assert ids(server, "interceptors") == listed[2:]
    with Server(program=program) as server:
        assert server.get("/debug/interceptors").status == 404


# Analytics


def recent(server, query="", headers=()):
    answer = server.get("/analytics" + query, headers)
    assert answer.status == 200
    assert answer["content-type"] == "application/cloudevents-batch+json"
    return answer.json


def test_u21_an_operator_reads_the_last_events(program):
    with Server("--analytics-recent", "3", "--operator-reads", program=program) as server:
        assert recent(server) == []
        for text in "abcde":
            server.post(write(text))
        server.post(write("refused"))
        events = recent(server)
        assert [each["id"] for each in events] == [f"{server.epoch}:{n}" for n in (3, 4, 5)]
        assert {each["type"] for each in events} == {"desk/written"}
        assert events[0]["specversion"] == "1.0" and events[0]["subject"] == "desk"
        assert [each["id"] for each in recent(server, "?limit=1")] == [f"{server.epoch}:5"]
        assert server.get("/analytics?limit=0").status == 400
        # The analytics also have the actions of other sessions.
        ada = Client(server).begin()
        assert ada.send(action("note/kept", text="mine")).status == 200
        assert "note/kept" in [each["type"] for each in recent(server)]
        assert server.get("/analytics", ada.headers).problem("forbidden", 403)


def test_u21_only_an_operator_reads_analytics(program):
    with Server("--analytics-recent", "3", program=program) as server:
        server.post(write("a"))
        problem = server.get("/analytics").problem("forbidden", 403)
        assert "--operator-reads" in problem["detail"]
    with Server(program=program) as server:
        assert server.get("/analytics").status == 404
        assert "/analytics" not in server.get("/openapi.json").json["paths"]


# Consequences of an action


def test_s7_an_answer_comes_after_the_observers_on_queues(program):
    with Server(program=program) as server:
        assert server.wait(write("a")).json["completed"] is True
        began = time.monotonic()
        answer = server.wait(action("desk/observed", ms=300))
        took = time.monotonic() - began
        assert answer.status == 200 and answer.json["completed"] is True
        assert 0.3 <= took < 2, took
        # Without `Prefer: wait` the answer comes at once.
        began = time.monotonic()
        assert server.post(action("desk/observed", ms=300)).status == 200
        assert time.monotonic() - began < 0.3
        # Many requests wait for their own outcomes.
        answers = together(*[lambda: server.wait(write("m")) for _ in range(4)])
        assert [each.json["completed"] for each in answers] == [True] * 4


def test_s7_an_answer_waits_for_the_client_that_is_to_show_a_view(program):
    with Server(program=program) as server:
        began = time.monotonic()
        answer = server.wait(action("desk/presented", view="a"), seconds=1)
        assert (answer.status, answer.json["completed"]) == (202, False)
        assert 1 <= time.monotonic() - began < 2
        location = answer["location"]
        assert location == f"/dispatch/{answer.json['version']}"
        # The presenter stops waiting after three seconds, which ends the consequences.
        done = server.get(location, {"Prefer": "wait=10"})
        assert 2.9 <= time.monotonic() - began < 5
        assert done.status == 200 and done.json == {**answer.json, "completed": True}
        assert server.state["desk"]["outcomes"] == ["unconfirmed"]


def test_s7_a_view_that_is_shown_is_the_end_of_the_wait(program):
    with Server(program=program) as server:
        ada = Client(server).begin()

        def show():
            until(lambda: ada.views == ["b"], "the view is presented")
            version = server.version
            assert ada.send({"version": version}, "/route/shown").status == 204

        began = time.monotonic()
        answer, _ = together(lambda: ada.wait(action("desk/presented", view="b")), show)
        assert answer.status == 200 and answer.json["completed"] is True
        assert time.monotonic() - began < 2.9
        assert get_state(ada)["desk"]["outcomes"] == ["shown"]


def get_state(client):
    return client.server.get("/state", client.headers).json


def test_b35_the_outcome_of_a_dispatch_is_the_answer_of_a_longer_wait(program):
    weigh = {"type": "Weighed", "payload": {"ms": 1_500, "value": 7}}
    with Server(program=program) as server:
        answer = server.post(weigh, {"Prefer": "wait=1, return=representation"})
        assert answer.status == 202 and "value" not in answer.json
        location = answer["location"]
        pending = server.get(location)
        assert pending.status == 202 and pending["retry-after"] == "1"
        assert pending["location"] == location and pending.json["completed"] is False
        # Several requests may wait for the end.
        answers = together(
            *[lambda: server.get(location, {"Prefer": "wait=10"}) for _ in range(3)]
        )
        for done in answers:
            assert done.status == 200
            assert (done.json["completed"], done.json["value"]) == (True, 7)
            assert done.json["state"]["desk"]["lines"] == []
            assert done["preference-applied"] == "return=representation, wait=10"
        assert server.get(location).json == answers[0].json
        assert server.request("HEAD", location).status == 200


def test_b35_the_outcome_of_a_failed_dispatch_is_the_problem_of_a_longer_wait(program):
    with Server(program=program) as server:
        answer = server.wait(action("desk/broken", ms=1_200), seconds=1)
        assert answer.status == 202
        failed = server.get(answer["location"], {"Prefer": "wait=10"})
        assert "It broke." in failed.problem("effect-failed", 424)["detail"]


def test_b35_only_the_session_of_the_202_and_operators_read_the_outcome(program):
    with Server("--operator-reads", program=program) as server:
        ada, bob = Client(server).begin(), Client(server).begin()
        nap = action("desk/napped", ms=3_000)
        answer = ada.send(nap, Prefer="wait=0")
        assert answer.status == 202
        location = answer["location"]
        assert server.get(location, ada.headers).status == 202
        problem = server.get(location, bob.headers).problem("not-found", 404)
        assert "not remembered" in problem["detail"]
        assert server.get(location).status == 202
        # The server remembers no outcome for a dispatch with the answer 200, nor for a text that is no version.
        version = server.wait(write("a")).json["version"]
        for other in (version, 99, "x", "-1", "99999999999999999999999"):
            server.get(f"/dispatch/{other}").problem("not-found", 404)
    with Server(program=program) as server:
        ada = Client(server).begin()
        shared = server.post(nap, {"Prefer": "wait=0"})
        assert server.get(shared["location"]).status == 202
        server.get(shared["location"], ada.headers).problem("not-found", 404)


def test_b35_a_request_that_is_sent_again_waits_again(program):
    with Server(program=program) as server:
        headers = {"Idempotency-Key": '"nap"', "Prefer": "wait=1"}
        nap = action("desk/napped", ms=1_800)
        assert server.post(nap, headers).status == 202
        again = server.post(nap, {**headers, "Prefer": "wait=10"})
        assert again.status == 200 and again["idempotency-replayed"] == "true"
        assert again.json["completed"] is True
        assert samples(server)["store_effects_running"] == 0
        assert len([each for each in server.actions() if each["type"] == "desk/napped"]) == 1


def test_b35_an_array_and_many_at_once_have_outcomes_of_their_own(program):
    with Server(program=program) as server:
        naps = [action("desk/napped", ms=1_000), write("a")]
        answers = together(*[lambda: server.post(naps, {"Prefer": "wait=0"}) for _ in range(12)])
        assert {each.status for each in answers} == {202}
        assert len({each["location"] for each in answers}) == 12
        ends = together(
            *[lambda each=each: server.get(each["location"], {"Prefer": "wait=10"}) for each in answers]
        )
        for answer, end in zip(answers, ends):
            assert end.json == {**answer.json, "completed": True}
            assert end.json["version"] == end.json["first"] + 1


def test_b35_each_store_of_a_process_has_outcomes_of_its_own(program):
    with Server(program=program, environment={"AROUND_SECOND": "1"}) as server:
        nap = json.dumps(action("desk/napped", ms=500)).encode()
        headers = {"Content-Type": "application/json", "Prefer": "wait=0"}
        pending = server.request("POST", "/stores/second/dispatch", nap, headers)
        assert (pending.status, pending["location"]) == (202, "/stores/second/dispatch/1")
        server.get("/dispatch/1").problem("not-found", 404)
        done = server.get(pending["location"], {"Prefer": "wait=10"})
        assert done.status == 200 and done.json == {**pending.json, "completed": True}


def test_b35_a_stop_does_not_wait_for_observers(program):
    with Server(program=program) as server:
        assert server.post(action("desk/observed", ms=9_000)).status == 200
        statuses = queue.Queue()
        waiting = threading.Thread(target=lambda: statuses.put(server.wait(write("a")).status))
        waiting.start()
        until(lambda: server.version == 2, "the action is applied")
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < 5
        waiting.join()
        assert statuses.get() == 202


# Effects


def test_k14_effects_are_measured_by_action_with_many_at_once(program):
    with Server(program=program) as server:
        work = '{module="desk",action="desk/worked"}'
        nap = '{module="desk",action="desk/napped"}'
        server.post(action("desk/worked", count=20, ms=1_500))
        server.post(action("desk/napped", ms=1_500))
        server.post([action("card/7/start"), action("card/8/start")])
        for card in (7, 8, 7):
            server.post(action(f"card/{card}/rested", ms=1_500))
        during = samples(server)
        assert during[f"store_effect_running{work}"] == 20
        assert during[f"store_effect_running{nap}"] == 1
        # All instances share one series.
        rest = '{module="card",action="card/{id}/rested"}'
        assert during[f"store_effect_running{rest}"] == 3
        assert during["store_effects_running"] == during["store_effects_running_max"] == 24
        assert f"store_effect_seconds_count{work}" not in during or (
            during[f"store_effect_seconds_count{work}"] == 0
        )
        until(lambda: samples(server)["store_effects_running"] == 0, "all have ended", 10)
        server.wait(action("desk/worked", count=3, ms=1))
        after = samples(server)
        assert after[f"store_effect_running{work}"] == after[f"store_effect_running{rest}"] == 0
        assert after[f"store_effect_running_max{work}"] == 20
        assert after[f"store_effect_running_max{nap}"] == 1
        assert after["store_effects_running_max"] == 24
        assert after[f"store_effect_seconds_count{work}"] == 23
        assert after[f"store_effect_seconds_count{nap}"] == 1
        assert 30 <= after[f"store_effect_seconds_sum{work}"] < 60
        slow = f'store_effect_seconds_bucket{{module="desk",action="desk/worked",le="1.0"}}'
        assert after[slow] == 3


def test_7_2_ids_of_instances_are_neither_labels_nor_types(program):
    """Clients choose ids. Without a bound, 10,000 ids would make 10,000 series; names beyond 1,000 are `other`."""
    with Server("--analytics-recent", "10", "--operator-reads", program=program) as server:
        for start in range(0, 1_200, 400):
            starts = [action(f"card/id{number}/start") for number in range(start, start + 400)]
            assert server.post(starts).status == 200
        assert server.post(action("card/id7/rested", ms=1)).status == 200
        assert server.post(write("a")).status == 200
        after = samples(server)
        assert after['store_reduce_seconds_count{type="card/{id}/start"}'] == 1_200
        assert after['store_reduce_seconds_count{type="card/{id}/rested"}'] == 1
        assert after['store_reduce_seconds_count{type="desk/written"}'] == 1
        assert not [name for name in after if "id7" in name or "other" in name]
        events = recent(server, "?limit=3")
        assert [(each["type"], each["subject"]) for each in events] == [
            ("card/{id}/start", "card/id1199"),
            ("card/{id}/rested", "card/id7"),
            ("desk/written", "desk"),
        ]
        # The log and history still name the instance.
        assert server.actions(1_200)[0]["type"] == "card/id7/rested"


def test_r1_an_effect_sees_the_whole_state_as_its_session_does(program):
    with Server(program=program) as server:
        clients = [Client(server).begin() for _ in range(4)]
        for number, client in enumerate(clients):
            assert client.send(action("note/kept", text=f"note {number}")).status == 200
        server.post(action("note/kept", text="shared note"))
        looks = [action("note/looked"), action("note/looked")]
        answers = together(
            *[lambda client=client: client.wait(looks) for client in clients],
            lambda: server.wait(looks),
        )
        assert [each.json["completed"] for each in answers] == [True] * 5
        for number, client in enumerate(clients):
            assert get_state(client)["note"]["seen"] == [f"note {number}, true, true"] * 2
        assert server.state["note"]["seen"] == ["shared note, true, true"] * 2
        assert server.wait(action("note/mistaken")).status == 200
        assert "asked for the state OtherState" in server.state["note"]["seen"][-1]


# A shared value in a file


def rename(server, name):
    assert server.post(action("user/renamed", name=name)).status == 200


def holds(path, name):
    return path.exists() and json.loads(path.read_text()) == {"name": name}


def test_x8_a_shared_value_is_kept_in_a_file_and_whole_at_any_time(program, tmp_path):
    path = tmp_path / "user.json"
    environment = {"AROUND_FILE": str(path)}
    with Server(program=program, environment=environment) as server:
        until(lambda: holds(path, "nobody yet"), "the first value")
        stop = threading.Event()
        found = set()

        def read():
            while not stop.is_set():
                found.add(json.loads(path.read_text())["name"][:5])

        def change():
            for number in range(300):
                rename(server, f"user{number % 10}" * 400)
            rename(server, "ada")
            until(lambda: holds(path, "ada"), "the newest value")
            stop.set()

        together(read, read, change)
        assert len(found) > 2
        assert sorted(each.name for each in tmp_path.iterdir()) == ["user.json"]
        # An action on other state or without a change does not write the file.
        before = path.stat().st_ino
        server.wait(write("a"))
        rename(server, "ada")
        rename(server, "bob")
        until(lambda: holds(path, "bob"), "the next value")
        assert path.stat().st_ino != before or path.stat().st_mtime_ns
        rename(server, "last")
        server.stop()
        assert holds(path, "last")


def test_x8_the_next_start_writes_the_value_that_a_kill_has_left_out(program, tmp_path):
    path, data = tmp_path / "user.json", tmp_path / "data"
    environment = {"AROUND_FILE": str(path)}
    server = Server(program=program, environment=environment, data=data)
    rename(server, "ada")
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    path.write_text('{"name":"stale"}')
    with Server(program=program, environment=environment, data=data) as server:
        until(lambda: holds(path, "ada"), "the value of history")


def test_x8_a_fresh_store_begins_with_the_file_by_an_action(program, tmp_path):
    path, data = tmp_path / "user.json", tmp_path / "data"
    environment = {"AROUND_FILE": str(path), "AROUND_BEGINS": "1"}
    path.write_text('{"name":"from before"}\n')
    with Server(program=program, environment=environment, data=data) as server:
        assert server.state["user"] == {"name": "from before", "changes": 1}
        [first] = server.actions()
        assert (first["version"], first["type"]) == (1, "user/restored")
        assert first["origin"].startswith("Around/main.swift:")
        rename(server, "ada")
        server.stop()
    # History has begun, so the server writes the file and does not read it.
    path.write_text('{"name":"edited"}')
    with Server(program=program, environment=environment, data=data) as server:
        assert server.state["user"] == {"name": "ada", "changes": 2}
        until(lambda: holds(path, "ada"), "the value of history")
        # A replay finds the first state without the file.
        assert server.get("/state/user?version=1").json == {"name": "from before", "changes": 1}
    shutil.rmtree(data)
    path.unlink()
    with Server(program=program, environment=environment, data=data) as server:
        assert server.version == 0
        until(lambda: holds(path, "nobody yet"), "the first value")


def refused_start(program, environment):
    return subprocess.run(
        [program, "--ephemeral", "--analytics", "off", "--listen", "127.0.0.1:0"],
        env=environment_with(environment),
        capture_output=True,
        text=True,
        timeout=20,
    )


def test_x8_a_shared_value_that_can_not_be_kept_is_refused_at_the_start(program, tmp_path):
    path = tmp_path / "user.json"
    path.write_text('{"name":')
    ended = refused_start(program, {"AROUND_FILE": str(path), "AROUND_BEGINS": "1"})
    assert ended.returncode != 0 and "correct it, or move it away" in ended.stderr
    assert path.read_text() == '{"name":'
    ended = refused_start(program, {"AROUND_SECRET": str(tmp_path / "secret.json")})
    assert ended.returncode != 0
    assert "each session has a slice of its own" in ended.stderr
    same = str(tmp_path / "same.json")
    ended = refused_start(program, {"AROUND_FILE": same, "AROUND_SECRET": same})
    assert ended.returncode != 0


def test_x8_a_lost_folder_has_one_line_and_the_next_change_tries_again(program, tmp_path):
    folder = tmp_path / "kept"
    folder.mkdir()
    path = folder / "user.json"
    with Server(program=program, environment={"AROUND_FILE": str(path)}) as server:
        until(lambda: holds(path, "nobody yet"), "the first value")
        shutil.rmtree(folder)
        for name in "abc":
            rename(server, name)
        server.await_log("can't be kept in")
        folder.mkdir()
        rename(server, "back")
        until(lambda: holds(path, "back"), "the value is kept again")
        server.await_log("again")
        assert server.log_text.count("can't be kept in") == 1


def test_x8_a_full_disk_leaves_the_older_value_whole(program, tmp_path):
    path = tmp_path / "user.json"
    with Server(program=program, environment={"AROUND_FILE": str(path)}) as server:
        until(lambda: holds(path, "nobody yet"), "the first value")
        # No file may grow beyond this size.
        unlimited = resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (4_096, resource.RLIM_INFINITY))
        rename(server, "x" * 9_000)
        server.await_log("can't be kept in")
        assert holds(path, "nobody yet")
        assert [each.name for each in tmp_path.iterdir()] == ["user.json"]
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, unlimited)
        rename(server, "fits")
        until(lambda: holds(path, "fits"), "the value is kept again")
