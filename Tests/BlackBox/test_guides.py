"""The guides of the documentation catalogues: their code builds and works as described, and their commands print
the shown lines."""

import re
import subprocess

import pytest
import tour
from harness import ROOT
from programs import build, run_tests

CORE = ROOT / "Sources" / "StoreCore" / "StoreCore.docc"
PATTERNS = ROOT / "Sources" / "StorePatterns" / "StorePatterns.docc"
SERVER = ROOT / "Sources" / "StoreServer" / "StoreServer.docc"
SWIFT = re.compile(r"^```swift\n(.*?)^```", re.S | re.M)
TEST = re.compile(r"@Test func `(.*?)`")


def code(guide):
    return "\n".join(SWIFT.findall(guide.read_text()))


@pytest.mark.ci
def test_the_store_of_the_first_page_prints_each_state():
    program = build("FirstPage", "import StoreCore\n\n" + code(CORE / "StoreCore.md"))
    printed = subprocess.run([program], capture_output=True, text=True, timeout=60)
    assert (printed.returncode, printed.stdout) == (0, "0\n1\n")


@pytest.mark.ci
def test_the_observer_of_the_patterns_gets_no_state_when_its_disposer_is_gone():
    source = "import StoreCore\nimport StorePatterns\n\n" + code(PATTERNS / "StorePatterns.md")
    printed = subprocess.run([build("PatternsPage", source)], capture_output=True, text=True, timeout=60)
    assert (printed.returncode, printed.stdout) == (0, '[]\n["Milk"]\n')


@pytest.mark.ci
def test_the_tests_of_the_guide_to_effects_pass():
    source = code(CORE / "EffectsAndTests.md")
    printed = run_tests("EffectsAndTests", source)
    passed = re.findall(r'^✔ Test "(.*?)" passed after', printed, re.M)
    assert sorted(passed) == sorted(TEST.findall(source)) and len(passed) == 3, printed


def test_the_page_of_the_server_shows_a_line_of_the_first_store():
    [line] = SWIFT.findall((SERVER / "StoreServer.md").read_text())
    assert line.strip() in code(SERVER / "FirstStore.md")


def test_the_commands_of_the_operating_guide_print_the_shown_lines(store_server_in_path):
    assert tour.play((SERVER / "Operating.md").read_text(), store_server_in_path) >= 9
