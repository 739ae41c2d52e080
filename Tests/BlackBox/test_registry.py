"""Reading and writing actions of every form of an enum; and secrets, which are kept nowhere, however an action
arrives."""

import json
import signal
import subprocess

import pytest
from harness import Server, Stream, action, environment_with, until
from programs import build_sample

CODE = "open-sesame-4711"


@pytest.fixture(scope="module")
def program():
    return build_sample("Vault")


@pytest.fixture
def vault(program, tmp_path):
    with Server("--log-actions", program=program, data=tmp_path / "data") as running:
        yield running


def again(program, tmp_path, server):
    """Kills a server, and returns the state that another server makes of its journal."""
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    with Server(program=program, data=tmp_path / "data") as later:
        return later.state


def read_until(stream, version):
    """Returns the bytes of a stream's events up to a version."""
    seen = b""
    while True:
        event = stream.event()
        seen += event.raw
        if event.id and event.version >= version:
            return seen


# Secrets


def every_way(server):
    """Dispatches the code in every way. `VISITS` has the expected visitors."""
    body = {"by": "client", "code": CODE}
    server.post(action("doors/opened", **body))
    server.post([action("doors/opened", **body), action("Forced", **body)])
    server.send("/modules/doors/ui", action("doors/entered", **body))
    server.send("/usecases/doors/unlock", {"by": "use case"}, {"Prefer": "wait=10"})
    ways = ["effect", "whole", "react", "present", "follow", "replace", "safe"]
    for way in ways:
        assert server.wait(action("doors/knocked", by=way)).status == 200
    server.post(action("safes/7/turned", **body))
    server.post(action("safes/7/Emptied", **body))


VISITS = [
    *["client"] * 4,
    "use case",
    *["effect", "effect"],
    *["whole", "whole"],
    *["react", "reaction"],
    *["present", "presenter"],
    *["follow", "follower"],
    "replacement",
    "safe",
]
TURNS = ["safe", "emptied", "client", "emptied"]


def test_5_3_a_secret_is_kept_nowhere_whatever_way_it_comes(program, tmp_path):
    data, lines = tmp_path / "data", tmp_path / "analytics"
    flags = ["--log-actions", "--analytics", f"file:{lines}"]
    with Server(*flags, program=program, data=data) as server:
        with Stream(server) as states, Stream(server, "/actions/events?after=0") as actions:
            states.opened(), actions.opened()
            every_way(server)
            # The reducer got no code either.
            assert server.state["doors"]["visits"] == VISITS
            assert server.state["safes"]["7"]["turns"] == TURNS
            last = server.version
            seen = [read_until(states, last), read_until(actions, last)]
        seen += [server.get(target).body for target in ("/actions?limit=1000", "/state")]
        seen += [server.get(f"/trace?version={version}").body for version in range(1, last + 1)]
        before = server.state
        server.stop()
        seen.append(server.log_text.encode())
    seen += [path.read_bytes() for path in [*data.iterdir(), lines] if path.is_file()]
    assert any(b"doors/unlocked" in bytes_ for bytes_ in seen)
    for bytes_ in seen:
        assert CODE.encode() not in bytes_
    with Server(program=program, data=data) as server:
        assert server.state == before
        # The journal's pages may be compressed. The log is not.
        assert CODE.encode() not in server.get("/actions?limit=1000").body


# Enums


def test_a_case_with_a_raw_value_works_on_every_way(program, tmp_path):
    vault = Server(program=program, data=tmp_path / "data")
    assert vault.post(action("machine/oiled")).json["changed"] is True
    assert vault.post({"type": "machine/wiped", "payload": {}}).json["changed"] is True
    vault.post(action("machine/cleaned")).problem("unknown-action", 422)
    # An effect dispatches the action, also with an id that the module ignores.
    assert vault.wait(action("doors/knocked", by="oil")).status == 200
    assert vault.state["machine"] == {"oiled": 3, "cleaned": 1}
    types = [each["type"] for each in vault.actions()]
    assert types == ["machine/oiled", "machine/wiped", "doors/knocked", *["machine/oiled"] * 2]
    schema = vault.get("/schema").json["$defs"]
    assert schema["payload.machine.oiled"]["type"] == "object"
    state = vault.state
    assert again(program, tmp_path, vault) == state


def test_an_instance_is_named_by_every_action_of_its_module(program, tmp_path):
    vault = Server(program=program, data=tmp_path / "data")
    vault.post(action("safes/7/start"))
    assert vault.post(action("safes/7/Emptied", by="ada")).json["changed"] is True
    vault.post(action("Emptied", by="ada")).problem("unknown-action", 422)
    vault.post(action("safes/Emptied", by="ada")).problem("unknown-action", 422)
    assert vault.wait(action("doors/knocked", by="safe")).status == 200
    state = vault.state
    assert again(program, tmp_path, vault) == state


def test_2_2_a_whole_name_has_no_module_in_front(program, tmp_path):
    lines = tmp_path / "analytics"
    flags = ["--log-actions", "--log-exclude", "ResetRequested", "--analytics", f"file:{lines}"]
    vault = Server(*flags, program=program, data=tmp_path / "data")
    with Stream(vault, "/modules/lever/events") as lever:
        lever.opened()
        assert lever.event().json == {"angle": 0, "resets": 0}
        assert vault.post(action("MoveRequested", by=30)).json["changed"] is True
        assert lever.event().json == {"angle": 30, "resets": 0}
    assert vault.post([action("MoveRequested", by=1), action("lever/oiled")]).status == 200
    refused = vault.post(action("MoveRequested", by=90)).problem("refused", 409)
    assert refused["pointer"] == "/payload/by"
    wrong = vault.post(action("MoveRequested")).problem("invalid-payload", 422)
    assert wrong["pointer"] == "/payload/by"
    for name in ("/MoveRequested", "lever/MoveRequested", "lever//MoveRequested", "oiled"):
        vault.post(action(name, by=1)).problem("unknown-action", 422)
    # An effect may dispatch the action, and no client.
    assert vault.wait(action("ResetRequested")).status == 200
    vault.post(action("LeverReset")).problem("forbidden", 403)
    # A link dispatches the action.
    for link in vault.get("/views/lever").json.values():
        href, method = link["href"], link["method"]
        assert href.startswith("/dispatch?action=") and "%2F" not in href
        assert vault.request(method, href, b"").status == 200
    until(lambda: vault.state["lever"] == {"angle": 0, "resets": 2}, "both resets are done")
    types = ["MoveRequested", "MoveRequested", "lever/oiled"]
    types += ["ResetRequested", "LeverReset", "MoveRequested", "ResetRequested", "LeverReset"]
    assert [each["type"] for each in vault.actions()] == types
    module = next(m for m in vault.get("/modules").json["modules"] if m["name"] == "lever")
    assert module["actions"] == ["MoveRequested", "ResetRequested", "lever/oiled"]
    definitions = vault.get("/schema").json["$defs"]
    assert definitions["payload.MoveRequested"]["required"] == ["by"]
    known = [form["properties"]["type"].get("enum") for form in definitions["Action"]["oneOf"]]
    assert ["MoveRequested"] in known and ["LeverReset"] not in known
    state = vault.state
    assert again(program, tmp_path, vault) == state
    applied = [line for line in vault.log_text.splitlines() if " applied " in line]
    assert [line.split(" module=")[1].split(" event=")[0] for line in applied] == [
        f"lever type={name}" for name in types if name != "ResetRequested"
    ]
    events = [json.loads(line) for line in lines.read_text().splitlines()]
    assert [(event["type"], event["subject"]) for event in events] == [
        (name, "lever") for name in types
    ]


def test_names_are_compared_by_their_bytes(vault):
    for name in ("Machine/oiled", "machine/oiled ", "machine//oiled", "machine/oile\u0301d"):
        vault.post(action(name)).problem("unknown-action", 422)
    escaped = b'{"type":"machine\\/o\\u0069led"}'
    assert vault.post(escaped).json["changed"] is True


def test_a_pointer_leads_into_the_body(vault):
    wrong = action("doors/opened", by=7)
    assert vault.post(wrong).problem("invalid-payload", 422)["pointer"] == "/payload/by"
    absent = {"type": "doors/opened"}
    assert vault.post(absent).problem("invalid-payload", 422)["pointer"] == "/payload/by"
    members = vault.post([action("machine/oiled"), wrong]).problem("invalid-payload", 422)
    assert members["pointer"] == "/1/payload/by"
    # The same holds if a secret member was removed before.
    secret = action("doors/opened", code=CODE, by=7)
    assert vault.post([secret]).problem("invalid-payload", 422)["pointer"] == "/0/payload/by"


@pytest.mark.parametrize(
    "defect, words",
    [
        ("numbered", ["Numbered.Action", "numbers", "raw values of the type String"]),
        ("forgetful", ["notes", "slices", "machine"]),
        ("needy", ["needy/opened", "code", "optional"]),
        ("far", ["module 'named'", "Far writes a case as '/lever/moved'", "behind one slash"]),
        ("nameless", ["module 'named'", "Nameless writes a case as '/'", "behind one slash"]),
        ("taken", ["two actions have the wire name 'Raised<Taken>'", "unique"]),
        ("many", ["module 'crowd'", "'/Moved', a whole wire name", "the instance's id", "remove the slash"]),
        ("shown", ["module 'shown'", "'/Moved', a whole wire name", "module's views", "remove the slash"]),
    ],
)
def test_a_form_that_can_not_work_is_refused_at_the_start(program, tmp_path, defect, words):
    ended = subprocess.run(
        [program, "--data", str(tmp_path / "data"), "--listen", "127.0.0.1:0"],
        env=environment_with({"VAULT": defect}),
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert ended.returncode == 2, ended
    assert all(word in ended.stderr for word in words), ended.stderr


# Errors that are no refusals


def test_an_error_that_is_no_refusal_goes_to_the_log_alone(vault):
    answers = [
        vault.post(action("doors/knocked", by="brute")),
        vault.post(action("doors/knocked", by="brute"), query="?dry-run=true"),
        vault.post([action("machine/oiled"), action("doors/knocked", by="brute")]),
        vault.wait(action("doors/knocked", by="jam")),
        vault.send("/usecases/doors/jam", {"by": "ada"}, {"Prefer": "wait=10"}),
    ]
    assert [answer.status for answer in answers] == [409, 409, 409, 424, 424]
    for answer in answers:
        assert b"rust" not in answer.body, answer
        assert "log" in answer.json["reason"]
    assert vault.state["machine"]["oiled"] == 0
    vault.stop()
    said = [line for line in vault.log_text.splitlines() if "rust on bolt 9" in line]
    instances = [answer.json["instance"] for answer in answers[:3]]
    for line, instance in zip(said, instances):
        assert "doors/knocked" in line and instance.split("/")[-1].split(":")[-1] in line
    assert len(said) == 5


def test_an_error_of_a_types_own_code_goes_to_the_log_alone(vault):
    assert vault.post(action("Keyed", key=7)).json["changed"] is True
    answers = {
        "/payload": vault.post(action("Keyed", key=13)),
        "/1/payload": vault.post([action("Keyed", key=7), action("Keyed", key=13)]),
    }
    for pointer, answer in answers.items():
        members = answer.problem("invalid-payload", 422)
        assert members["pointer"] == pointer and b"rust" not in answer.body
        assert members["detail"] == "The type's own decoding code refused the value."
    vault.post(action("Keyed", key=13), query="?dry-run=true").problem("invalid-payload", 422)
    # If the type's own code throws a `DecodingError`, the client reads it, with the pointer to the member.
    members = vault.post(action("Keyed", key=100)).problem("invalid-payload", 422)
    assert (members["pointer"], members["detail"]) == ("/payload/key", "A key has few teeth.")
    vault.stop()
    said = [line for line in vault.log_text.splitlines() if "rust on bolt 9" in line]
    assert len(said) == 3 and all("Keyed" in line and "/payload" in line for line in said), said


def test_an_action_that_is_not_registered_fails_its_effect_by_name(vault):
    vault.wait(action("doors/knocked", by="stranger")).problem("effect-failed", 424)
    vault.await_log("Stranger is dispatched by the program, but is not registered")
