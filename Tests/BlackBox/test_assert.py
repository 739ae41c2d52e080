"""`store-server assert`: a script that states every change, against a server over HTTP."""

import json
import re

import pytest
from harness import INCREASE, ROOT, run, step

TAP = {"type": "didTapOnMovieCell", "payload": {"title": "Movie 1"}}
DEMO = {"userName": "demo", "password": "demo"}
MOVIES = {"titles": [f"Movie {number}" for number in range(11)]}
LOGIN = {
    "usecase": "login/login",
    "input": DEMO,
    "expect": {
        "/login/progress": "loadSucceeded",
        "/user": {"profile": {"displayName": "Demo", "userName": "demo"}},
    },
    "receive": ["login/loading", "login/succeeded", "user/start"],
}
LIST = {"view": "home", "style": "push"}
VISIT = [
    {"dispatch": INCREASE, "expect": {"/counter/counter": 1}},
    {"dispatch": [step(7), INCREASE], "expect": {"/counter": {"step": 7.0, "counter": 8}}},
    {
        "dispatch": {"type": "home/start"},
        "expect": {"/home": MOVIES, "/sessions/shared/route/0": LIST},
        "receive": ["sessions/presented"],
    },
    {
        "name": "a movie is chosen",
        "ui": "home",
        "action": TAP,
        "expect": {
            "/movieCard": {"title": "Movie 1", "isWanted": False},
            "/sessions/shared/route/1": {"view": "movieCard", "style": "push"},
        },
        "receive": ["movieCard/start", "home/cardShown", "sessions/presented"],
    },
    LOGIN,
    {
        "dispatch": {"type": "CompleteItem", "payload": {"index": 9}},
        "refused": "There is no item 9; allowed are 0...3.",
    },
    {"dispatch": {"type": "Nope"}, "problem": "unknown-action"},
    {
        "dispatch": {"type": "login/loggedOut"},
        "expect": {"/login/progress": "idle", "/user": None},
        "receive": ["user/stop"],
    },
    {
        "dispatch": {"type": "AddItem", "payload": {"text": "Ask a unicorn"}},
        "expect": {"/todos/items/4": {"completed": False, "text": "Ask a unicorn"}},
    },
]


@pytest.fixture
def play(tmp_path):
    def play(script, *flags, status=0):
        file = tmp_path / "script.json"
        text = script if isinstance(script, str) else json.dumps(script)
        file.write_text(text)
        ended = run("assert", str(file), *flags)
        assert ended.returncode == status, (ended.stdout, ended.stderr)
        return ended.stderr.replace(str(file), "FILE") if status == 2 else ended.stdout

    return play


def test_a_script_that_states_everything_holds(play):
    lines = play({"name": "a visit", "steps": VISIT}).splitlines()
    assert len(lines) == len(VISIT) + 1
    assert all(line.startswith("ok ") for line in lines[:-1])
    assert lines[3] == "ok     4 a movie is chosen"
    assert lines[-1] == "a visit: 9 of 9 steps hold"


def test_x6_a_wrong_number_fails_with_a_difference_of_exactly_that_field(play):
    wrong = [VISIT[0], {**VISIT[1], "expect": {"/counter": {"step": 7, "counter": 9}}}, VISIT[2]]
    assert play({"steps": wrong}, status=1).splitlines() == [
        "ok     1 dispatch CounterIncreaseRequested",
        "failed 2 dispatch StepChangeRequested, CounterIncreaseRequested",
        "  The state is not as stated.",
        "  /counter",
        '−   "counter": 9',
        '+   "counter": 8',
        "  −: stated, +: is",
        "ok     3 dispatch home/start",
        "the script: 1 of 3 steps failed",
    ]


@pytest.mark.parametrize(
    "wrong, said",
    [
        # a change that is not stated
        ({"dispatch": step(3)}, ["  /counter", '−   "step": 1', '+   "step": 3']),
        # a stated value that does not arrive
        (
            {"dispatch": INCREASE, "expect": {"/counter/counter": 1, "/counter/step": 2}},
            ["  /counter", '−   "step": 2', '+   "step": 1'],
        ),
        # no place for a stated value
        (
            {"dispatch": INCREASE, "expect": {"/counter/counter": 1, "/user/profile": 3}},
            ["  /user/profile", "−   3"],
        ),
        # an action that is not stated
        (
            {**LOGIN, "receive": ["login/loading", "login/succeeded"]},
            ["  /receive", '+   2: "user/start"'],
        ),
        # a stated action that does not arrive
        (
            {"dispatch": INCREASE, "expect": {"/counter/counter": 1}, "receive": ["home/start"]},
            ['−   0: "home/start"'],
        ),
        (
            {"dispatch": {"type": "CompleteItem", "payload": {"index": 9}}, "refused": "No."},
            ['−   "refused": "No."', '+   "refused": "There is no item 9; allowed are 0...3."'],
        ),
        (
            {"dispatch": {"type": "CompleteItem", "payload": {"index": 9}}},
            ["  It was refused: There is no item 9; allowed are 0...3."],
        ),
        (
            {"dispatch": INCREASE, "expect": {"/counter/counter": 1}, "refused": "No."},
            ["  It was applied, and should have been refused: No."],
        ),
        (
            {"dispatch": {"type": "Nope"}, "problem": "forbidden"},
            ['−   "problem": "forbidden"', '+   "problem": "unknown-action"'],
        ),
        ({"notify": "nobody"}, ['  If that is intended, state it: "problem": "not-found"']),
    ],
)
def test_a_wrong_or_missing_statement_fails(play, wrong, said):
    lines = play({"steps": [wrong]}, status=1).splitlines()
    assert lines[0].startswith("failed 1 ")
    assert [line for line in said if line not in lines] == []
    differences = [line for line in lines if line[0] in "−+"]
    assert differences == [line for line in said if line[0] in "−+"]


@pytest.mark.parametrize("place", ["script", "step"])
def test_a_script_that_is_not_exhaustive_may_leave_changes_out(play, place):
    some = {**LOGIN, "expect": {"/user/profile/displayName": "Demo"}, "receive": ["user/start"]}
    wrong = {"dispatch": step(3), "expect": {"/counter/step": 4}}
    steps = [some, wrong]
    if place == "step":
        steps = [{**step, "exhaustive": False} for step in steps]
    script = {"steps": steps, **({"exhaustive": False} if place == "script" else {})}
    lines = play(script, status=1).splitlines()
    assert lines[0] == "ok     1 usecase login/login"
    assert [line for line in lines if line[0] in "−+"] == ['−   "step": 4', '+   "step": 3']


def test_a_running_server_is_played_with_from_the_state_that_it_has(play, fresh):
    assert fresh.post([step(5), INCREASE]).status == 200
    script = {"steps": [{"dispatch": INCREASE, "expect": {"/counter/counter": 10}}]}
    play(script, "--url", fresh.url)
    assert fresh.state["counter"] == {"counter": 10, "step": 5}
    assert "+   \"counter\": 15" in play(script, "--url", fresh.url + "/", status=1)


def test_a_script_without_a_server_to_play_with_fails(play, tmp_path):
    script = {"steps": [{"dispatch": INCREASE}]}
    assert play(script, "--url", "http://127.0.0.1:9", status=1) == ""


@pytest.mark.parametrize(
    "script, said",
    [
        ("{", "FILE: byte 1: "),
        ("[]", "FILE: expected an object"),
        ({}, "FILE: it needs the member steps, an array"),
        ({"steps": []}, "FILE: /steps: it needs at least one step"),
        ({"steps": [3]}, "FILE: /steps/0: expected an object"),
        ({"steps": [{}]}, "FILE: /steps/0: a step has exactly one of the members dispatch, ui, "),
        ({"steps": [{"dispatch": 3}]}, "FILE: /steps/0/dispatch: expected an action"),
        ({"steps": [{"ui": "home"}]}, "FILE: /steps/0: an action of a view needs the member action"),
        (
            {"steps": [{"dispatch": INCREASE, "expects": {}}]},
            "FILE: /steps/0/expects: no member has this name; allowed are dispatch, name, "
            "as, session, expect, receive, refused, problem, exhaustive; did you mean 'expect'?",
        ),
        (
            {"steps": [{"dispatch": INCREASE, "expect": {"counter": 1}}]},
            "FILE: /steps/0/expect/counter: the name is no JSON Pointer",
        ),
        (
            {"steps": [{"dispatch": INCREASE, "receive": ["x", 3]}]},
            "FILE: /steps/0/receive/1: expected a string",
        ),
        (
            {"steps": [{"dispatch": INCREASE, "problem": "refuse"}]},
            "FILE: /steps/0/problem: no problem has the name 'refuse'; did you mean 'refused'?",
        ),
        (
            {"steps": [{"dispatch": INCREASE, "refused": "No.", "problem": "gone"}]},
            "FILE: /steps/0/refused: a step states refused or problem, not both",
        ),
    ],
)
def test_a_script_that_cannot_be_read_is_named_with_the_pointer(play, script, said):
    text = play(script, status=2)
    assert said in text and len(text.splitlines()) == 1


@pytest.mark.parametrize(
    "words, said",
    [
        (["assert"], "usage: assert FILE [--url URL]"),
        (["assert", "/nowhere"], "/nowhere: it can't be read"),
        (["--url", "http://127.0.0.1:80"], "--url is allowed once, and only with assert"),
    ],
)
def test_a_bad_command_line_is_refused(words, said):
    ended = run(*words)
    assert ended.returncode == 2 and said in ended.stderr


def test_an_invalid_address_is_refused(play):
    text = play({"steps": [{"dispatch": INCREASE}]}, "--url", "here", status=2)
    assert "'here' is not an address; allowed is http://HOST:PORT" in text


def test_2_6_a_wait_covers_the_actions_of_presenters(fresh):
    assert fresh.wait({"type": "home/start"}).status == 200
    body = json.dumps(TAP).encode()
    headers = {"Content-Type": "application/json", "Prefer": "wait=10"}
    # The first tap also presents the card.
    for follow in [3] + [2] * 49:
        version = fresh.version
        answer = fresh.request("POST", "/modules/home/ui", body, headers)
        assert answer.json["version"] == version + 1 and answer.json["completed"] is True
        assert fresh.version == version + 1 + follow


def test_the_document_about_testing_shows_the_printed_lines(tmp_path, monkeypatch):
    text = (ROOT / "docs" / "TESTING.md").read_text()
    script = re.search(r"^```json\n(.*?)^```", text, re.S | re.M)[1]
    command, shown = re.search(r"^```console\n\$ (.*?)\n(.*?)^```", text, re.S | re.M).groups()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "visit.json").write_text(script)
    program, *words = command.split()
    ended = run(*words)
    assert program == "store-server" and ended.returncode == 1
    assert ended.stdout == shown
