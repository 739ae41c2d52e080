"""Stores in a host program, whose process they leave alone (docs/EMBEDDING.md, programs/Embedded.swift)."""

import re
import resource
import signal
import subprocess
import time
import urllib.parse

import pytest
from harness import ROOT, STOP_SECONDS_MAX, ConnectionEnded, Server, Stream
from programs import build, build_sample

DESCRIPTORS = 512


class Store(Server):
    """One of the stores of a program."""

    def __init__(self, url):
        self.path, self.url = None, url
        parts = urllib.parse.urlsplit(url)
        self.host, self.port = parts.hostname, parts.port

    def add(self, count):
        return self.post({"type": "Added", "payload": {"count": count}})


class Program:
    """The process, and the lines that it has printed."""

    def __init__(self, binary, data):
        self.process = subprocess.Popen(
            [binary, str(data)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=self.begin,
        )
        self.lines = []
        self.stores = [Store(self.line("address")[1]) for _ in range(2)]

    @staticmethod
    def begin():
        """Sets the limits and signals that later checks compare, because the test process may have others."""
        resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, 4_096))
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def line(self, word):
        """Reads until a line that begins with this word, and returns its words."""
        while True:
            line = self.process.stdout.readline()
            assert line, self.lines
            self.lines.append(line)
            if line.split()[0] == word:
                return line.split()

    def stop(self):
        """Stops the stores, and returns the printed lines."""
        rest, _ = self.process.communicate("stop\n", timeout=STOP_SECONDS_MAX)
        return [line for line in rest.splitlines() if line.startswith("stopped ")]

    def status(self, field):
        """Returns a line of the kernel about the process (proc(5))."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return re.search(rf"^{field}:\s*(\S+)", file.read(), re.M)[1]


@pytest.fixture(scope="module")
def program():
    return build_sample("Embedded")


def test_a_failed_disk_leaves_the_process_and_the_other_store_alone(program, tmp_path):
    with Program(program, tmp_path) as host:
        durable, ephemeral = host.stores
        assert durable.add(3).status == ephemeral.add(4).status == 200
        with Stream(durable) as stream:
            assert stream.opened().event().json == {"count": 3}
            log = next(tmp_path.glob("*-wal"))
            limits = (log.stat().st_size + 100, resource.RLIM_INFINITY)
            resource.prlimit(host.process.pid, resource.RLIMIT_FSIZE, limits)
            # There is no answer: the action may be durable or not.
            with pytest.raises(ConnectionEnded):
                durable.add(5)
            host.line("failed")
            problem = durable.add(6).problem("draining", 503)
            assert problem["detail"].startswith("The journal has failed, ")
            assert durable.get("/state").json == {"count": 3}
            assert durable.get("/livez").status == 200
            ready = durable.get("/readyz").problem("draining", 503)
            assert ready["detail"].startswith("The journal has failed, ")
            # A stream stays open, with its heartbeats.
            begun = time.monotonic()
            while time.monotonic() < begun + 1.5:
                assert stream.event(heartbeats=True).name == "heartbeat"
        assert ephemeral.add(1).status == 200
        assert ephemeral.get("/state").json == {"count": 5}
        assert host.stop() == ["stopped clean false", "stopped clean true"]
        assert host.process.returncode == 0
    # The next process has every acknowledged action.
    with Program(program, tmp_path) as host:
        assert host.stores[0].get("/state").json["count"] in (3, 8)
        assert host.stores[0].add(1).status == 200


def test_signals_limits_and_standard_streams_are_the_programs_own(program, tmp_path):
    with Program(program, tmp_path) as host:
        assert host.stores[0].add(1).status == 200
        blocked, ignored, caught = (
            int(host.status(field), 16) for field in ("SigBlk", "SigIgn", "SigCgt")
        )
        ours = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ]
        for number in ours:
            assert not (blocked | ignored | caught) >> (number - 1) & 1, number
        assert resource.prlimit(host.process.pid, resource.RLIMIT_NOFILE)[0] == DESCRIPTORS
        host.process.send_signal(signal.SIGTERM)
        assert host.process.wait(STOP_SECONDS_MAX) == -signal.SIGTERM
        assert not [line for line in host.lines if "specversion" in line]


def test_the_documents_program_embeds_a_store(tmp_path):
    document = (ROOT / "docs" / "EMBEDDING.md").read_text()
    source = re.search(r"<!-- program -->\n```swift\n(.*?)```", document, re.S)[1]
    ended = subprocess.run(
        [build("EmbeddedDocument", source)], cwd=tmp_path, capture_output=True, text=True
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+\nclean\n", ended.stdout)
