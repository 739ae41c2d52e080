"""Programs of somebody else's: executables of a package that depends on this one by its path."""

import json
import pathlib
import subprocess

from harness import ROOT

PACKAGE = ROOT / ".build" / "programs"
SOURCES = pathlib.Path(__file__).parent / "programs"
MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

func program(_ name: String, _ parts: [String]) -> Target {
    .executableTarget(
        name: name,
        dependencies: [
            .product(name: "HTTPClient", package: "StoreServer"),
            .product(name: "StoreCore", package: "StoreServer"),
            .product(name: "StoreServer", package: "StoreServer"),
        ] + parts.map { .target(name: $0) })
}

func part(_ name: String) -> Target {
    .target(name: name, dependencies: [.product(name: "StoreCore", package: "StoreServer")])
}

func tests(_ name: String) -> Target {
    .testTarget(
        name: name,
        dependencies: [
            .product(name: "StoreCore", package: "StoreServer"),
            .product(name: "StoreTesting", package: "StoreServer"),
        ])
}

let package = Package(
    name: "Programs",
    dependencies: [.package(name: "StoreServer", path: "{root}")],
    targets: [{targets}])
"""


def write(path, text):
    """Leaves a file alone that says the same already, so that it need not be built again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def names(folder):
    return sorted(entry.name for entry in (PACKAGE / folder).glob("*"))


def write_manifest():
    """Written each time: only then does SwiftPM notice files that came or went in what it depends on."""
    targets = []
    for name in names("Sources"):
        if is_part(name):
            targets.append(f'part("{name}")')
        else:
            parts = [each for each in names("Sources") if each.startswith(f"{name}Part")]
            targets.append(f'program("{name}", {json.dumps(parts)})')
    targets += [f'tests("{name}")' for name in names("Tests")]
    manifest = MANIFEST.replace("{root}", str(ROOT)).replace("{targets}", ", ".join(targets))
    (PACKAGE / "Package.swift").write_text(manifest)


def is_part(name):
    return not (PACKAGE / "Sources" / name / "main.swift").exists()


def build(name, source, parts=()):
    """Builds a program of this `main.swift` and answers where it is.

    Each of its parts is a target of its own, which knows nothing but StoreCore.
    """
    write(PACKAGE / "Sources" / name / "main.swift", source)
    for number, part in enumerate(parts):
        write(PACKAGE / "Sources" / f"{name}Part{number}" / "Part.swift", part)
    write_manifest()
    subprocess.run(["swift", "build", "--product", name], cwd=PACKAGE, check=True, timeout=600)
    return PACKAGE / ".build" / "debug" / name


def run_tests(name, source):
    """Runs the tests of this file, and answers what was printed of them."""
    write(PACKAGE / "Tests" / name / "Tests.swift", source)
    write_manifest()
    subprocess.run(["swift", "build", "--build-tests"], cwd=PACKAGE, check=True, timeout=600)
    command = ["swift", "test", "--skip-build", "--filter", f"{name}\\."]
    return subprocess.run(
        command, cwd=PACKAGE, capture_output=True, text=True, timeout=120
    ).stdout


def typecheck(source, folder):
    """Lets the compiler look at a file that imports the library. Some sample has to be built before."""
    file = folder / "checked.swift"
    file.write_text(source)
    modules = PACKAGE / ".build" / "debug" / "Modules"
    command = ["swiftc", "-typecheck", "-I", modules, file]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def build_sample(name):
    """Builds one of the programs that lie beside the tests."""
    return build(name, (SOURCES / f"{name}.swift").read_text())
