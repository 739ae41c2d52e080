"""The README's tour, typed into a shell against a fresh server, and the player itself."""

import pytest
import tour
from harness import Server

POST = "curl -s -H 'Content-Type: application/json' http://127.0.0.1:8080/dispatch"


def test_the_readme_shows_what_the_server_prints():
    with Server() as server:
        assert tour.play(tour.README.read_text(), server.url) >= 5


def test_a_tour_with_two_terminals_is_compared(fresh):
    text = f"""
<!-- tour: second terminal -->
```console
$ curl -sN http://127.0.0.1:8080/events
retry: …
…
id: 4f1c09ab:0
data: {{"counter":…
…
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
