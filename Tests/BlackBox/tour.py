#!/usr/bin/env python3
"""Types a document's commands into a shell, against a running server, and compares their output.

    python3 Tests/BlackBox/tour.py http://127.0.0.1:PORT [DOCUMENT]

Without DOCUMENT, the document is the tour, docs/TOUR.md.

Every ```console block is played in order. A line that starts with `$ ` is a command, which continues on
the next line if it ends with a backslash. The lines after the command are its expected output. In these
lines, `…` matches any text within a line, and eight hex digits (an epoch) match any other eight.
`127.0.0.1:8080` and `localhost:8080` are replaced by the server's address. Two comments in front of a
block change the way in which the block is played:

    <!-- tour: second terminal -->   the block runs beside the following blocks, and is stopped at the
                                     end; then its output must begin with the shown lines
    <!-- tour: skip -->              the block is not played; only for the command that starts the server

The server has to be fresh. The program needs only Python's standard library, a shell and curl. It ends
with status 0 if all outputs are as shown. At the first difference, it prints a comparison and ends with 1.
"""

import difflib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

TOUR = pathlib.Path(__file__).resolve().parents[2] / "docs" / "TOUR.md"
COMMAND_SECONDS_MAX = 60
TERMINAL_SECONDS_MAX = 10
BLOCK = re.compile(
    r"(?:<!--\s*tour:\s*(?P<mark>[^>]*?)\s*-->\s*\n)?```console\n(?P<body>.*?)^```", re.S | re.M
)
MARKS = {None, "second terminal", "skip"}


class TourError(Exception):
    pass


class Step:
    """A command, and the lines that it must print."""

    def __init__(self, command):
        self.command = command
        self.expected = []


def blocks(text):
    """Returns (mark, steps) of every console block."""
    for match in BLOCK.finditer(text):
        mark = match["mark"]
        if mark not in MARKS:
            raise TourError(f"unknown mark 'tour: {mark}'")
        steps, continued = [], False
        for line in match["body"].splitlines():
            if continued:
                steps[-1].command += "\n" + line
            elif line.startswith("$ "):
                steps.append(Step(line[2:]))
            elif steps:
                steps[-1].expected.append(line)
            else:
                raise TourError(f"output without a command: {line}")
            if continued or line.startswith("$ "):
                continued = line.endswith("\\")
        if mark == "skip" and any("make run" not in step.command for step in steps):
            raise TourError("only the command that starts the server may be left out")
        yield mark, steps


def pattern(line):
    """Returns the regular expression for a shown line."""
    parts = re.split(r"(…|\b[0-9a-f]{8}\b)", line.rstrip())
    return "".join(
        ".*" if part == "…" else "[0-9a-f]{8}" if index % 2 else re.escape(part)
        for index, part in enumerate(parts)
    )


def lines(output):
    found = [line.rstrip() for line in output.replace("\r\n", "\n").split("\n")]
    while found and not found[-1]:
        found.pop()
    return found


def matches(expected, got, begins=False):
    if len(got) < len(expected) or (len(got) > len(expected) and not begins):
        return False
    return all(re.fullmatch(pattern(shown), line) for shown, line in zip(expected, got))


def trimmed(expected):
    kept = list(expected)
    while kept and not kept[-1].strip():
        kept.pop()
    return kept


def compare(step, output, begins=False):
    expected, got = trimmed(step.expected), lines(output)
    if matches(expected, got, begins):
        return
    difference = "\n".join(difflib.unified_diff(expected, got, "shown", "printed", lineterm=""))
    raise TourError(f"$ {step.command}\n{difference}")


class SecondTerminal:
    """A block whose last command keeps running while the tour goes on."""

    def __init__(self, steps, folder):
        self.step = steps[-1]
        for step in steps[:-1]:
            compare(step, run(step.command, folder))
        self.file = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            ["bash", "-c", self.step.command],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=self.file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        # The first line shown must be there before the next terminal types on.
        self.wait(lambda got: matches(self.shown[:1], got, begins=True))

    @property
    def shown(self):
        return trimmed(self.step.expected)

    @property
    def output(self):
        size = os.fstat(self.file.fileno()).st_size
        return os.pread(self.file.fileno(), size, 0).decode()

    def wait(self, condition):
        deadline = time.monotonic() + TERMINAL_SECONDS_MAX
        while not condition(lines(self.output)) and time.monotonic() < deadline:
            time.sleep(0.01)

    def end(self):
        self.wait(lambda got: len(got) >= len(self.shown))
        self.kill()
        compare(self.step, self.output, begins=True)

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()


def run(command, folder):
    result = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=COMMAND_SECONDS_MAX,
    )
    return result.stdout.decode()


def play(text, base):
    """Plays the tour. Returns the number of compared commands."""
    address = base.rstrip("/").removeprefix("http://")
    text = re.sub(r"(127\.0\.0\.1|localhost):8080", address, text)
    terminals, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        try:
            for mark, steps in blocks(text):
                if mark == "skip":
                    continue
                count += len(steps)
                if mark == "second terminal":
                    terminals.append(SecondTerminal(steps, folder))
                    continue
                for step in steps:
                    compare(step, run(step.command, folder))
            for terminal in terminals:
                terminal.end()
        finally:
            for terminal in terminals:
                terminal.kill()
    if count == 0:
        raise TourError("there is no ```console block to play")
    return count


def main(arguments):
    if len(arguments) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    document = pathlib.Path(arguments[1]) if len(arguments) == 2 else TOUR
    try:
        count = play(document.read_text(), arguments[0])
    except TourError as error:
        print(f"tour: not as {document.name} shows:\n{error}", file=sys.stderr)
        return 1
    except subprocess.TimeoutExpired as error:
        print(f"tour: no end after {error.timeout} s: {error.cmd[-1]}", file=sys.stderr)
        return 1
    print(f"tour: {count} commands print what {document.name} shows")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
