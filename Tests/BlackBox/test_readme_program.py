"""README and the guide of a first store: their packages build unchanged, pass their tests, and give the shown
answers."""

import re
import shutil

import pytest
import tour
from harness import ROOT, Server
from programs import BUILT, SCRATCH, locked, swift, write

README = (ROOT / "README.md").read_text()
GUIDE = (ROOT / "Sources/StoreServer/StoreServer.docc/FirstStore.md").read_text()
PACKAGES = SCRATCH / "documents"
FILE = re.compile(r"<!-- file: (\S+) -->\n```swift\n(.*?)^```", re.S | re.M)
SHELL = re.compile(r"^```sh\n(.*?)^```", re.S | re.M)


def shown_files(text):
    """Returns the files of a document, each joined from its blocks."""
    files = {}
    for name, code in FILE.findall(text):
        files[name] = files.get(name, "") + code
    return files


def built(folder, files):
    """Builds a package of these files, runs its tests, and returns the path of its program."""
    package = PACKAGES / folder
    with locked():
        for name, text in files.items():
            write(package / name, text.replace('"../StoreServer"', f'"{ROOT}"'))
        swift("build", "--build-tests", package=package)
        tests = swift("test", "--skip-build", package=package)
        assert re.search(r"Test run with [1-9]\d* tests? .* passed", tests.stdout), tests.stdout
        return shutil.copy(BUILT / "Guestbook", package / "program")


@pytest.fixture(scope="module")
def readme_program():
    """README's program and test, with the manifest of the guide that README refers to."""
    manifest = shown_files(GUIDE)["Package.swift"]
    return built("Readme", {"Package.swift": manifest, **shown_files(README)})


@pytest.fixture(scope="module")
def guide_program():
    return built("FirstStore", shown_files(GUIDE))


def test_the_readme_program_gives_the_shown_answers(readme_program):
    _, found, text = README.partition("\n## Test it and run it\n")
    with Server(program=readme_program) as server:
        assert found and tour.play(text, server.url) == 2
        nameless = {"type": "guestbook/signed", "payload": {"name": ""}}
        assert server.post(nameless).problem("refused", 409)["pointer"] == "/payload/name"


def test_the_first_store_gives_the_shown_answers(guide_program):
    with Server(program=guide_program) as server:
        assert tour.play(GUIDE, server.url) == 3


@pytest.mark.parametrize(
    "text, commands",
    [
        (README, ["make test", "swift test", "swift run Guestbook"]),
        (GUIDE, ["swift test", "swift run Guestbook"]),
    ],
)
def test_the_commands_that_are_not_typed_are_run_by_the_fixtures(text, commands):
    """`make test` runs this test. The fixtures build and run `swift test` and the program."""
    assert "".join(SHELL.findall(text)).splitlines() == commands
