"""A package may name its targets freely, and depend on this package by path or by URL."""

import shutil
import subprocess

import pytest
from harness import ROOT
from programs import SCRATCH, locked, write

pytestmark = pytest.mark.plain("the package is built as others build it, without a sanitizer")

# Common names of a program's targets, and the names of this package's folders and subjects.
NAMES = """
App Domain Texts Wire Platform Core Store Server Root Patterns Testing History HTTP Digest Traces Telemetry
Authentication Authorization ActionCatalog ControlledWorld EventStream HTTPTransport HTTPClient TraceExport
StatePublishing Publishing ServerCommandLine WireFoundation JournalSQLite Journal
Home HomeInterface HomeModule Counter CounterInterface CounterModule Todos TodosInterface TodosModule
MovieCardInterface MovieCardModule Login LoginInterface LoginModule LoginUseCases User UserInterface UserModule
Simulator Simulate JournalTests DomainTests HTTPClientTests
CHTTPD CSQLite CNettle CGnuTLS CZstd CCurl CDiskFaults
""".split()
MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Foreign",
    dependencies: [{dependency}],
    targets: [{names}].map {{ .target(name: $0) }} + [
        .executableTarget(
            name: "Foreign",
            dependencies: [.product(name: "StoreCore", package: "StoreServer")]
                + [{names}].map {{ .target(name: $0) }}
        )
    ]
)
"""
PROGRAM = """import StoreCore

struct Increased: Action {}
let core = Core<Int>(state: 6) { (count: Int, action: any Action) in count + 1 }
core.dispatch(Increased())
core.observe { print($0) }
"""
BY_PATH = f'.package(name: "StoreServer", path: "{ROOT}")'


def write_package(folder, dependency, names):
    """Writes a package whose program depends on the engine, and on a target of each name."""
    quoted = ", ".join(f'"{name}"' for name in names)
    manifest = MANIFEST.format(dependency=dependency, names=quoted)
    write(folder / "Package.swift", manifest)
    write(folder / "Sources" / "Foreign" / "main.swift", PROGRAM)
    for name in names:
        write(folder / "Sources" / name / "Part.swift", "public struct Part {}\n")
    return folder


def run(*command, cwd):
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300)


def committed(folder):
    """Makes a repository with one commit, which contains this package, and returns its path."""
    folder.mkdir()
    for name in ("Sources", "Tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns(".build", "__pycache__"))
    shutil.copy(ROOT / "Package.swift", folder)
    commit = ["-c", "user.name=test", "-c", "user.email=test@example.org", "commit", "--quiet", "-m", "all"]
    for arguments in (["init", "--quiet", "-b", "main"], ["add", "--all"], commit):
        ended = run("git", *arguments, cwd=folder)
        assert ended.returncode == 0, ended.stderr
    return folder


def check(folder):
    """Builds the program in a folder of its own. In the library's folder, its modules would hide the library's."""
    built = run("swift", "build", "--product", "Foreign", cwd=folder)
    assert built.returncode == 0, built.stdout + built.stderr
    assert run(folder / ".build" / "debug" / "Foreign", cwd=folder).stdout == "7\n"


@pytest.mark.ci
def test_a_package_with_all_the_obvious_names_depends_on_this_one_by_path():
    with locked():
        check(write_package(SCRATCH / "documents" / "Foreign", BY_PATH, NAMES))


@pytest.mark.ci
def test_a_package_with_all_the_obvious_names_depends_on_this_one_by_url(tmp_path):
    url = committed(tmp_path / "StoreServer").as_uri()
    dependency = f'.package(url: "{url}", branch: "main")'
    check(write_package(tmp_path / "Foreign", dependency, NAMES))


@pytest.mark.parametrize("name", ["StoreCore", "DefaultStore", "CStoreHTTPD"])
def test_a_name_that_this_package_has_is_noticed(name, tmp_path):
    folder = write_package(tmp_path, BY_PATH, [name])
    ended = run("swift", "package", "show-dependencies", cwd=folder)
    assert ended.returncode != 0
    assert f"targets with a conflicting name: '{name}" in ended.stderr
