"""docs/ARCHITECTURE.md: no target imports a target below it in the table of layers."""

import re
import subprocess

import pytest
from files import ROOT
from layers import ARCHITECTURE, IMPORT, declared, folders, imports, misplaced, rows, undeclared


@pytest.fixture(scope="module")
def targets():
    return declared()


def test_every_import_of_a_target_is_declared(targets):
    lines = list(undeclared(targets, {name: imports(folder) for name, folder in folders().items()}))
    assert not lines, "\n" + "\n".join(lines)


def test_the_table_of_layers_is_an_order_of_the_graph(targets):
    lines = list(misplaced(targets, rows(ARCHITECTURE.read_text())))
    assert not lines, "\n" + "\n".join(lines)


@pytest.mark.parametrize("gate", ["check", "test"])
def test_the_gates_build_with_the_check_of_imports(gate):
    """Without the check, an incremental build accepts an import of a target that is no dependency."""
    [build] = re.findall(r'^part "debug build" (.*)$', (ROOT / "scripts" / gate).read_text(), re.M)
    assert build.startswith("swift build") and "--explicit-target-dependency-import-check error" in build


def checked_commands():
    """Returns the builds of the gates, and the build that the guide names."""
    guide = (ROOT / "docs/WRITING_STORES.md").read_text()
    commands = [(ROOT / "scripts" / gate).read_text() for gate in ("check", "test")] + [guide]
    return [re.search(r"swift build.*--explicit-target-dependency-import-check \w+", text)[0] for text in commands]


@pytest.mark.parametrize("command", sorted(set(checked_commands())))
def test_the_build_refuses_an_import_of_a_target_that_is_no_dependency(command, tmp_path):
    """This holds even if an earlier build has left the module. A plain build would then succeed."""
    (tmp_path / "Package.swift").write_text(
        "// swift-tools-version: 6.2\nimport PackageDescription\n"
        'let package = Package(name: "Planted", targets: [.target(name: "Low"), .target(name: "High")])\n'
    )
    for name, text in {"Low": "public let low = 1\n", "High": "let high = 2\n"}.items():
        (tmp_path / "Sources" / name).mkdir(parents=True)
        (tmp_path / "Sources" / name / "File.swift").write_text(text)

    def build(words):
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=300)

    built = build(command.split())
    assert built.returncode == 0, built.stdout + built.stderr
    (tmp_path / "Sources/High/File.swift").write_text("import Low\nlet high = low\n")
    assert build(["swift", "build"]).returncode == 0
    refused = build(command.split())
    assert refused.returncode != 0
    said = refused.stdout + refused.stderr
    assert "Target High imports another target (Low) in the package without declaring it" in said, said


def test_an_import_upward_is_found():
    graph = {"Low": set(), "High": {"Low"}}
    found = {"Low": [("Sources/Low/A.swift", "High")], "High": [("Sources/High/B.swift", "Low")]}
    [line] = undeclared(graph, found)
    assert line.startswith("Sources/Low/A.swift imports High, which is no dependency of Low")


@pytest.mark.parametrize(
    "order, complaint",
    [
        (["High", "Low"], "has High above Low"),
        (["Low"], "has no row for High"),
        (["Low", "High", "Gone"], "has a row for Gone"),
        (["Low", "High", "Low"], "has Low twice"),
    ],
)
def test_a_table_in_another_order_is_found(order, complaint):
    lines = list(misplaced({"Low": set(), "High": {"Low"}}, order))
    assert any(complaint in line for line in lines), lines


def test_every_form_of_an_import_is_read():
    text = "import A\n@testable import B\npublic import C\nimport struct D.E\n// import F\n    import G\n"
    assert IMPORT.findall(text) == ["A", "B", "C", "D"]
