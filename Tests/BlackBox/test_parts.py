"""A store whose modules are targets of their own, made by a program, because there may be many."""

import pytest
from harness import Server, action
from programs import PACKAGE, build, locked, swift

COUNT = 50
PART = """public import StoreCore

public struct Part{number}: StartableModule {{
    public struct State: ModuleState {{
        public var count = 0
    }}

    public enum Action: ModuleAction {{
        case increased
    }}

    public init() {{}}

    public func begin(_ start: NoFields) -> State {{ State() }}

    public func reduce(_ state: inout State, _ action: Action) {{
        switch action {{
        case .increased: state.count += 1
        }}
    }}
}}
"""


@pytest.fixture(scope="module")
def fifty():
    numbers = range(COUNT)
    imports = "".join(f"import FiftyPart{n}\n" for n in numbers)
    slices = "".join(f"    var part{n}: Part{n}.State?\n" for n in numbers)
    mounts = "".join(f"        Part{n}().at(\\.part{n}).lifecycle(.everybody),\n" for n in numbers)
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
    return build("Fifty", source, [PART.format(number=n) for n in numbers])


@pytest.mark.ci
def test_b2_fifty_modules_in_targets_of_their_own_make_a_store(fifty):
    with Server(program=fifty) as server:
        listed = server.get("/modules").json["modules"]
        assert [each["name"] for each in listed] == [f"part{n}" for n in range(COUNT)]
        server.post([action(f"part{n}/start") for n in range(COUNT)])
        server.post(action("part17/increased"))
        assert server.state == {f"part{n}": {"count": int(n == 17)} for n in range(COUNT)}


@pytest.mark.ci
def test_b2_a_module_that_imports_another_one_does_not_build(fifty):
    file = PACKAGE / "Sources" / "FiftyPart1" / "Part.swift"
    text = file.read_text()
    options = ["--product", "Fifty", "--explicit-target-dependency-import-check", "error"]
    with locked():
        try:
            file.write_text("import FiftyPart0\n" + text)
            ended = swift("build", *options, check=False)
        finally:
            file.write_text(text)
    assert ended.returncode != 0
    assert "FiftyPart1 imports another target (FiftyPart0)" in ended.stdout + ended.stderr
