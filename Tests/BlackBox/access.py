"""Roles for the tests of access (protocol 17): keys, a policy, and servers that have both."""

import datetime
import json
import signal
import subprocess

from harness import Server, Stream, binary, environment_with, until
from programs import build_sample

ALL = {"read": ["*"], "dispatch": ["*"], "call": ["*"], "use": ["*"]}
ROLES = {
    "operator": ALL,
    # Sees only the list.
    "reader": {"read": ["/todos", "views/list", "log"], "dispatch": ["todos/*"], "use": ["sessions"]},
    # Sees only the list, and may do almost everything.
    "sender": {
        "read": ["/todos", "views/list", "log"],
        "dispatch": ["*"],
        "call": ["*"],
        "use": ["schema", "sessions", "effects"],
    },
    "author": {
        "read": ["/todos", "log"],
        "dispatch": [
            {"type": "todos/added", "where": {"/authorID": "$principal"}},
            {"type": "todos/tapped", "where": {"/authorID": "$principal"}},
            "todos/cleared",
        ],
        "use": ["sessions"],
    },
    "nothing": {},
}


class House:
    """Keys and a policy in a folder, and servers that run with them."""

    def __init__(self, folder, roles=None, program=None):
        self.folder = folder
        self.keys, self.policy = folder / "keys.json", folder / "policy.json"
        self.program = program
        self.write(ROLES if roles is None else roles)
        self.operator = self.bearer("root", "operator")

    def write(self, roles):
        self.policy.write_text(json.dumps({"roles": roles}))

    def token(self, principal, role, *words):
        ended = subprocess.run(
            [binary(), "token", "create", "--keys", self.keys, "--principal", principal, "--role", role, *words],
            env=environment_with(),
            capture_output=True,
            text=True,
            timeout=20,
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout.strip()

    def bearer(self, principal, role, *words):
        """Returns the header fields of a new key."""
        return {"Authorization": f"Bearer {self.token(principal, role, *words)}"}

    def brief(self, principal, role, seconds):
        """Returns the header fields of a key that ends after this number of seconds, rounded to a full second."""
        end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
        return self.bearer(principal, role, "--expires", end.strftime("%Y-%m-%dT%H:%M:%SZ"))

    def revoke(self, header):
        """Removes the key of these header fields from the file."""
        id_ = header["Authorization"].split(" ")[1].split("_")[1]
        ended = subprocess.run(
            [binary(), "token", "revoke", id_, "--keys", self.keys],
            env=environment_with(),
            capture_output=True,
            text=True,
            timeout=20,
        )
        assert ended.returncode == 0, ended.stderr

    def server(self, *flags, **options):
        return Server(
            "--auth-keys", str(self.keys), "--policy", str(self.policy), *flags, program=self.program, **options
        )


def guarded(folder, roles=None):
    return House(folder, roles, build_sample("Guarded"))


def refusals(server):
    """Returns the number of refused reloads in a server's log: the server kept its earlier files."""
    return server.log_text.count("stay as they were") + server.log_text.count("stays as it is")


def reload(server):
    """Makes the server read its files again, and waits for the line in its log."""
    lines = lambda: server.log_text.count("keys and policy are read again") + refusals(server)  # noqa: E731
    before = lines()
    server.process.send_signal(signal.SIGHUP)
    until(lambda: lines() > before, "the files are read again")


def cookie_of(answer, name):
    """Returns the header field with which a client sends a cookie of an answer."""
    [found] = [
        value.split(";")[0]
        for field, value in answer.headers
        if field == "set-cookie" and value.startswith(name + "=")
    ]
    return {"Cookie": found}


def session(server, header):
    """Returns the header fields of a client that has a session."""
    answer = server.request("POST", "/sessions", b"", header)
    assert answer.status == 201, answer
    return {**header, **cookie_of(answer, "store-session")}


def reading(server, header, *targets):
    """Opens streams, and reads the first event of each."""
    streams = [Stream(server, target, headers=header.items()).opened() for target in targets]
    for stream in streams:
        assert stream.answer.status == 200, stream.answer
    return streams
