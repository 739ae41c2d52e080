"""The content of a disk after a power cut, from powerloss.c's notes of a server's writes.

The model is the worst case that POSIX allows. A write is durable only after a sync of its file, and a name only
after a sync of its folder. Each unsynced change may be lost or not, sector by sector.
"""

import os
import pathlib
import re
import shutil
import struct
import subprocess

from harness import ROOT

SECTOR_BYTES = 512
HEAD = struct.Struct("=IIQQ")
OPENED, CREATED, WROTE, TRUNCATED, SYNCED, RENAMED, UNLINKED, LINKED, MADE, SENT = range(1, 11)
VERSIONS = re.compile(rb'"version":(\d+)|\nid: [0-9a-f]{8}:(\d+)\n|^id: [0-9a-f]{8}:(\d+)\n')


def library():
    """Builds the library that is preloaded, unless it is built already."""
    source = pathlib.Path(__file__).parent / "powerloss.c"
    built = ROOT / ".build" / "durability" / "powerloss.so"
    if not built.exists() or built.stat().st_mtime < source.stat().st_mtime:
        built.parent.mkdir(parents=True, exist_ok=True)
        flags = ["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
        subprocess.run(["gcc", *flags, "-o", built, source], check=True)
    return built


def watching(folder, notes=None, **what):
    """Returns the environment of a server whose writes below this folder are noted. The faults have the names that
    powerloss.c explains: stop, hang, fail, calls, synchronous, clock."""
    wanted = {"folder": folder, "notes": notes, **what}
    given = {f"DISK_{name.upper()}": str(value) for name, value in wanted.items() if value is not None}
    return {"LD_PRELOAD": str(library()), **given}


def read_notes(path):
    """Every note: its kind, file, place and bytes. The last note is left out if the end of the process cut it short."""
    data, at, notes = pathlib.Path(path).read_bytes(), 0, []
    while at + HEAD.size <= len(data):
        what, length, file, place = HEAD.unpack_from(data, at)
        at += HEAD.size
        if at + length > len(data):
            break
        notes.append((what, file, place, data[at : at + length]))
        at += length
    return notes


def shown(note):
    """Returns the highest version in the sent bytes of this note; 0 if the note has no version."""
    what, _, _, data = note
    if what != SENT:
        return 0
    return max((int(next(filter(None, found))) for found in VERSIONS.findall(data)), default=0)


class File:
    """A file's durable bytes, and its changes since."""

    def __init__(self, content=b""):
        self.content = bytearray(content)
        self.pending = []  # place in the notes, place in the file, bytes; or no bytes: cut to a size

    def synced(self, covered):
        for noted, place, data in self.pending:
            if noted < covered:
                apply(self.content, place, data)
        self.pending = [change for change in self.pending if change[0] >= covered]

    def surviving(self, chance):
        """The bytes after a power cut: `chance()` decides for each unsynced sector, in order, if it survives."""
        content = bytearray(self.content)
        for _, place, data in self.pending:
            if data is None:
                if chance():
                    apply(content, place, None)
                continue
            at = 0
            while at < len(data):
                end = min(len(data), (place + at) // SECTOR_BYTES * SECTOR_BYTES + SECTOR_BYTES - place)
                if chance():
                    apply(content, place + at, data[at:end])
                at = end
        return bytes(content)


def apply(content, place, data):
    if data is None:
        del content[place:]
        content.extend(bytes(place - len(content)))
        return
    content.extend(bytes(max(0, place - len(content))))
    content[place : place + len(data)] = data


class Disk:
    """A folder on a disk that loses power."""

    def __init__(self, folder, before=None):
        """Begins with the content of `before`, all of it durable."""
        self.folder = str(folder)
        self.durable = {}  # path, file
        self.names = {}  # path, file; the names that the process sees
        self.files = {}  # inode, file
        self.pending = []  # changes of names: path, file or `None`
        self.noted = 0
        for path in sorted(pathlib.Path(before).rglob("*")) if before else []:
            if path.is_file() and not path.name.endswith("-shm") and path.name != "lock":
                name = f"{self.folder}/{path.relative_to(before)}"
                self.durable[name] = self.names[name] = File(path.read_bytes())

    def take(self, note):
        """Applies one note."""
        what, inode, place, data = note
        noted, self.noted = self.noted, self.noted + HEAD.size + len(data)
        if what in (OPENED, CREATED):
            self.take_open(data.decode(), inode, what == CREATED)
        elif what == WROTE:
            self.files[inode].pending.append((noted, place, data))
        elif what == TRUNCATED:
            self.files[inode].pending.append((noted, place, None))
        elif what == SYNCED and inode in self.files:
            self.files[inode].synced(place)
        elif what == SYNCED:
            self.settle()
        elif what in (RENAMED, UNLINKED, LINKED):
            self.take_names(what, *data.decode().split("\0"))

    def take_open(self, path, inode, created):
        if created:
            self.name(path, File())
        if path in self.names:
            self.files[inode] = self.names[path]
        else:
            self.files.pop(inode, None)  # a folder

    def take_names(self, what, source, target):
        if what in (RENAMED, LINKED):
            self.name(target, self.names[source])
        if what in (RENAMED, UNLINKED):
            self.name(source, None)

    def name(self, path, file):
        set_name(self.names, path, file)
        self.pending.append((path, file))

    def settle(self):
        """Applies the sync of a folder. Only the data directory matters, because no other folder gets new files."""
        for path, file in self.pending:
            set_name(self.durable, path, file)
        self.pending = []

    def image(self, chance=lambda: False):
        """Returns the content after a power cut at this moment: for each path its bytes.

        `chance()` decides for each unsynced change if it survives. Of the changes of names, only the first few survive,
        because file systems keep their order. Of a file's sectors, any may survive.
        """
        names = dict(self.durable)
        for path, file in self.pending:
            if not chance():
                break
            set_name(names, path, file)
        return {path: file.surviving(chance) for path, file in names.items()}

    def write(self, image, folder):
        """Writes an image into a folder."""
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for path, content in image.items():
            place = pathlib.Path(folder) / os.path.relpath(path, self.folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)


def set_name(names, path, file):
    if file is None:
        names.pop(path, None)
    else:
        names[path] = file
