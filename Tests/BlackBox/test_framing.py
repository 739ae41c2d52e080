"""Requests of attackers and broken programs, byte by byte (protocol 8, 9).

After each of them the server still serves, and the state shows that no smuggled request was run.
"""

import time
import urllib.parse

import pytest
from harness import INCREASE, Server, Wire, until

ACTION = b'{"type":"CounterIncreaseRequested"}'
CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(ACTION), ACTION)


def head(server, *fields, method="POST", target="/dispatch", version="HTTP/1.1"):
    standard = [f"Host: {server.authority}", "Content-Type: application/json"]
    return "\r\n".join([f"{method} {target} {version}", *standard, *fields, "", ""]).encode("latin-1")


def smuggled(server):
    return head(server, f"Content-Length: {len(ACTION)}") + ACTION


def refused(server, request, statuses=(400,)):
    """Sends the request and a smuggled follower. Checks the refusal, the close, and that no action was run."""
    before = server.tag
    with Wire(server) as wire:
        wire.send(request + smuggled(server))
        answer = wire.answer("POST")
        assert answer.status in statuses, answer
        assert (answer["connection"] or "").lower() == "close"
        # The remaining bytes on the connection are no second answer.
        while wire.more():
            pass
        assert wire.buffer == b"", wire.buffer[:300]
    assert server.tag == before
    return answer


@pytest.mark.parametrize(
    "fields",
    [
        ["Content-Length: 4", "Transfer-Encoding: chunked"],
        ["Transfer-Encoding: chunked", "Content-Length: 4"],
    ],
)
def test_8_a_length_beside_chunks_is_refused(server, fields):
    refused(server, head(server, *fields) + CHUNKED).problem("bad-request", 400)


@pytest.mark.parametrize(
    "value", ["xchunked", "gzip, chunked", "identity", "chunked, identity", "chunked, chunked", "", "\tchunked;x"]
)
def test_8_transfer_codings_other_than_chunked_are_refused(server, value):
    refused(server, head(server, f"Transfer-Encoding: {value}") + CHUNKED, (400, 501))


@pytest.mark.parametrize(
    "fields",
    [
        ["Authorization: Bearer a", "authorization: Bearer b"],
        ["Authorization: Bearer a", "X-Other: 1", "AUTHORIZATION: Bearer a"],
        ["content-type: text/plain"],
        ["Origin: http://a.example", "Origin: http://b.example"],
    ],
)
def test_8_two_lines_of_a_single_field_are_refused(server, fields):
    """Each request already has a `Content-Type`."""
    length = f"Content-Length: {len(ACTION)}"
    answer = refused(server, head(server, *fields, length) + ACTION)
    assert fields[-1].split(":")[0].lower() in answer.problem("bad-request", 400)["detail"]


@pytest.mark.parametrize("second", ["chunked", "identity", "gzip"])
def test_8_two_transfer_encodings_are_refused(server, second):
    fields = ["Transfer-Encoding: chunked", f"Transfer-Encoding: {second}"]
    refused(server, head(server, *fields) + CHUNKED, (400, 501))


def test_8_a_space_before_the_colon_is_refused(server):
    fields = [f"Content-Length: {len(ACTION)}", "Transfer-Encoding : chunked"]
    refused(server, head(server, *fields) + ACTION)


def test_8_chunks_in_http_1_0_are_refused(server):
    refused(server, head(server, "Transfer-Encoding: chunked", version="HTTP/1.0") + CHUNKED)


@pytest.mark.parametrize(
    "fields",
    [
        ["Transfer-Encoding:\r\n chunked"],
        ["Content-Length:\r\n 35"],
        ["Content-Length: 35", "Host:\r\n evil.example"],
        ["Content-Length: 35", "Transfer-Encoding:\r\n\tchunked"],
    ],
)
def test_8_folded_lines_that_hide_framing_are_refused(server, fields):
    refused(server, head(server, *fields) + ACTION)


@pytest.mark.parametrize("lengths", [("35", "5"), ("5", "35"), ("35", "35")])
def test_8_two_lengths_are_refused(server, lengths):
    refused(server, head(server, *(f"Content-Length: {n}" for n in lengths)) + ACTION)


@pytest.mark.parametrize("length", [2**64 - 1, 2**63, 2**32, (1 << 20) + 1])
def test_9_a_length_over_the_bound_is_413(server, length):
    answer = refused(server, head(server, f"Content-Length: {length}"), (413,))
    assert answer.problem("too-large", 413)["limit"] == 1 << 20


@pytest.mark.parametrize("length", [2**64, 10**30])
def test_9_a_length_over_any_integer_is_refused(server, length):
    refused(server, head(server, f"Content-Length: {length}"), (413,))


@pytest.mark.parametrize("size", [b"xyz", b"-23", b"+23", b" 23", b"0x23", b"", b"fffffffffffffffff"])
def test_8_chunk_sizes_that_are_no_numbers_are_refused(server, size):
    before = server.tag
    with Wire(server) as wire:
        wire.send(head(server, "Transfer-Encoding: chunked"))
        wire.send(size + b"\r\n" + ACTION + b"\r\n0\r\n\r\n" + smuggled(server))
        while wire.more():
            pass
        assert b"HTTP/1.1 200" not in wire.buffer, wire.buffer
    assert server.tag == before


def test_8_a_chunked_body_is_fine(server):
    before = server.version
    with Wire(server) as wire:
        wire.send(head(server, "Transfer-Encoding: chunked") + CHUNKED)
        assert wire.answer("POST").status == 200
        wire.send(head(server, "Transfer-Encoding: Chunked"))
        for byte in CHUNKED:
            wire.send(bytes([byte]))
        assert wire.answer("POST").status == 200
    assert server.version == before + 2


def test_9_a_chunked_body_over_the_bound_is_413(server):
    with Wire(server) as wire:
        wire.send(head(server, "Transfer-Encoding: chunked"))
        try:
            for _ in range(20):
                wire.send(b"10000\r\n" + b" " * 65536 + b"\r\n")
        except (BrokenPipeError, ConnectionResetError):
            pass
        answer = wire.answer("POST")
    assert answer.problem("too-large", 413)["limit"] == 1 << 20


@pytest.mark.parametrize(
    "field",
    ["A B: x", "A\tB: x", "A(: x", "X: a\rEvil: b", "Content-Length : 0", "X: a\x01b", "Ä: x"],
)
def test_8_header_names_and_values_with_forbidden_bytes_are_refused(server, field):
    refused(server, head(server, field, f"Content-Length: {len(ACTION)}") + ACTION)


def test_8_a_header_without_a_name_runs_nothing_that_follows(server):
    """libmicrohttpd 0.9.75 takes such a line as the end of the headers."""
    before = server.tag
    with Wire(server) as wire:
        wire.send(head(server, ": x", f"Content-Length: {len(ACTION)}") + ACTION + smuggled(server))
        while wire.more():
            pass
        assert wire.buffer.startswith(b"HTTP/1.1 400 ")
        assert b"HTTP/1.1 200 " not in wire.buffer
    assert server.tag == before


def test_8_two_hosts_are_refused(server):
    refused(server, head(server, f"Host: {server.authority}", "Content-Length: 35") + ACTION)


def test_8_a_request_without_a_host_is_refused(server):
    with Wire(server) as wire:
        wire.send("GET /state HTTP/1.1\r\n\r\n")
        assert wire.answer().status == 400
        assert wire.closed()


@pytest.mark.parametrize(
    "line, status",
    [("GET /state HTTP/1.9", 200), ("GET /state HTTP/2.0", 505), ("GET /state HTTP/3.0", 505)],
)
def test_8_each_version_has_its_status(server, line, status):
    with Wire(server) as wire:
        wire.send(f"{line}\r\nHost: {server.authority}\r\nConnection: close\r\n\r\n")
        assert wire.answer().status == status


def test_8_http_0_9_and_the_preface_of_http_2_are_refused(server):
    for request in ("GET /state\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\x16\x03\x01\x02"):
        with Wire(server) as wire:
            wire.send(request)
            if request[0] == "\x16":
                wire.send("\r\n\r\n")
            while wire.more():
                pass
            assert b" 200 " not in wire.buffer.split(b"\r\n")[0]
    assert server.get("/livez").status == 200


@pytest.mark.parametrize("method", ["get", "Get", "FOO", "CONNECT", "TRACE", "G@T"])
def test_8_methods_that_are_not_served_are_refused(server, method):
    with Wire(server) as wire:
        wire.send(f"{method} /state HTTP/1.1\r\nHost: {server.authority}\r\nConnection: close\r\n\r\n")
        answer = wire.answer()
        assert answer.status in (400, 405), answer
        if answer.status == 405:
            assert answer["allow"] == "GET, HEAD"


@pytest.mark.parametrize(
    ("path", "methods"),
    [("/state", "GET, HEAD"), ("/dispatch", "POST"), ("/events", "GET")],
)
def test_8_a_resource_lists_its_methods(server, path, methods):
    answer = server.request("OPTIONS", path)
    assert (answer.status, answer["allow"], answer.body) == (204, methods, b"")
    assert server.request("OPTIONS", "/nowhere").status == 404


@pytest.mark.parametrize("path", ["/%73tate", "/s%74ate/c%6Funter", "/modules/c%6Funter"])
def test_8_a_character_that_needs_no_encoding_may_have_one(server, path):
    """RFC 3986 §6.2.2.2: both spellings are one path."""
    plain = urllib.parse.unquote(path)
    assert server.get(path).status == 200
    assert server.get(path).body == server.get(plain).body


def test_8_a_target_in_absolute_form_is_accepted(server):
    """RFC 9112 §3.2.2 requires this."""
    with Wire(server) as wire:
        for target in ("http://{}/state", "HTTP://{}/state?after=0"):
            wire.send(
                f"GET {target.format(server.authority)} HTTP/1.1\r\nHost: {server.authority}\r\n\r\n"
            )
            assert wire.answer().status in (200, 304)


def test_10_4_a_target_in_absolute_form_has_the_host_that_counts(server):
    with Wire(server) as wire:
        wire.send(f"GET http://evil.example/state HTTP/1.1\r\nHost: {server.authority}\r\n\r\n")
        assert wire.answer().status in (400, 421)


@pytest.mark.parametrize("target", ["*", "state", "ftp://x/state", "\\state", "?state"])
def test_8_targets_that_do_not_start_with_a_slash_are_refused(server, target):
    with Wire(server) as wire:
        wire.send(f"GET {target} HTTP/1.1\r\nHost: {server.authority}\r\nConnection: close\r\n\r\n")
        assert wire.answer().status in (400, 404, 405)


@pytest.mark.parametrize(
    "target", ["/%2e%2e/state", "/../state", "/state%00", "/%73tate%00x", "/state%2fcounter", "//state", "/state;x"]
)
def test_8_paths_are_taken_as_written(server, target):
    server.get(target).problem("not-found", 404)


def test_8_empty_lines_before_a_request_are_skipped(server):
    with Wire(server) as wire:
        wire.send(b"\r\n" * 4 + b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert wire.answer().status == 200


def test_9_thousands_of_empty_lines_do_no_harm(server):
    with Wire(server) as wire:
        try:
            wire.send(b"\r\n" * 10_000 + b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            status = wire.answer().status
        except OSError:
            status = None  # the server may also close the connection
        assert status in (None, 200, 400, 414, 431)
    assert server.get("/livez").status == 200


def test_8_bare_line_feeds_do_not_run_anything_twice(server):
    """libmicrohttpd 0.9.75 takes bare line feeds for line ends, and a handler can't find that out."""
    before = server.version
    with Wire(server) as wire:
        wire.send(smuggled(server).replace(b"\r\n", b"\n"))
        wire.answer("POST")
    assert server.version <= before + 1


def test_expect_continue_is_answered_before_the_body(server):
    with Wire(server) as wire:
        wire.send(head(server, f"Content-Length: {len(ACTION)}", "Expect: 100-continue"))
        assert wire.head().status == 100
        wire.send(ACTION)
        assert wire.answer("POST").status == 200


@pytest.mark.parametrize(
    "fields, status",
    [
        (["Content-Length: 2000000", "Expect: 100-continue"], 413),
        (["Content-Length: 35", "Expect: 100-continue", "Content-Encoding: gzip"], 415),
    ],
)
def test_a_request_that_will_be_refused_gets_no_100_continue(server, fields, status):
    with Wire(server) as wire:
        wire.send(head(server, *fields))
        assert wire.head().status == status


def test_pipelined_requests_are_answered_in_order(server):
    before = server.version
    with Wire(server) as wire:
        wire.send(smuggled(server) * 20 + head(server, method="GET", target="/state") + smuggled(server))
        for number in range(20):
            assert wire.answer("POST").json["version"] == before + number + 1
        assert wire.answer()["etag"].endswith(f':{before + 20}"')
        assert wire.answer("POST").json["version"] == before + 21


def test_a_request_may_come_byte_by_byte(server):
    with Wire(server) as wire:
        for byte in smuggled(server):
            wire.send(bytes([byte]))
        assert wire.answer("POST").status == 200


def test_keep_alive_and_close_are_as_asked(server):
    with Wire(server) as wire:
        for _ in range(3):
            wire.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert wire.answer().status == 200
        wire.send("GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert wire.answer()["connection"].lower() == "close"
        assert wire.closed()
    with Wire(server) as wire:
        wire.send("GET /livez HTTP/1.0\r\nHost: localhost\r\n\r\n")
        assert wire.answer().status == 200
        assert wire.closed()


# Protocol 9: sizes


def test_9_headers_over_16_KiB_are_431(server):
    with Wire(server) as wire:
        wire.send(head(server, "X: " + "x" * 17_000, method="GET", target="/state"))
        answer = wire.answer()
    assert answer.status == 431, answer
    if answer["content-type"] == "application/problem+json":
        assert answer.json["limit"] == 16 << 10


def test_9_headers_of_15_KiB_are_taken(server):
    fields = [f"X-{number}: " + "x" * 1000 for number in range(15)]
    with Wire(server) as wire:
        wire.send(head(server, *fields, method="GET", target="/state"))
        assert wire.answer().status == 200


@pytest.mark.parametrize("excess, status", [(0, 200), (1, 431)])
def test_9_headers_are_taken_up_to_16_KiB_in_100_fields(server, excess, status):
    """The library's memory for a connection has exactly room for these headers. The second request reuses it."""
    names = [f"X-{number:03}" for number in range(98)]
    standard = len(f"Host: {server.authority}\r\nContent-Type: application/json\r\n/state")
    counted = standard + len(names) * len("X-000: \r\n") + 100 * 64
    each, rest = divmod((16 << 10) + excess - counted, len(names))
    fields = [f"{name}: " + "x" * each for name in names]
    fields[0] += "x" * rest
    with Wire(server) as wire:
        for _ in range(2 if status == 200 else 1):
            wire.send(head(server, *fields, method="GET", target="/state"))
            assert wire.answer().status == status


def test_9_a_uri_over_8_KiB_is_414(server):
    answer = server.get("/state/" + "x" * 8_192)
    assert answer.status == 414, answer
    assert answer.problem("uri-too-long", 414)["limit"] == 8 << 10
    assert server.get("/state/" + "x" * 8_100).status == 404


def test_9_a_body_of_1_MiB_is_taken_and_one_byte_more_is_not(server):
    room = (1 << 20) - len(ACTION)
    assert server.post(ACTION + b" " * room).status == 200
    assert server.post(ACTION + b" " * (room + 1)).problem("too-large", 413)["limit"] == 1 << 20


@pytest.mark.parametrize("open_, close", [(b"[", b"]"), (b'{"a":', b"}")])
def test_9_depth_ends_at_64(server, open_, close):
    def body(depth):
        nested = open_ * depth + b"1" + close * depth
        return b'{"type":"CounterIncreaseRequested","meta":{"a":%s}}' % nested

    assert server.post(body(62)).status == 200
    server.post(body(63)).problem("malformed-json", 400)
    server.post(body(100_000)).problem("malformed-json", 400)
    server.post(open_ * 200_000).problem("malformed-json", 400)


@pytest.mark.parametrize(
    "body",
    [
        b'{"type":"CounterIncreaseRequested","type":"CounterIncreaseRequested"}',
        b'{"type":"CounterIncreaseRequested","\\u0074ype":"CounterIncreaseRequested"}',
        b'{"type":"AddItem","payload":{"text":"\xff"}}',
        b'{"type":"AddItem","payload":{"text":"\xc0\xaf"}}',
        b'{"type":"AddItem","payload":{"text":"\xed\xa0\x80"}}',
        b'{"type":"AddItem","payload":{"text":"\\ud800"}}',
        b'{"type":"AddItem","payload":{"text":"\n"}}',
        b"\xef\xbb\xbf" + ACTION,
        ACTION + b"x",
        ACTION + ACTION,
        ACTION[:-1],
        b"{'type':1}",
        b'{"type":"StepChangeRequested","payload":{"step":01}}',
        b'{"type":"StepChangeRequested","payload":{"step":+1}}',
        b'{"type":"StepChangeRequested","payload":{"step":1.}}',
        b'{"type":"StepChangeRequested","payload":{"step":NaN}}',
        b'{"type":"CounterIncreaseRequested",}',
        b"[,]",
        b"",
        b" ",
        b"\0",
    ],
)
def test_8_malformed_json_is_refused_with_its_place(server, body):
    before = server.tag
    members = server.post(body).problem("malformed-json", 400)
    assert 0 <= members["offset"] <= len(body)
    assert server.tag == before


# Protocol 9: times, with shorter bounds than the defaults


@pytest.fixture(scope="module")
def hasty():
    flags = ["--headers-timeout", "1", "--body-timeout", "1", "--idle-timeout", "1"]
    with Server(*flags) as running:
        yield running


def drip(wire, data, seconds):
    """Sends a byte from time to time until the peer closes. Returns whether the peer closed in time."""
    deadline = time.monotonic() + seconds
    wire.socket.settimeout(0.1)
    sent = 0
    while time.monotonic() < deadline:
        try:
            if not wire.more():
                return True
        except TimeoutError:
            pass
        try:
            wire.send(data[sent % len(data) : sent % len(data) + 1])
        except OSError:
            return True
        sent += 1
    return False


def test_9_headers_that_trickle_in_are_cut_off(hasty):
    with Wire(hasty) as wire:
        wire.send("GET /state HTTP/1.1\r\nHost: localhost\r\nX: ")
        assert drip(wire, b"x", 5), "still open after 5 s"
        assert wire.buffer == b"" or b" 408 " in wire.buffer.split(b"\r\n")[0]


def test_9_a_body_that_trickles_in_is_408(hasty):
    with Wire(hasty) as wire:
        wire.send(head(hasty, "Content-Length: 1000"))
        assert drip(wire, b" ", 5), "still open after 5 s"
        assert wire.buffer.startswith(b"HTTP/1.1 408"), wire.buffer[:100]
        wire.answer("POST").problem("timeout", 408)


def test_9_an_idle_connection_is_closed(hasty):
    with Wire(hasty) as wire:
        assert hasty.get("/livez", wire=wire).status == 200
        began = time.monotonic()
        assert wire.closed()
        assert time.monotonic() - began < 4


def test_9_a_connection_that_sends_nothing_is_closed(hasty):
    with Wire(hasty) as wire:
        wire.socket.settimeout(4)
        while wire.more():
            pass
        assert wire.buffer == b"" or wire.buffer.startswith(b"HTTP/1.1 408 ")


def test_9_a_reader_that_takes_no_answer_is_cut_off(hasty):
    for _ in range(4):
        hasty.post({"type": "AddItem", "payload": {"text": "x" * 900_000}})
    before = hasty.sockets_at_rest
    with Wire(hasty) as wire:
        wire.send("GET /state HTTP/1.1\r\nHost: localhost\r\n\r\n" * 10)
        until(lambda: hasty.sockets == before + 1, "the connection is there")
        until(lambda: hasty.sockets == before, "it is closed although nobody reads", 10)


def test_9_a_long_poll_is_not_idle(hasty):
    assert hasty.get("/state?after=1000&wait=3").status == 304


# Protocol 9: bounds on connections, streams and the mailbox


def test_9_connections_over_the_bound_get_503():
    with Server("--connections-max", "8") as server:
        wires = []
        for _ in range(8):
            wires.append(Wire(server))
            assert server.get("/livez", wire=wires[-1]).status == 200
        with Wire(server) as wire:
            wire.send("GET /state HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = wire.answer()
            answer.problem("overloaded", 503)
            assert int(answer["retry-after"]) >= 1
        wires.pop().socket.close()
        until(lambda: _served(server), "there is a place again")
        for wire in wires:
            assert server.get("/livez", wire=wire).status == 200
            wire.socket.close()


def _served(server):
    try:
        return server.get("/state").status == 200
    except OSError:
        return False


def test_9_a_full_mailbox_is_overloaded_and_nothing_is_lost():
    """Protocol 8.1, overloaded: a mailbox of 8 and batches that keep the Core busy."""
    with Server("--mailbox-max", "1500") as server:
        batch = b"[" + b",".join([ACTION] * 1000) + b"]"
        request = head(server, f"Content-Length: {len(batch)}") + batch
        wires = [Wire(server) for _ in range(40)]
        applied = overloaded = 0
        for _ in range(10):
            for wire in wires:
                wire.send(request)
            for wire in wires:
                answer = wire.answer("POST")
                if answer.status == 200:
                    applied += 1000
                else:
                    answer.problem("overloaded", 503)
                    assert int(answer["retry-after"]) >= 1
                    overloaded += 1
            if overloaded:
                break
        assert overloaded, "the mailbox never was full"
        assert server.state["counter"]["counter"] == applied
        for wire in wires:
            wire.socket.close()
