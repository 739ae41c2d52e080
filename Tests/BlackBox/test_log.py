"""The lines of the log: their two forms, their levels, changes by SIGHUP, and `--access-log`."""

import json
import re
import signal

import pytest
from harness import INCREASE, Server, Wire, run, until

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
#: A text that would forge a line, turn its direction, or end it in a program that reads it.
FORGED = 'demo"\n{"event":"forged"}\r\x1b[31m\x85\u2028\u2029\u202e\\'


def json_lines(server):
    return [json.loads(line) for line in server.log_text.split("\n") if line]


def events(server, name):
    return [line for line in json_lines(server) if line["event"] == name]


def login(server, name):
    body = json.dumps({"userName": name, "password": "hunter2-secret"}).encode()
    headers = {"Content-Type": "application/json", "Prefer": "wait=10"}
    return server.request("POST", "/usecases/login/login", body, headers)


def test_json_lines_have_the_fields_of_text_lines():
    with Server("--log-format", "json", "--log-actions") as server:
        assert server.post(INCREASE).status == 200
        line = until(lambda: events(server, "action.applied"), "the line of an action")[0]
        assert TIME.fullmatch(line.pop("time"))
        assert line.pop("ms") >= 0
        assert line == {
            "level": "info", "event": "action.applied", "message": "applied",
            "program": "store-server", "version": 1, "changed": True, "module": "counter",
            "type": "CounterIncreaseRequested",
        }
        listening = events(server, "server.listening")[0]
        assert listening["message"] == f"listening on {server.url}"
        assert server.stop() == 0
        assert [line["message"] for line in events(server, "server.stopped")] == ["stopped"]


def test_a_line_of_text_begins_with_the_event():
    with Server("--log-actions") as server:
        server.post(INCREASE)
        server.await_log("applied version=1")
        line = next(line for line in server.log_text.splitlines() if "applied" in line)
        assert re.fullmatch(
            r"store-server: applied version=1 changed=true ms=\d+\.\d{3} module=counter "
            r"type=CounterIncreaseRequested event=action\.applied time=" + TIME.pattern,
            line,
        )


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_client_forges_no_line(form):
    with Server("--log-format", form, "--access-log") as server:
        assert login(server, FORGED).status in (200, 422)
        assert server.get("/state/%22%0Astore-server:%20error:").status in (400, 404)
        # A header that is no text
        wire = Wire(server)
        wire.send(b"GET /\xe2\x80\xa8\x85x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        wire.answer("GET")
        server.await_log("a login failed")
        assert server.stop() == 0
        text = server.log_text
        for hidden in "\x1b\x85\u2028\u2029\u202e\r":
            assert hidden not in text
        assert "hunter2-secret" not in text
        if form == "json":
            failed = events(server, "program.noted")[0]
            assert failed["user"] == FORGED and failed["level"] == "warning"
            assert not events(server, "forged")
        else:
            assert all(line.startswith("store-server: ") for line in text.split("\n") if line)
            assert not any("error:" in line.split("path=")[0] for line in text.split("\n"))


@pytest.mark.parametrize(
    "level, written", [("debug", True), ("info", True), ("warning", False), ("error", False)]
)
def test_lines_below_the_level_are_not_written(level, written, tmp_path):
    with Server(
        "--log-level", level, "--log-actions", listen=f"unix:{tmp_path}/s", stderr=open(tmp_path / "log", "w")
    ) as server:
        assert server.post(INCREASE).status == 200
        assert login(server, "demo").status in (200, 422)
        assert server.stop() == 0
    text = (tmp_path / "log").read_text()
    assert ("applied version=1" in text) is written
    assert ("a login failed" in text) is (level != "error")


def test_sighup_reads_the_level_again_and_no_stream_ends(tmp_path):
    config = tmp_path / "config.json"
    config.write_text('{"log-level": "info", "log-actions": true}')
    with Server("--config", str(config)) as server:
        stream = Wire(server)
        stream.send(f"GET /events HTTP/1.1\r\nHost: {server.authority}\r\n\r\n".encode())
        until(lambda: b"event: state" in stream.buffer or stream.more(), "the first event")
        server.post(INCREASE)
        server.await_log("applied version=1")

        config.write_text('{"log-level": "warning", "log-actions": true}')
        server.process.send_signal(signal.SIGHUP)
        until(lambda: not writes(server), "no line for an action")

        config.write_text('{"log-level": "loud"}')
        server.process.send_signal(signal.SIGHUP)
        server.await_log("the configuration stays as it is: ")
        assert "'loud' is not allowed; allowed is debug or info or warning or error" in server.log_text
        assert "event=configuration.refused" in server.log_text
        assert not writes(server)

        config.write_text('{"log-level": "debug", "log-actions": true}')
        server.process.send_signal(signal.SIGHUP)
        server.await_log("log-level: lines of level debug and above are written")
        assert "event=configuration.reloaded" in server.log_text
        assert writes(server)
        before = server.version
        server.post(INCREASE)
        until(
            lambda: f":{before + 1}\n".encode() in stream.buffer or stream.more(),
            "the stream goes on",
        )


def writes(server):
    """Returns true if the log has a line for an action that is dispatched now. A later warning is awaited first."""
    server.post(INCREASE)
    version, warnings = server.version, server.log_text.count("a login failed")
    login(server, "nobody")
    until(lambda: server.log_text.count("a login failed") > warnings, "the line of a login")
    return f"applied version={version} " in server.log_text


def test_each_request_has_a_line_and_a_stream_has_one_at_its_end():
    with Server("--access-log", "--log-format", "json") as server:
        assert server.post(INCREASE, query="?dry-run=true").status == 200
        assert server.get("/state/counter").status == 200
        missing = server.get("/nowhere?token=hidden")
        assert missing.status == 404
        begun = server.request("POST", "/sessions", b"", {"Content-Type": "application/json"})
        cookie = begun["set-cookie"].split(";")[0]
        assert server.get("/state", {"Cookie": cookie}).status == 200
        stream = Wire(server)
        stream.send(f"GET /events HTTP/1.1\r\nHost: {server.authority}\r\n\r\n".encode())
        until(lambda: b"event: state" in stream.buffer or stream.more(), "the first event")
        assert not events(server, "stream.ended")
        stream.socket.close()
        ended = until(lambda: events(server, "stream.ended"), "the line of the stream")[0]
        assert (ended["method"], ended["route"], ended["status"]) == ("GET", "/events", 200)

        lines = until(
            lambda: len(events(server, "request.ended")) >= 5 and events(server, "request.ended"),
            "five lines",
        )
        assert [(line["method"], line["route"], line["path"], line["status"]) for line in lines] == [
            ("POST", "/dispatch", "/dispatch", 200),
            ("GET", "/state/{pointer}", "/state/counter", 200),
            ("GET", "-", "/nowhere", 404),
            ("POST", "/sessions", "/sessions", begun.status),
            ("GET", "/state", "/state", 200),
        ]
        assert lines[2]["request"] == missing.json["instance"].rsplit("/", 1)[-1].rsplit(":", 1)[-1]
        assert lines[2]["bytes"] == len(missing.body)
        assert all(line["address"] == "127.0.0.1" and line["ms"] >= 0 for line in lines)
        secret = cookie.split("=")[1]
        assert lines[4]["session"] and secret not in server.log_text
        assert "hidden" not in server.log_text


def test_without_the_flag_requests_have_no_line():
    with Server() as server:
        server.get("/state")
        assert server.stop() == 0
        assert "request.ended" not in server.log_text


def test_a_malformed_request_has_a_line_too():
    with Server("--access-log", "--log-format", "json") as server:
        wire = Wire(server)
        wire.send(b"POST /dispatch HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n")
        assert wire.answer("POST").status == 400
        line = until(lambda: events(server, "request.ended"), "its line")[0]
        assert (line["method"], line["path"], line["status"]) == ("-", "/dispatch", 400)


def test_forgotten_clients_have_no_address_in_the_log():
    with Server("--access-log", "--forget-clients", "--log-format", "json") as server:
        server.get("/state")
        line = until(lambda: events(server, "request.ended"), "its line")[0]
        assert "address" not in line and "session" not in line


def test_values_come_from_files_that_variables_name(tmp_path):
    level = tmp_path / "level"
    level.write_text("warning\n")
    hosts = tmp_path / "hosts"
    hosts.write_text("a.example, b.example\n")
    given = {"STORE_SERVER_LOG_LEVEL_FILE": str(level), "STORE_SERVER_ALLOWED_HOST_FILE": str(hosts)}
    shown = json.loads(run("--print-config", environment=given).stdout)
    assert shown["log-level"] == "warning" and shown["allowed-host"] == ["a.example", "b.example"]
    # A flag wins over a file, as over any variable.
    flags = ("--log-level", "error", "--print-config")
    assert json.loads(run(*flags, environment=given).stdout)["log-level"] == "error"


@pytest.mark.parametrize(
    "content, extra, words",
    [
        ("warning", {"STORE_SERVER_LOG_LEVEL": "info"}, "STORE_SERVER_LOG_LEVEL and STORE_SERVER_LOG_LEVEL_FILE are both set; give one"),
        (None, {}, "STORE_SERVER_LOG_LEVEL_FILE: can't read '"),
        ("a-secret-value", {}, "STORE_SERVER_LOG_LEVEL_FILE: the text of '"),
    ],
)
def test_a_file_that_can_not_be_used_is_refused_without_its_content(tmp_path, content, extra, words):
    level = tmp_path / "level"
    if content is not None:
        level.write_text(content)
    ended = run("--check-config", environment={"STORE_SERVER_LOG_LEVEL_FILE": str(level), **extra})
    assert ended.returncode == 2 and words in ended.stderr
    assert "a-secret-value" not in ended.stderr


def test_an_option_that_ends_with_file_is_no_file_of_another(tmp_path):
    state = tmp_path / "state.json"
    shown = json.loads(
        run("--print-config", environment={"STORE_SERVER_STATE_FILE": str(state)}).stdout
    )
    assert shown["state-file"] == str(state)
