"""Readers by other authors (protocol 4): httpx-sse, sseclient-py, curl and Chromium."""

import json
import shutil
import signal
import subprocess
import threading

import httpx
import httpx_sse
import requests
import sseclient
from harness import INCREASE, Server, Wire, until
from playwright.sync_api import sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def events_of(source):
    """Returns the events of httpx-sse, without the events that it makes of a block with nothing but `retry`."""
    return (event for event in source.iter_sse() if event.data)


def test_4_2_httpx_sse_reads_and_resumes(fresh):
    with httpx.Client(timeout=10) as client:
        with httpx_sse.connect_sse(client, "GET", f"{fresh.url}/events") as source:
            events = events_of(source)
            first = next(events)
            assert (first.event, first.id) == ("message", f"{fresh.epoch}:0")
            fresh.post(INCREASE)
            second = next(events)
            assert second.id == f"{fresh.epoch}:1"
            assert json.loads(second.data) == fresh.state
        fresh.post([INCREASE, INCREASE])
        headers = {"Last-Event-ID": second.id}
        with httpx_sse.connect_sse(client, "GET", f"{fresh.url}/events", headers=headers) as source:
            assert next(events_of(source)).id == f"{fresh.epoch}:3"


def test_4_2_sseclient_reads_and_sees_resync(fresh):
    with requests.get(f"{fresh.url}/events", stream=True, timeout=10) as response:
        events = sseclient.SSEClient(response).events()
        assert next(events).id == f"{fresh.epoch}:0"
        fresh.post(INCREASE)
        event = next(events)
        assert (event.event, event.id) == ("message", f"{fresh.epoch}:1")
        assert json.loads(event.data) == fresh.state
    headers = {"Last-Event-ID": "nonsense"}
    with requests.get(f"{fresh.url}/events", stream=True, timeout=10, headers=headers) as response:
        events = sseclient.SSEClient(response).events()
        event = next(events)
        assert (event.event, json.loads(event.data)) == ("resync", {"reason": "malformed"})
        assert next(events).id == f"{fresh.epoch}:1"


def test_4_2_curl_shows_the_stream_as_it_comes(fresh):
    curl = subprocess.Popen(
        ["curl", "-sN", f"{fresh.url}/events"], stdout=subprocess.PIPE, text=True
    )
    watchdog = threading.Timer(10, curl.kill)
    watchdog.start()
    try:
        assert curl.stdout.readline().startswith("retry: ")
        ids = []
        while len(ids) < 2:
            line = curl.stdout.readline()
            assert line, "curl ended"
            if line.startswith("id: "):
                ids.append(line[4:].strip())
                if len(ids) == 1:
                    fresh.post(INCREASE)
        assert ids == [f"{fresh.epoch}:0", f"{fresh.epoch}:1"]
    finally:
        watchdog.cancel()
        curl.kill()
        curl.wait()


def test_4_1_a_stream_for_http_1_0_is_refused_for_lack_of_chunks(server):
    with Wire(server) as wire:
        wire.send("GET /events HTTP/1.0\r\nHost: localhost\r\n\r\n")
        wire.answer().problem("bad-request", 400)


def test_4_1_curl_over_http_1_0_gets_the_state(server):
    output = subprocess.run(
        ["curl", "-s", "--http1.0", "--max-time", "10", f"{server.url}/state"],
        capture_output=True,
        check=True,
    ).stdout
    assert json.loads(output) == server.state


PAGE = """async () => {
  window.seen = [];
  const source = new EventSource('/events');
  source.onmessage = (event) => seen.push(['message', event.lastEventId, event.data]);
  for (const name of ['resync', 'heartbeat', 'bye'])
    source.addEventListener(name, (event) => seen.push([name, event.lastEventId, event.data]));
  source.onerror = () => seen.push(['error', '', String(source.readyState)]);
  source.onopen = () => seen.push(['open', '', '']);
}"""


def test_4_6_chromium_reads_resumes_and_gets_a_new_epoch(tmp_path):
    assert CHROMIUM, "chromium is missing; scripts/setup test installs it"
    # Streams of one second, so that the browser reconnects by itself with Last-Event-ID.
    server = Server("--stream-lifetime", "1")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, headless=True, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        page.goto(f"{server.url}/livez")
        page.evaluate(PAGE)

        def seen(name):
            return [entry for entry in page.evaluate("seen") if entry[0] == name]

        until(lambda: seen("message"), "the first event", 20)
        assert seen("message")[0][1] == f"{server.epoch}:0"
        server.post(INCREASE)
        until(lambda: len(seen("message")) >= 2, "the event of a dispatched action", 10)
        assert seen("message")[1][1] == f"{server.epoch}:1"
        assert json.loads(seen("message")[1][2]) == server.state

        # The browser reconnects and sends the last id that it got: no event arrives twice.
        until(lambda: len(seen("open")) >= 2, "the browser reconnects", 20)
        assert [entry[1] for entry in seen("message")] == [f"{server.epoch}:0", f"{server.epoch}:1"]
        assert seen("bye")
        server.post(INCREASE)
        until(lambda: len(seen("message")) >= 3, "an event after reconnecting", 20)
        assert seen("message")[2][1] == f"{server.epoch}:2"
        assert not seen("resync")

        # Another process on the same port has another epoch. The stream sends resync first, then the new state.
        port = server.port
        assert server.stop(signal.SIGTERM) == 0
        with Server(listen=f"127.0.0.1:{port}") as second:
            until(lambda: seen("resync"), "the browser hears of the new epoch", 30)
            assert json.loads(seen("resync")[0][2]) == {"reason": "epoch-changed"}
            until(lambda: seen("message")[-1][1] == f"{second.epoch}:0", "and gets its state", 10)
            browser.close()
