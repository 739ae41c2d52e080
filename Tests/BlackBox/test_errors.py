"""Rows of protocol 8's table, provoked from outside.

Other files show the other rows: too-large, uri-too-long, timeout and overloaded in test_framing,
headers-too-large in test_refusals, draining in test_discovery_and_operation, forbidden in test_debug,
unauthorized in test_access_routes, gone and idempotency-mismatch in test_history, too-many-requests in
test_rate_limits, effect-failed in test_effects, version-unreadable in test_evolution, view-failed in
test_screens, and storage-full in Tests/Durability/test_full_disk.
"""

import random
import re

import pytest
from harness import INCREASE, Server, Stream, Wire


def old_version(server):
    with Wire(server) as wire:
        wire.send(f"GET /state HTTP/2.0\r\nHost: {server.authority}\r\n\r\n")
        return wire.answer()


@pytest.mark.parametrize(
    "slug, status, ask",
    [
        ("malformed-json", 400, lambda s: s.post(b"{")),
        ("bad-request", 400, lambda s: s.post(b"7")),
        ("bad-request", 400, lambda s: s.get("/state?x=1")),
        ("bad-request", 400, lambda s: s.post(INCREASE, query="?dry-run=maybe")),
        ("bad-request", 400, lambda s: s.post(INCREASE, {"If-Match": "x"})),
        ("not-found", 404, lambda s: s.get("/nothing")),
        ("method-not-allowed", 405, lambda s: s.get("/dispatch")),
        ("refused", 409, lambda s: s.post({"type": "DeleteItem", "payload": {"index": 9}})),
        ("version-mismatch", 412, lambda s: s.post(INCREASE, {"If-Match": '"00000000:9"'})),
        ("unsupported-media-type", 415, lambda s: s.post(INCREASE, {"Content-Type": "text/xml"})),
        ("misdirected", 421, lambda s: s.get("/state", {"Host": "evil.example"})),
        ("unknown-action", 422, lambda s: s.post({"type": "X"})),
        ("version-not-supported", 505, lambda s: old_version(s)),
        ("invalid-payload", 422, lambda s: s.post({"type": "AddItem", "payload": {"text": 1}})),
    ],
)
def test_8_1_each_problem_has_its_status_and_type(server, slug, status, ask):
    ask(server).problem(slug, status)


def test_8_1_stream_limit_is_503_and_requests_go_on():
    with Server("--streams-max", "3") as server:
        streams = [Stream(server).opened() for _ in range(3)]
        for stream in streams:
            assert stream.event().version == 0
        with Stream(server) as refused:
            answer = refused.opened().answer
            answer.problem("stream-limit", 503)
            assert int(answer["retry-after"]) >= 1
        assert server.post(INCREASE).status == 200
        for stream in streams:
            assert stream.event().version == 1
            stream.close()


def test_8_1_each_problem_has_an_instance_of_its_own(server):
    assert server.get("/nothing").json["instance"] != server.get("/nothing").json["instance"]


def test_8_1_input_of_a_client_is_shown_as_text(server):
    answer = server.get('/<script>alert("x")</script>')
    answer.problem("not-found", 404)
    assert answer["x-content-type-options"] in (None, "nosniff")
    answer = server.post({"type": "x" * 100_000})
    answer.problem("unknown-action", 422)
    assert len(answer.body) < 10_000, "a long name comes back in full"


def test_10_4_no_cors_header_is_sent(server):
    for answer in (
        server.get("/state", {"Origin": "http://evil.example"}),
        server.request("OPTIONS", "/dispatch", headers={"Origin": "http://evil.example"}),
    ):
        assert answer["access-control-allow-origin"] is None


def test_8_2_no_input_gives_a_5xx_or_ends_the_process():
    """Mutated requests, from a seed that is printed: 2xx, 3xx, 4xx, 503, 505, or a closed connection."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    source = random.Random(seed)
    body = b'[{"type":"StepChangeRequested","payload":{"step":7}},{"type":"AddItem","payload":{"text":"a"}}]'
    template = (
        b"POST /dispatch?dry-run=true HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"If-Match: *\r\nPrefer: return=representation, wait=1\r\nContent-Length: %d\r\n\r\n%s"
        % (len(body), body)
    )
    pieces = [b"\0", b"\r\n", b"\xff", b"9" * 30, b'"', b"{", b"[", b"\\u", b":", b"%00", b" ", b"e", b"-"]
    # The deadlines cut off incomplete requests; the test waits for all of them at once.
    with Server("--headers-timeout", "1", "--body-timeout", "1", "--idle-timeout", "1") as server:
        sent = []
        for _ in range(800):
            request = bytearray(template)
            for _ in range(source.randint(1, 4)):
                place = source.randrange(len(request))
                if source.random() < 0.5:
                    request[place] = source.randrange(256)
                else:
                    request[place : place + source.randint(0, 3)] = source.choice(pieces)
            wire = Wire(server)
            wire.send(bytes(request))
            sent.append((bytes(request), wire))
        statuses = set()
        for request, wire in sent:
            while wire.more():
                pass
            wire.socket.close()
            for status in map(int, re.findall(rb"HTTP/1\.1 (\d{3}) ", wire.buffer)):
                statuses.add(status)
                assert status < 500 or status in (503, 505), (request, wire.buffer)
        assert {200, 400, 422} <= statuses
        assert server.get("/livez").status == 200


def test_8_an_instance_does_not_show_the_number_of_requests(server):
    """The names of requests have no order, and the log has the same names."""
    names = [server.get("/nothing").problem("not-found", 404)["instance"] for _ in range(40)]
    assert len(set(names)) == len(names)
    numbers = [int(name.split("-")[1], 36) for name in names]
    ups = sum(a < b for a, b in zip(numbers, numbers[1:]))
    assert 5 < ups < 35 and len({b - a for a, b in zip(numbers, numbers[1:])}) == len(names) - 1
