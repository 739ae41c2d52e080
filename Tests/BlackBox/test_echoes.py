"""Problems and the log repeat the input of a client in printable characters alone (protocol 8.2)."""

import json
import unicodedata
import urllib.parse

import pytest
from harness import INCREASE, Server, Wire, action

# Control characters, other line ends, sequences for terminals, and marks that turn text around.
NASTY = "\x1b[31mred\x07\r\nforged: line\x00\x7f\x9b31m\u2028\u2029\u202e\ufeff\"'<script>&\U000e0001\ud7fc"
FORBIDDEN = {"Cc", "Cf", "Zl", "Zp", "Co", "Cn", "Cs"}


def unprintable(text):
    return [hex(ord(c)) for c in text if unicodedata.category(c) in FORBIDDEN]


def assert_clean(answer):
    """Checks that neither the bytes nor the sentence contain characters that a terminal acts upon."""
    text = answer.body.decode()
    assert unprintable(text) == [], text
    members = answer.json
    assert unprintable(members["detail"]) == [], members
    assert len(members["detail"]) < 2_000
    for name, value in answer.headers:
        assert unprintable(value) == [], (name, value)
    return members


@pytest.fixture(scope="module")
def logging():
    with Server("--log-actions") as running:
        yield running
        for line in running.log_text.splitlines():
            assert line.startswith("store-server: "), line
        assert unprintable(running.log_text.replace("\n", "")) == []


QUOTED = urllib.parse.quote(NASTY.encode("utf-8", "surrogatepass"))
BROKEN = "%ff%fe%c3%28%ed%a0%80"


@pytest.mark.parametrize("part", [QUOTED, BROKEN, "%1b%5b2J", "%zz", "%", QUOTED * 20])
@pytest.mark.parametrize(
    "target",
    ["/{}", "/state/{}", "/state?{}=1", "/state?version={}", "/events?path={}", "/modules/{}", "/dispatch/{}",
     "/views/{}", "/problems/{}", "/state?{}", "/stores/{}/state", "/actions?after={}"],
)  # fmt: skip
def test_8_2_paths_and_queries_come_back_without_control_characters(logging, target, part):
    answer = logging.get(target.format(part))
    assert answer.status in (400, 404, 200), answer
    if answer.status != 200:
        assert_clean(answer)


RAW = [b"\x1b[31m", b"\xff\xfe", "\u2028".encode(), "\u202e".encode(), b"\x9b31m", b"\xc2\x9b31m", b'"\'<b>', b"\x07", b"\x00"]


@pytest.mark.parametrize("value", RAW)
@pytest.mark.parametrize(
    "field",
    ["Host", "Origin", "User-Agent", "Cookie", "If-Match", "Idempotency-Key", "Prefer", "Content-Type",
     "Content-Encoding", "Last-Event-ID", "Accept", "Forwarded", "X-Forwarded-For", "Sec-Fetch-Site"],
)  # fmt: skip
def test_8_2_header_fields_come_back_without_control_characters(logging, field, value):
    body = json.dumps(INCREASE).encode()
    lines = {
        "Host": logging.authority.encode(),
        "Content-Type": b"application/json",
        "Content-Length": str(len(body)).encode(),
        "Connection": b"close",
        field: value,
    }
    head = b"".join(name.encode() + b": " + text + b"\r\n" for name, text in lines.items())
    with Wire(logging) as wire:
        wire.send(b"POST /dispatch HTTP/1.1\r\n" + head + b"\r\n" + body)
        answer = wire.answer()
    assert answer.status in (200, 400, 403, 415, 421), answer
    if answer.status != 200 and answer["content-type"].startswith("application/problem"):
        assert_clean(answer)


@pytest.mark.parametrize("method", [b"G\x1b[31mT", b"GET\xff", b"g\xe2\x80\xa8t"])
def test_8_2_methods_come_back_without_control_characters(logging, method):
    with Wire(logging) as wire:
        wire.send(method + b" /state HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        answer = wire.answer()
    assert 400 <= answer.status < 502
    if answer["content-type"].startswith("application/problem"):
        assert_clean(answer)


def test_8_2_action_types_and_pointers_come_back_without_control_characters(logging):
    for body in (
        {"type": NASTY}, {"type": f"counter/{NASTY}"}, {"type": f"cards/{NASTY}/x"},
        action("StepChangeRequested", **{NASTY: 1}), action("StepChangeRequested", step={NASTY: 1}),
        {"type": "StepChangeRequested", "payload": {"step": NASTY}}, {NASTY: 1},
        [{"type": NASTY}], [INCREASE, {"type": "StepChangeRequested", "payload": {NASTY: {}}}],
    ):  # fmt: skip
        text = json.dumps(body, ensure_ascii=True).encode()
        assert_clean(logging.post(text))
        # The same bodies without escapes, as far as JSON allows them.
        raw = json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
        assert_clean(logging.post(raw))
    # The meaning of a member does not depend on its escapes.
    problem = logging.post({"type": "StepChangeRequested", "payload": {"step": 1}, "meta": 1})
    assert problem.status in (200, 422)


def test_8_2_a_type_in_the_log_forges_no_line(logging):
    name = "cards/" + NASTY
    logging.post({"type": "movieCard/start"})
    logging.post({"type": name}, {"User-Agent": "a\x1b[31m".encode().decode("latin-1")})
    assert "\x1b" not in logging.log_text and "\u2028" not in logging.log_text


def test_8_2_the_index_page_has_the_host_that_was_checked(logging):
    target = f"http://{logging.authority}/"
    with Wire(logging) as wire:
        wire.send(f"GET {target} HTTP/1.1\r\nHost: evil.example/$(id)\r\nAccept: text/html\r\nConnection: close\r\n\r\n")
        answer = wire.answer()
    assert answer.status in (200, 400)
    assert b"evil" not in answer.body
