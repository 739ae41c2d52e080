"""A server process, raw sockets and streams, for tests from outside.

Nothing here sleeps in order to synchronise: `until` polls a condition up to a deadline.
"""

import contextlib
import json
import os
import pathlib
import re
import select
import signal
import socket
import struct
import subprocess
import tempfile
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
START_SECONDS_MAX = 15
ANSWER_SECONDS_MAX = 15
STOP_SECONDS_MAX = 15
EVENT_SECONDS_MAX = 60
POLL_SECONDS = 0.005
LISTENING = re.compile(r'listening on ([^\s"]+)')
OPERATORS = re.compile(r'operators connect at ([^\s"]+)')

INCREASE = {"type": "CounterIncreaseRequested"}
DECREASE = {"type": "CounterDecreaseRequested"}
INITIAL = {
    "counter": {"counter": 0, "step": 1},
    "todos": {
        "items": [
            {"text": "Pet my unicorn", "completed": False},
            {"text": "Become a doctor.\nChange last name to Acula", "completed": False},
            {
                "text": "Hire two private investigators.\nGet them to follow each other",
                "completed": False,
            },
            {"text": "Visit mars", "completed": False},
        ]
    },
    "home": None,
    "movieCard": None,
    "login": {"progress": "idle"},
    "user": None,
    "sessions": {"shared": {"route": []}},
}


class ConnectionEnded(ConnectionError):
    """The server closed a connection too early."""


class NotStarted(Exception):
    """A server ended before it listened, or did not listen in time."""


def step(number):
    return {"type": "StepChangeRequested", "payload": {"step": number}}


def action(type_, **payload):
    return {"type": type_, "payload": payload}


def until(condition, what, seconds=ANSWER_SECONDS_MAX):
    """Waits until `condition()` is true, and returns its value."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(POLL_SECONDS)


def binary():
    override = os.environ.get("TESTED_BINARY")
    path = pathlib.Path(override) if override else ROOT / ".build" / "release" / "store-server"
    assert path.exists(), f"{path} is missing: swift build -c release --product store-server"
    return str(path)


def environment_with(variables=None):
    """Returns the environment of the test with these variables, and without other variables of the server."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("STORE_SERVER_", "OTEL_"))}
    return {**clean, **(variables or {})}


def run(*arguments, environment=None, seconds=20):
    """Runs the program to its end."""
    return subprocess.run(
        [binary(), *arguments],
        env=environment_with(environment),
        capture_output=True,
        text=True,
        timeout=seconds,
    )


def listens(path):
    """True if a process accepts connections at a path. The socket's file exists a moment before that (proc(5))."""
    lines = [line.split() for line in pathlib.Path("/proc/net/unix").read_text().splitlines()]
    return any(line[3] == "00010000" and line[-1] == path for line in lines if len(line) == 8)


class Answer:
    """One HTTP response, as it was on the wire."""

    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers  # lower-case name, value; in order
        self.body = body

    def __getitem__(self, name):
        values = [value for key, value in self.headers if key == name.lower()]
        return ", ".join(values) if values else None

    @property
    def json(self):
        return json.loads(self.body)

    def problem(self, slug, status):
        """Checks protocol 8.1, and returns the members of the problem."""
        assert self.status == status, (self.status, self.body)
        assert self["content-type"].split(";")[0] == "application/problem+json"
        assert self["cache-control"] == "no-store"
        members = self.json
        assert members["type"] == f"/problems/{slug}", members
        assert members["status"] == status
        for name in ("title", "detail", "instance"):
            assert isinstance(members[name], str) and members[name], (name, members)
        return members

    def __repr__(self):
        return f"<{self.status} {self.headers} {self.body[:300]!r}>"


class Wire:
    """A socket that sends given bytes and reads HTTP responses one by one."""

    def __init__(self, server, seconds=ANSWER_SECONDS_MAX):
        self.socket = server.socket(seconds)
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode("latin-1"))

    def more(self):
        """Reads once. Returns whether any bytes arrived."""
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError:
            data = b""
        self.buffer += data
        return bool(data)

    def need(self, where):
        """Reads once; the peer must not close here."""
        if not self.more():
            raise ConnectionEnded(f"closed {where}")

    def until(self, mark):
        while mark not in self.buffer:
            self.need(f"before {mark!r}: {self.buffer[:500]!r}")
        head, self.buffer = self.buffer.split(mark, 1)
        return head

    def head(self):
        first, *rest = self.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        headers = []
        for line in rest:
            name, value = line.split(":", 1)
            headers.append((name.lower(), value.strip()))
        version, status = first.split(" ")[:2]
        assert version in ("HTTP/1.1", "HTTP/1.0"), first
        return Answer(int(status), headers, b"")

    def answer(self, method="GET"):
        answer = self.head()
        while answer.status == 100:
            answer = self.head()
        if method == "HEAD" or answer.status in (204, 304):
            return answer
        length = int(answer["content-length"])
        while len(self.buffer) < length:
            self.need(f"within a body: {answer}")
        answer.body, self.buffer = self.buffer[:length], self.buffer[length:]
        return answer

    def closed(self):
        """Returns true if the peer closes without sending anything more."""
        while self.more():
            pass
        return self.buffer == b""


class Server:
    """One server process with a port of its own."""

    def __init__(
        self,
        *flags,
        listen="127.0.0.1:0",
        environment=None,
        stdout=subprocess.DEVNULL,
        stderr=None,
        program=None,
        data=None,
    ):
        """Starts a server, in memory unless `data` names a directory. If the log goes elsewhere (`stderr`), it has to
        listen on a path."""
        self.path = listen.removeprefix("unix:") if stderr is not None else None
        self.log = tempfile.NamedTemporaryFile(prefix="store-server-", suffix=".log")
        arguments = [*(["--data", str(data)] if data else ["--ephemeral"]), *flags]
        if listen:
            arguments += ["--listen", listen]
        if "--analytics" not in flags:
            arguments += ["--analytics", "off"]
        self.process = subprocess.Popen(
            [program or binary(), *arguments],
            env=environment_with(environment),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=self.log if stderr is None else stderr,
        )
        self.pid = self.process.pid
        try:
            self.url = until(self._address, "a line that says where it listens", START_SECONDS_MAX)
        except AssertionError as error:
            self.process.kill()
            raise NotStarted(f"{error}\n{self.log_text}") from None
        parts = urllib.parse.urlsplit(self.url)
        self.host, self.port = parts.hostname, parts.port
        self.path = self.url.removeprefix("unix:") if self.url.startswith("unix:") else None
        # No client has connected yet: the server's own sockets are its listeners.
        self.sockets_at_rest = self.sockets

    @property
    def log_text(self):
        return pathlib.Path(self.log.name).read_text()

    def await_log(self, text):
        """Waits for a text in the log, which has a thread of its own."""
        until(lambda: text in self.log_text, f"the log has {text!r}")

    def _address(self):
        assert self.process.poll() is None, f"ended with {self.process.returncode}"
        if self.path:
            return listens(self.path) and f"unix:{self.path}"
        found = LISTENING.search(self.log_text)
        return found and found[1]

    def socket(self, seconds=ANSWER_SECONDS_MAX):
        if self.path:
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(seconds)
            connection.connect(self.path)
            return connection
        return socket.create_connection((self.host, self.port), seconds)

    @property
    def authority(self):
        if self.path:
            return "localhost"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def request(self, method, target, body=None, headers=(), wire=None):
        own = wire is None
        wire = wire or Wire(self)
        try:
            fields = {"Host": self.authority, **dict(headers)}
            if own:
                fields.setdefault("Connection", "close")
            if body is not None:
                fields["Content-Length"] = str(len(body))
            head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
            wire.send(f"{method} {target} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + (body or b""))
            return wire.answer(method)
        finally:
            if own:
                wire.socket.close()

    def get(self, target, headers=(), wire=None):
        return self.request("GET", target, headers=headers, wire=wire)

    def post(self, body, headers=(), query="", wire=None):
        """Dispatches. `body` is a value to encode as JSON, or bytes."""
        return self.send("/dispatch" + query, body, headers, wire)

    def send(self, target, body, headers=(), wire=None):
        """Posts a value as JSON, or bytes unchanged."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        fields = {"Content-Type": "application/json", **dict(headers)}
        return self.request("POST", target, data, fields, wire)

    def actions(self, after=0):
        """One page of the log after a version."""
        return self.get(f"/actions?after={after}&limit=1000").json["actions"]

    def wait(self, body, seconds=10):
        """Dispatches, and waits for all effects."""
        return self.post(body, {"Prefer": f"wait={seconds}"})

    @property
    def state(self):
        return self.get("/state").json

    @property
    def tag(self):
        return self.get("/state")["etag"].strip('"')

    @property
    def version(self):
        return int(self.tag.split(":")[1])

    @property
    def epoch(self):
        return self.tag.split(":")[0]

    @property
    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    @property
    def sockets(self):
        """The number of the process's open sockets."""
        folder, count = f"/proc/{self.pid}/fd", 0
        for name in os.listdir(folder):
            try:
                count += os.readlink(f"{folder}/{name}").startswith("socket:")
            except FileNotFoundError:
                pass
        return count

    @property
    def resident_bytes(self):
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024

    def stop(self, signal_=signal.SIGTERM):
        """Ends the process, and returns its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal_)
        try:
            return self.process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        status = self.stop()
        assert status == 0, f"ended with {status} instead of 0\n{self.log_text}"


class AdminListener(Server):
    """The listener for operators of a running server (`--admin-listen`)."""

    def __init__(self, server, url=None):
        self.process = server.process
        self.url = url or until(lambda: OPERATORS.search(server.log_text), "it says where operators come in")[1]
        parts = urllib.parse.urlsplit(self.url)
        self.host, self.port = parts.hostname, parts.port
        self.path = self.url.removeprefix("unix:") if self.url.startswith("unix:") else None


class Event:
    def __init__(self, name, id, data, raw):
        self.name = name
        self.id = id
        self.data = data
        self.raw = raw

    @property
    def json(self):
        return json.loads(self.data)

    @property
    def version(self):
        return int(self.id.split(":")[1])

    def __repr__(self):
        return f"<{self.name} {self.id} {self.data[:80]!r}>"


def parse_event(raw):
    """Reads one event of an event stream; `None` for a block without an event."""
    name, id, data = "message", None, []
    for line in raw.decode().split("\n"):
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "id":
            id = value
        elif field == "data":
            data.append(value)
    return Event(name, id, "\n".join(data), raw) if data else None


class Stream:
    """A reader of `GET /events`, over a raw socket."""

    def __init__(self, server, target="/events", last=None, headers=(), receive_bytes=None):
        if receive_bytes:
            self.wire = Wire.__new__(Wire)
            raw = socket.socket(socket.AF_INET)
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
            # Segments as on a network. If the window is smaller than loopback's segment of 64 KiB, the kernel
            # sends only with its probes, seconds apart.
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
            raw.settimeout(ANSWER_SECONDS_MAX)
            raw.connect((server.host, server.port))
            self.wire.socket, self.wire.buffer = raw, b""
        else:
            self.wire = Wire(server)
        self.text = b""
        self.chunked = False
        self.retry = None
        self.ended = False  # by the last chunk, or by the connection
        fields = {"Host": server.authority, "Accept": "text/event-stream", **dict(headers)}
        if last is not None:
            fields["Last-Event-ID"] = last
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.wire.send(f"GET {target} HTTP/1.1\r\n{head}\r\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def fileno(self):
        return self.wire.socket.fileno()

    def opened(self):
        """Reads the response's head."""
        answer = self.wire.head()
        if answer.status != 200:
            length = int(answer["content-length"])
            while len(self.wire.buffer) < length:
                self.wire.need("within a body")
            answer.body = self.wire.buffer[:length]
        self.chunked = (answer["transfer-encoding"] or "").lower() == "chunked"
        self.answer = answer
        self.unwrap()
        return self

    def unwrap(self):
        """Takes the complete chunks from the wire (RFC 9112 §7.1)."""
        if not self.chunked:
            self.text, self.wire.buffer = self.text + self.wire.buffer, b""
            return
        while (end := self.wire.buffer.find(b"\r\n")) >= 0:
            size = int(self.wire.buffer[:end], 16)
            after = end + 2 + size
            if len(self.wire.buffer) < after + 2:
                return
            assert self.wire.buffer[after : after + 2] == b"\r\n", self.wire.buffer[after : after + 9]
            self.text += self.wire.buffer[end + 2 : after]
            self.wire.buffer = self.wire.buffer[after + 2 :]
            if size == 0:
                self.ended = True
                return

    def take(self):
        """Returns the next complete event that has arrived, or `None`."""
        while b"\n\n" in self.text:
            raw, self.text = self.text.split(b"\n\n", 1)
            for line in raw.decode().split("\n"):
                if line.startswith("retry:"):
                    self.retry = int(line[6:])
            event = parse_event(raw)
            if event:
                return event
        return None

    def read(self):
        if self.wire.more():
            self.unwrap()
        else:
            self.ended = True

    def event(self, heartbeats=False):
        """Returns the next event. Heartbeats do not prolong the wait for another event."""
        deadline = time.monotonic() + EVENT_SECONDS_MAX
        while True:
            event = self.take()
            if event and (heartbeats or event.name != "heartbeat"):
                return event
            if not event:
                if self.ended:
                    raise ConnectionEnded("the stream has ended")
                assert time.monotonic() < deadline, f"no event within {EVENT_SECONDS_MAX} s"
                self.read()

    def quiet(self, seconds):
        """Returns true if only heartbeats arrive in this time: for events that must not arrive."""
        deadline = time.monotonic() + seconds
        while True:
            event = self.take()
            if event and event.name != "heartbeat":
                return False
            left = deadline - time.monotonic()
            if left <= 0:
                return True
            if not event and select.select([self], [], [], left)[0]:
                self.read()
                if self.ended:
                    return False

    def close(self):
        self.wire.socket.close()

    def reset(self):
        """Closes with RST, without reading the received bytes."""
        linger = struct.pack("ii", 1, 0)
        self.wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.wire.socket.close()


def open_streams(server, count, **options):
    """Opens many streams, and reads the head of each."""
    streams = [Stream(server, **options) for _ in range(count)]
    for stream in streams:
        assert stream.opened().answer.status == 200, stream.answer
    return streams


def read_all(streams, done, seconds=ANSWER_SECONDS_MAX):
    """Reads many streams at once until `done(events)` holds for each. Returns the events of each stream, without
    heartbeats."""
    events = {id(stream): [] for stream in streams}
    waiting = {stream.fileno(): stream for stream in streams}
    poll = select.epoll()
    for descriptor in waiting:
        poll.register(descriptor, select.EPOLLIN)
    deadline = time.monotonic() + seconds

    def absorb(stream):
        while (event := stream.take()) is not None:
            if event.name != "heartbeat":
                events[id(stream)].append(event)
        if stream.ended or done(events[id(stream)]):
            poll.unregister(stream.fileno())
            del waiting[stream.fileno()]

    for stream in streams:
        absorb(stream)
    while waiting:
        left = deadline - time.monotonic()
        assert left > 0, f"{len(waiting)} of {len(streams)} streams are not done in {seconds} s"
        for descriptor, _ in poll.poll(left):
            stream = waiting[descriptor]
            stream.read()
            absorb(stream)
    poll.close()
    return [events[id(stream)] for stream in streams]


class SmallDisk:
    """A data directory on a small file system. Mounting it needs root."""

    def __init__(self, folder, size="4m"):
        self.size = size
        self.data = folder / "small"
        self.data.mkdir(mode=0o700)

    def __enter__(self):
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.size},mode=0700", "tmpfs", self.data], check=True)
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", "--lazy", self.data], check=True)

    def fill(self):
        """Fills the file system."""
        with (self.data / "ballast").open("wb", buffering=0) as ballast, contextlib.suppress(OSError):
            while True:
                ballast.write(bytes(4_096))

    def clear(self):
        (self.data / "ballast").unlink()
