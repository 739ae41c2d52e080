"""Sockets at paths, and inherited sockets (protocol 10.9)."""

import fcntl
import os
import pathlib
import signal
import socket
import stat
import subprocess
import sys
import time

import pytest
from harness import INCREASE, LISTENING, Server, binary, environment_with, run, until

GROUP = os.getgid()


def mode(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


@pytest.mark.parametrize("given, expected", [([], 0o660), (["--socket-mode", "0600"], 0o600), (["--socket-mode", "666"], 0o666)])
def test_10_9_a_socket_has_the_mode_that_is_asked_for_whatever_the_umask(tmp_path, given, expected):
    path = tmp_path / "s"
    old = os.umask(0o027)
    try:
        with Server(*given, listen=f"unix:{path}") as server:
            assert mode(path) == expected
            assert os.lstat(path).st_uid == os.getuid() and os.lstat(path).st_gid == GROUP
            assert server.post(INCREASE).status == 200
    finally:
        os.umask(old)
    assert not path.exists()


def test_10_9_a_socket_has_the_group_that_is_asked_for(tmp_path):
    path = tmp_path / "s"
    # Another group if the test may change the group of files; otherwise the group of the test.
    group = 65534 if os.getuid() == 0 else GROUP
    with Server("--socket-group", str(group), listen=f"unix:{path}"):
        assert os.lstat(path).st_gid == group
    with Server("--socket-group", "root" if os.getuid() == 0 else str(GROUP), listen=f"unix:{path}"):
        assert mode(path) == 0o660


@pytest.mark.parametrize(
    "arguments, named",
    [
        (["--socket-mode", "999"], "--socket-mode"),
        (["--socket-mode", "77"], "--socket-mode"),
        (["--socket-mode", "07777"], "--socket-mode"),
        (["--socket-mode", "rw-rw----"], "--socket-mode"),
        (["--socket-group", "no such group"], "no such group"),
        (["--listen", "fd:2"], "fd:N"),
        (["--listen", "fd:x"], "fd:N"),
        (["--listen", "fd:77"], "fd:77"),
    ],
)
def test_10_9_invalid_socket_options_are_refused_at_the_start(arguments, named):
    result = run("--ephemeral", *arguments, "--check-config")
    assert result.returncode == 2, result
    [line] = result.stderr.strip().split("\n")
    assert named in line


def test_10_9_the_socket_of_a_killed_server_is_replaced_and_no_other_file(tmp_path):
    path = tmp_path / "s"
    first = Server(listen=f"unix:{path}")
    first.process.kill()
    first.process.wait()
    assert path.exists()
    with Server(listen=f"unix:{path}") as second:
        result = run("--ephemeral", "--listen", f"unix:{path}")
        assert result.returncode != 0 and "a server listens there already" in result.stderr
        assert second.get("/state").status == 200
    path.write_text("a letter")
    result = run("--ephemeral", "--listen", f"unix:{path}")
    assert result.returncode != 0 and "there is a file of that name" in result.stderr
    assert path.read_text() == "a letter"


@pytest.mark.parametrize("type_", [socket.SOCK_DGRAM, socket.SOCK_STREAM])
def test_10_9_a_socket_of_something_else_is_left_alone(tmp_path, type_):
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX, type_) as other:
        other.bind(str(path))
        if type_ == socket.SOCK_STREAM:
            other.listen(0)
        result = run("--ephemeral", "--listen", f"unix:{path}")
        assert result.returncode != 0 and "listens there already" in result.stderr
        assert path.exists()


def test_10_9_a_stale_socket_of_another_user_is_left_alone(tmp_path):
    if os.getuid() != 0:
        pytest.fail("this test gives a file away, which only root may: run it as root")
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))
    os.chown(path, 65534, 65534)
    result = run("--ephemeral", "--listen", f"unix:{path}")
    assert result.returncode != 0 and "another user" in result.stderr
    assert path.exists()


def test_10_9_a_stop_removes_no_socket_that_another_server_has_put_there(tmp_path):
    path = tmp_path / "s"
    first = Server(listen=f"unix:{path}")
    path.unlink()
    with Server(listen=f"unix:{path}") as second:
        assert first.stop() == 0
        assert path.exists() and second.get("/state").status == 200


# Inherited sockets


class Started:
    """A server with inherited sockets. A small parent puts them at 3 and up, like systemd."""

    PARENT = """
import os, sys
count, program = int(sys.argv[1]), sys.argv[2:]
os.environ["LISTEN_FDS"] = str(count)
os.environ["LISTEN_PID"] = os.environ.get("WRONG_PID") or str(os.getpid())
os.execv(program[0], program)
"""

    def __init__(self, sockets, *arguments, environment=None, log):
        self.log = log
        handles = [fcntl.fcntl(s.fileno(), fcntl.F_DUPFD, 100) for s in sockets]

        def place():
            for number, handle in enumerate(handles, 3):
                os.dup2(handle, number, inheritable=True)

        command = [sys.executable, "-c", self.PARENT, str(len(sockets)), binary(), "--ephemeral",
                   "--analytics", "off", *arguments]  # fmt: skip
        with open(log, "wb") as out:
            self.process = subprocess.Popen(
                command, env=environment_with(environment), stdin=subprocess.DEVNULL, stderr=out,
                preexec_fn=place, close_fds=False,
            )  # fmt: skip
        for handle in handles:
            os.close(handle)

    @property
    def text(self):
        return pathlib.Path(self.log).read_text()

    def urls(self, count):
        until(lambda: len(LISTENING.findall(self.text)) >= count or self.process.poll() is not None, self.text)
        return LISTENING.findall(self.text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(15) == 0, self.text


def get(connection, path="/state"):
    connection.settimeout(15)
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    answer = b""
    while data := connection.recv(65536):
        answer += data
    return answer.split(b"\r\n", 1)[0]


@pytest.fixture
def inet():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


@pytest.fixture
def unix(tmp_path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        yield listener


def test_10_9_the_sockets_of_a_manager_are_listened_on_by_themselves(inet, unix, tmp_path):
    port = inet.getsockname()[1]
    # The client connects before the server starts: the manager's socket keeps the connection.
    early = socket.create_connection(("127.0.0.1", port))
    with Started([inet, unix], log=tmp_path / "log") as server:
        assert server.urls(2) == [f"http://127.0.0.1:{port}", f"unix:{tmp_path}/s"]
        assert get(early) == b"HTTP/1.1 200 OK"
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(tmp_path / "s"))
            assert get(connection) == b"HTTP/1.1 200 OK"
    # The sockets belong to the manager: the file stays, and the next process gets the clients that came meanwhile.
    assert (tmp_path / "s").exists()
    meanwhile = socket.create_connection(("127.0.0.1", port))
    with Started([inet], log=tmp_path / "log2") as server:
        assert get(meanwhile) == b"HTTP/1.1 200 OK"


def test_10_9_descriptors_for_another_process_are_not_taken(inet, tmp_path):
    arguments = ["--listen", "127.0.0.1:0"]
    with Started([inet], *arguments, environment={"WRONG_PID": "1"}, log=tmp_path / "log") as server:
        [url] = server.urls(1)
        assert url != f"http://127.0.0.1:{inet.getsockname()[1]}"
    # The command line takes precedence over sockets of a manager.
    with Started([inet], *arguments, log=tmp_path / "log2") as server:
        [url] = server.urls(1)
        assert url != f"http://127.0.0.1:{inet.getsockname()[1]}"


def test_10_9_a_single_descriptor_can_be_named(inet, unix, tmp_path):
    with Started([inet, unix], "--listen", "fd:4", log=tmp_path / "log") as server:
        assert server.urls(1) == [f"unix:{tmp_path}/s"]


@pytest.mark.parametrize(
    "kind, words",
    [("datagram", "no stream socket"), ("silent", "does not listen"), ("file", "no socket")],
)
def test_10_9_a_descriptor_that_is_no_listening_socket_is_refused_in_words(tmp_path, kind, words):
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagram,
        socket.socket() as silent,
        open(tmp_path / "file", "wb") as file,
    ):
        given = {"datagram": datagram, "silent": silent, "file": file}[kind]
        server = Started([given], log=tmp_path / "log")
        assert server.process.wait(15) == 2
        assert words in server.text and "fd:3" in server.text


def test_10_9_an_inherited_socket_beyond_loopback_needs_its_flag(tmp_path):
    with socket.create_server(("0.0.0.0", 0)) as listener:
        server = Started([listener], log=tmp_path / "log")
        assert server.process.wait(15) == 2
        assert "--allow-anonymous" in server.text
        with Started([listener], "--allow-anonymous", log=tmp_path / "log2") as server:
            assert server.urls(1) == [f"http://0.0.0.0:{listener.getsockname()[1]}"]


def test_10_9_systemd_starts_the_server_with_the_first_connection(tmp_path):
    path = tmp_path / "s"
    log = tmp_path / "log"
    # The service gets no other variables of the test.
    kept = [f"--setenv={name}" for name in ("ASAN_OPTIONS", "TSAN_OPTIONS") if name in os.environ]
    with open(log, "wb") as out:
        manager = subprocess.Popen(
            ["systemd-socket-activate", *kept, "-l", str(path), binary(), "--ephemeral", "--analytics", "off"],
            env=environment_with(), stdin=subprocess.DEVNULL, stderr=out, stdout=out,
        )  # fmt: skip
    try:
        until(path.exists, "it listens")
        time_left = time.monotonic() + 15

        def connected():
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(str(path))
            except ConnectionRefusedError:
                connection.close()
                assert time.monotonic() < time_left
                return None
            return connection

        with until(connected, "it takes a connection") as connection:
            assert get(connection) == b"HTTP/1.1 200 OK"
        until(lambda: f"listening on unix:{path}" in log.read_text(), "it says where it listens")
    finally:
        manager.terminate()
        assert manager.wait(15) == 0
