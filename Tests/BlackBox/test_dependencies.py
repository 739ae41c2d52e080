"""Each effect gets its own dependencies, and nothing is global (Beaver's B38): on programs/Offices.swift, three
stores of one kind in one process."""

import random
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from harness import ROOT, Server, Wire, action
from programs import build_sample

CLERKS = {"": "nobody in particular", "/stores/north": "Ada", "/stores/south": "Bob"}
SESSIONS, ROUNDS = 20, 5


@pytest.fixture(scope="module")
def program():
    return build_sample("Offices")


def test_b38_the_effects_of_each_store_get_the_dependencies_of_that_store(program):
    """Many clients of all stores at once, with arrays. Some arrays are refused in the middle."""
    with Server(program=program) as server:

        def ask(place):
            store, chance = list(CLERKS)[place % len(CLERKS)], random.Random(place)
            with Wire(server) as wire:
                begun = server.request("POST", store + "/sessions", b"", wire=wire)
                cookie = {"Cookie": begun["set-cookie"].split(";")[0]}
                asked = 0
                for _ in range(ROUNDS):
                    body = [action("office/asked")] * chance.randrange(1, 6)
                    asked += len(body)
                    headers = {**cookie, "Prefer": "wait=10"}
                    answer = server.send(store + "/dispatch", body, headers, wire)
                    assert answer.json["completed"] is True
                    body.insert(chance.randrange(1, len(body) + 1), action("office/shoutedAt"))
                    server.send(store + "/dispatch", body, headers, wire).problem("refused", 409)
                slice_ = server.get(store + "/modules/office", cookie, wire).json
            assert slice_ == {"answers": [CLERKS[store]] * asked}

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(ask, range(len(CLERKS) * SESSIONS)))


# Declarations of values that each part of a program could change for all other parts.
SINGLETONS = (
    re.compile(r"^ *(?:[\w()]+ )*static var \w+[^{\n]*$", re.M),
    re.compile(r"^ *(?:[\w()]+ )*static var \w+[^{\n]* = ", re.M),
    re.compile(r"^(?:[\w()]+ )*var \w+", re.M),
    re.compile(r"^ *(?:[\w()]+ )*static let (?:shared|instance|current|main)\b.*\b[A-Z]\w*\(", re.M),
)


def singletons(text):
    return [found[0].strip() for each in SINGLETONS for found in each.finditer(text)]


def test_b38_neither_the_library_nor_a_store_has_a_singleton():
    files = [
        file
        for folder in ("Sources", "examples")
        for file in (ROOT / folder).rglob("*.swift")
        if ".build" not in file.parts and file.name != "Package.swift"
    ]
    assert len(files) > 100
    found = {file.name: singletons(file.read_text()) for file in files}
    # Each task has a value of its own, so tests that run at the same time do not share it.
    allowed = {"ActionCoverage.swift": ["@TaskLocal static var current: ActionCoverage?"]}
    assert {name: lines for name, lines in found.items() if lines and name not in allowed} == {}


@pytest.mark.parametrize(
    "line",
    [
        "    public static let shared = Service()", "    static let instance: any Service = LiveService()",
        "    nonisolated(unsafe) static var current: Service?", "    static var count = 0",
        "nonisolated(unsafe) var service = Service()", "    private static var service: Service? = nil",
    ],
)
def test_b38_a_singleton_is_noticed(line):
    assert singletons(f"struct A {{\n{line}\n}}\n")


@pytest.mark.parametrize(
    "line",
    [
        "    static var none: Self { Self() }", "    public static let shared = SessionName.shared",
        "    static let live: any Clock<Duration> = ContinuousClock()", "    var count = 0",
        "    static let modules: Modules = [Counter().at(\\.counter)]",
    ],
)
def test_b38_other_declarations_are_not_taken_for_singletons(line):
    assert singletons(f"struct A {{\n{line}\n}}\n") == []
