"""README: the complete small program builds as a package of somebody else's, and serves."""

import re

from harness import ROOT, Server
from programs import build


def test_the_readme_program_builds_and_serves():
    readme = (ROOT / "README.md").read_text()
    source = re.search(r"<!-- program -->\n```swift\n(.*?)```", readme, re.S)[1]
    with Server(program=build("Guestbook", source)) as server:
        signed = {"type": "guestbook/signed", "payload": {"name": "Ada"}}
        assert server.post(signed).json["version"] == 1
        assert server.state == {"guestbook": {"entries": ["Ada"]}}
        nameless = {"type": "guestbook/signed", "payload": {"name": ""}}
        assert server.post(nameless).problem("refused", 409)["pointer"] == "/payload/name"
