"""Policies from outside: `policy check`, `policy explain`, `--policy`, docs/POLICY.md and its schema."""

import json
import re
import subprocess

import jsonschema
import pytest
import tour
from harness import ROOT, Server, environment_with, run
from programs import build_sample

DOCUMENT = (ROOT / "docs" / "POLICY.md").read_text()
SCHEMA = json.loads((ROOT / "docs" / "policy.schema.json").read_text())
[SHOWN] = [block for block in re.findall(r"^```json\n(.*?)^```", DOCUMENT, re.S | re.M) if '"roles"' in block]
ALL = {"roles": {"operator": {"read": ["*"], "dispatch": ["*"], "call": ["*"], "use": ["*"]}}}


def role(**lists):
    return {"roles": {"r": lists}}


def where(conditions, type_="StepChangeRequested"):
    return role(dispatch=[{"type": type_, "where": conditions}])


@pytest.fixture
def file(tmp_path):
    def write(policy):
        path = tmp_path / "policy.json"
        path.write_text(policy if isinstance(policy, str) else json.dumps(policy))
        return path

    return write


def execute(program, *arguments, environment=None):
    """Runs another program to its end."""
    return subprocess.run(
        [program, *arguments], env=environment_with(environment), capture_output=True, text=True, timeout=20
    )


def is_valid(policy):
    return jsonschema.Draft202012Validator(SCHEMA).is_valid(policy)


# Checking


def test_a_good_policy_is_accepted(file):
    path = file(SHOWN)
    result = run("policy", "check", path)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == f"{path} is good: 3 roles, 15 grants\n"


def test_all_that_is_wrong_is_listed_with_its_place(file):
    path = file({"roles": {"r": {"read": ["/todo"], "use": ["metric"]}, "s": {"dispatch": ["AddItm"]}, "a b": {}}})
    result = run("policy", "check", path)
    assert (result.returncode, result.stdout) == (2, "")
    lines = result.stderr.splitlines()
    starts = ["/roles/r/read/0", "/roles/r/use/0", "/roles/s/dispatch/0", "/roles/a b"]
    assert [line.split(": ")[:3] for line in lines] == [["store-server", str(path), start] for start in starts]
    for line, nearest in zip(lines, ["/todos", "metrics", "AddItem"]):
        assert line.endswith(f'; did you mean "{nearest}"?')


def test_a_pointer_below_a_value_without_members_is_refused_in_words(file):
    path = file(where({"/step/x": 1, "/step": 1, "/step/0": 2}))
    result = run("policy", "check", path)
    lines = result.stderr.splitlines()
    assert result.returncode == 2 and len(lines) == 2, result
    for line, place in zip(lines, ("x", "0")):
        assert f"/roles/r/dispatch/0/where/~1step~1{place}: no payload of this type has a value at" in line
        assert '"/step" has no member' in line


def test_numbers_in_conditions_are_compared_exactly(file):
    large = 1 << 53
    path = file(where({"/step": large}))
    for text, status in {
        str(large): 0,
        str(large + 1): 1,
        f"{large}.0": 0,
        f"{large}.5": 1,
        f"{large + 1}.0": 1,
        "9007199254740992e0": 0,
        "90071992547409920E-1": 0,
        "0.9007199254740992e+16": 0,
        "-9007199254740992": 1,
    }.items():
        asked = ("--role", "r", "--action", "StepChangeRequested", "--payload", f'{{"step":{text}}}')
        assert explained(path, *asked)[0] == status, text
    path = file(where({"/step": 1}))
    for text, status in {"1.0000000000000000000001": 1, "1.000": 0, "10e-1": 0, "1e0": 0, "0.1": 1}.items():
        asked = ("--role", "r", "--action", "StepChangeRequested", "--payload", f'{{"step":{text}}}')
        assert explained(path, *asked)[0] == status, text


# A file of the wrong form: the schema refuses it, too.
MALFORMED = [
    [],
    {},
    {"roles": []},
    {"roles": {}, "rules": {}},
    {"roles": {"a b": {}}},
    {"roles": {"": {}}},
    {"roles": {"x" * 65: {}}},
    {"roles": {"r": []}},
    {"$schema": 1, "roles": {}},
    role(reed=[]),
    role(read="log"),
    role(read=[1]),
    role(read=["todos"]),
    role(read=["/todos/items"]),
    role(dispatch=[""]),
    role(dispatch=[{"type": "AddItem"}]),
    role(dispatch=[{"where": {"/text": 1}}]),
    where({}),
    where({"step": 1}),
    where({"": 1}),
    where({"/~2": 1}),
    where({f"/{number}": 1 for number in range(33)}),
    role(call=["login/login"]),
    role(use=["metric"]),
]


@pytest.mark.parametrize("policy", MALFORMED, ids=json.dumps)
def test_the_program_and_the_schema_refuse_a_file_of_another_form(file, policy):
    assert not is_valid(policy)
    assert run("policy", "check", file(policy)).returncode == 2


GOOD = [
    {"roles": {}},
    {"$schema": "policy.schema.json", "roles": {"x" * 64: {}}},
    role(read=["/counter", "/*", "views/list", "views/*", "log", "*"]),
    role(dispatch=["AddItem", "todos/*", "*"], call=["usecases/login/login", "usecases/*", "notify/*", "*"]),
    role(use=["schema", "sessions", "effects", "analytics", "metrics", "debug", "operate", "stores", "clock", "*"]),
    where({"/step": "$principal"}),
    where({"/step": {"a": [1, None]}}),
    where({"/text": "$principal"}, "todos/*"),
    ALL,
]


@pytest.mark.parametrize("policy", GOOD, ids=json.dumps)
def test_the_program_and_the_schema_take_a_good_file(file, policy):
    assert is_valid(policy)
    assert run("policy", "check", file(policy)).returncode == 0


@pytest.mark.parametrize("text", ["", "{", '{"roles": {"r": {}, "r": {}}}', '{"roles": {}}' + " " * (1 << 20)])
def test_a_policy_that_is_no_json_or_too_large_is_refused_in_one_line(file, text):
    result = run("policy", "check", file(text))
    assert result.returncode == 2 and len(result.stderr.splitlines()) == 1


def test_a_file_that_is_not_there_is_named():
    result = run("policy", "check", "/nowhere/policy.json")
    assert result.returncode == 2 and "/nowhere/policy.json" in result.stderr


# The option


def test_check_config_and_a_start_refuse_a_wrong_policy(file):
    path = file(role(read=["/todo"]))
    for arguments in (["--check-config"], ["--ephemeral", "--listen", "127.0.0.1:0"]):
        result = run("--policy", path, *arguments)
        assert result.returncode == 2 and 'did you mean "/todos"' in result.stderr
    result = run("--check-config", environment={"STORE_SERVER_POLICY": str(path)})
    assert result.returncode == 2
    assert run("--policy", file(SHOWN), "--check-config").returncode == 0


# Explaining


def explained(*arguments, program=None, environment=None):
    """Status, and the first word of the output."""
    asked = ["policy", "explain", *arguments]
    result = execute(program, *asked, environment=environment) if program else run(*asked)
    return result.returncode, result.stdout.split(":")[0] or result.stderr


def test_status_0_is_allowed_and_1_is_denied(file):
    path = file(SHOWN)
    for asked, status in {
        ("--path", "/state/todos/items"): 0,
        ("--path", "/state/home"): 1,
        ("--path", "/views/items/events"): 0,
        ("--path", "/modules/home"): 1,
        ("--path", "/actions"): 0,
        ("--path", "/usecases/login/login"): 0,
        ("--path", "/metrics"): 1,
        ("--path", "/session", "--method", "DELETE"): 0,
        ("--path", "/sessions"): 0,
        ("--action", "AddItem"): 0,
        ("--action", "ReopenItem"): 1,
        ("--action", "StepChangeRequested"): 1,
        ("--action", "StepChangeRequested", "--payload", '{"step":1}'): 0,
    }.items():
        assert explained(path, "--role", "author", *asked) == (status, "denied" if status else "allowed"), asked


@pytest.mark.parametrize(
    "asked, named",
    [
        (["--path", "/nope"], "/nope"),
        (["--path", "/state/todo"], "todos"),
        (["--path", "/state", "--method", "POST"], "GET"),
        (["--action", "AddItm"], "AddItem"),
        (["--action", "AddItem", "--payload", "{"], "no JSON"),
        (["--action", "AddItem", "--store", "chat"], "one store"),
        ([], "--path"),
    ],
)
def test_a_question_about_an_unknown_name_ends_with_2(file, asked, named):
    status, text = explained(file(SHOWN), "--role", "author", *asked)
    assert status == 2 and named in text


def test_without_a_file_the_policy_of_the_configuration_is_explained(file):
    path = file(SHOWN)
    assert explained("--policy", path, "--role", "author", "--path", "/metrics") == (1, "denied")
    assert explained("--role", "anonymous", "--path", "/metrics") == (0, "allowed")
    assert explained("--role", "anonymous", "--path", "/debug/commands") == (1, "denied")
    assert explained("--role", "author", "--path", "/metrics") == (1, "denied")


# Programs of users


def test_a_program_checks_a_policy_against_its_own_names(file):
    vault = build_sample("Vault")
    good = role(
        dispatch=["doors/*", "safes/{id}/turned", {"type": "doors/opened", "where": {"/by": "$principal"}}],
        call=["usecases/doors/unlock"],
        read=["/safes"],
    )
    path = file(good)
    assert execute(vault, "policy", "check", path).returncode == 0
    assert run("policy", "check", path).returncode == 2
    assert explained(path, "--role", "r", "--action", "safes/7/turned", program=vault) == (0, "allowed")
    assert explained(path, "--role", "r", "--action", "safes/7/Emptied", program=vault) == (1, "denied")
    for wrong, said in {
        "safes/7/turned": "safes/{id}/turned",
        "doors/unlocked": "the program alone",
    }.items():
        result = execute(vault, "policy", "check", file(role(dispatch=[wrong])))
        assert result.returncode == 2 and said in result.stderr
    result = execute(vault, "policy", "check", file(where({"/code": "x"}, "doors/opened")))
    assert result.returncode == 2 and "the server removes the secret member" in result.stderr


def test_a_path_below_stores_is_of_the_named_store(file):
    board, two = build_sample("Board"), {"BOARD": "1"}
    path = file(role(read=["/cards"], use=["stores"]))

    def ask(*asked):
        return explained(path, "--role", "r", *asked, program=board, environment=two)

    assert ask("--path", "/stores/second/state/cards/7") == (0, "allowed")
    assert ask("--path", "/stores/second/state/todos") == (1, "denied")
    assert ask("--path", "/stores") == (0, "allowed")
    assert ask("--path", "/stores/third/state")[0] == 2
    assert ask("--action", "todos/added", "--store", "second") == (1, "denied")
    assert ask("--action", "todos/added", "--store", "third")[0] == 2


# Every route of a server can be explained.

EACH = ["--debug-routes", "--clock", "test", "--analytics-recent", "10"]


@pytest.mark.parametrize("sample", [None, "Vault", "Board"])
@pytest.mark.ci
def test_every_route_is_explained(file, sample):
    program = build_sample(sample) if sample else None
    variables = {"BOARD": "1"} if sample == "Board" else None
    with Server(*EACH, program=program, environment=variables) as server:
        routes = server.get("/", {"Accept": "application/json"}).json["routes"]
        modules = server.get("/modules").json["modules"]
    path = file(ALL)
    assert len(routes) > 30
    for route in routes:
        asked = re.sub(r"^/state/\{pointer\}", "/state/" + modules[0]["name"], route["path"])
        asked = re.sub(r"^/modules/\{(module|collection)\}", "/modules/" + modules[0]["name"], asked)
        arguments = [path, "--role", "operator", "--path", re.sub(r"\{\w+\}", "7", asked)]
        arguments += ["--method", route["method"]]
        answer = explained(*arguments, program=program, environment=variables)
        assert answer == (0, "allowed"), route
        arguments[2] = "missing"
        is_for_all = re.fullmatch(r"/|/livez|/readyz|/problems/.*|/session", route["path"])
        assert explained(*arguments, program=program, environment=variables)[0] == (0 if is_for_all else 1)


# The document


def test_the_commands_of_the_document_print_the_shown_lines(file, store_server_in_path):
    path = file(SHOWN)
    assert tour.play(DOCUMENT.replace("policy.json", str(path)), store_server_in_path) == 5


def test_the_document_names_each_group_of_routes():
    groups = SCHEMA["$defs"]["role"]["properties"]["use"]["items"]["enum"][1:]
    for group in groups:
        assert f"| `use`: `{group}` |" in DOCUMENT
