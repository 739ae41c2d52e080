"""Effects that outlive the server: each has its input in the ledger (docs/decisions/0026)."""

import signal

import pytest
from harness import Server, action, until
from programs import build_sample

HELD = {"HOOKS_HELD": "1"}
COMMENTS = 5_000
COMMENTS_PER_POST = 500


@pytest.fixture(scope="module")
def hooks():
    return build_sample("Hooks")


def written(server, count):
    for _ in range(count // COMMENTS_PER_POST):
        server.post([action("comments/written")] * COMMENTS_PER_POST)


def pending(server):
    return server.state["effects"]["pending"]


def test_a_start_takes_the_input_of_an_effect_from_the_ledger_and_replays_nothing(hooks, tmp_path):
    server = Server(program=hooks, data=tmp_path / "data", environment=HELD)
    server.post(action("comments/timed"))
    server.post([action("comments/written"), action("comments/hooked")])
    written(server, COMMENTS)
    assert server.stop(signal.SIGTERM) == 0
    for end in (signal.SIGKILL, signal.SIGTERM):
        server = Server(program=hooks, data=tmp_path / "data", environment=HELD)
        assert [each["version"] for each in pending(server)] == [1, 3]
        server.stop(end)
    with Server(program=hooks, data=tmp_path / "data") as server:
        until(lambda: server.state["comments"]["hooks"], "the webhook was sent")
        assert server.state["comments"]["hooks"] == ["comment 2, 0 reduced"]
        until(lambda: len(pending(server)) == 1, "only the timer is left")
        assert [each["id"] for each in server.get("/effects").json["effects"]] == ["comments/timer"]


def test_a_planned_restart_warns_of_no_effect(hooks, tmp_path):
    server = Server(program=hooks, data=tmp_path / "data", environment=HELD)
    server.post(action("comments/timed"))
    assert server.stop(signal.SIGTERM) == 0
    with Server(program=hooks, data=tmp_path / "data", environment=HELD) as server:
        server.await_log("the effect of 'comments' after version 1 is run again")
        assert "warning" not in server.log_text


def test_a_kept_effect_is_entered_in_the_transaction_of_its_action(hooks, tmp_path):
    server = Server(program=hooks, data=tmp_path / "data", environment=HELD)
    server.post([action("comments/written"), action("comments/hooked")])
    server.stop(signal.SIGKILL)
    with Server(program=hooks, data=tmp_path / "data") as server:
        until(lambda: server.state["comments"]["hooks"], "the webhook was sent")
        assert server.state["comments"]["hooks"] == ["comment 2, 2 reduced"]


def test_an_input_of_another_form_is_reported_in_words_and_its_module_gets_an_action(hooks, tmp_path):
    server = Server(program=hooks, data=tmp_path / "data", environment=HELD)
    server.post([action("comments/written"), action("comments/hooked")])
    server.stop(signal.SIGKILL)
    renamed = {"HOOKS_RENAMED": "1"}
    with Server(program=hooks, data=tmp_path / "data", environment=renamed) as server:
        until(lambda: server.state["comments"]["lost"] == [2], "the module gets the version")
        until(lambda: not pending(server), "the entry is gone")
        server.await_log(
            "warning: the effect of 'comments' after version 2 is not run again: "
            "this program can't read the input of the effect: "
        )
        assert server.state["comments"]["hooks"] == []


def test_an_action_with_an_effect_that_can_not_be_kept_is_not_applied(hooks):
    with Server(program=hooks) as server:
        server.post(action("comments/weighed"))
        assert server.state["comments"]["count"] == 0 and not pending(server)
        server.await_log("the input of an effect to repeat after a restart, a Work, can't be encoded")
