"""powerloss.c notes every change of the server to its directory: strace shows the same calls. The other tests
could neither lose a change without a note nor let it fail."""

import collections
import re

import disk
from harness import Server, Wire, binary, until
from ledger import Ledger

DISPATCHES = 60
# A line of strace -f -y: the process, the call, and the path of the descriptor in the first argument.
CALL = re.compile(r"^\d+ +(\w+)\((?:AT_FDCWD(?:<[^>]*>)?, )?(?:\d+<([^>]*)>|\"([^\"]*)\")")
WRITES = {"pwrite64", "write"}
SYNCS = {"fsync", "fdatasync"}
NAMES = {"rename", "link", "unlink", "mkdir"}
KNOWN = WRITES | SYNCS | NAMES | {"ftruncate"}
# Calls that change nothing, except openat, which may make a file.
HARMLESS = re.compile(
    r"openat|close|read|pread64|lseek|mmap|(new)?f?stat\w*|l?stat\w*|access|faccessat2?|fcntl|getdents64"
    r"|readlink|statx|getcwd|geteuid|chmod|fchmod|fchown|flock|fstatfs|statfs|fadvise64"
)
NOTED = {disk.WROTE: WRITES, disk.SYNCED: SYNCS, disk.TRUNCATED: {"ftruncate"}}


def traced(folder, environment):
    """Writes a program that runs the server under strace. Only the server gets the environment."""
    script, output = folder / "traced", folder / "calls"
    given = " ".join(f"-E {name}='{value}'" for name, value in environment.items())
    script.write_text(
        f"#!/bin/sh\nexec strace -D -f -y -s 300 -o '{output}' {given} -e trace=file,desc,memory"
        f" -e signal=none '{binary()}' \"$@\"\n"
    )
    script.chmod(0o755)
    return script, output


def test_the_kernel_saw_the_noted_calls(seed, figure, tmp_path):
    data, notes, ledger = tmp_path / "data", tmp_path / "notes", Ledger(seed)
    program, output = traced(tmp_path, disk.watching(data, notes))
    with Server("--snapshot-every", "10", program=program, data=data) as server:
        with Wire(server) as wire:
            for _ in range(DISPATCHES):
                ledger.dispatch(server, ledger.request(), wire)
    until(lambda: "exited with 0" in output.read_text(), "strace has written all of it")
    kernel = collections.Counter()
    for line in output.read_text().splitlines():
        call, path = seen(line, data)
        if not path or path.endswith("-shm") or path.endswith("/lock"):
            continue
        assert call in KNOWN or HARMLESS.fullmatch(call), f"powerloss.c knows nothing of {line}"
        kernel[call] += 1
    taken = collections.Counter(note[0] for note in disk.read_notes(notes))
    for note, calls in NOTED.items():
        assert taken[note] == sum(kernel[call] for call in calls), (note, taken, kernel)
    assert taken[disk.WROTE] > DISPATCHES and taken[disk.SYNCED] > DISPATCHES
    figure(
        f"{taken[disk.WROTE]} writes, {taken[disk.SYNCED]} syncs and"
        f" {taken[disk.TRUNCATED]} cuts, as the kernel saw them"
    )


def seen(line, data):
    """The call in a line, and its path if the path is in the directory. The path may also be the parent folder, which
    is synced when the directory is made."""
    found = CALL.match(line)
    path = found and (found[2] or found[3])
    within = path and f"{path}/".startswith(f"{data}/")
    return (found[1], path) if within or path == str(data.parent) else (None, None)
