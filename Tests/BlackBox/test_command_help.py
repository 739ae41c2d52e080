"""Help of the command line: for each command, versions, and the name of the program."""

import json
import subprocess

import pytest
from harness import Server, run
from programs import build

COMMANDS = ["assert", "backup", "export", "forget", "help", "import", "policy", "status", "token", "verify"]
NAMED = """import StoreCore
import StoreServer

struct Guests: Codable, Equatable {
    var count = 0
}

struct Came: Action, Codable {}

Server(state: Guests(), actions: [Came.self], name: "guestbook", version: "7.1") {
    (state: inout Guests, _: any Action) in
    state.count += 1
}
.main()
"""


def printed(*words):
    ended = run(*words)
    assert ended.returncode == 0 and ended.stderr == "", ended
    return ended.stdout


@pytest.mark.parametrize("words", [["-h"], ["help"], ["--listen", "127.0.0.1:0", "-h"]])
def test_each_way_to_ask_for_help_gives_it(words):
    assert printed(*words) == printed("--help")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_for_a_command_is_about_that_command_alone(command):
    text = printed("help", command)
    assert text == printed(command, "--help") == printed(command, "-h")
    assert text.startswith(f"usage: store-server {command}")
    others = [f"store-server {other}" for other in COMMANDS if other != command]
    assert not any(other in text for other in others)
    assert "--listen" not in text
    assert max(map(len, text.split("\n"))) <= 120


def test_help_comes_also_behind_words_and_flags_of_a_command():
    assert printed("token", "create", "--principal", "x", "--help") == printed("help", "token")
    assert printed("policy", "check", "-h") == printed("help", "policy")


def test_help_comes_although_the_configuration_is_wrong():
    ended = run("--help", environment={"STORE_SERVER_LISTEN": "nowhere"})
    assert ended.returncode == 0, ended.stderr


def test_help_for_an_unknown_command_lists_the_commands():
    ended = run("help", "nonsense")
    assert ended.returncode == 2
    assert "there is no command 'nonsense'; the commands are assert, backup, export, forget, help" in ended.stderr


def test_the_version_is_the_program_s_and_the_library_s():
    version = printed("--version")
    assert version == printed("-v")
    assert version == "store-server 0.1.0 (StoreServer 0.1.0)\n"


def test_a_program_with_a_name_has_it_in_help_version_and_log():
    program = build("Named", NAMED)
    assert printed_by(program, "--version") == "guestbook 7.1 (StoreServer 0.1.0)\n"
    assert printed_by(program, "token", "-h").startswith("usage: guestbook token create")
    with Server(program=program) as server:
        assert all(line.startswith("guestbook: ") for line in server.log_text.splitlines())
    with Server("--log-format", "json", program=program) as server:
        assert {json.loads(line)["program"] for line in server.log_text.splitlines()} == {"guestbook"}


def printed_by(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=20).stdout
