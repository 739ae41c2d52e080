"""Analytics lines (protocol 11) from outside."""

import json
import os
import re
import signal
import subprocess
import tempfile
import time

import pytest
from harness import INCREASE, Server, Wire, action, run, step, until

SCREEN = {"type": "ScreenShown", "payload": {"name": "Main"}}


@pytest.fixture
def analysed(tmp_path):
    file = tmp_path / "analytics.jsonl"
    with Server("--analytics", f"file:{file}") as server:
        server.analytics = file
        yield server


def lines(file):
    text = file.read_text() if file.exists() else ""
    return [json.loads(line) for line in text.split("\n")[:-1]]


def when_written(file, count):
    return until(lambda: len(found := lines(file)) >= count and found, f"{count} lines")


def test_11_1_screen_shown_takes_the_counter_from_the_state(analysed):
    """Row U21 of the seeds: one increase, then a screen."""
    analysed.post(INCREASE)
    analysed.post(SCREEN)
    event = when_written(analysed.analytics, 2)[1]
    assert event["type"] == "ScreenShown"
    assert event["data"] == {"screen": "Main", "counter": 1}


def test_11_1_lines_are_cloud_events(analysed):
    before = time.time()
    analysed.post([INCREASE, SCREEN, {"type": "CompleteItem", "payload": {"index": 0}}])
    events = when_written(analysed.analytics, 3)
    assert [event["id"] for event in events] == [f"{analysed.epoch}:{n}" for n in (1, 2, 3)]
    assert [event.get("subject") for event in events] == ["counter", None, "todos"]
    for event in events:
        assert event["specversion"] == "1.0"
        assert event["source"]
        assert event["type"]
        assert event["datacontenttype"] == "application/json"
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", event["time"])
        second = time.mktime(time.strptime(event["time"][:19], "%Y-%m-%dT%H:%M:%S")) - time.timezone
        assert before - 2 <= second <= time.time() + 2
        # CloudEvents 1.0: names of attributes are lower-case letters and digits.
        assert all(re.fullmatch(r"[a-z0-9]+", name) for name in event)


def test_11_1_a_line_has_the_state_before_the_action(analysed):
    """Middleware sees the old state: within one batch, each screen shows the state before it."""
    analysed.post([SCREEN, INCREASE, SCREEN, step(5), INCREASE, SCREEN])
    events = when_written(analysed.analytics, 6)
    assert [e["data"]["counter"] for e in events if e["type"] == "ScreenShown"] == [0, 1, 6]


def test_11_2_an_action_that_is_not_applied_gets_no_line(analysed):
    bad = {"type": "DeleteItem", "payload": {"index": 99}}
    analysed.post(bad)
    analysed.post([INCREASE, SCREEN, bad])
    analysed.post(INCREASE, query="?dry-run=true")
    analysed.post(INCREASE, {"If-Match": '"00000000:7"'})
    analysed.post(b"{")
    analysed.post(SCREEN)
    events = when_written(analysed.analytics, 1)
    assert analysed.stop() == 0
    assert [event["type"] for event in lines(analysed.analytics)] == ["ScreenShown"]
    assert events[0]["id"].endswith(":1")


def test_11_1_sighup_opens_the_file_anew(analysed, tmp_path):
    analysed.post(SCREEN)
    when_written(analysed.analytics, 1)
    old = tmp_path / "analytics.jsonl.1"
    os.rename(analysed.analytics, old)
    analysed.post(SCREEN)
    when_written(old, 2)
    os.kill(analysed.pid, signal.SIGHUP)
    until(analysed.analytics.exists, "the file is there again")
    analysed.post(SCREEN)
    assert when_written(analysed.analytics, 1)[0]["id"].endswith(":3")
    assert [event["id"].split(":")[1] for event in lines(old)] == ["1", "2"]


def test_11_2_actions_applied_before_sigterm_are_written(analysed):
    count = 5_000
    for _ in range(count // 1000):
        analysed.post([SCREEN] * 1000)
    assert analysed.stop() == 0
    events = lines(analysed.analytics)
    assert [int(event["id"].split(":")[1]) for event in events] == list(range(1, count + 1))


def test_11_1_lines_are_appended_to_a_file_that_is_there(tmp_path):
    file = tmp_path / "analytics.jsonl"
    for expected in (1, 2):
        with Server("--analytics", f"file:{file}") as server:
            server.post(SCREEN)
        assert len(lines(file)) == expected


def test_11_1_a_text_with_line_breaks_stays_one_line(analysed):
    name = 'a\nb\r\n"\\\u2028😀'
    analysed.post({"type": "ScreenShown", "payload": {"name": name}})
    assert when_written(analysed.analytics, 1)[0]["data"]["screen"] == name
    assert len(analysed.analytics.read_bytes().split(b"\n")) == 2


def test_11_1_a_subject_has_no_control_characters(cinema_program, tmp_path):
    file = tmp_path / "lines"
    ids = {"a\nb": "a%0Ab", "\x7f\x85": "%7F%C2%85", "\ufdd0": "%EF%B7%90", "é 50%": "é 50%25", "é": "é"}
    with Server("--analytics", f"file:{file}", program=cinema_program) as server:
        for id_ in ids:
            server.post(action(f"cards/{id_}/start", title="x"))
        shown = [event["subject"] for event in when_written(file, len(ids)) if "subject" in event]
        assert [text for text in shown if text.startswith("cards/")] == [f"cards/{text}" for text in ids.values()]


def test_11_1_stdout_has_the_lines_and_nothing_else():
    with tempfile.TemporaryFile() as output:
        with Server("--analytics", "stdout", stdout=output) as server:
            server.post(SCREEN)
            assert server.stop() == 0
        printed = os.pread(output.fileno(), 1 << 16, 0)
    assert [json.loads(line)["type"] for line in printed.splitlines()] == ["ScreenShown"]


def test_11_2_a_reader_of_stdout_that_does_not_read_slows_no_client():
    with Server("--analytics", "stdout", stdout=subprocess.PIPE) as server:
        with Wire(server) as wire:
            # Some 30 MB of lines. A pipe holds 64 KB.
            for _ in range(100):
                assert server.post([SCREEN] * 1000, wire=wire).status == 200
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < 10
        server.process.stdout.close()


@pytest.mark.plain("memory is measured, and a sanitizer keeps what is freed")
def test_11_2_lines_that_wait_are_bounded_in_bytes():
    screen = {"type": "ScreenShown", "payload": {"name": "x" * 900_000}}
    flags = ["--analytics", "stdout", "--history-max", "1"]
    with Server(*flags, stdout=subprocess.PIPE) as server:
        with Wire(server) as wire:

            def show(count):
                for _ in range(count):
                    assert server.post(screen, wire=wire).status == 200

            def lost():
                text = server.get("/metrics").body.decode()
                return int(re.search(r"^store_analytics_dropped_total (\d+)$", text, re.M)[1])

            show(10)
            before = server.resident_bytes
            show(140)
            grown = server.resident_bytes - before
            # 32 MiB of lines may wait, and the line that is being written needs its memory twice.
            assert grown < 96 << 20, f"{grown >> 20} MiB more"
            # 32 MiB have room for 37 lines. The pipe holds a part of the first line.
            assert 150 - 40 <= lost() <= 150 - 35
            # Small lines wait beside them as long as there is room, and all lines are counted.
            server.post(INCREASE)
        rest = server.process.stdout
        server.process.send_signal(signal.SIGTERM)
        kept = [json.loads(line) for line in rest.read().splitlines()]
        assert server.stop() == 0
        rest.close()
        assert 35 <= len(kept) - 1 <= 40 and kept[-1]["type"] == "CounterIncreaseRequested"


def test_11_1_a_file_that_cannot_be_opened_is_named_at_the_start(tmp_path):
    arguments = ["--ephemeral", "--listen", "127.0.0.1:0"]
    result = run(*arguments, "--analytics", f"file:{tmp_path}/nowhere/a.jsonl")
    assert result.returncode in (1, 2)
    assert "nowhere/a.jsonl" in result.stderr
