"""Failures around the server: no descriptors, no room on the disk, outputs without a reader, kill -9."""

import collections
import json
import os
import re
import resource
import signal
import subprocess
import threading
import time

import pytest
from harness import INCREASE, Server, Stream, Wire, binary, run, until

SCREEN = {"type": "ScreenShown", "payload": {"name": "Main"}}


def processor_seconds(server):
    """Returns the seconds of processor time that the process has used."""
    with open(f"/proc/{server.pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def limit(server, kind, number):
    """Sets a limit of the process (setrlimit), which can be raised again."""
    hard = resource.prlimit(server.pid, kind)[1]
    resource.prlimit(server.pid, kind, (number, hard))


def served(server):
    try:
        return server.get("/livez").status == 200
    except OSError:
        return False


# No descriptors


def test_out_of_descriptors_refuses_and_recovers():
    with Server() as server, Wire(server) as known:
        assert server.get("/livez", wire=known).status == 200
        limit(server, resource.RLIMIT_NOFILE, server.descriptors + 8)
        wires = [Wire(server) for _ in range(60)]
        answers = [server.get("/livez", wire=wire) for wire in wires]
        statuses = [answer.status for answer in answers]
        # The server may have been about to open descriptors of its own.
        places = statuses.index(503)
        assert 1 <= places <= 8
        assert statuses == [200] * places + [503] * (60 - places)
        answers[-1].problem("overloaded", 503)
        before = processor_seconds(server)
        wires[0].socket.settimeout(1)
        with pytest.raises(TimeoutError):
            wires[0].more()
        assert processor_seconds(server) - before < 0.1
        wires[0].socket.settimeout(5)
        # A stream needs one descriptor more than its request.
        assert server.get("/events", wire=wires[0]).status == 503
        assert server.post(INCREASE, wire=known).status == 200
        for wire in wires:
            wire.socket.close()
        until(lambda: served(server), "there is a place again")
        with Stream(server) as stream:
            assert stream.opened().event().version == 1


def test_a_listener_that_can_neither_accept_nor_refuse_does_not_spin():
    """Even the spare descriptor is lost here, as if another process had taken the system's last one."""
    with Server() as server, Wire(server) as known:
        assert server.get("/livez", wire=known).status == 200
        limit(server, resource.RLIMIT_NOFILE, 5)
        waiting = Wire(server)
        waiting.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        before = processor_seconds(server)
        waiting.socket.settimeout(1)
        with pytest.raises(TimeoutError):
            waiting.more()
        assert processor_seconds(server) - before < 0.1
        assert server.get("/livez", wire=known).status == 200
        limit(server, resource.RLIMIT_NOFILE, 1024)
        assert waiting.answer().status == 200
        waiting.socket.close()


# No room on the disk


def lines(file):
    text = file.read_text() if file.exists() else ""
    return [json.loads(line) for line in text.split("\n")[:-1]]


def said(server, words):
    return re.findall(words, server.log_text)


def test_11_2_a_full_disk_costs_lines_and_nothing_else(tmp_path):
    """The size of the file is limited. So writes are cut short and fail, as on a disk that fills up."""
    file = tmp_path / "analytics.jsonl"
    with Server("--analytics", f"file:{file}") as server:
        server.post([SCREEN] * 10)
        until(lambda: len(lines(file)) == 10, "the disk takes lines")
        limit(server, resource.RLIMIT_FSIZE, file.stat().st_size + 3_000)
        with Wire(server) as wire:
            for number in range(1, 21):
                answer = server.post([SCREEN] * 100, wire=wire)
                assert answer.json["version"] == 10 + 100 * number
        until(lambda: said(server, "are being lost"), "the log says so")
        limit(server, resource.RLIMIT_FSIZE, resource.RLIM_INFINITY)

        def written_again():
            server.post(SCREEN)
            return int(lines(file)[-1]["id"].split(":")[1]) > 2_010

        until(written_again, "lines are written again")
        count = server.version
        assert server.stop() == 0
        # No line is torn or written twice, and each missing line is counted.
        versions = [int(event["id"].split(":")[1]) for event in lines(file)]
        assert versions == sorted(set(versions))
        assert 10 < len(versions) < count
        assert int(said(server, r"(\d+) analytics events are lost in all")[0]) == count - len(versions)
        assert len(said(server, "are being lost")) == 1, server.log_text
        assert len(said(server, "are written again")) == 1, server.log_text


def test_11_2_a_disk_without_room_is_logged_once_and_sighup_opens_another_file(tmp_path):
    file = tmp_path / "analytics.jsonl"
    file.symlink_to("/dev/full")
    with Server("--analytics", f"file:{file}") as server:
        for _ in range(50):
            assert server.post([SCREEN] * 10).status == 200
        until(lambda: said(server, "are being lost.*No space left on device"), "the log says why")
        lost = b"store_analytics_dropped_total 500"
        until(lambda: lost in server.get("/metrics").body, "all lines are lost")
        file.unlink()
        os.kill(server.pid, signal.SIGHUP)
        until(file.exists, "the file is opened anew")
        server.post(SCREEN)
        until(lambda: lines(file), "lines are written again")
        assert server.stop() == 0
        assert [event["id"].split(":")[1] for event in lines(file)] == ["501"]
        assert said(server, r"(\d+) analytics events are lost in all") == ["500"]
        assert len(said(server, "events are (?:being )?lost")) == 3, server.log_text


# Outputs without a reader


@pytest.mark.parametrize("stuck", ["stdout", "stdout and stderr"])
def test_7_3_output_without_a_reader_holds_up_neither_service_nor_end(stuck, tmp_path):
    """A container whose log driver hangs: analytics, and also the log, go to a full pipe."""
    reading, writing = os.pipe()
    listen = f"unix:{tmp_path}/store.sock"
    stderr = writing if stuck == "stdout and stderr" else None
    with Server("--analytics", "stdout", stdout=writing, stderr=stderr, listen=listen) as server:
        with Wire(server) as wire:
            # Some 30 MB of lines. A pipe holds 64 KB, and the queue 65,536 lines.
            for number in range(1, 101):
                assert server.post([SCREEN] * 1000, wire=wire).json["version"] == 1000 * number
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < 5
    os.close(reading)
    os.close(writing)


@pytest.mark.slow
def test_7_3_all_that_can_hold_up_the_end_at_once(tmp_path):
    """Outputs without a reader, a stream's reader that takes nothing, and a request that is never whole."""
    reading, writing = os.pipe()
    listen = f"unix:{tmp_path}/store.sock"
    with Server("--analytics", "stdout", stdout=writing, stderr=writing, listen=listen) as server:
        stream, half = Stream(server).opened(), Wire(server)
        with Wire(server) as wire:
            for _ in range(100):
                server.post([SCREEN] * 1000, wire=wire)
            for _ in range(6):
                server.post({"type": "AddItem", "payload": {"text": "x" * 900_000}}, wire=wire)
        head = "POST /dispatch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        half.send(f"{head}Content-Length: 40\r\n\r\n{{")
        assert server.get("/livez").status == 200
        began = time.monotonic()
        assert server.stop() == 0
        seconds = time.monotonic() - began
        print(f"ended after {seconds:.1f} s")
        assert seconds < 10
        stream.close()
        half.socket.close()
    os.close(reading)
    os.close(writing)


def test_standard_files_that_are_closed_are_not_used_for_others(tmp_path):
    """A socket or file with the number of a closed standard file would get the lines of log and analytics."""
    path = tmp_path / "store.sock"
    closed = "exec 0<&- 1>&- 2>&-; exec " + binary()
    arguments = ["--ephemeral", "--analytics", "stdout", "--listen", f"unix:{path}"]
    process = subprocess.Popen(["sh", "-c", f'{closed} "$@"', "sh", *arguments])
    try:
        until(path.exists, "the server listens")
        for number in range(3):
            assert os.readlink(f"/proc/{process.pid}/fd/{number}") == "/dev/null"
        process.terminate()
        assert process.wait(10) == 0
    finally:
        process.kill()


def test_11_1_a_named_pipe_without_a_reader_does_not_hold_up_the_start(tmp_path):
    pipe = tmp_path / "analytics"
    os.mkfifo(pipe)
    arguments = ["--ephemeral", "--listen", "127.0.0.1:0", "--analytics", f"file:{pipe}"]
    result = run(*arguments, seconds=10)
    assert result.returncode == 2
    assert f"can't append to '{pipe}'" in result.stderr
    # When the pipe is read, more lines arrive than the pipe holds at once.
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with Server("--analytics", f"file:{pipe}") as server:
        server.post([SCREEN] * 1000)
        text = b""

        def complete():
            nonlocal text
            try:
                text += os.read(reader, 1 << 16)
            except BlockingIOError:
                pass
            return text.count(b"\n") == 1000

        until(complete, "all lines come through")
    os.close(reader)


# kill -9


def load(server, stop, answers):
    """Dispatches until the server is gone. Counts the answers by their status."""
    try:
        with Wire(server) as wire:
            while not stop.is_set():
                answers[server.post(INCREASE, wire=wire).status] += 1
    except OSError:
        pass


@pytest.mark.parametrize("kind", ["port", "path"])
def test_1_1_after_kill_9_under_load_a_restart_serves_at_once(kind, tmp_path):
    """An ephemeral store has the same address and a new epoch, and readers that reconnect get a resync."""
    listen = f"unix:{tmp_path}/store.sock" if kind == "path" else "127.0.0.1:0"
    first = Server(listen=listen)
    listen = listen.replace(":0", f":{first.port}")
    stop = threading.Event()
    answers = [collections.Counter() for _ in range(8)]
    clients = [threading.Thread(target=load, args=(first, stop, each)) for each in answers]
    streams = [Stream(first).opened() for _ in range(20)]
    for client in clients:
        client.start()
    try:
        for stream in streams:
            while stream.event().version < 100:
                pass
        last = streams[0].event().id
    finally:
        assert first.stop(signal.SIGKILL) == -signal.SIGKILL
        stop.set()
        for client in clients:
            client.join()
    assert set().union(*answers) == {200}, answers
    if kind == "path":
        assert os.path.exists(first.path), "nothing stale was left behind"

    with Server(listen=listen) as second:
        # When the new server binds the port, the readers' old connections still exist, half closed.
        assert second.state["counter"]["counter"] == 0
        assert second.epoch != last.split(":")[0]
        with Stream(second, last=last) as stream:
            resync = stream.opened().event()
            assert (resync.name, resync.id) == ("resync", None)
            assert resync.json == {"reason": "epoch-changed"}
            snapshot = stream.event()
            assert (snapshot.name, snapshot.id) == ("message", f"{second.epoch}:0")
            assert snapshot.json == second.state
            second.post(INCREASE)
            assert stream.event().id == f"{second.epoch}:1"
    for stream in streams:
        stream.close()
