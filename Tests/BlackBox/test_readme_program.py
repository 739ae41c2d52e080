"""README: the complete small program builds as a package of somebody else's, and serves."""

import json
import os
import pathlib
import re
import select
import shutil
import subprocess
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]

MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Guestbook",
    dependencies: [.package(name: "StoreServer", path: "{root}")],
    targets: [
        .executableTarget(
            name: "Guestbook",
            dependencies: [
                .product(name: "StoreCore", package: "StoreServer"),
                .product(name: "StoreServer", package: "StoreServer"),
            ])
    ])
"""


def listening(server):
    """The address that the server prints when it is ready."""
    while True:
        ready, _, _ = select.select([server.stderr], [], [], 30)
        assert ready, "the program did not say where it listens"
        line = server.stderr.readline().decode()
        assert line, "the program ended"
        found = re.search(r"http://\S+", line)
        if found:
            return found[0]


def test_the_readme_program_builds_and_serves(tmp_path):
    readme = (ROOT / "README.md").read_text()
    program = re.search(r"<!-- program -->\n```swift\n(.*?)```", readme, re.S)[1]
    package = ROOT / ".build" / "readme-program"
    shutil.rmtree(package / "Sources", ignore_errors=True)
    (package / "Sources" / "Guestbook").mkdir(parents=True)
    (package / "Package.swift").write_text(MANIFEST.format(root=ROOT))
    (package / "Sources" / "Guestbook" / "main.swift").write_text(program)
    subprocess.run(["swift", "build"], cwd=package, check=True, timeout=600)
    server = subprocess.Popen(
        [package / ".build" / "debug" / "Guestbook", "--listen", "127.0.0.1:0", "--ephemeral"],
        cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        base = listening(server)
        request = urllib.request.Request(
            base + "/dispatch", headers={"Content-Type": "application/json"},
            data=json.dumps({"type": "Signed", "payload": {"name": "Ada"}}).encode())
        assert json.load(urllib.request.urlopen(request))["version"] == 1
        assert json.load(urllib.request.urlopen(base + "/state")) == {"entries": ["Ada"]}
    finally:
        server.terminate()
        assert server.wait(15) == 0
