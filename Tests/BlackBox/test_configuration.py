"""Flags, environment, file, names of hosts (protocol 10) from outside."""

import json
import socket

import pytest
from harness import INCREASE, Server, Wire, run


def one_line(text):
    lines = text.strip().split("\n")
    assert len(lines) == 1, text
    return lines[0]


def printed(*arguments, environment=None):
    result = run(*arguments, "--print-config", environment=environment)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_10_1_help_names_every_flag():
    result = run("--help")
    assert result.returncode == 0
    assert result.stderr == ""
    for flag in ("listen", "data", "ephemeral", "analytics", "allow-anonymous", "allowed-host",
                 "config", "check-config", "print-config", "version", "help", "health", "body-max",
                 "streams-max", "mailbox-max", "debug-routes", "admin-listen"):
        assert f"--{flag}" in result.stdout, flag
    assert max(map(len, result.stdout.split("\n"))) <= 120


def test_10_1_version_is_one_line():
    result = run("--version")
    assert result.returncode == 0
    assert "store-server" in one_line(result.stdout)


@pytest.mark.parametrize(
    "arguments, named",
    [
        (["--nonsense"], "--nonsense"),
        (["--lisen", "127.0.0.1:0"], "--lisen"),
        (["nonsense"], "nonsense"),
        (["--listen"], "--listen"),
        (["--listen", "here"], "here"),
        (["--listen", "127.0.0.1:70000"], "70000"),
        (["--listen", "127.0.0.1"], "127.0.0.1"),
        (["--analytics", "paper"], "paper"),
        (["--analytics", "file:"], "file:"),
        (["--body-max", "many"], "many"),
        (["--body-max", "-1"], "-1"),
        (["--body-max", "1"], "body-max"),
        (["--streams-max", "99999999999999999999"], "streams-max"),
        (["--allowed-host", "a b"], "a b"),
        (["--analytics-source", "a b"], "a b"),
        (["--analytics-source", "1:x"], "1:x"),
        (["--analytics-source", ""], "URI reference"),
        (["--connections-per-address-max", "-1"], "connections-per-address-max"),
        (["--config", "/nowhere/at/all.json"], "/nowhere/at/all.json"),
        (["--ephemeral=maybe"], "ephemeral"),
    ],
)
def test_10_1_a_bad_command_line_ends_with_2_and_one_line(arguments, named):
    result = run(*arguments)
    assert result.returncode == 2, (result.returncode, result.stderr)
    assert result.stdout == ""
    assert named in one_line(result.stderr)


def test_10_1_a_bad_environment_ends_with_2_and_is_named():
    result = run("--check-config", environment={"STORE_SERVER_BODY_MAX": "many"})
    assert result.returncode == 2
    assert "STORE_SERVER_BODY_MAX" in one_line(result.stderr)


@pytest.mark.parametrize(
    "text", ['{"listen":', "[]", '{"nonsense":1}', '{"body-max":"many"}', '{"listen":["here"]}', ""]
)
def test_10_1_a_bad_file_ends_with_2_and_is_named(tmp_path, text):
    file = tmp_path / "store.json"
    file.write_text(text)
    result = run("--config", str(file), "--check-config")
    assert result.returncode == 2, result.stdout
    assert "store.json" in one_line(result.stderr)


def test_10_1_check_config_accepts_a_good_configuration():
    result = run("--check-config", "--listen", "127.0.0.1:0", "--ephemeral")
    assert result.returncode == 0
    one_line(result.stdout)


def test_10_1_flags_win_over_environment_and_that_over_the_file(tmp_path):
    file = tmp_path / "store.json"
    file.write_text('{"body-max": 1000, "depth-max": 10, "batch-max": 10}')
    environment = {
        "STORE_SERVER_CONFIG": str(file),
        "STORE_SERVER_DEPTH_MAX": "20",
        "STORE_SERVER_BATCH_MAX": "20",
    }
    arguments = ["--config", str(file), "--batch-max", "30"]
    found = printed(*arguments, environment=environment)
    assert [str(found[name]) for name in ("body-max", "depth-max", "batch-max")] == ["1000", "20", "30"]


def test_10_1_the_output_of_print_config_is_a_file_for_config(tmp_path):
    first = run("--print-config", "--body-max", "2000", "--allowed-host", "store.example").stdout
    file = tmp_path / "store.json"
    file.write_text(first)
    assert run("--config", str(file), "--print-config").stdout == first


def test_10_1_the_environment_configures_a_server():
    with Server(listen=None, environment={"STORE_SERVER_LISTEN": "127.0.0.1:0"}) as server:
        assert server.get("/livez").status == 200


def test_10_2_the_defaults_are_as_documented():
    found = printed()
    assert "127.0.0.1:8080" in str(found["listen"])
    assert found["data"] == "./data"
    expected = {
        "headers-max": 16 << 10, "uri-max": 8 << 10, "body-max": 1 << 20, "depth-max": 64,
        "batch-max": 1000, "mailbox-max": 65536, "streams-max": 10_000, "headers-timeout": 10,
        "body-timeout": 30, "idle-timeout": 30, "heartbeat": 15, "stall-timeout": 30,
    }
    assert {name: int(found[name]) for name in expected} == expected


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0"])
def test_10_3_beyond_loopback_without_authentication_does_not_start(address):
    result = run("--ephemeral", "--listen", address)
    assert result.returncode == 2, result.returncode
    assert "--allow-anonymous" in one_line(result.stderr)
    assert run("--ephemeral", "--listen", address, "--check-config").returncode == 2


def test_10_3_allow_anonymous_lets_it_start():
    with Server("--allow-anonymous", listen="0.0.0.0:0") as server:
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert connection.recv(100).startswith(b"HTTP/1.1 200")


def test_10_2_a_port_that_is_taken_ends_with_1_and_one_line(server):
    result = run("--ephemeral", "--listen", f"127.0.0.1:{server.port}")
    assert result.returncode == 1
    assert str(server.port) in one_line(result.stderr)


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8080", "LOCALHOST", "127.0.0.1", "127.0.0.1:1", "127.1.2.3",
             "[::1]", "[::1]:80", "store.localhost"]
)
def test_10_4_loopback_names_are_served(server, host):
    assert server.get("/state", {"Host": host}).status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example:80",
             "localhost@evil.example", "0x7f.1", "10.0.0.1", "[::2]", "localhost evil", "127.0.0.1:x",
             "localhost,evil.example", "evil.example/localhost"]
)
def test_10_4_any_other_name_is_misdirected(server, host):
    before = server.tag
    for answer in (
        server.get("/state", {"Host": host}),
        server.post(INCREASE, {"Host": host}),
        server.get("/events", {"Host": host}),
    ):
        assert answer.status in (400, 421), answer
        if " " not in host and ":x" not in host and "/" not in host and "," not in host and "@" not in host:
            answer.problem("misdirected", 421)
    assert server.tag == before


def test_10_4_allowed_hosts_are_served_too():
    with Server("--allowed-host", "store.example", "--allowed-host", "192.0.2.7") as server:
        for host in ("store.example", "STORE.example:443", "192.0.2.7:80", "localhost"):
            assert server.get("/state", {"Host": host}).status == 200, host
        for host in ("a.store.example", "192.0.2.8"):
            server.get("/state", {"Host": host}).problem("misdirected", 421)


def test_10_2_the_health_client_reports_whether_a_server_is_ready(server):
    result = run("--health", f"{server.url}/readyz")
    assert (result.returncode, result.stderr) == (0, "")
    assert run("--health", f"{server.url}/nothing").returncode == 1
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        result = run("--health", f"http://127.0.0.1:{nobody.getsockname()[1]}/readyz")
    assert result.returncode == 1
    one_line(result.stderr)


def test_10_2_the_health_client_uses_no_proxy(server):
    proxies = {name: "http://127.0.0.1:1" for name in ("http_proxy", "all_proxy", "ALL_PROXY")}
    assert run("--health", f"{server.url}/readyz", environment=proxies).returncode == 0


@pytest.mark.parametrize(
    "flag, value, ask, status",
    [
        ("--body-max", "100", lambda s: s.post(b" " * 101), 413),
        ("--uri-max", "64", lambda s: s.get("/state/" + "x" * 64), 414),
        ("--batch-max", "2", lambda s: s.post([INCREASE] * 3), 400),
        ("--depth-max", "4", lambda s: s.post(b'{"meta":{"a":[[[1]]]}}'), 400),
    ],
)
def test_9_limits_are_configurable(flag, value, ask, status):
    with Server(flag, value) as server:
        assert ask(server).status == status
        assert server.post(INCREASE).status == 200


def test_9_headers_max_is_configurable():
    with Server("--headers-max", "2048") as server:
        with Wire(server) as wire:
            wire.send(b"GET /livez HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 3000 + b"\r\n\r\n")
            assert wire.answer().status == 431
        with Wire(server) as wire:
            wire.send(b"GET /livez HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 1500 + b"\r\n\r\n")
            assert wire.answer().status == 200
