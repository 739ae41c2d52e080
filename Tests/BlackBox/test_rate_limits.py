"""The share of a client (protocol 9.3), and the address of a client behind proxies (10.8)."""

import json

import pytest
from harness import INCREASE, Server, Stream, Wire, open_streams, run, until


def limit_of(answer, name):
    """Returns the policy and the rest of a limit, from the two header fields."""

    def read(field):
        items = [item.strip().split(";") for item in (answer[field] or "").split(",") if item.strip()]
        return {
            parts[0].strip('"'): {key: int(value) for key, value in (part.split("=") for part in parts[1:])}
            for parts in items
        }

    return read("ratelimit-policy").get(name), read("ratelimit").get(name)


def refused(answer):
    members = answer.problem("too-many-requests", 429)
    assert int(answer["retry-after"]) >= 1
    assert "Nothing was applied" in members["detail"]
    return int(answer["retry-after"])


def test_9_3_without_the_options_nothing_is_counted(server):
    for _ in range(50):
        answer = server.post(INCREASE)
        assert answer.status == 200 and answer["ratelimit"] is None and answer["ratelimit-policy"] is None
    assert "store_http_rate_limited_total" not in server.get("/metrics").body.decode()


def test_9_3_requests_are_counted_and_refused_and_health_is_not():
    with Server("--rate-requests", "5/3600") as server:
        answers = [server.get("/state"), server.get("/nowhere"), server.request("PUT", "/state", b""),
                   server.post(INCREASE), server.request("OPTIONS", "/state")]  # fmt: skip
        for left, answer in zip((4, 3, 2, 1, 0), answers):
            policy, share = limit_of(answer, "requests")
            assert policy == {"q": 5, "w": 3600}
            # One request of the share becomes free every 720 s.
            assert share["r"] == left and (5 - left) * 720 - 60 < share["t"] <= (5 - left) * 720, share
        for target in ("/state", "/nowhere", "/events"):
            assert 600 < refused(server.get(target)) <= 720
        answer = server.post(INCREASE)
        refused(answer)
        assert limit_of(answer, "requests")[1]["r"] == 0
        for target in ("/livez", "/readyz", "/metrics"):
            for _ in range(10):
                assert server.get(target).status == 200
        assert 'store_http_rate_limited_total{limit="requests"} 4' in server.get("/metrics").body.decode()


def test_9_3_a_used_share_comes_back_with_time():
    with Server("--rate-requests", "2/1") as server:
        assert server.get("/state").status == server.get("/state").status == 200
        assert refused(server.get("/state")) == 1
        until(lambda: server.get("/state").status == 200, "one has come back")


def test_9_3_the_actions_of_an_array_count_one_by_one():
    with Server("--rate-actions", "100/3600") as server:
        answer = server.post([INCREASE] * 60)
        assert answer.status == 200 and limit_of(answer, "actions") == ({"q": 100, "w": 3600}, {"r": 40, "t": 2160})
        assert server.get("/state")["ratelimit"] is None
        # The array exceeds the rest of the share, so no action is applied, and the share stays the same.
        refused(server.post([INCREASE] * 41))
        assert server.version == 60
        assert limit_of(server.post([INCREASE] * 39), "actions")[1]["r"] == 1
        assert server.version == 99
        # A use case counts, and so does a dry run.
        server.send("/usecases/login/login", {"userName": "a", "password": "b"})
        refused(server.send("/usecases/login/login", {"userName": "a", "password": "b"}))
        refused(server.post(INCREASE, query="?dry-run=true"))
        # An unknown action is refused as unknown.
        server.post({"type": "nothing"}).problem("unknown-action", 422)


def test_9_3_an_array_above_a_whole_share_is_taken_and_paid_back():
    with Server("--rate-actions", "10/3600") as server:
        assert server.post([INCREASE] * 1_000).status == 200
        # 991 actions of the share have to become free, each after 360 s.
        assert refused(server.post(INCREASE)) > 990 * 360


def test_9_3_sessions_and_streams_have_shares_of_their_own():
    with Server("--rate-sessions", "2/3600", "--rate-streams", "3/3600") as server:
        begun = [server.request("POST", "/sessions", b"") for _ in range(3)]
        assert [answer.status for answer in begun] == [201, 201, 429]
        refused(begun[2])
        assert limit_of(begun[0], "sessions") == ({"q": 2, "w": 3600}, {"r": 1, "t": 1800})
        streams = open_streams(server, 2)
        with Stream(server, "/actions/events") as log:
            assert limit_of(log.opened().answer, "streams")[1]["r"] == 0
        for target in ("/events", "/actions/events", "/views/list/events", "/modules/home/events"):
            refused(server.get(target))
        for stream in streams:
            assert stream.event().version == server.version
            stream.close()
        text = server.get("/metrics").body.decode()
        assert 'store_http_rate_limited_total{limit="streams"} 4' in text
        assert 'store_http_rate_limited_total{limit="sessions"} 1' in text


def test_9_3_a_request_that_is_refused_with_a_body_is_answered_and_its_connection_ends():
    with Server("--rate-requests", "1/3600") as server:
        server.get("/state")
        body = json.dumps([INCREASE] * 1_000)
        with Wire(server) as wire:
            wire.send(
                f"POST /dispatch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n{body}"
            )
            answer = wire.answer()
            refused(answer)
            assert limit_of(answer, "requests")[1]["r"] == 0
            assert answer["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("rate", ["", "1", "0/1", "1/0", "-1/1", "1/86401", "1000001/1", "a/b", "1/1/1", "1.5/1"])
def test_9_3_an_invalid_rate_is_refused_at_the_start(rate):
    result = run("--ephemeral", f"--rate-requests={rate}", "--check-config")
    assert result.returncode == 2 and "--rate-requests" in result.stderr and "100/60" in result.stderr


def test_9_3_a_rate_is_shown_as_it_was_given():
    shown = json.loads(run("--rate-actions", "100/60", "--print-config").stdout)
    assert shown["rate-actions"] == "100/60" and shown["rate-requests"] == "0"


# The address of a client


def origin(server, **fields):
    """Returns the origin in the log of a client that sends these fields. Underscores stand for hyphens."""
    headers = {name.replace("_", "-"): value for name, value in fields.items()}
    assert server.post(INCREASE, headers).status == 200
    return server.actions(server.version - 1)[0]["origin"]


@pytest.fixture(scope="module")
def behind():
    with Server("--trusted-proxy", "127.0.0.0/8", "--trusted-proxy", "2001:db8:ffff::/48") as running:
        yield running


def test_10_8_without_a_trusted_proxy_the_peer_is_the_client(server):
    assert origin(server, X_Forwarded_For="1.2.3.4", Forwarded="for=1.2.3.4") == "127.0.0.1"


@pytest.mark.parametrize(
    "fields, expected",
    [
        ({}, "127.0.0.1"),
        ({"X_Forwarded_For": "192.0.2.1"}, "192.0.2.1"),
        ({"X_Forwarded_For": "6.6.6.6, 192.0.2.1"}, "192.0.2.1"),
        ({"X_Forwarded_For": "6.6.6.6, 192.0.2.1, 127.0.0.9"}, "192.0.2.1"),
        ({"X_Forwarded_For": "127.0.0.2, 127.0.0.9"}, "127.0.0.2"),
        ({"X_Forwarded_For": "192.0.2.1:4711"}, "192.0.2.1"),
        ({"X_Forwarded_For": "2001:db8::1, 2001:db8:ffff::9"}, "2001:db8::1"),
        ({"X_Forwarded_For": "192.0.2.1, unknown"}, "127.0.0.1"),
        ({"X_Forwarded_For": "rubbish"}, "127.0.0.1"),
        ({"X_Forwarded_For": "192.0.2.1, "}, "127.0.0.1"),
        ({"X_Forwarded_For": "unknown, 192.0.2.1"}, "192.0.2.1"),
        ({"Forwarded": "for=192.0.2.1;proto=https"}, "192.0.2.1"),
        ({"Forwarded": 'for=6.6.6.6, for="[2001:db8::1]:80";by=_x'}, "2001:db8::1"),
        ({"Forwarded": "for=_hidden"}, "127.0.0.1"),
        ({"Forwarded": 'for=6.6.6.6;x=", for=192.0.2.1'}, "127.0.0.1"),
        # The proxy has set only one of the fields, and the server can't find out which.
        ({"Forwarded": "for=6.6.6.6", "X_Forwarded_For": "192.0.2.1"}, "127.0.0.1"),
        ({"Forwarded": "for=192.0.2.1", "X_Forwarded_For": "6.6.6.6, 192.0.2.1"}, "192.0.2.1"),
    ],
)
def test_10_8_the_last_address_that_is_no_proxys_is_the_client(behind, fields, expected):
    assert origin(behind, **fields) == expected


def test_10_8_fields_that_come_several_times_are_one_list(behind):
    body = json.dumps(INCREASE)
    with Wire(behind) as wire:
        wire.send(
            "POST /dispatch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            "X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-For: 192.0.2.7\r\nX-Forwarded-For: 127.0.0.3\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}"
        )
        assert wire.answer().status == 200
    assert behind.actions(behind.version - 1)[0]["origin"] == "192.0.2.7"


def test_10_8_shares_and_sessions_count_for_the_client_and_ipv6_by_64_bits():
    flags = ["--trusted-proxy", "127.0.0.1", "--rate-requests", "2/3600", "--sessions-per-address-max", "1"]
    with Server(*flags) as server:
        def ask(client, method="GET", path="/state"):  # fmt: skip
            return server.request(method, path, b"" if method == "POST" else None, {"X-Forwarded-For": client})

        for client in ("192.0.2.1", "192.0.2.2", "2001:db8:0:1::1"):
            assert [ask(client).status for _ in range(3)] == [200, 200, 429]
        # The same network, and another network.
        assert ask("2001:db8:0:1:ffff::7").status == 429
        assert ask("2001:db8:0:2::1", "POST", "/sessions").status == 201
        ask("2001:db8:0:2::2", "POST", "/sessions").problem("overloaded", 503)
        assert ask("192.0.2.9", "POST", "/sessions").status == 201
        # If a client sends the field itself, its entry comes before the proxy's entry, and does not count.
        assert [ask(f"6.6.6.{n}, 192.0.2.50").status for n in range(4)] == [200, 200, 429, 429]
        # A field that cannot be read counts for the proxy's own address.
        assert [ask(text).status for text in ("x", "y", "z")] == [200, 200, 429]


def test_10_8_a_proxy_at_a_unix_socket_can_be_trusted(tmp_path):
    path = f"unix:{tmp_path}/store.sock"
    with Server("--trusted-proxy", "unix", listen=path) as server:
        assert origin(server, X_Forwarded_For="192.0.2.1") == "192.0.2.1"
        assert origin(server) == "unix"
    with Server("--trusted-proxy", "127.0.0.1", listen=path) as server:
        assert origin(server, X_Forwarded_For="192.0.2.1") == "unix"


@pytest.mark.parametrize("proxy", ["", "10.0.0.0/33", "proxy.example", "10/8", "[::1]", "unix:/x", "*"])
def test_10_8_an_invalid_proxy_is_refused_at_the_start(proxy):
    result = run("--ephemeral", f"--trusted-proxy={proxy}", "--check-config")
    assert result.returncode == 2 and "--trusted-proxy" in result.stderr
