"""A service manager's protocol (sd_notify(3)), `/readyz` with its reasons, and `status`."""

import datetime
import json
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import threading
import time

import pytest
from access import House, reload
from harness import INCREASE, Server, Wire, binary, environment_with, run, until

JSON = {"Accept": "application/json"}


class Manager:
    """The socket of a service manager, and the messages that it got."""

    def __init__(self, name):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(name.replace("@", "\0", 1))
        self.socket.settimeout(10)
        self.messages = []
        self.environment = {"NOTIFY_SOCKET": name}

    def until(self, text):
        while not any(text in message.split("\n") for message in self.messages):
            self.messages.append(self.socket.recv(4096).decode())
        found = [message for message in self.messages if text in message.split("\n")]
        self.messages = []
        return found[-1]

    def forget(self):
        """Drops the messages so far."""
        self.socket.setblocking(False)
        try:
            while True:
                self.socket.recv(4096)
        except BlockingIOError:
            self.socket.settimeout(10)
        self.messages = []


@pytest.fixture(params=["path", "abstract"])
def manager(request, tmp_path):
    name = str(tmp_path / "notify") if request.param == "path" else f"@store-test-{os.getpid()}"
    manager = Manager(name)
    yield manager
    manager.socket.close()


def test_the_manager_gets_the_start_a_reload_and_the_stop(manager):
    with Server(environment=manager.environment) as server:
        assert manager.until("READY=1") == f"READY=1\nSTATUS=listening on {server.url}"
        server.process.send_signal(signal.SIGHUP)
        reloading = manager.until("RELOADING=1")
        assert re.fullmatch(r"RELOADING=1\nMONOTONIC_USEC=\d+", reloading)
        manager.until("READY=1")
        assert server.stop() == 0
        manager.until("STOPPING=1")


def test_signs_of_life_come_while_the_server_works(manager):
    given = {**manager.environment, "WATCHDOG_USEC": "300000"}
    with Server(environment=given) as server:
        manager.until("READY=1")
        for _ in range(3):
            manager.until("WATCHDOG=1")
        # A stopped process sends no message to the watchdog, and a continued process does.
        server.process.send_signal(signal.SIGSTOP)
        until(lambda: " (store-server) T " in stat(server.pid), "the process stands still")
        manager.forget()
        manager.socket.settimeout(1)
        with pytest.raises(TimeoutError):
            manager.until("WATCHDOG=1")
        manager.socket.settimeout(10)
        server.process.send_signal(signal.SIGCONT)
        manager.until("WATCHDOG=1")


def stat(pid):
    with open(f"/proc/{pid}/stat") as file:
        return file.read()


@pytest.mark.parametrize(
    "environment", [{"WATCHDOG_USEC": "0"}, {"WATCHDOG_USEC": "300000", "WATCHDOG_PID": "1"}, {}]
)
def test_no_sign_of_life_is_sent_without_a_watchdog(tmp_path, environment):
    manager = Manager(str(tmp_path / "notify"))
    with Server(environment={**manager.environment, **environment}) as server:
        manager.until("READY=1")
        server.stop()
        assert not any("WATCHDOG" in message for message in manager.messages)
        assert manager.until("STOPPING=1").startswith("STOPPING=1")


@pytest.mark.parametrize("name", ["", "relative", "/" + "x" * 200, "@", "/nowhere/at/all"])
def test_an_invalid_socket_of_the_manager_stops_no_start(name):
    with Server(environment={"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "100000"}) as server:
        assert server.get("/state").status == 200
        assert server.stop() == 0


def test_readiness_has_reasons_for_a_request_that_accepts_json():
    with Server() as server:
        ready = server.get("/readyz", JSON)
        assert (ready.status, ready["content-type"]) == (200, "application/json")
        assert ready.json == {"ready": True, "reasons": []}
        assert server.get("/readyz").body == b"ok\n"
        for accepted in ("*/*", "text/plain", "application/*", "application/problem+json"):
            assert server.get("/readyz", {"Accept": accepted}).body == b"ok\n"


def test_status_shows_the_condition_of_a_server():
    with Server() as server:
        server.post([INCREASE] * 3)
        shown = run("status", server.url)
        assert (shown.returncode, shown.stderr) == (0, "")
        lines = dict(line.split(None, 1) for line in shown.stdout.splitlines())
        assert lines["server"] == server.url and lines["ready"] == "yes"
        assert lines["version"] == "3" and lines["streams"].split()[0] == "0"


def test_status_has_the_log_s_errors_and_the_last_of_them(tmp_path):
    """After SIGHUP, an unreadable policy is an error in the log, and a wrong key is a warning."""
    house = House(tmp_path)

    def lines(server):
        shown = run("status", server.url)
        assert shown.returncode == 0, shown
        return dict(line.split(None, 1) for line in shown.stdout.splitlines())

    house.write({"anonymous": {"use": ["metrics"]}})
    with house.server() as server:
        before = lines(server)
        assert before["errors"] == "0"
        wrong = {"Authorization": "Bearer ssk_wrong"}
        assert server.get("/state", wrong).status == 401
        assert int(lines(server)["warnings"]) == int(before["warnings"]) + 1
        for errors in (1, 2):
            house.policy.write_text("{")
            began = int(time.time())
            reload(server)
            found = lines(server)["errors"]
            shown = re.fullmatch(rf"{errors}, the last: configuration\.refused at (\S+Z)", found)
            assert shown, found
            assert began <= datetime.datetime.fromisoformat(shown[1]).timestamp() <= time.time(), found
        metrics = server.get("/metrics").body.decode()
        assert 'store_log_lines_total{level="error"} 2\n' in metrics
        assert 'store_log_lines_total{level="debug"} 0\n' in metrics
        assert metrics.count("store_log_last_error_time_seconds{") == 1


def test_status_of_a_server_that_is_not_there_fails():
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        shown = run("status", f"http://127.0.0.1:{nobody.getsockname()[1]}")
    assert shown.returncode == 1 and "ready   no" in shown.stdout
    assert run("status", "ftp://x").returncode == 1
    assert run("--watch").returncode == 2


def test_status_is_shown_again_and_again_with_the_rate():
    with Server() as server:
        watch = subprocess.Popen([binary(), "status", server.url, "--watch"], stdout=subprocess.PIPE, text=True)
        stopped = threading.Event()

        def dispatch():
            while not stopped.is_set():
                server.post([INCREASE] * 50)

        thread = threading.Thread(target=dispatch)
        thread.start()
        try:
            seen = next(line for line in watch.stdout if " a second" in line)
            assert re.fullmatch(r"version +\d+, [1-9]\d* a second\n", seen)
        finally:
            stopped.set()
            thread.join()
            watch.kill()
            watch.wait()
            watch.stdout.close()


def test_status_of_a_server_that_stops_has_the_reason(tmp_path):
    """A server that answers with two readinesses, in place of a real server that is caught during its stop."""
    answers = {
        "/readyz": ("503 Service Unavailable", json.dumps({
            "ready": False,
            "reasons": [{"code": "journal-failed", "detail": "The journal has failed.", "store": "chat"}],
        })),
        "/metrics": ("200 OK", 'store_version{store="default"} 7\nstore_version{store="c\\"h\\\\at"} 8\n# x\nbroken\n'),
    }
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            for _ in answers:
                connection, _ = listener.accept()
                with connection:
                    head = connection.recv(4096).decode()
                    status, body = answers[head.split()[1]]
                    connection.sendall(
                        f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
                    )

        thread = threading.Thread(target=serve)
        thread.start()
        shown = run("status", f"http://127.0.0.1:{listener.getsockname()[1]}")
        thread.join()
    assert shown.returncode == 1
    assert "chat: journal-failed: The journal has failed.\n" in shown.stdout
    assert re.search(r'^version of default +7$', shown.stdout, re.M)
    assert re.search(r'^version of c"h\\at +8$', shown.stdout, re.M)


# Files and process state that stay private


def test_a_crash_leaves_no_core_dump(tmp_path):
    """The limit of the process that starts the server makes no difference."""
    unlimited = lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2)  # noqa: E731
    arguments = [binary(), "--ephemeral", "--listen", "127.0.0.1:0", "--analytics", "off"]
    # The debug build's own handler would take the signal.
    environment = environment_with({"SWIFT_BACKTRACE": "enable=no"})
    with open(tmp_path / "log", "w") as log:
        started = subprocess.Popen(
            arguments, cwd=tmp_path, env=environment, stderr=log, preexec_fn=unlimited
        )
    until(lambda: "listening on" in (tmp_path / "log").read_text(), "it listens")
    limits = pathlib.Path(f"/proc/{started.pid}/limits").read_text()
    assert re.search(r"Max core file size +1 +unlimited", limits), limits
    os.kill(started.pid, signal.SIGABRT)
    _, status = os.waitpid(started.pid, 0)
    started.returncode = -signal.SIGABRT
    assert os.WIFSIGNALED(status) and not os.WCOREDUMP(status)
    assert [path.name for path in tmp_path.iterdir()] == ["log"]


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone gives files away")
def test_the_log_warns_of_files_that_others_may_change_or_read(tmp_path):
    house, data = House(tmp_path, {"operator": {"read": ["*"]}}), tmp_path / "data"
    with house.server(data=data) as server:
        assert "configuration.exposed" not in server.log_text
    data.chmod(0o777)
    house.keys.chmod(0o644)
    os.chown(house.policy, 12345, 12345)
    with house.server(data=data) as server:
        server.await_log(f"users other than its owner may change '{data}'; run chmod o-w")
        server.await_log(f"everyone may read '{house.keys}': it has the names of all principals; run chmod o-r")
        server.await_log(f"'{house.policy}' belongs to the user 12345, who may change it")
        assert server.get("/state", house.operator).status == 200
