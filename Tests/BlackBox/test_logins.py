"""Many visitors log in, fail and leave at once. Each gets the steps of its own logins, in their order, and no step
of another visitor (Plan's P9)."""

import random
from concurrent.futures import ThreadPoolExecutor

from harness import INCREASE, Server, Stream, Wire, action
from test_sessions import Client

VISITORS, ROUNDS = 32, 6
LOGIN = "/usecases/login/login"
WRONG = "neither-this-word-nor-any-other"
DEMO = {"userName": "demo", "displayName": "Demo"}


class Visit:
    """The logins of one visitor, with the expected steps."""

    def __init__(self, server, place):
        self.client = Client(server).begin()
        self.server, self.chance = server, random.Random(place)
        self.name = f"visitor {place}"
        # The cause of each action: the place of the cause in this list, or none.
        self.expected = []
        self.shown = [{"progress": "idle"}]

    def get(self, target):
        return self.server.get(target, self.client.headers)

    def show(self, **slice_):
        self.shown.append(slice_)

    def comes(self, type_, cause=None):
        self.expected.append((type_, cause))
        return len(self.expected) - 1

    def log_in(self):
        known = self.chance.random() < 0.6
        credentials = {"userName": "demo", "password": "demo" if known else WRONG}
        answer = self.client.wait(credentials, LOGIN)
        assert (answer.status, answer.json["completed"]) == (200, True)
        asked = self.comes("usecases/login/login")
        self.comes("login/loading", asked)
        self.show(progress="loading")
        if not known:
            self.comes("login/failed", asked)
            self.show(progress="loadFailed", failure="The name or the password is wrong.")
            return
        self.comes("user/start", self.comes("login/succeeded", asked))
        self.show(progress="loadSucceeded")
        assert self.get("/modules/user").json == {"profile": DEMO}

    def be_named_and_leave(self):
        if self.get("/modules/user").status != 200:
            return
        named = action("user/edited", displayName=self.name)
        assert self.client.wait([named, INCREASE]).status == 200
        self.comes("user/edited")
        assert self.get("/views/greeting").json == {"text": f"Hello {self.name}"}
        # An array that is refused in the middle logs no visitor out.
        left = action("login/loggedOut")
        nameless = action("user/edited", displayName="")
        self.client.wait([left, nameless, left]).problem("refused", 409)
        assert self.get("/views/greeting").json == {"text": f"Hello {self.name}"}
        assert self.client.wait([INCREASE, left, INCREASE]).status == 200
        self.comes("user/stop", self.comes("login/loggedOut"))
        self.show(progress="idle")
        assert self.get("/modules/user").status == 404
        assert self.get("/views/greeting").body == b"null"

    def run(self):
        headers = self.client.headers.items()
        with Stream(self.server, "/modules/login/events", headers=headers) as stream:
            seen = [stream.opened().event()]
            for _ in range(ROUNDS):
                self.log_in()
                self.be_named_and_leave()
            records = self.check_log()
            own = [each for each in records if each["type"].startswith("login/")]
            while seen[-1].version < own[-1]["version"]:
                seen.append(stream.event())
        # A slow reader gets the newest state: states may be left out, but the order holds.
        steps, last = iter(self.shown), seen[-1].json
        assert all(each.json in steps for each in seen) and last == self.shown[-1], seen
        return self

    def check_log(self):
        records, after = [], 0
        while page := self.get(f"/actions?after={after}&limit=1000").json["actions"]:
            records, after = records + page, page[-1]["version"]
        types = {type_ for type_, _ in self.expected}
        mine = [record for record in records if record["type"] in types]
        versions = [record["version"] for record in mine]
        came = [(each["type"], each.get("cause")) for each in mine]
        assert came == [
            (type_, None if cause is None else versions[cause]) for type_, cause in self.expected
        ]
        for record in mine:
            if record["type"] == "usecases/login/login":
                assert (record["payload"], record["changed"]) == ({}, False)
        return records


def test_p9_each_of_many_visitors_is_shown_its_own_logins_step_by_step(tmp_path):
    with Server(data=tmp_path / "data") as server:
        visits = [Visit(server, place) for place in range(VISITORS)]
        with ThreadPoolExecutor(VISITORS) as pool:
            done = list(pool.map(Visit.run, visits))
        assert {type_ for visit in done for type_, _ in visit.expected} == {
            "usecases/login/login", "login/loading", "login/failed", "login/succeeded",
            "user/start", "user/edited", "login/loggedOut", "user/stop",
        }
        with Wire(server) as wire:
            for visit in done:
                answers = [
                    server.get(target, visit.client.headers, wire).body
                    for target in ("/state", "/actions?limit=1000", "/trace", "/effects")
                ]
                others = [each.name for each in done if each is not visit]
                text = b"".join(answers).decode()
                assert WRONG not in text
                assert not [name for name in others if f'"{name}"' in text]
    for file in (tmp_path / "data").iterdir():
        assert not file.is_file() or WRONG.encode() not in file.read_bytes()
