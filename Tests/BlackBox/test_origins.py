"""Pages of other origins (protocol 10.5, 10.6): pages that are refused, and pages that the operator allows."""

import contextlib
import http.server
import json
import shutil
import threading

import pytest
from harness import INCREASE, Server, Stream, Wire, run, until
from playwright.sync_api import sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
JSON = {"Content-Type": "application/json"}
APP = "https://app.example"


@pytest.fixture(scope="module")
def allowing():
    with Server("--cors-origin", APP, "--cors-origin", "http://localhost:5173") as running:
        yield running


def lists(answer, name):
    return [item.strip() for item in (answer[name] or "").split(",") if item.strip()]


# The origin of requests that change state


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://evil.example", "Sec-Fetch-Site": "same-origin"},
    ],
)
@pytest.mark.parametrize(
    "method, path",
    [
        ("POST", "/dispatch"),
        ("POST", "/dispatch?dry-run=true"),
        ("POST", "/modules/home/ui"),
        ("POST", "/sessions"),
        ("DELETE", "/session"),
        ("POST", "/usecases/login/login"),
    ],
)
def test_10_5_a_page_of_another_origin_changes_nothing(server, method, path, headers):
    before = server.version
    body = json.dumps(INCREASE).encode() if method == "POST" and path != "/sessions" else b""
    server.request(method, path, body, {**JSON, **headers}).problem("forbidden", 403)
    assert server.version == before


@pytest.mark.parametrize("path", ["/events", "/events?path=/counter", "/actions/events", "/route/events"])
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        # A page requests an image or a script without an `Origin`. The page can't read it, but it would take a place.
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_10_5_a_page_of_another_origin_opens_no_stream(server, path, headers):
    answer = server.get(path, headers)
    answer.problem("forbidden", 403)
    assert answer["access-control-allow-origin"] is None


def test_10_5_the_own_origin_and_clients_that_are_no_browser_are_let_through(server):
    own = f"http://{server.authority}"
    for headers in ({}, {"Origin": own}, {"Origin": own.upper()}, {"Origin": own.replace("http", "https")}):
        assert server.post(INCREASE, headers).status == 200
        with Stream(server, headers=headers) as stream:
            assert stream.opened().answer.status == 200
    with Stream(server, headers={"Sec-Fetch-Site": "none"}) as stream:
        assert stream.opened().answer.status == 200
    twice = f"POST /dispatch HTTP/1.1\r\nHost: {server.authority}\r\nOrigin: {own}\r\nOrigin: http://evil.example\r\n"
    body = json.dumps(INCREASE)
    with Wire(server) as wire:
        wire.send(f"{twice}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}")
        wire.answer().problem("bad-request", 400)


# CORS


def test_10_6_without_the_option_no_answer_has_a_field_of_it(server):
    for answer in (
        server.get("/state", {"Origin": APP}),
        server.request("OPTIONS", "/state", headers={"Origin": APP, "Access-Control-Request-Method": "GET"}),
        server.get("/nowhere", {"Origin": APP}),
    ):
        assert not [name for name, _ in answer.headers if name.startswith("access-control-")]
        assert answer["vary"] is None


def test_10_6_a_page_of_an_allowed_origin_reads_dispatches_and_streams(allowing):
    page = {"Origin": APP, "Sec-Fetch-Site": "cross-site"}
    answers = [
        allowing.get("/state", page),
        allowing.get("/state", {**page, "If-None-Match": f'"{allowing.tag}"'}),
        allowing.request("HEAD", "/state", headers=page),
        allowing.post(INCREASE, page),
        allowing.post({"type": "nothing"}, page),
        allowing.get("/nowhere", page),
        allowing.request("PUT", "/state", b"", page),
        allowing.request("POST", "/sessions", b"", page),
        allowing.request("POST", "/dispatch", b"x" * 100, {**page, "Content-Type": "text/plain"}),
    ]
    assert [answer.status for answer in answers] == [200, 304, 200, 200, 422, 404, 405, 201, 415]
    with Stream(allowing, headers=page) as stream, Stream(allowing, "/actions/events", headers=page) as log:
        answers += [stream.opened().answer, log.opened().answer]
        assert stream.event().version == allowing.version
    for answer in answers:
        assert answer["access-control-allow-origin"] == APP, answer
        assert answer["access-control-allow-credentials"] == "true"
        assert {"ETag", "Location", "Retry-After", "RateLimit"} <= set(lists(answer, "access-control-expose-headers"))
        assert "Origin" in lists(answer, "vary")


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "https://app.example:443", "https://app.example.evil", "HTTPS://APP.EXAMPLE",
     "https://app.exampl", "http://app.example", "https://app.example, https://app.example", ""],
)  # fmt: skip
def test_10_6_another_origin_is_answered_as_ever(allowing, origin):
    answers = [
        allowing.get("/state", {"Origin": origin}),
        allowing.post(INCREASE, {"Origin": origin}),
        allowing.request("OPTIONS", "/dispatch", headers={"Origin": origin, "Access-Control-Request-Method": "POST"}),
    ]
    assert [answer.status for answer in answers] == [200, 403, 204]
    for answer in answers:
        assert not [name for name, _ in answer.headers if name.startswith("access-control-")]
        # A cache must not give this answer to a page that is allowed.
        assert "Origin" in lists(answer, "vary")
    assert "Origin" in lists(allowing.get("/state"), "vary")


def preflight(server, path, method, **headers):
    fields = {"Origin": APP, "Access-Control-Request-Method": method, **headers}
    return server.request("OPTIONS", path, headers=fields)


def test_10_6_a_preflight_is_answered_from_the_routes(allowing):
    answer = preflight(allowing, "/dispatch", "POST")
    assert answer.status == 204
    assert answer["access-control-allow-origin"] == APP
    assert answer["access-control-allow-credentials"] == "true"
    assert lists(answer, "access-control-allow-methods") == lists(answer, "allow") == ["POST"]
    assert set(lists(answer, "access-control-allow-headers")) == {
        "Authorization", "Content-Type", "Prefer", "If-Match", "Idempotency-Key"}  # fmt: skip
    assert answer["access-control-max-age"] == "600"

    answer = preflight(allowing, "/events", "GET")
    assert set(lists(answer, "access-control-allow-headers")) == {"Authorization", "Last-Event-ID"}
    # The query belongs to the request that follows.
    for query in ("?mode=patch", "?mode=nonsense", "?unknown=1"):
        asked = preflight(allowing, "/events" + query, "GET")
        assert asked.status == 204, query
        assert asked["access-control-allow-headers"] == answer["access-control-allow-headers"]
    answer = preflight(allowing, "/session", "DELETE")
    assert lists(answer, "access-control-allow-methods") == ["GET", "HEAD", "DELETE"]
    # The resource lacks this method, and the browser finds that in the list of methods.
    answer = preflight(allowing, "/state", "DELETE")
    assert answer.status == 204 and answer["access-control-allow-headers"] is None
    assert "DELETE" not in lists(answer, "access-control-allow-methods")
    assert preflight(allowing, "/nowhere", "GET").status == 404
    # Without the header field of the question it is no preflight.
    plain = allowing.request("OPTIONS", "/dispatch", headers={"Origin": APP})
    assert plain.status == 204 and plain["access-control-allow-methods"] is None


def test_10_6_every_header_field_of_the_description_may_be_read(allowing):
    document = allowing.get("/openapi.json").json
    described = {
        name
        for operations in document["paths"].values()
        for operation in operations.values()
        for response in operation["responses"].values()
        for name in response.get("headers", {})
    }
    exposed = set(lists(allowing.get("/state", {"Origin": APP}), "access-control-expose-headers"))
    # Pages can never read the first two, which are for browsers. The last two concern the request.
    hidden = {"Set-Cookie", "Vary", "Accept", "Accept-Encoding"}
    assert described - exposed <= hidden, described - exposed


@pytest.mark.parametrize(
    "origin",
    ["*", "null", "app.example", "https://app.example/", "https://App.example", "https://app.example:443",
     "https://*.example", "https://u@app.example", "https://app.example/x"],
)  # fmt: skip
def test_10_6_an_invalid_origin_is_refused_at_the_start(origin):
    result = run("--ephemeral", "--cors-origin", origin, "--check-config")
    assert result.returncode == 2
    [line] = result.stderr.strip().split("\n")
    assert "--cors-origin" in line and origin in line and "https://app.example" in line
    if origin == "*":
        assert "every page" in line


# Header fields that protect


def test_10_7_every_answer_forbids_browsers_to_guess_its_type(server):
    answers = [
        server.get("/state"), server.post(INCREASE), server.get("/nowhere"), server.get("/livez"),
        server.post({"type": "x"}), server.get("/schema"), server.get("/openapi.json"),
        server.request("OPTIONS", "/state"), server.request("HEAD", "/state"),
        server.request("POST", "/dispatch", b"x" * 100, {"Content-Type": "text/plain"}),
        server.get("/state", {"Host": "evil.example"}),
    ]  # fmt: skip
    with Stream(server) as stream:
        answers.append(stream.opened().answer)
    with Wire(server) as wire:
        wire.send("GET /a b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n")
        answers.append(wire.answer())
    for answer in answers:
        assert answer["x-content-type-options"] == "nosniff", answer
        assert answer["cross-origin-resource-policy"] == "same-origin", answer


def test_10_7_pages_for_people_load_nothing_and_stand_in_no_frame(server):
    for path in ("/", "/problems/not-found"):
        answer = server.get(path, {"Accept": "text/html"})
        assert answer["content-type"].startswith("text/html")
        policy = [part.strip() for part in answer["content-security-policy"].split(";")]
        assert {"default-src 'none'", "frame-ancestors 'none'", "form-action 'none'", "base-uri 'none'"} == set(policy)
        assert answer["referrer-policy"] == "no-referrer"
    assert server.get("/")["content-security-policy"] is None


# A browser


class Page(http.server.BaseHTTPRequestHandler):
    """A page of another origin."""

    def do_GET(self):
        body = b"<!doctype html><title>elsewhere</title>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def elsewhere():
    """Serves the page, and gives its origin."""
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=site.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{site.server_port}"
    finally:
        site.shutdown()
        thread.join()
        site.server_close()


@contextlib.contextmanager
def browser_page(url):
    assert CHROMIUM, "chromium is missing; scripts/setup test installs it"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, headless=True, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        page.goto(url)
        yield page
        browser.close()


TRY = """async (store) => {
  const json = {'Content-Type': 'application/json'};
  const body = JSON.stringify({type: 'CounterIncreaseRequested'});
  const link = '/dispatch?action=' + encodeURIComponent(body);
  const asked = async (path, init) => {
    try {
      const answer = await fetch(store + path, init);
      return {status: answer.status, type: answer.type, etag: answer.headers.get('ETag'), text: await answer.text()};
    } catch (error) { return {error: error.name}; }
  };
  const opened = (path) => new Promise((resolve) => {
    const source = new EventSource(store + path);
    source.onmessage = (event) => { source.close(); resolve(['message', event.data]); };
    source.onerror = () => { const state = source.readyState; source.close(); resolve(['error', state]); };
  });
  const shown = (path) => new Promise((resolve) => {
    const image = new Image();
    image.onload = () => resolve('loaded');
    image.onerror = () => resolve('error');
    image.src = store + path;
  });
  return {
    state: await asked('/state'),
    dispatch: await asked('/dispatch', {method: 'POST', headers: json, body}),
    conditional: await asked('/dispatch', {method: 'POST', headers: {...json, 'If-Match': '*'}, body}),
    plain: await asked('/dispatch', {method: 'POST', body, mode: 'no-cors'}),
    link: await asked(link, {method: 'POST', mode: 'no-cors'}),
    session: await asked('/sessions', {method: 'POST', mode: 'no-cors'}),
    cookies: await asked('/state', {credentials: 'include'}),
    events: await opened('/events'),
    log: await opened('/actions/events'),
    image: await shown('/events'),
  };
}"""


def test_10_5_a_browser_lets_a_page_of_another_origin_neither_read_nor_dispatch_nor_stream(fresh):
    with elsewhere() as origin, browser_page(origin) as page:
        seen = page.evaluate(TRY, fresh.url)
        for name in ("state", "dispatch", "conditional", "cookies"):
            assert seen[name] == {"error": "TypeError"}, (name, seen[name])
        # 2 is CLOSED: the browser does not try again.
        assert seen["events"] == seen["log"] == ["error", 2] and seen["image"] == "error"
        assert fresh.version == 0
        lines = fresh.get("/metrics").body.decode().splitlines()
        opened = [line for line in lines if line.startswith("store_streams_opened_total{")]
        assert opened and all(line.endswith(" 0") for line in opened)


def test_10_6_a_browser_lets_a_page_of_an_allowed_origin_read_dispatch_and_stream():
    with elsewhere() as origin, Server("--cors-origin", origin) as server, browser_page(origin) as page:
        seen = page.evaluate(TRY, server.url)
        assert seen["state"]["status"] == 200 and seen["state"]["etag"] == f'"{server.epoch}:0"'
        assert seen["dispatch"]["status"] == seen["conditional"]["status"] == seen["cookies"]["status"] == 200
        assert seen["dispatch"]["etag"] == f'"{server.epoch}:1"'
        # The page can't read the answer. `no-cors` forbids the types that dispatches need, but a link needs no type.
        assert seen["plain"].get("type", "opaque") == "opaque"
        assert seen["events"][0] == seen["log"][0] == "message"
        assert server.version >= 3
        # Pages of the server's own origin work as always.
        page.goto(server.url + "/state")
        own = page.evaluate(TRY, "")
        assert own["dispatch"]["status"] == 200 and own["events"][0] == "message"


def test_10_7_a_browser_shows_the_index_page_under_its_policy(fresh):
    with browser_page("about:blank") as page:
        complaints = []
        page.on("console", lambda message: complaints.append(message.text))
        page.goto(fresh.url + "/")
        assert page.locator("h1").count() == 1
        until(lambda: page.evaluate("document.readyState") == "complete", "the page is loaded")
        assert not [text for text in complaints if "Content Security Policy" in text], complaints
        # The policy forbids other scripts and resources on the page.
        assert page.evaluate("() => fetch('/state').then(() => 'read', (error) => error.name)") == "TypeError"
