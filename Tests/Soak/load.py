"""Clients of a soak: each kind works until the end, and counts its work."""

import contextlib
import json
import random
import select
import socket
import struct
import threading
import traceback

from harness import INCREASE, Stream, Wire, action

READS = [
    "/state", "/state/counter/counter", "/state/nothing", "/state?version=1", "/state/counter?blame=true",
    "/state?after=1&wait=1", "/modules", "/modules/counter", "/views", "/views/greeting", "/views/items?limit=3",
    "/views/nothing", "/actions?limit=50", "/actions?after=0&limit=5", "/trace?version=1", "/effects", "/route",
    "/metrics", "/readyz", "/openapi.json", "/schema", "/", "/problems/refused", "/%2e%2e/state",
]
STREAMS = [
    "/events", "/events?mode=patch", "/events?path=/counter", "/events?path=/todos/items&mode=patch",
    "/modules/counter/events?old=true", "/modules/home/events", "/views/list/events?mode=patch", "/route/events",
    "/actions/events",
]
NONSENSE = [
    b"GET /state HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"POST /dispatch HTTP/1.1\r\nHost: localhost\r\nContent-Length: +3\r\n\r\n{}\n",
    b"POST /dispatch HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"POST /dispatch HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n{\"type\":",
    b"GET /state\0/x HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /state HTTP/1.1\r\nHost: localhost\r\n" + b"X-Field: y\r\n" * 400 + b"\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GARBAGE\r\n\r\n",
    b"GET /events HTTP/1.1\r\nHost: localh",
]
BODIES = [
    b"", b"{", b"[]", b"null", b'{"type":"Nothing"}', b"[" * 5_000, b'{"type":"AddItem","payload":{"text":1}}',
    b'{"type":"CounterIncreaseRequested","payload":[]}', b'{"type":"\xff"}',
    b'[{"type":"CounterIncreaseRequested"},{"type":"CompleteItem","payload":{"index":9999}}]',
]
ITEMS_MAX = 40


class Client(threading.Thread):
    """A client that works until it is ended. `done` counts its work, `failure` is the error that ended it."""

    def __init__(self, server, ended):
        super().__init__(daemon=True)
        self.server, self.ended = server, ended
        self.random = random.Random()
        self.done = self.increases = 0
        self.failure = None

    def run(self):
        try:
            while not self.ended.is_set():
                self.turn()
                self.done += 1
        except Exception as error:  # the soak reports any error
            line = traceback.extract_tb(error.__traceback__)[1]
            self.failure = f"{type(self).__name__}, line {line.lineno}, {line.line}: {error!r}"


class Dispatcher(Client):
    """Dispatches over one connection: single actions, arrays, requests with keys, dry runs, refused actions."""

    wire = None

    def turn(self):
        if self.wire is None:
            self.wire = Wire(self.server)
        kind = self.random.randrange(12)
        if kind < 5:
            self.increase(INCREASE, 1)
        elif kind < 8:
            count = self.random.randrange(1, 60)
            self.increase([INCREASE] * count, count)
        elif kind == 8:
            key = f'"{self.random.randrange(1 << 60):x}"'
            self.increase(INCREASE, 1, {"Idempotency-Key": key})
            again = self.post(INCREASE, {"Idempotency-Key": key})
            assert again.status == 200 and again["idempotency-replayed"] == "true", again
        elif kind == 9:
            assert self.post(INCREASE, query="?dry-run=true").status == 200
        elif kind == 10:
            assert self.post([INCREASE, action("CompleteItem", index=9_999)]).status in (409, 422)
        else:
            self.change_items()

    def increase(self, body, count, headers=()):
        assert self.post(body, headers).status == 200
        self.increases += count

    def change_items(self):
        answer = self.post(action("AddItem", text="x" * self.random.randrange(1, 500)))
        assert answer.status in (200, 409), answer
        items = len(json.loads(self.server.get("/state/todos/items", wire=self.wire).body))
        if items > ITEMS_MAX:
            assert self.post([action("DeleteItem", index=0)] * (items - ITEMS_MAX // 2)).status in (200, 404, 409, 422)

    def post(self, body, headers=(), query=""):
        return self.server.post(body, headers, query, wire=self.wire)


class Reader(Client):
    """Reads a stream for a while, leaves in one of several ways, and resumes after the last event."""

    last = None
    target = STREAMS[0]

    def turn(self):
        if self.random.random() < 0.3:
            self.target, self.last = self.random.choice(STREAMS), None
        with contextlib.closing(Stream(self.server, self.target, last=self.last)) as stream:
            stream.opened()
            assert stream.answer.status in (200, 503), stream.answer
            for _ in range(self.random.randrange(1, 40)):
                if self.ended.is_set() or not came(stream):
                    break
                while event := stream.take():
                    self.last = event.id or self.last
            if self.random.random() < 0.5:
                stream.reset()


class Stalled(Client):
    """Opens a stream and takes nothing."""

    def turn(self):
        with contextlib.closing(Stream(self.server, "/events", receive_bytes=2048)):
            self.ended.wait(self.random.random() * 5)


class Visitor(Client):
    """Has a session of its own for a few requests."""

    def turn(self):
        begun = self.server.request("POST", "/sessions", b"")
        if begun.status in (429, 503):
            self.ended.wait(0.05)
            return
        assert begun.status == 201, begun
        cookie = {"Cookie": begun["set-cookie"].split(";")[0]}
        film = f"Movie {self.random.randrange(10)}"
        answers = [
            self.server.post({"type": "home/start"}, cookie),
            self.server.post(action("movieCard/start", title=film), cookie),
            self.server.get("/state", cookie),
            self.server.get("/modules/movieCard", cookie),
            self.server.send("/usecases/login/login", {"user": "demo", "password": "wrong"}, cookie),
            self.server.get("/state?wait=1", cookie),
        ]
        assert all(each.status < 500 for each in answers), answers
        with contextlib.closing(Stream(self.server, "/events", headers=cookie.items())) as stream:
            stream.opened()
            came(stream)
            if self.random.random() < 0.8:
                assert self.server.request("DELETE", "/session", headers=cookie).status in (200, 204)


class Browser(Client):
    """Reads every kind of resource, also with conditions."""

    tag = None

    def turn(self):
        headers = {"If-None-Match": self.tag} if self.tag and self.random.random() < 0.3 else {}
        answer = self.server.get(self.random.choice(READS), headers)
        assert answer.status < 500, answer
        self.tag = answer["etag"] or self.tag


class Enemy(Client):
    """Sends bytes that are no request, or no action, and leaves in the middle."""

    def turn(self):
        with contextlib.closing(self.server.socket()) as connection, contextlib.suppress(OSError):
            if self.random.random() < 0.5:
                body = self.random.choice(BODIES)
                head = f"POST /dispatch HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
                connection.sendall(head.encode() + b"Content-Type: application/json\r\n\r\n" + body)
            else:
                connection.sendall(self.random.choice(NONSENSE))
            if self.random.random() < 0.5:
                connection.settimeout(0.2)
                assert b"HTTP/1.1 500" not in connection.recv(1 << 16)
            reset(connection)


def came(stream):
    """Reads for a second. Returns whether any bytes arrived."""
    if select.select([stream], [], [], 1)[0]:
        stream.read()
    return not stream.ended


def reset(connection):
    """Makes the socket end with a reset when it is closed."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


CROWD = {Dispatcher: 6, Reader: 16, Stalled: 6, Visitor: 4, Browser: 4, Enemy: 3}
