"""`--log-actions`: a line in the log for each applied action, and never a payload."""

import os
import re

import pytest
from harness import INCREASE, Server, run, step, until

LINE = re.compile(
    r"^store-server: applied version=(\d+) changed=(true|false) ms=\d+\.\d{3} module=(\S+) type=(\S+) event=action\.applied time=\S+$",
    re.M,
)
LOST = re.compile(r"^store-server: warning: (\d+) log lines are lost count=\d+ event=log\.lost time=\S+$", re.M)
SCREEN = {"type": "ScreenShown", "payload": {"name": "Secret garden"}}


def logged(server, count):
    """Returns the fields of this number of lines of the log."""
    found = until(
        lambda: len(LINE.findall(server.log_text)) >= count and LINE.findall(server.log_text),
        f"{count} lines of actions",
    )
    assert len(found) == count, server.log_text
    return found


def test_actions_are_not_logged_without_the_flag():
    with Server() as server:
        server.post(INCREASE)
        assert server.stop() == 0
        assert "applied" not in server.log_text and "Counter" not in server.log_text


def test_every_applied_action_has_a_line_without_its_payload():
    with Server("--log-actions") as server:
        assert server.post([INCREASE, step(12345)]).status == 200
        assert server.post(SCREEN).status == 200
        assert server.post({"type": "CompleteItem", "payload": {"index": 99}}).status == 409
        assert server.post([step(3), {"type": "DeleteItem", "payload": {"index": 9}}]).status == 409
        assert server.post(INCREASE, query="?dry-run=true").status == 200
        headers = {"Content-Type": "application/json", "Prefer": "wait=10"}
        body = b'{"userName":"demo","password":"demo"}'
        assert server.request("POST", "/usecases/login/login", body, headers).status == 200
        assert logged(server, 7) == [
            ("1", "true", "counter", "CounterIncreaseRequested"),
            ("2", "true", "counter", "StepChangeRequested"),
            ("3", "false", "-", "ScreenShown"),
            ("4", "false", "-", "usecases/login/login"),
            ("5", "true", "login", "login/loading"),
            ("6", "true", "login", "login/succeeded"),
            ("7", "true", "user", "user/start"),
        ]
        assert server.stop() == 0
        for secret in ("12345", "Secret garden", "demo"):
            assert secret not in server.log_text


@pytest.mark.parametrize("how", ["flags", "environment"])
def test_k9_types_that_are_left_out_are_absent_from_the_log(how):
    names = ["ScreenShown", "login/loading", "usecases/login/login"]
    flags = [word for name in names for word in ("--log-exclude", name)]
    options = (
        {"environment": {"STORE_SERVER_LOG_ACTIONS": "1", "STORE_SERVER_LOG_EXCLUDE": ",".join(names)}}
        if how == "environment"
        else {}
    )
    with Server(*(["--log-actions", *flags] if how == "flags" else []), **options) as server:
        headers = {"Content-Type": "application/json", "Prefer": "wait=10"}
        body = b'{"userName":"demo","password":"demo"}'
        server.post([INCREASE, SCREEN])
        assert server.request("POST", "/usecases/login/login", body, headers).status == 200
        server.post(SCREEN)
        server.post(INCREASE)
        assert [line[3] for line in logged(server, 4)] == [
            "CounterIncreaseRequested", "login/succeeded", "user/start", "CounterIncreaseRequested",
        ]


def test_an_unknown_type_ends_with_2():
    ended = run("--ephemeral", "--listen", "127.0.0.1:0", "--log-exclude", "ScrenShown")
    assert ended.returncode == 2
    assert ended.stderr == (
        "store-server: --log-exclude: no action has the wire name 'ScrenShown'; "
        "did you mean 'ScreenShown'?\n"
    )


def test_a_log_without_a_reader_costs_lines_that_are_counted_and_no_action(tmp_path):
    path, actions = str(tmp_path / "socket"), 50_000
    ends = os.pipe()
    with open(ends[0], "rb") as reader:
        with Server("--log-actions", listen=f"unix:{path}", stderr=ends[1]) as server:
            os.close(ends[1])
            for _ in range(actions // 1_000):
                assert server.post([INCREASE] * 1_000).status == 200
            assert server.version == actions
            os.set_blocking(reader.fileno(), False)
            text = b""

            def is_whole():
                nonlocal text
                text += reader.read() or b""
                told = text.decode()
                lost = sum(int(count) for count in LOST.findall(told))
                return len(LINE.findall(told)) + lost == actions and lost > 0

            until(is_whole, "a line, or a word of its loss, for each action")
