"""An unreadable request is answered once: one head, one problem, and the connection is closed (RFC 9110, RFC 9112;
protocol 8). libmicrohttpd 0.9.75 would cut values at NUL, answer in HTML, and write two heads."""

import re
import socket

import pytest
from harness import Wire, until
from test_framing import ACTION, CHUNKED, head, smuggled

STATUS_LINE = re.compile(rb"HTTP/1\.[01] (\d{3}) ")


def refused(server, request, status=400, method="POST", slug="bad-request"):
    """Sends bytes and a smuggled follower. The only answer is one problem, and no action is run."""
    before = server.version
    with Wire(server) as wire:
        wire.send(request + smuggled(server))
        answer = wire.answer(method)
        answer.problem(slug, status)
        assert answer["connection"] == "close"
        assert wire.closed(), wire.buffer[:300]
    assert server.version == before
    return answer


def served(server, request, method="GET", status=200):
    with Wire(server) as wire:
        wire.send(request)
        answer = wire.answer(method)
        assert answer.status == status, answer
        return answer


def get(server, *lines, line="GET /livez HTTP/1.1", host=True):
    fields = [f"Host: {server.authority}"] if host else []
    return "\r\n".join([line, *fields, *lines, "", ""]).encode("latin-1")


# The length of a body

BAD_LENGTHS = [
    "+35", "-35", "-0", "-1", "+0", "0x23", "0X23", "35,35", "35, 35", "35,5", "3 5", "35;", "35.0", "3.5e1",
    "1e1", "\u00b335", "35a", "a", "", "\t", "'35'", '"35"', "0b1", "0o43", "35\x0b", "NaN", "35=", "--35",
]  # fmt: skip


@pytest.mark.parametrize("length", BAD_LENGTHS)
def test_8_a_length_that_is_no_number_is_answered_once(server, length):
    refused(server, head(server, f"Content-Length: {length}") + ACTION)
    # The position of the field makes no difference, nor does an earlier request.
    with Wire(server) as wire:
        wire.send(get(server) + head(server, f"Content-Length: {length}", "X: y") + ACTION)
        assert wire.answer().status == 200
        wire.answer("POST").problem("bad-request", 400)
        assert wire.closed(), wire.buffer


@pytest.mark.parametrize("length", [2**63, 2**64 - 1, 2**64, 2**64 + 35, 10**19, 10**30, 10**1000])
def test_9_a_length_beyond_every_bound_is_answered_once(server, length):
    answer = refused(server, head(server, f"Content-Length: {length}"), 413, slug="too-large")
    assert answer.json["limit"] == 1 << 20


@pytest.mark.parametrize("zeros", [1, 5, 100])
def test_8_zeros_before_a_length_are_fine(server, zeros):
    length = "0" * zeros + str(len(ACTION))
    served(server, head(server, f"Content-Length: {length}") + ACTION, "POST")


def test_8_a_refused_client_that_goes_on_sending_reads_the_reason(server):
    """If the server closed the socket with unread bytes, the kernel would reset the connection."""
    for request in (
        head(server, "Content-Length: +1") + b"x" * (4 << 20),
        head(server, *["X: " + "x" * 1000] * 10_000),
        b"GET\t/\tHTTP/1.1\r\n" + b"x" * (4 << 20),
    ):
        with Wire(server) as wire:
            wire.send(request)
            wire.socket.shutdown(socket.SHUT_WR)
            assert wire.answer("POST").status in (400, 431)
            assert wire.closed()


# White space after a value

@pytest.mark.parametrize("space", [" ", "\t", "  \t "])
def test_8_white_space_behind_a_value_is_no_part_of_it(server, space):
    before = server.version
    served(server, head(server, f"Content-Length: {len(ACTION)}{space}") + ACTION, "POST")
    served(server, head(server, f"Content-Length:{space}{len(ACTION)}{space}") + ACTION, "POST")
    served(server, head(server, f"Transfer-Encoding: chunked{space}") + CHUNKED, "POST")
    assert server.version == before + 3
    served(server, get(server, f"Host: {server.authority}{space}", host=False))
    with Wire(server) as wire:
        wire.send(get(server, f"Connection: close{space}"))
        assert wire.answer().status == 200
        assert wire.closed()
    with Wire(server) as wire:
        wire.send(head(server, f"Content-Length: {len(ACTION)}", f"Expect: 100-continue{space}"))
        assert wire.head().status == 100
        wire.send(ACTION)
        assert wire.answer("POST").status == 200


@pytest.mark.parametrize("value", ["chunked ,", "chunked x", "x chunked ", " , chunked"])
def test_8_white_space_makes_no_coding_of_others(server, value):
    refused(server, head(server, f"Transfer-Encoding: {value}") + CHUNKED)


# NUL

def test_8_nul_in_a_value_is_seen(server):
    for host in ("127.0.0.1\0.evil.example", "localhost\0", "localhost\0\0x", "\0localhost"):
        refused(server, get(server, f"Host: {host}", host=False))
        refused(server, get(server, f"Host: {host}", "X: y", host=False))
        refused(server, get(server, f"X: y\r\nHost: {host}", "Z: z", host=False))
    for field in ("Origin: http://{}\0.evil.example", "Cookie: a=b\0; c=d", "If-Match: \"x\0\"", "X: \0"):
        for lines in (["X: y", field], [field, "X: y"], [field]):
            refused(server, get(server, *[line.format(server.authority) for line in lines]))


@pytest.mark.parametrize(
    "line",
    ["GET /livez\0/x", "GET /livez\0", "GET /\0livez", "GET \0", "GET /state?after=0\0x", "GET\0 /livez",
     "GET\0POST /livez", "GE\0T /livez", "GET http://localhost\0.evil.example/livez"],
)  # fmt: skip
def test_8_nul_in_a_request_line_is_seen(server, line):
    refused(server, get(server, line=f"{line} HTTP/1.1"))


@pytest.mark.parametrize("at", [1, 2, -1])
def test_8_a_line_that_begins_with_nul_ends_no_header(server, at):
    """The library takes such a line for the empty line, and the following bytes for the next request."""
    lines = ["X: a", "Y: b", "Z: c", "A: d"]
    lines.insert(at if at > 0 else len(lines), "\0Content-Length: 35")
    refused(server, get(server, *lines))


@pytest.mark.parametrize("field", [": x", ":", "X", "X\0: y", "\0", " X: y", "X: y\r\n z", "X:\r\n\tz", "X: y\r\n "])
def test_8_lines_that_are_no_field_are_answered_once(server, field):
    refused(server, get(server, "A: b", field, "C: d"))
    refused(server, get(server, "A: b", field))
    refused(server, get(server, field))


def test_8_bare_line_feeds_end_lines(server):
    """RFC 9112 §2.2 allows bare line feeds. The server also finds a NUL before a line feed."""
    plain = get(server, "X: y").replace(b"\r\n", b"\n")
    served(server, plain)
    mixed = get(server, "X: y")[:-4] + b"\n\r\n"
    served(server, mixed)
    refused(server, plain.replace(b"y", b"y\0z"))
    refused(server, plain.replace(b"localhost", b"x").replace(b"Host: ", b"Host: \0"))


def test_8_a_header_in_any_number_of_pieces_is_read_the_same(server):
    request = get(server, "X: y" + " " * 50, "Cookie: a=b; c=d", "Y:", line="GET /livez?a=b&c=d HTTP/1.1")
    for size in (1, 2, 3, 7, 20, 64):
        with Wire(server) as wire:
            for start in range(0, len(request), size):
                wire.send(request[start : start + size])
            assert wire.answer().status == 400  # /livez has no query
            wire.send(get(server))
            assert wire.answer().status == 200


# Request lines

@pytest.mark.parametrize(
    "line",
    [" GET /livez HTTP/1.1", "\tGET /livez HTTP/1.1", "GET\t/livez\tHTTP/1.1", "GET\t/livez HTTP/1.1",
     "GET /livez\tHTTP/1.1", "GET  /livez HTTP/1.1", "GET /livez  HTTP/1.1", "GET /livez HTTP/1.1 ",
     "GET /livez HTTP/1.1\t", "GET /li vez HTTP/1.1", "GET /livez", "GET", "GET ", "GET /livez http/1.1",
     "GET /livez HTTP/1.12", "GET /livez HTTP/1", "GET /livez HTTP/11", "/livez HTTP/1.1", "HTTP/1.1 200 OK",
     "GET /livez HTTP/1.1 HTTP/1.1", "GET /livez\x0bHTTP/1.1", "GET /livez#x HTTP/1.1", "GET /l\xe9 HTTP/1.1"],
)  # fmt: skip
def test_8_malformed_request_lines_are_answered_once(server, line):
    refused(server, get(server, line=line))
    # The same holds after a request that was answered.
    with Wire(server) as wire:
        assert server.get("/livez", wire=wire).status == 200
        wire.send(get(server, line=line))
        wire.answer().problem("bad-request", 400)
        assert wire.closed()


@pytest.mark.parametrize("version", ["HTTP/2.0", "HTTP/0.9", "HTTP/3.0", "HTTP/9.9"])
def test_8_versions_that_are_not_served_are_a_problem(server, version):
    refused(server, get(server, line=f"GET /livez {version}"), 505, slug="version-not-supported")


def test_8_a_client_that_leaves_between_requests_is_sent_nothing(server):
    for ending in (b"", b"\r\n", b"\r\n\r\n"):
        with Wire(server) as wire:
            assert server.get("/livez", wire=wire).status == 200
            wire.send(ending)
            wire.socket.shutdown(socket.SHUT_WR)
            assert wire.closed(), wire.buffer
    with Wire(server) as wire:
        wire.send(get(server, "Connection: close") + b"\r\n")
        assert wire.answer().status == 200
        assert wire.closed(), wire.buffer
    with Wire(server) as wire:
        wire.send(get(server, line="GET /livez HTTP/1.0"))
        assert wire.answer().status == 200
        assert wire.closed(), wire.buffer


def test_8_a_stream_is_sent_no_refusal(server):
    with Wire(server) as wire:
        wire.send(get(server, line="GET /events HTTP/1.1") + b"GET\t/\r\n\r\n")
        until(lambda: wire.more() and b"\n\n" in wire.buffer.split(b"\r\n\r\n")[-1], "the first event")
        assert len(STATUS_LINE.findall(wire.buffer)) == 1


# The size of a header

@pytest.mark.parametrize("bytes_", [20_000, 100_000, 10 << 20])
def test_9_large_headers_are_a_problem(server, bytes_):
    for fields in (["X: " + "x" * bytes_], ["X: " + "x" * 100] * (bytes_ // 106), ["x" * bytes_ + ": y"]):
        with Wire(server) as wire:
            wire.send(get(server, *fields))
            assert wire.answer().problem("headers-too-large", 431)["limit"] in (16 << 10, 100)
            assert wire.closed()


@pytest.mark.parametrize("bytes_", [9_000, 40_000, 1 << 20])
def test_9_long_targets_are_a_problem(server, bytes_):
    for target in ("/" + "x" * bytes_, "/state?" + "x&" * (bytes_ // 2)):
        with Wire(server) as wire:
            wire.send(get(server, line=f"GET {target} HTTP/1.1"))
            answer = wire.answer()
            assert answer.status in (414, 431), answer
            answer.problem({414: "uri-too-long", 431: "headers-too-large"}[answer.status], answer.status)


# Chunks

@pytest.mark.parametrize(
    "body",
    [b"xyz\r\n", b"-23\r\n", b"+23\r\n", b" 23\r\n", b"0x23\r\n", b"\r\n", b"23 ;a\r\n", b"23\t\r\n", b";a\r\n",
     b"2\0\r\n", b"\0\r\n", b"23" + b"\r" * 10 + b"\n", b"1\r\n{X0\r\n\r\n", b"1\r\n{\r\r\n", b"1\r\n{0\r\n\r\n"],
)  # fmt: skip
def test_8_malformed_chunks_are_answered_once(server, body):
    refused(server, head(server, "Transfer-Encoding: chunked") + body)


@pytest.mark.parametrize("size", [b"f" * 17, b"1" + b"0" * 16, b"f" * 1000])
def test_9_a_chunk_beyond_every_bound_is_too_large(server, size):
    request = head(server, "Transfer-Encoding: chunked") + size + b"\r\n"
    refused(server, request, 413, slug="too-large")


@pytest.mark.parametrize("size", [b"100001", b"7fffffff", b"ffffffff", b"7fffffffffffffff", b"f" * 16])
def test_9_a_chunk_over_the_bound_is_413(server, size):
    with Wire(server) as wire:
        wire.send(head(server, "Transfer-Encoding: chunked") + size + b"\r\n")
        try:
            for _ in range(20):
                wire.send(b" " * 65_536)
        except OSError:
            pass
        wire.answer("POST").problem("too-large", 413)


@pytest.mark.parametrize(
    "trailer",
    [b"0\r\n\r\n", b"000\r\n\r\n", b"0;a=b\r\n\r\n", b"0\r\nX: y\r\n\r\n", b"0\r\nContent-Length: 3\r\nHost: evil\r\n\r\n",
     b"0\r\nTransfer-Encoding: gzip\r\n\r\n", b"0\r\n" + b"X: y\r\n" * 50 + b"\r\n"],
)  # fmt: skip
def test_8_extensions_and_trailers_change_nothing(server, trailer):
    before = server.version
    with Wire(server) as wire:
        chunk = b"%x;name=\"v\";x\r\n%s\r\n" % (len(ACTION), ACTION)
        wire.send(head(server, "Transfer-Encoding: chunked") + chunk + trailer)
        assert wire.answer("POST").status == 200
        wire.send(smuggled(server))
        assert wire.answer("POST").status == 200
    assert server.version == before + 2


@pytest.mark.parametrize("trailer", [b"X\r\n\r\n", b"X: " + b"y" * 40_000 + b"\r\n\r\n", b"X: y\r\n" * 5_000])
def test_8_malformed_trailers_run_nothing(server, trailer):
    before = server.version
    with Wire(server) as wire:
        wire.send(head(server, "Transfer-Encoding: chunked") + CHUNKED[:-2] + trailer)
        answer = wire.answer("POST")
        assert answer.status in (400, 431), answer
        assert answer["content-type"] == "application/problem+json"
        assert wire.closed()
    assert server.version == before


# Hosts, and the server as a whole

@pytest.mark.parametrize("host", ["::1", "::1:80", "[127.0.0.1]", "[localhost]", "[::1", "[::1]x", "[]", "[::1]:x"])
def test_10_4_an_ipv6_address_alone_stands_in_brackets(server, host):
    with Wire(server) as wire:
        wire.send(get(server, f"Host: {host}", host=False))
        assert wire.answer().status in (400, 421)
    served(server, get(server, "Host: [::1]:80", host=False))


def test_8_options_of_the_server_are_answered(server):
    with Wire(server) as wire:
        for _ in range(2):
            wire.send(get(server, line="OPTIONS * HTTP/1.1"))
            answer = wire.answer("OPTIONS")
            assert answer.status == 204
            assert answer["allow"] == "GET, HEAD, POST, DELETE, OPTIONS"
            assert answer["connection"] is None
    for line in ("GET *", "OPTIONS **", "OPTIONS *?x", "POST *", "OPTIONS state"):
        refused(server, get(server, line=f"{line} HTTP/1.1"))


@pytest.mark.parametrize(
    "method, target, status",
    [("GET", "/nowhere", 404), ("GET", "/dispatch", 405), ("GET", "/state?x=1", 400), ("HEAD", "/nowhere", 404),
     ("DELETE", "/state", 405), ("GET", "/state/none", 404), ("OPTIONS", "/nowhere", 404), ("FOO", "/state", 405)],
)  # fmt: skip
def test_8_a_refusal_without_a_body_keeps_the_connection(server, method, target, status):
    with Wire(server) as wire:
        for _ in range(3):
            answer = server.request(method, target, wire=wire)
            assert (answer.status, answer["connection"]) == (status, None)
        # Requests that are pipelined after such a request are answered, too.
        wire.send(get(server, line=f"{method} {target} HTTP/1.1") * 5 + get(server))
        for _ in range(5):
            assert wire.answer(method).status == status
        assert wire.answer().status == 200
