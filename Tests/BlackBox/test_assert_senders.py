"""Scripts whose steps act as a principal and from a session, under a policy."""

import json
import subprocess

import pytest
from access import House
from harness import action, environment_with
from programs import build_sample

ROLES = {
    "author": {
        "read": ["/todos", "/diary", "log"],
        "dispatch": [{"type": "todos/added", "where": {"/authorID": "$principal"}}, "diary/*"],
        "use": ["sessions"],
    },
    "operator": {"read": ["*"], "dispatch": ["*"], "call": ["*"], "use": ["*"]},
}
ADDED = action("todos/added", text="A", authorID="u1")
STEPS = [
    {"as": "author/u1", "dispatch": ADDED, "expect": {"/todos/items/0": "A"}},
    {"as": "author/u2", "dispatch": ADDED, "problem": "forbidden"},
    {"dispatch": action("todos/cleared"), "expect": {"/todos/items": []}},
    {"dispatch": action("diary/written", text="shared"), "expect": {"/diary/lines/0": "shared"}},
    {"as": "author/u1", "session": "a", "dispatch": action("diary/written", text="mine"), "expect": {"/diary/lines/0": "mine"}},
    {"as": "author/u2", "session": "b", "dispatch": action("diary/written", text="other"), "expect": {"/diary/lines/0": "other"}},
    {"as": "author/u1", "session": "a", "dispatch": action("diary/written", text="more"), "expect": {"/diary/lines/1": "more"}},
]


@pytest.fixture(scope="module")
def program():
    return build_sample("Guarded")


@pytest.fixture
def play(program, tmp_path):
    def play(steps, *flags, status=0):
        file = tmp_path / "script.json"
        file.write_text(json.dumps({"steps": steps}))
        words = [program, "assert", str(file), *flags]
        ended = subprocess.run(words, env=environment_with(), capture_output=True, text=True, timeout=60)
        assert ended.returncode == status, ended.stdout + ended.stderr
        return ended.stdout + ended.stderr

    return play


@pytest.fixture
def house(program, tmp_path):
    return House(tmp_path, ROLES, program)


def test_steps_act_as_principals_and_from_sessions_under_a_policy(play, house):
    lines = play(STEPS, "--policy", str(house.policy)).splitlines()
    assert lines[-1] == f"the script: {len(STEPS)} of {len(STEPS)} steps hold"


def test_a_step_that_the_policy_should_refuse_fails_if_the_policy_allows_it(play, house):
    wrong = [{"as": "author/u1", "dispatch": ADDED, "problem": "forbidden"}]
    assert "failed 1 dispatch todos/added" in play(wrong, "--policy", str(house.policy), status=1)


def test_steps_act_as_principals_of_a_running_server(play, house, tmp_path):
    flags = []
    for principal in ("author/u1", "author/u2", "operator/root"):
        role, name = principal.split("/")
        file = tmp_path / f"{name}.token"
        file.write_text(house.token(name, role))
        flags += ["--token-file", str(file)] if role == "operator" else ["--as", f"{principal}={file}"]
    with house.server() as server:
        # An operator without a session sees the diaries of all sessions, in another form.
        steps = [step for step in STEPS if "as" in step or "todos" in json.dumps(step)]
        assert play(steps, "--url", server.url, *flags).endswith("steps hold\n")
        assert server.get("/state", house.operator).json["todos"]["items"] == []


@pytest.mark.parametrize(
    "steps, flags, text",
    [
        (STEPS, [], "a step acts as 'author/u1', which needs a server with --policy"),
        (STEPS, ["--url", "http://127.0.0.1:9"], "give --as author/u1=FILE"),
        ([{"as": "u1", "dispatch": ADDED}], [], "/steps/0/as: expected ROLE/NAME, such as author/u1"),
        ([{"session": "", "dispatch": ADDED}], [], "/steps/0/session: expected a string that is not empty"),
        (STEPS, ["--as", "author/u1"], "allowed is ROLE/NAME=FILE"),
        (STEPS, ["--as", "author/u1=x"], "--as is allowed only with assert --url"),
    ],
)
def test_a_principal_or_session_that_is_not_given_in_full_is_refused(play, steps, flags, text):
    assert text in play(steps, *flags, status=2)
