"""Rows of the seeds about the whole state and the whole program (docs/SEEDS.md, S2 to S8, S12)."""

import re
import subprocess

import pytest
from harness import ROOT, Server, Stream, action, until
from programs import PACKAGE, build, build_sample, locked, swift, write_manifest

NOTICE = (ROOT / "NOTICE").read_text()
SEEDS = (ROOT / "docs" / "SEEDS.md").read_text()
ORIGINALS = {
    "Unicore": "https://github.com/MaximBazarov/Unicore",
    "Beaver": "https://github.com/Beaver/Beaver",
    "Tempura": "https://github.com/BendingSpoons/tempura-swift",
    "Katana": "https://github.com/BendingSpoons/katana-swift",
    "Plan": "https://github.com/KyoheiG3/Plan",
}


@pytest.fixture(scope="module")
def program():
    return build_sample("Bakery")


def place(server, text):
    assert server.post(action("orders/placed", text=text)).status == 200


def started(server):
    until(lambda: server.state["counter"] is not None, "the module is started")


def test_s2_a_reaction_and_a_view_see_several_slices(program):
    with Server(program=program) as server:
        started(server)
        place(server, "rye")
        until(lambda: server.state["orders"]["log"] == ["first order"], "the reaction")
        place(server, "oat")
        with Stream(server, "/views/orders/events") as stream:
            assert stream.event().json["served"] == 0
            server.post(action("counter/served"))
            assert stream.event().json["served"] == 1
            server.post(action("orders/cancelled", id=1))
            assert stream.event().json["rows"] == [{"id": 2, "title": "2: oat"}]
        assert server.state["orders"]["log"] == ["first order"]


def test_s4_a_module_that_starts_with_the_store_has_the_first_version_and_begins_anew(program, tmp_path):
    data = tmp_path / "data"
    with Server(program=program, data=data) as server:
        started(server)
        server.post(action("counter/served"))
        assert [each["type"] for each in server.actions()] == ["counter/start", "counter/served"]
        assert server.actions()[0]["origin"].startswith("Bakery/main.swift:")
    with Server(program=program, data=data) as server:
        until(lambda: server.version == 3, "the start of the second process")
        assert server.actions()[2]["type"] == "counter/start"
        assert server.state["counter"] == {"served": 0}


def test_s6_middleware_of_the_program_sees_the_old_state_in_order_until_it_is_taken_away(program):
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as pipe:
        with Server("--debug-routes", program=program, stdout=pipe.stdin) as server:
            listed = server.get("/debug/middleware").json["middleware"]
            assert [each["id"] for each in listed] == ["first", "second"]
            place(server, "rye")
            place(server, "oat")
            assert server.request("DELETE", "/debug/middleware/first").status == 204
            place(server, "bun")
            listed = server.get("/debug/middleware").json["middleware"]
            assert [each["id"] for each in listed] == ["second"]
        pipe.stdin.close()
        assert pipe.stdout.read().splitlines() == [
            *("first: rye, before it 0", "second: rye, before it 0"),
            *("first: oat, before it 1", "second: oat, before it 1"),
            "second: bun, before it 2",
        ]


def test_s8_a_row_at_the_front_of_a_list_of_views_is_one_operation(program):
    with Server(program=program) as server:
        started(server)
        for text in ("rye", "oat"):
            place(server, text)
        with Stream(server, "/views/orders/events?mode=patch") as stream:
            assert [row["id"] for row in stream.event().json["rows"]] == [2, 1]
            place(server, "bun")
            row = {"id": 3, "title": "3: bun"}
            assert stream.event().json == [{"op": "add", "path": "/rows/0", "value": row}]
            server.post(action("orders/cancelled", id=3))
            assert stream.event().json == [{"op": "remove", "path": "/rows/0"}]


COUNT = 5
FACE = """public import StoreCore

public enum Face{number}: StartableInterface {{
    public struct State: ModuleState {{
        public var asked = 0
        public var left = 0
        public init() {{}}
    }}

    public enum Action: ModuleAction {{
        case asked(times: Int)
    }}
}}
"""
# The type of a module behind an interface is internal to its target. A module starts the next module
# through its interface, and dispatches to it the requested number of times.
INSIDE = """public import StoreCore
public import RingPart{face}
import RingPart{next}

struct Inside{number}: StartableModule {{
    typealias Interface = Face{number}

    enum Internal: ModuleAction {{
        case forgotten
    }}

    func begin(_ start: NoFields) -> State {{ State() }}

    func reduce(_ state: inout State, _ action: Face{number}.Action) {{
        guard case .asked(let times) = action else {{ return }}
        state.asked += 1
        state.left = times
    }}

    func reduce(_ state: inout State, internal action: Internal) {{
        state.left = 0
    }}
}}

struct Presenter{number}: Presenter {{
    func stateDidUpdate(
        from old: Face{number}.State?,
        to new: Face{number}.State?,
        _ context: PresenterContext
    ) {{
        {starts}
        guard let new, new.asked > (old?.asked ?? 0) else {{ return }}
        if new.left == 0 {{ return }}
        context.dispatch(Face{other}.Action.asked(times: new.left - 1))
        context.dispatch(Inside{number}.Internal.forgotten)
    }}
}}

extension Face{number} {{
    public static var module: some StartableModule<State> {{ Inside{number}() }}
    public static var presenter: some Presenter<State> {{ Presenter{number}() }}
}}
"""


@pytest.fixture(scope="module")
def ring():
    """Modules in pairs of targets: the even parts are interfaces, the odd parts are the modules behind them."""
    parts = []
    for number in range(COUNT):
        other = (number + 1) % COUNT
        starts = f"if old == nil, new != nil {{ context.dispatch(Face{other}.start) }}" if other else ""
        parts.append(FACE.format(number=number))
        parts.append(
            INSIDE.format(number=number, other=other, starts=starts, face=2 * number, next=2 * other)
        )
    imports = "".join(f"import RingPart{n}\n" for n in range(2 * COUNT))
    slices = "".join(f"    var face{n}: Face{n}.State?\n" for n in range(COUNT))
    mounts = "".join(
        f"        Face{n}.module.at(\\.face{n}).lifecycle(.everybody).presented(by: Face{n}.presenter),\n" for n in range(COUNT)
    )
    source = f"""import StoreCore
import StoreServer
{imports}
struct AppState: RootState {{
{slices}
    static let modules: Modules = [
{mounts}    ]
}}

Server(AppState.self).main()
"""
    return build("Ring", source, parts)


def test_s3_five_modules_depend_on_each_others_interfaces_alone(ring):
    with Server(program=ring) as server:
        server.wait(action("face0/start"))
        assert [server.state[f"face{n}"]["asked"] for n in range(COUNT)] == [0] * COUNT
        server.wait(action("face0/asked", times=11))
        assert [server.state[f"face{n}"]["asked"] for n in range(COUNT)] == [3, 3, 2, 2, 2]
        assert [server.state[f"face{n}"]["left"] for n in range(COUNT)] == [0] * COUNT


def test_s3_a_type_behind_an_interface_cannot_be_named(ring):
    """A target that depends on the target of the type cannot name it either."""
    file = PACKAGE / "Sources" / "RingPart1" / "Part.swift"
    text = file.read_text()
    with locked():
        try:
            file.write_text(text + "\nimport RingPart3\nlet other = Inside1.Internal.forgotten\n")
            write_manifest()
            ended = swift("build", "--product", "Ring", check=False)
        finally:
            file.write_text(text)
            write_manifest()
    assert ended.returncode != 0
    assert "cannot find 'Inside1' in scope" in ended.stdout + ended.stderr


@pytest.mark.parametrize("name", ORIGINALS)
def test_s12_the_originals_are_credited_with_their_licences(name):
    entry = re.search(rf"^{name} +{ORIGINALS[name]}\n((?: +.*\n)+)", NOTICE, re.M)
    assert re.search(r"Copyright .*20\d\d", entry[1]) and "MIT" in entry[1]
    assert f"[{name}]({ORIGINALS[name]})" in SEEDS


@pytest.mark.parametrize("name, credited", [("Unicore", ["Alexey Demedetskiy", "Redux"]), ("Plan", ["VueFlux"])])
def test_s12_the_notice_repeats_the_credits_of_an_original(name, credited):
    entry = re.search(rf"^{name} +{ORIGINALS[name]}\n((?: +.*\n)+)", NOTICE, re.M)
    assert all(each in entry[1] and each in SEEDS for each in credited)


def test_s12_the_notice_is_found_from_the_readme():
    assert "[NOTICE](NOTICE)" in (ROOT / "README.md").read_text()
