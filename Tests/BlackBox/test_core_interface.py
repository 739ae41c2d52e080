"""The uses of a Core that its interface allows, read from the compiler: reducers alone change the state, and only
observers read it (Unicore's U10 and U16)."""

import json
import platform
import re
import subprocess

import pytest
from programs import MODULES, build_sample

# A value of the state itself, and not of a closure that gets it: `State` as a whole type.
STATE = re.compile(r"(?<![\w.<(])State\b(?![\w.>])")


@pytest.fixture(scope="module")
def interface(tmp_path_factory):
    """The public declarations of `Core`, by their kinds."""
    build_sample("UnicoreCounter")
    folder = tmp_path_factory.mktemp("symbols")
    target = f"{platform.machine()}-unknown-linux-gnu"
    extract = ["swift-symbolgraph-extract", "-module-name", "StoreCore", "-target", target]
    subprocess.run([*extract, "-I", MODULES, "-output-dir", folder], check=True, timeout=60)
    found = {}
    for symbol in json.loads((folder / "StoreCore.symbols.json").read_text())["symbols"]:
        if symbol["pathComponents"][0] == "Core" and len(symbol["pathComponents"]) == 2:
            text = "".join(each["spelling"] for each in symbol["declarationFragments"])
            found.setdefault(symbol["kind"]["identifier"], []).append(text)
    return found


def own_types(declaration):
    """Returns a declaration without the types of its closures. The remaining types are its arguments and results."""
    return re.sub(r"@escaping [^,]*?\(.*?\)[^,)]*", "closure", declaration)


def breaches(declaration):
    """Returns the way in which a declaration gives the state away, or lets a program set it."""
    found = []
    if re.search(r"\bvar\b|\bsubscript\b", declaration) and not declaration.endswith("{ get }"):
        found.append("it can be set")
    if not re.search(r"\binit\(", declaration) and STATE.search(own_types(declaration)):
        found.append("it has the state")
    return found


def test_u10_nothing_but_actions_changes_the_state_of_a_core(interface):
    assert {"swift.init", "swift.method", "swift.property"} <= set(interface) <= {
        "swift.init", "swift.method", "swift.property", "swift.type.method",
    }
    whole = sum(interface.values(), [])
    assert any("func dispatch(" in each for each in whole)
    assert any("func observe(" in each for each in whole)
    assert {each: breaches(each) for each in whole if breaches(each)} == {}


@pytest.mark.parametrize(
    "declaration",
    [
        "var state: State { get set }", "var state: State { get }", "var count: Int",
        "var version: UInt64 { get set }", "func replace(_ state: State)", "func read() -> State",
        "func set(_ state: State, then: @escaping (State) -> Void)",
    ],
)
def test_u10_another_way_to_the_state_is_noticed(declaration):
    assert breaches(declaration)
