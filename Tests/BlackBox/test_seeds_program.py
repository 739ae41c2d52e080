"""Rows of docs/SEEDS.md that need another program: the Counter."""

import subprocess
import threading
import time

import pytest
from harness import INCREASE, Server, Wire, environment_with, until
from programs import SOURCES, build_sample, typecheck


@pytest.fixture(scope="module")
def program():
    return build_sample("UnicoreCounter")


@pytest.fixture
def counter(program, tmp_path):
    """The running program. `printed()` returns the lines that it has printed so far."""
    output = tmp_path / "output"
    with output.open("w") as stdout, Server("--debug-routes", program=program, stdout=stdout) as server:
        server.printed = lambda: output.read_text().splitlines()
        yield server


def printed(server, *lines):
    """Waits until the program has printed all of these lines."""
    until(lambda: set(lines) <= set(server.printed()), f"{lines} are printed", 5)


def test_u4_a_reducer_that_takes_long_holds_up_no_other_client(counter):
    slow = {"type": "SlowReducer", "payload": {"ms": 500}}
    with Wire(counter) as wire:
        thread = threading.Thread(target=counter.post, args=(slow,))
        thread.start()
        asked = []
        while thread.is_alive():
            began = time.monotonic()
            assert counter.get("/readyz", wire=wire).status == 200
            assert counter.get("/state", wire=wire).status == 200
            asked.append(time.monotonic() - began)
    assert len(asked) > 5
    assert max(asked) < 0.4, "an answer waited for the reducer"


def test_u16_a_program_cannot_ask_the_core_for_the_state(program, tmp_path):
    def check(expression):
        source = (
            "import StoreCore\n"
            "let core = Core<Int>(state: 1) { (state: Int, _: any Action) in state }\n"
            f"{expression}\n"
        )
        return typecheck(source, tmp_path)

    observed = check("core.observe { state in print(state) }")
    assert observed.returncode == 0, observed.stderr
    asked = check("print(core.state)")
    assert asked.returncode != 0
    assert "'state'" in asked.stderr, asked.stderr


def test_u18_observers_are_called_on_the_queue_that_they_ask_for(counter):
    counter.post(INCREASE)
    printed(counter, *(f"counter {n} on {queue}" for n in (0, 1) for queue in ("main", "render")))
    counter.post([INCREASE] * 100)
    printed(counter, "counter 101 on main", "counter 101 on render")
    # Each observer got every state in order, and on no other queue.
    for queue in ("main", "render"):
        mine = [line for line in counter.printed() if line.endswith(f" on {queue}")]
        assert mine == [f"counter {number} on {queue}" for number in range(102)]
    assert len(counter.printed()) == 2 * 102


def execute(server, name, body=b"", headers=()):
    fields = {"Content-Type": "application/json", **dict(headers)} if body else dict(headers)
    return server.request("POST", f"/debug/commands/{name}", body, fields)


def listed(server):
    return {each["name"]: each for each in server.get("/debug/commands").json["commands"]}


def test_u19_an_observer_of_the_program_is_listed_and_ended(counter):
    observers = counter.get("/debug/subscriptions").json["observers"]
    assert observers == [
        {"id": "observer-1", "queue": "com.apple.main-thread"},
        {"id": "observer-2", "queue": "render"},
    ]
    counter.post(INCREASE)
    printed(counter, "counter 1 on render")
    assert counter.request("DELETE", "/debug/subscriptions/observer-2").status == 204
    counter.request("DELETE", "/debug/subscriptions/observer-2").problem("not-found", 404)
    counter.post(INCREASE)
    printed(counter, "counter 2 on main")
    assert len(counter.get("/debug/subscriptions").json["observers"]) == 1
    counter.stop()
    assert "counter 2 on render" not in counter.printed()


def test_u24_a_command_is_listed_with_its_id_and_where_it_was_made(counter):
    source = (SOURCES / "UnicoreCounter.swift").read_text().splitlines()
    line = next(n for n, text in enumerate(source, 1) if text.startswith("let printInt"))
    assert listed(counter)["print-int"] == {
        "name": "print-int", "id": "Print the int", "value": "Int",
        "file": "UnicoreCounter/main.swift", "function": "UnicoreCounter", "line": line,
        "href": "/debug/commands/print-int", "method": "POST",
    }


def test_u25_a_command_s_preview_has_five_lines_and_a_bound_command_keeps_the_id(counter):
    answer = counter.get("/debug/commands/print-int")
    assert answer.status == 200
    assert answer["content-type"] == "text/plain; charset=utf-8"
    lines = answer.body.decode().splitlines()
    assert [each.split(": ")[0] for each in lines] == ["type", "id", "file", "function", "line"]
    assert lines[:3] == ["type: Command<Int>", "id: Print the int", "file: UnicoreCounter/main.swift"]
    for name in ("print-seven", "print-seven-on-main"):
        bound = counter.get(f"/debug/commands/{name}").body.decode().splitlines()
        assert bound[1].startswith("id: Print the int ∘ bound(7)")
        assert bound[2:] == lines[2:]
    counter.get("/debug/commands/nothing").problem("not-found", 404)
    counter.get("/debug/commands/").problem("not-found", 404)


def test_u26_a_command_is_executed_with_the_value_of_the_body(counter):
    answer = execute(counter, "print-int", b"7")
    assert (answer.status, answer.body) == (204, b"")
    # The answer comes when the command is done.
    assert "7 on no queue" in counter.printed()
    assert execute(counter, "print-int", b" -8 ").status == 204
    assert "-8 on no queue" in counter.printed()


@pytest.mark.parametrize("body, slug, status", [
    (b'"7"', "invalid-payload", 422), (b"7.5", "invalid-payload", 422),
    (b"{}", "invalid-payload", 422), (b"null", "invalid-payload", 422),
    (b"", "invalid-payload", 422), (b"9223372036854775808", "invalid-payload", 422),
    (b"7 8", "malformed-json", 400), (b"[" * 100, "malformed-json", 400),
    (b" " * (1 << 20) + b"7", "too-large", 413),
])
def test_u26_a_value_that_does_not_fit_is_refused(counter, body, slug, status):
    members = execute(counter, "print-int", body).problem(slug, status)
    if slug == "invalid-payload":
        assert members["pointer"] == ""
        assert members["expected"]
    assert execute(counter, "print-int", b"7").status == 204
    assert [line for line in counter.printed() if "no queue" in line] == ["7 on no queue"]


@pytest.mark.parametrize("type_", ["text/plain", "application/x-www-form-urlencoded"])
def test_u26_a_value_is_sent_as_json(counter, type_):
    answer = execute(counter, "print-int", b"7", {"Content-Type": type_})
    answer.problem("unsupported-media-type", 415)


def test_u27_a_plain_command_needs_no_body(counter):
    assert execute(counter, "hello").status == 204
    assert "hello on no queue" in counter.printed()
    members = execute(counter, "hello", b"7").problem("invalid-payload", 422)
    assert members["expected"] == "no body"
    assert listed(counter)["hello"]["value"] == "()"


def test_u28_the_link_of_a_bound_command_is_followed_by_an_empty_post(counter):
    link = listed(counter)["print-seven"]
    assert counter.request(link["method"], link["href"], b"").status == 204
    assert "7 on no queue" in counter.printed()


def test_u29_a_command_on_the_main_queue_is_executed_there(counter):
    assert execute(counter, "print-seven-on-main").status == 204
    printed(counter, "7 on main")


def test_u26_a_command_that_takes_long_holds_up_no_other_client(counter):
    slow = threading.Thread(target=execute, args=(counter, "sleep", b"500"))
    slow.start()
    asked = []
    with Wire(counter) as wire:
        while slow.is_alive():
            began = time.monotonic()
            assert counter.post(INCREASE, wire=wire).status == 200
            asked.append(time.monotonic() - began)
    assert len(asked) > 5
    assert max(asked) < 0.4, "an action waited for the command"


def test_u24_a_name_that_cannot_be_used_keeps_the_server_from_starting(program):
    for names, said in (("a/b", "a name has letters"), ("twice,twice", "must be unique")):
        result = subprocess.run(
            [program, "--ephemeral", "--listen", "127.0.0.1:0"],
            env=environment_with({"COUNTER_COMMANDS": names}),
            capture_output=True, text=True, timeout=20,
        )
        assert result.returncode == 2
        assert said in result.stderr and len(result.stderr.splitlines()) == 1
