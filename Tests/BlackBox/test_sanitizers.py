"""`make test-sanitized` and `make soak` with a sanitizer: the documents name these commands."""

import os
import re
import subprocess

import pytest
from harness import ROOT

DOCUMENTS = [ROOT / "CONTRIBUTING.md", ROOT / "docs" / "TESTING.md"]
COMMAND = re.compile(r"`(make [a-z-]+ [^`]*SANITIZER=\w+)`")
RUN = {
    "make test-sanitized SANITIZER=address": "scripts/test-sanitized address",
    "make test-sanitized SANITIZER=thread": "scripts/test-sanitized thread",
    "make soak SANITIZER=address": "scripts/soak 10 address",
    "make soak SANITIZER=thread": "scripts/soak 10 thread",
}


# Variables that a `make` around these tests hands down.
HANDED_DOWN = {"MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS", "MINUTES", "SANITIZER"}


def run(*command):
    environment = {name: value for name, value in os.environ.items() if name not in HANDED_DOWN}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=20
    )


def test_the_documents_have_each_command():
    named = {command for document in DOCUMENTS for command in COMMAND.findall(document.read_text())}
    assert named == set(RUN)


@pytest.mark.parametrize("command, script", RUN.items())
def test_a_command_of_the_documents_runs_its_script(command, script):
    assert run(*command.split(), "--dry-run").stdout.splitlines()[-1] == script


@pytest.mark.parametrize("script", [["scripts/test-sanitized"], ["scripts/soak", "1"]])
@pytest.mark.parametrize("name", ["memory", "Address", "address,thread"])
def test_another_name_is_refused_before_anything_is_built(script, name):
    ended = run(*script, name)
    assert (ended.returncode, ended.stdout) == (2, "")
    complaint = f"'{name}' is no sanitizer; allowed are address and thread"
    assert ended.stderr == f"{script[0]}: {complaint}\n"


def test_without_a_name_the_tests_are_not_run():
    ended = run("scripts/test-sanitized")
    assert ended.returncode == 2 and "'' is no sanitizer" in ended.stderr
