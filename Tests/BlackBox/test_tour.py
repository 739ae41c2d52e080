"""Tests of `tour.py`, and of the documents whose commands it types into a shell against a fresh server."""

import json
import os
import re
import tempfile

import pytest
import tour
from harness import ROOT, Server

POST = "curl -s -H 'Content-Type: application/json' http://127.0.0.1:8080/dispatch"


def test_the_tour_shows_the_answers_of_the_server():
    """The commands of the tour, and the analytics line that it leaves on standard output."""
    text = tour.TOUR.read_text()
    with tempfile.TemporaryFile() as output:
        with Server("--analytics", "stdout", stdout=output) as server:
            assert tour.play(text, server.url) >= 20
            epoch = server.epoch
            assert server.stop() == 0
        printed = [json.loads(line) for line in os.pread(output.fileno(), 1 << 20, 0).splitlines()]
    shown = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```", text, re.S | re.M)]
    shown = [event for event in shown if "specversion" in event]
    assert shown, "the tour shows no analytics line"
    for event in shown:
        event["id"] = re.sub(r"^[0-9a-f]{8}", epoch, event["id"])
        real = next(line for line in printed if line["id"] == event["id"])
        assert list(real) == list(event)
        assert {**real, "time": event["time"]} == event


def test_the_readme_shows_the_answers_of_the_server(fresh):
    """The part of README before the reader's own store, which test_readme_program.py builds."""
    text, found, _ = (ROOT / "README.md").read_text().partition("\n## Write a store\n")
    assert found and tour.play(text, fresh.url) >= 2


@pytest.mark.ci
def test_the_commands_of_history_print_the_shown_lines(store_server_in_path):
    """Starts, kills, restores and verifies servers as described, all on one port."""
    text = (ROOT / "docs" / "HISTORY.md").read_text()
    assert tour.play(text, store_server_in_path) >= 20


def test_a_tour_with_two_terminals_is_compared(fresh):
    text = f"""
<!-- tour: second terminal -->
```console
$ curl -sN http://127.0.0.1:8080/events
retry: …
id: 4f1c09ab:0
data: {{"counter":…

id: 4f1c09ab:1
```

```console
$ {POST} \\
    -d '{{"type":"CounterIncreaseRequested"}}'
{{"epoch":"4f1c09ab","version":1,"changed":true}}
```
"""
    assert tour.play(text, fresh.url) == 2


@pytest.mark.parametrize(
    "text",
    [
        "```console\n$ echo one\ntwo\n```\n",
        "```console\n$ echo one\n```\n",
        "```console\n$ true\none\n```\n",
        "```console\n$ printf 'one\\ntwo\\n'\none\n```\n",
        "<!-- tour: second terminal -->\n```console\n$ echo one; sleep 60\ntwo\n```\n",
        "<!-- tour: skip -->\n```console\n$ echo one\n```\n",
        "<!-- tour: sometimes -->\n```console\n$ echo one\n```\n",
        "```console\none\n```\n",
        "no block at all\n",
    ],
)
def test_a_tour_that_is_not_true_fails(text, monkeypatch):
    monkeypatch.setattr(tour, "TERMINAL_SECONDS_MAX", 0.3)
    with pytest.raises(tour.TourError):
        tour.play(text, "http://127.0.0.1:1")
