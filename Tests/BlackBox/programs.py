"""Sample programs: executables of a package that depends on this package by its path.

    Tests/BlackBox/programs.py

Run as a program, this file builds all samples at once, which is faster than one after the other. A test that needs
a sample then finds it built.

PROGRAMS_OPTIONS has further options of `swift build`, such as the options of a sanitizer. PROGRAMS_SCRATCH is the
folder for the build.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess

from harness import ROOT

OPTIONS = shlex.split(os.environ.get("PROGRAMS_OPTIONS", ""))
# In this folder, `swift build` has built the library already.
SCRATCH = pathlib.Path(os.environ.get("PROGRAMS_SCRATCH", ROOT / ".build"))
BUILT = SCRATCH / ("release" if "release" in OPTIONS else "debug")
MODULES = BUILT / "Modules"
PACKAGE = SCRATCH / "programs"
# SwiftPM would take over the plan of another package in this folder, and build that package. These
# options make it plan anew, and leave a plan that a plain `swift build` does not take over.
OWN_PLAN = ["--enable-all-traits", "--disable-build-manifest-caching"]
SOURCES = pathlib.Path(__file__).parent / "programs"
BUILD_SECONDS_MAX = 600
MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

func program(_ name: String, _ parts: [String]) -> Target {
    .executableTarget(
        name: name,
        dependencies: [
            .product(name: "StoreHTTPClient", package: "StoreServer"),
            .product(name: "StoreCore", package: "StoreServer"),
            .product(name: "StorePatterns", package: "StoreServer"),
            .product(name: "StoreServer", package: "StoreServer"),
        ] + parts.map { .target(name: $0) })
}

func part(_ name: String, _ parts: [String]) -> Target {
    .target(
        name: name,
        dependencies: [.product(name: "StoreCore", package: "StoreServer")]
            + parts.map { .target(name: $0) })
}

func tests(_ name: String) -> Target {
    .testTarget(
        name: name,
        dependencies: [
            .product(name: "StoreCore", package: "StoreServer"),
            .product(name: "StorePatterns", package: "StoreServer"),
            .product(name: "StoreTesting", package: "StoreServer"),
        ])
}

let package = Package(
    name: "Programs",
    dependencies: [.package(name: "StoreServer", path: "{root}")],
    targets: [{targets}])
"""


def write(path, text):
    """Writes a file, unless it has this text already. An unchanged file is not built again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def names(folder):
    return sorted(entry.name for entry in (PACKAGE / folder).glob("*"))


def write_manifest():
    """Writes the manifest each time: only then does SwiftPM notice new and removed files of the dependencies."""
    targets = []
    for name in names("Sources"):
        if is_part(name):
            targets.append(f'part("{name}", {json.dumps(imported_parts(name))})')
        else:
            parts = [each for each in names("Sources") if each.startswith(f"{name}Part")]
            targets.append(f'program("{name}", {json.dumps(parts)})')
    targets += [f'tests("{name}")' for name in names("Tests")]
    manifest = MANIFEST.replace("{root}", str(ROOT)).replace("{targets}", ", ".join(targets))
    (PACKAGE / "Package.swift").write_text(manifest)


def imported_parts(name):
    """Returns the parts that a part imports: its dependencies."""
    source = (PACKAGE / "Sources" / name / "Part.swift").read_text()
    return re.findall(r"^(?:public )?import (\w+Part\d+)$", source, re.M)


def is_part(name):
    return not (PACKAGE / "Sources" / name / "main.swift").exists()


@contextlib.contextmanager
def locked():
    """Holds a lock, so that only one process at a time writes or builds the package."""
    PACKAGE.mkdir(parents=True, exist_ok=True)
    with open(PACKAGE / "lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def library():
    """Returns a text that changes with each file of the library on which the programs depend."""
    files = [ROOT / "Package.swift", *sorted((ROOT / "Sources").rglob("*"))]
    stats = [(str(file), (stat := file.stat()).st_size, stat.st_mtime_ns) for file in files]
    return repr(stats)


def fingerprint(*texts):
    return hashlib.sha256("\0".join([library(), *OPTIONS, *texts]).encode()).hexdigest()


def stamp(name):
    return PACKAGE / "Stamps" / name


def is_built(name, mark):
    return stamp(name).exists() and stamp(name).read_text() == mark


def swift(command, *options, package=PACKAGE, seconds=BUILD_SECONDS_MAX, check=True):
    """Runs `swift build` or `swift test` in the folder that has the library."""
    ended = subprocess.run(
        ["swift", command, "--package-path", package, "--scratch-path", SCRATCH]
        + [*OWN_PLAN, *OPTIONS, *options],
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    assert not check or ended.returncode == 0, ended.stdout + ended.stderr
    return ended


def write_program(name, source, parts):
    write(PACKAGE / "Sources" / name / "main.swift", source)
    for number, part in enumerate(parts):
        write(PACKAGE / "Sources" / f"{name}Part{number}" / "Part.swift", part)


def build(name, source, parts=()):
    """Builds a program of this `main.swift`, unless it is built, and returns its path.

    Each part is a target, which imports StoreCore and the parts that its source names.
    """
    with locked():
        mark = fingerprint(source, *parts)
        if not is_built(name, mark):
            write_program(name, source, parts)
            write_manifest()
            swift("build", "--product", name)
            write(stamp(name), mark)
    return BUILT / name


def run_tests(name, source):
    """Runs the tests of this file, and returns the printed text."""
    with locked():
        write(PACKAGE / "Tests" / name / "Tests.swift", source)
        write_manifest()
        swift("build", "--build-tests")
        options = ["--skip-build", "--filter", f"{name}\\."]
        return swift("test", *options, seconds=120, check=False).stdout


def typecheck(source, folder):
    """Type-checks a file that imports the library. Some sample has to be built before."""
    file = folder / "checked.swift"
    file.write_text(source)
    command = ["swiftc", "-swift-version", "6", "-typecheck", "-I", MODULES, file]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def build_sample(name):
    """Builds one of the programs beside the tests."""
    return build(name, (SOURCES / f"{name}.swift").read_text())


def build_samples():
    """Builds all programs at once."""
    with locked():
        sources = {path.stem: path.read_text() for path in SOURCES.glob("*.swift")}
        for name, source in sources.items():
            write_program(name, source, [])
        write_manifest()
        swift("build")
        for name, source in sources.items():
            write(stamp(name), fingerprint(source))


if __name__ == "__main__":
    build_samples()
