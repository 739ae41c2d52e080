"""Options, name and version of a program on the library (decision 0053), with programs/Courier.swift."""

import json
import os
import signal
import subprocess

import pytest
from harness import Server, environment_with, run
from programs import SOURCES, build, build_sample

SECRET = "correct horse battery"
VARIABLE = {"STORE_SERVER_HOOK_SECRET": SECRET}
NAMES = ["hook-secret-file", "attempts-max", "pause", "carrier", "folder", "pace", "dry", "region"]
DEFAULTS = ["3", "2", "https://carrier.example/hooks", "none", "slow", "false", "", "a secret"]


@pytest.fixture(scope="module")
def courier():
    return build_sample("Courier")


def ended(program, *arguments, environment=None):
    return subprocess.run(
        [program, *arguments], env=environment_with(environment), capture_output=True, text=True, timeout=20
    )


def refused(program, *arguments, environment=None):
    """Returns the one line of a program that can't use its configuration."""
    result = ended(program, *arguments, environment=environment)
    assert result.returncode == 2 and result.stdout == "", result
    [line] = result.stderr.splitlines()
    assert SECRET not in line and line.startswith("courier: ")
    return line.removeprefix("courier: ")


def options(server):
    """Returns the options, as an effect reads them."""
    assert server.wait({"type": "courier/asked"}).json["completed"]
    found = server.state["courier"]
    assert found["isSigned"], found
    return found["options"]


def test_an_effect_reads_the_defaults_and_a_secret_has_no_text(courier):
    with Server(program=courier, environment=VARIABLE) as server:
        assert options(server) == DEFAULTS
        assert SECRET not in server.log_text


def test_flags_win_over_variables_and_those_over_the_file(courier, tmp_path):
    file, secret = tmp_path / "courier.json", tmp_path / "secret"
    secret.write_text(SECRET + "\n")
    file.write_text(json.dumps({
        "attempts-max": 4, "pause": 5, "carrier": "http://[::1]:9/", "region": ["north", "south"],
        "hook-secret": "the secret of the file", "body-max": 2000,
    }))
    environment = {
        "STORE_SERVER_CONFIG": str(file), "STORE_SERVER_HOOK_SECRET_FILE": str(secret),
        "STORE_SERVER_PAUSE": "6", "STORE_SERVER_PACE": "slow", "STORE_SERVER_FOLDER": "/parcels",
    }
    with Server("--pause=7", "--pace", "fast", program=courier, environment=environment) as server:
        assert options(server) == ["4", "7", "http://[::1]:9/", "/parcels", "fast", "false", "north+south", "a secret"]
        assert SECRET not in server.log_text and "the secret" not in server.log_text
    secret.write_text("another secret, of the variable")
    (tmp_path / "flag").write_text(SECRET)
    with Server("--hook-secret-file", str(tmp_path / "flag"), program=courier, environment=environment) as server:
        assert options(server)[-1] == "a secret"
    secret.write_text(SECRET)
    environment |= {"STORE_SERVER_REGION": "east, west"}
    with Server(program=courier, environment=environment) as server:
        assert options(server)[6] == "east+west"
    with Server("--region", "up", "--region", "down", program=courier, environment=environment) as server:
        assert options(server)[6] == "up+down"


def test_sighup_leaves_the_options_of_the_program(courier, tmp_path):
    file = tmp_path / "courier.json"
    file.write_text(json.dumps({"pause": 5, "log-level": "info"}))
    with Server("--config", str(file), program=courier, environment=VARIABLE) as server:
        file.write_text(json.dumps({"pause": 6, "log-level": "debug"}))
        os.kill(server.pid, signal.SIGHUP)
        server.await_log("lines of level debug and above are written")
        assert options(server)[1] == "5"
        file.write_text(json.dumps({"pause": 600}))
        os.kill(server.pid, signal.SIGHUP)
        server.await_log("the configuration stays as it is: ")
        assert "pause: '600' is not allowed; allowed is a whole number of seconds from 1 to 60" in server.log_text


@pytest.mark.parametrize("arguments, text", [
    (["--attempts-max", "11"], "--attempts-max: '11' is not allowed; allowed is a whole number of attempts from 1 to 10"),
    (["--pause", "fast"], "--pause: 'fast' is not allowed; allowed is a whole number of seconds from 1 to 60"),
    (["--carrier", "carrier.example"], "--carrier: 'carrier.example' is not allowed; allowed is an http or https URL "
     "without user and fragment, such as https://example.com/x"),
    (["--folder", ""], "--folder: '' is not allowed; allowed is a path"),
    (["--pace", "quick"], "--pace: 'quick' is not allowed; allowed is slow or fast"),
    (["--dry=maybe"], "--dry: 'maybe' is not allowed; allowed is true or false"),
    (["--region", "far away from"], "--region: 'far away from' is not allowed; allowed is 1 to 8 bytes of text"),
    (["--hook-secret", SECRET], "--hook-secret: other users of the machine can read the flags of a process; give "
     "--hook-secret-file with the path of a file"),
    (["--hook-secret-file", "/dev/null"], "--hook-secret-file: this secret is not allowed; allowed is 16 to 64 bytes "
     "of text"),
    (["--hook-secret-file", "/nowhere"], "--hook-secret-file: can't read '/nowhere'; allowed is a readable file of "
     "text, of at most 1048576 bytes"),
    (["--attempt-max", "3"], "unknown flag --attempt-max; did you mean --attempts-max? (--help lists all)"),
    (["--pause", "3", "--pause", "4"], "--pause is given twice; it is allowed once"),
    (["--carrier"], "--carrier needs a value; see --help for what is allowed"),
    (["--dry", "--folder", "/parcels"], "--dry sends nothing, so --folder has nothing to keep; give one"),
])
def test_a_bad_option_ends_with_2_and_one_line(courier, arguments, text):
    assert refused(courier, "--check-config", *arguments, environment=VARIABLE) == text
    assert refused(courier, "--ephemeral", *arguments, environment=VARIABLE) == text


def test_a_bad_variable_or_file_is_named_and_its_secret_is_not_shown(courier, tmp_path):
    secret, file = tmp_path / "secret", tmp_path / "courier.json"
    secret.write_text(SECRET * 9)
    environment = {"STORE_SERVER_HOOK_SECRET_FILE": str(secret)}
    wrong = "this secret is not allowed; allowed is 16 to 64 bytes of text, and this secret has 189"
    assert refused(courier, environment=environment) == f"STORE_SERVER_HOOK_SECRET_FILE: {wrong}"
    both = "STORE_SERVER_HOOK_SECRET and STORE_SERVER_HOOK_SECRET_FILE are both set; give one"
    assert refused(courier, environment=environment | VARIABLE) == both
    assert refused(courier, environment={"STORE_SERVER_HOOK_SECRET": SECRET * 9}).startswith("STORE_SERVER_HOOK_SECRET: ")
    file.write_text(json.dumps({"hook-secret": SECRET * 9}))
    assert refused(courier, "--config", str(file)) == f"{file}: hook-secret: {wrong}"
    file.write_text(json.dumps({"hook-secrets": SECRET}))
    assert refused(courier, "--config", str(file)) == f"{file}: unknown member 'hook-secrets'; allowed are the flags of --help"


def test_a_required_option_is_needed_to_serve_and_for_nothing_else(courier, tmp_path):
    needed = ("--hook-secret-file is required: give the flag, STORE_SERVER_HOOK_SECRET, STORE_SERVER_HOOK_SECRET_FILE with "
              "the path of a file, or 'hook-secret' in the file of --config; allowed is 16 to 64 bytes of text")
    assert refused(courier) == refused(courier, "--check-config") == needed
    data = tmp_path / "data"
    with Server(program=courier, environment=VARIABLE, data=data):
        pass
    for words in (["--help"], ["--version"], ["--print-config"], ["help", "verify"], ["verify", "--data", str(data)]):
        assert ended(courier, *words).returncode == 0, words


def test_the_configuration_is_printed_without_secrets_and_can_be_read_again(courier, tmp_path):
    first = ended(courier, "--print-config", "--pace", "fast", environment=VARIABLE).stdout
    printed = json.loads(first)
    assert SECRET not in first and "hook-secret" not in printed
    assert (printed["pace"], printed["attempts-max"], printed["region"]) == ("fast", "3", [])
    file = tmp_path / "courier.json"
    file.write_text(first)
    assert ended(courier, "--print-config", "--config", str(file), environment=VARIABLE).stdout == first
    assert ended(courier, "--check-config", "--config", str(file), environment=VARIABLE).stdout == "the configuration is good\n"


def test_the_help_has_the_options_of_the_program_first(courier):
    text = ended(courier, "--help", environment=VARIABLE).stdout
    assert text.startswith("usage: courier ") and "store-server" not in text and SECRET not in text
    own, others = text.split("Of every store:")
    assert [line.split()[0] for line in own.splitlines() if line.startswith("  --")] == [f"--{name}" for name in NAMES]
    assert "how often a parcel is sent at most, in attempts (1...10) [3]" in own
    assert "the secret that signs each parcel, in a file, 16 to 64 bytes of text (required)" in own
    assert "--listen" in others and max(map(len, text.split("\n"))) <= 120
    assert "Of every store:" not in run("--help").stdout


@pytest.mark.parametrize("old, new, text", [
    ('"attempts-max"', '"streams-max"', "this program declares the option --streams-max, but that is a flag of the "
     "library; rename the program's option"),
    ('"attempts-max"', '"config"', "this program declares the option --config, but that is a flag of the library; "
     "rename the program's option"),
    ('"attempts-max"', '"pause"', "this program declares the option --pause twice; rename one"),
    ('"attempts-max"', '"policy-file"', "this program declares the option --policy-file, whose variables clash with "
     "those of --policy: the variable NAME_FILE has the path of a file with the value of NAME; "
     "rename the program's option"),
    ('"attempts-max"', '"attemptsMax"', "this program declares the option '--attemptsMax', whose name is not allowed; "
     "allowed are at most 40 lowercase letters, digits and single hyphens between them, a letter first"),
])
def test_a_program_whose_options_collide_does_not_start(old, new, text):
    program = build("Collided", (SOURCES / "Courier.swift").read_text().replace(old, new))
    for arguments in ([], ["--check-config"], ["--help"]):
        assert refused(program, *arguments, environment=VARIABLE) == text


def test_name_and_version_of_the_program_are_everywhere(courier):
    assert ended(courier, "--version").stdout == "courier 2.4.0 (StoreServer 0.1.0)\n"
    with Server("--log-format", "json", "--analytics-recent", "10", program=courier, environment=VARIABLE) as server:
        lines = [json.loads(line) for line in server.log_text.splitlines()]
        assert {line["program"] for line in lines} == {"courier"}
        [listening] = [line for line in lines if line["event"] == "server.listening"]
        assert (listening["programVersion"], listening["libraryVersion"]) == ("2.4.0", "0.1.0")
        info = server.get("/openapi.json").json["info"]
        assert (info["title"], info["version"]) == ("courier", "2.4.0")
        index = server.get("/", {"Accept": "application/json"}).json
        assert (index["title"], index["version"]) == ("courier", "2.4.0")
        assert "served by courier 2.4.0:" in server.get("/", {"Accept": "text/html"}).body.decode()
        metrics = server.get("/metrics").body.decode()
        [build_info] = [line for line in metrics.splitlines() if line.startswith("store_build_info{")]
        for label in ('program="courier"', 'version="2.4.0"', 'package="0.1.0"'):
            assert label in build_info
    assert json.loads(ended(courier, "--print-config").stdout)["analytics-source"] == "/courier"
