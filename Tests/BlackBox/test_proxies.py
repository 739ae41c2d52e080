"""The recipes of docs/PROXIES.md, each in front of the built server."""

import contextlib
import json
import re
import resource

import pytest
from harness import INCREASE, ROOT, Server, Stream, Wire, until
from proxies import FILES, NAME, RECIPES, Proxy, folder, group_of

KINDS = sorted(FILES)
# A proxy of one process has two descriptors for each stream, which limits their number.
STREAMS = min(9_500, (resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 1_000) // 2)
ACTION = json.dumps(INCREASE).encode()
JSON = {"Content-Type": "application/json"}


@contextlib.contextmanager
def proxied(kind, at_path=False, *flags):
    """A server, and the proxy in front of it."""
    with folder() as path:
        flags = ["--allowed-host", NAME, *flags]
        if at_path:
            listen = f"unix:{path}/store.sock"
            flags += ["--trusted-proxy", "unix", "--socket-group", str(group_of(kind))]
        else:
            listen = "127.0.0.1:0"
            flags += ["--trusted-proxy", "127.0.0.1"]
        with Server(*flags, listen=listen) as server:
            upstream = listen if at_path else f"127.0.0.1:{server.port}"
            with Proxy(kind, path, upstream) as proxy:
                yield server, proxy


@pytest.fixture(scope="module", params=KINDS)
def pair(request):
    with proxied(request.param) as both:
        yield both


def opened(server):
    text = server.get("/metrics").body.decode()
    return sum(map(int, re.findall(r"^store_streams_open\{[^}]*\} (\d+)$", text, re.M)))


@pytest.mark.parametrize("at_path", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_recipe_serves_and_passes_on_the_addresses_of_its_clients(kind, at_path):
    with proxied(kind, at_path) as (server, proxy):
        answer = proxy.request("POST", "/dispatch", ACTION, JSON)
        assert answer.status == 200, answer
        # A client's own values in these fields do not count.
        lies = {"X-Forwarded-For": "6.6.6.6", "Forwarded": "for=6.6.6.6", "User-Agent": "x"}
        assert proxy.request("POST", "/dispatch", ACTION, {**JSON, **lies}).status == 200
        assert [entry["origin"].split()[0] for entry in server.actions()] == ["127.0.0.1"] * 2
        assert server.get("/state").status == 200
        assert proxy.request("GET", "/state").json == server.state
        # Pages under the proxy's name are of the same origin, also with its port.
        own = {"Origin": f"https://{proxy.authority}", "Sec-Fetch-Site": "same-origin"}
        assert proxy.request("POST", "/dispatch", ACTION, {**JSON, **own}).status == 200
        evil = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
        proxy.request("POST", "/dispatch", ACTION, {**JSON, **evil}).problem("forbidden", 403)


@pytest.mark.parametrize("kind", KINDS)
def test_a_client_of_ipv6_is_recorded_with_its_address(kind):
    with proxied(kind, False, "--rate-requests", "1000/3600") as (server, proxy):
        raw = proxy.socket(host="::1")
        with raw:
            raw.sendall(
                f"POST /dispatch HTTP/1.1\r\nHost: {proxy.authority}\r\nContent-Type: application/json\r\n"
                f"Connection: close\r\nContent-Length: {len(ACTION)}\r\n\r\n".encode()
                + ACTION
            )
            data = b""
            while more := raw.recv(65536):
                data += more
        assert data.startswith(b"HTTP/1.1 200"), data
        assert b"ratelimit: " in data.lower()
        # The proxy passes this address on. The proxy's own address does not count.
        assert [entry["origin"] for entry in server.actions()] == ["::1"]


def test_a_stream_is_not_buffered_and_its_end_is_noticed(pair):
    server, proxy = pair
    version = server.version
    with Stream(proxy) as stream:
        answer = stream.opened().answer
        assert answer.status == 200 and answer["content-type"] == "text/event-stream"
        assert answer["cache-control"] == "no-store, no-transform"
        assert stream.event().version == version
        for number in range(1, 6):
            # Each event arrives before the next dispatch.
            assert proxy.request("POST", "/dispatch", ACTION, JSON).status == 200
            assert stream.event().version == version + number
        until(lambda: opened(server) == 1, "the server has the stream")
    until(lambda: opened(server) == 0, "the server's stream ends with the client's", 10)


@pytest.mark.parametrize("kind", KINDS)
def test_a_client_that_leaves_while_it_waits_is_noticed(kind):
    with proxied(kind) as (server, proxy):
        with Wire(proxy) as wire:
            wire.send(f"GET /state?after={server.version}&wait=60 HTTP/1.1\r\nHost: {proxy.authority}\r\n\r\n")
            until(lambda: server.sockets > server.sockets_at_rest, "the server has the request")
        # The server does not keep the request until its minute is over.
        until(lambda: server.sockets == server.sockets_at_rest, "the proxy passes its end on", 10)


SMUGGLED = f"POST /dispatch HTTP/1.1\r\nHost: {NAME}\r\nContent-Type: application/json\r\nContent-Length: {len(ACTION)}\r\n\r\n".encode() + ACTION  # fmt: skip
CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(ACTION), ACTION)
HEAD = "POST /dispatch?dry-run=true HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n{fields}\r\n\r\n"


@pytest.mark.parametrize(
    "fields, body",
    [
        # The server must not take a part of the proxy's body for a second request.
        ("Content-Length: 4\r\nTransfer-Encoding: chunked", b"0\r\n\r\n"),
        ("Content-Length: {whole}\r\nTransfer-Encoding: chunked", b"0\r\n\r\n"),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", b"0\r\n\r\n"),
        ("Transfer-Encoding: xchunked\r\nContent-Length: 5", b"0\r\n\r\n"),
        ("Transfer-Encoding : chunked\r\nContent-Length: 5", b"0\r\n\r\n"),
        ("Transfer-Encoding:\x0bchunked\r\nContent-Length: 5", b"0\r\n\r\n"),
        ("X: y\nTransfer-Encoding: chunked\r\nContent-Length: 5", b"0\r\n\r\n"),
        ("X: y\r\n Transfer-Encoding: chunked\r\nContent-Length: 5", b"0\r\n\r\n"),
        ("Content-Length: 5\r\nContent-Length: 6", b"0\r\n\r\n"),
        ("Content-Length: +5", b"0\r\n\r\n"),
        ("Content-Length: 0x5", b"0\r\n\r\n"),
        ("Content-Length: 5, 5", b"0\r\n\r\n"),
        ("Transfer-Encoding: chunked", b"5;\n\r\n0\r\n\r\n"),
        ("Transfer-Encoding: chunked", b"0x0\r\n\r\n"),
        ("Transfer-Encoding: chunked", b"-1\r\n\r\n"),
        ("Transfer-Encoding: chunked", b"fffffffffffffffff\r\n\r\n"),
    ],
)
def test_a_request_in_which_another_hides_runs_nothing(pair, fields, body):
    server, proxy = pair
    before = server.tag
    head = HEAD.format(host=proxy.authority, fields=fields.format(whole=len(body) + len(SMUGGLED)))
    # The second request names the store itself. The proxy takes it for a body, or refuses it.
    with Wire(proxy) as wire:
        wire.send(head.encode("latin-1") + body + SMUGGLED)
        wire.socket.settimeout(2)
        answered = b""
        with contextlib.suppress(TimeoutError, OSError):
            while wire.more():
                answered = wire.buffer
        answered = wire.buffer or answered
    # A second answer of 200 may belong to a second request that the proxy has seen. Such a request is not
    # smuggled, and it counts. An action without an answer to this client would be smuggling.
    actions = server.version - int(before.split(":")[1])
    assert actions == len(re.findall(rb'"version":\d+,"changed":true', answered)), (actions, answered)
    # The answers on the proxy's connections have stayed in order: the next client gets its own answer.
    for _ in range(4):
        answer = proxy.request("GET", "/livez")
        assert answer.status == 200 and b"version" not in answer.body


@pytest.mark.ci
def test_many_streams_pass_a_proxy(pair):
    server, proxy = pair
    streams = []
    try:
        for number in range(STREAMS):
            stream = Stream(proxy)
            streams.append(stream)
            # The events are read later: the test must not be the bottleneck.
            if number % 100 == 99:
                for open_ in streams[-100:]:
                    assert open_.opened().answer.status == 200, number
        for stream in streams:
            if not hasattr(stream, "answer"):
                assert stream.opened().answer.status == 200
            stream.event()
        assert opened(server) == STREAMS
        assert server.post(INCREASE).status == 200
        newest = server.version
        for stream in streams:
            while stream.event().version < newest:
                pass
    finally:
        for stream in streams:
            stream.close()
    until(lambda: opened(server) == 0, "all of them are gone", 60)


def test_the_document_names_each_recipe_and_its_timeouts_outlast_a_wait():
    document = (ROOT / "docs" / "PROXIES.md").read_text()
    for kind, file in FILES.items():
        assert f"deploy/proxy/{file}" in document
        assert (RECIPES / file).exists()
    # Timeouts are longer than the time between heartbeats, and than the wait of a request.
    for kind, pattern in (("nginx", r"proxy_read_timeout (\d+)s"), ("haproxy", r"timeout server (\d+)s")):
        assert int(re.search(pattern, (RECIPES / FILES[kind]).read_text())[1]) > 60


@pytest.mark.parametrize("kind", KINDS)
def test_the_proxy_finds_nothing_wrong_with_its_recipe(kind):
    with proxied(kind) as (_, proxy):
        proxy.request("GET", "/state")
        text = proxy.log.read_text()
        for word in ("[emerg]", "[ALERT]", "[WARNING]", "deprecated"):
            assert word not in text, text
