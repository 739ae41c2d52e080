"""examples/Kanban: its README is walked as it stands, its page is opened in browsers, and it continues the data of its
first version."""

import contextlib
import http.server
import json
import os
import re
import signal
import subprocess
import sys
import threading

import pytest
from access import session
from harness import Server, Stream, environment_with, until
from programs import build_sample
from test_examples import EXAMPLES, built

KANBAN = EXAMPLES / "Kanban"
STORE, PAGES, HOOK = "http://127.0.0.1:8080", "http://127.0.0.1:8000", "http://127.0.0.1:9000"
BLOCKS = re.findall(r"```sh\n(.*?)```", (KANBAN / "README.md").read_text(), re.S)
KEYS, START, NAME, BOARD, MOVES, IMPORT, RECEIVER, COMMENT, PAGE_SERVER, PAGE, FORGET = BLOCKS
ADVANCE = "/test/clock/advance"
DAY_SECONDS = 86_400


@pytest.fixture(scope="module")
def program():
    return built("Kanban")


class Team:
    """A folder with the files of the README, servers with the README's options, and its commands."""

    def __init__(self, folder, program):
        self.folder, self.program = folder, program
        self.addresses = {}
        for name in ("issuer", "hook", "policy.json"):
            (folder / name).symlink_to(KANBAN / name)
        self.run(KEYS)

    def run(self, commands, server=None):
        """Runs shell commands of the README; returns each printed line that is JSON."""
        text = NAME + commands.replace("swift run Kanban", str(self.program))
        for shown, real in {**self.addresses, **({STORE: server.url} if server else {})}.items():
            text = text.replace(shown, real)
        done = subprocess.run(
            ["bash", "-ec", text], cwd=self.folder, env=environment_with(), capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    def header(self, name):
        """The header field of a member; makes a token for a member without one."""
        if not (file := self.folder / f"{name}.jwt").exists():
            self.run(f"node issuer/token.mjs issuer.key {name} member >{name}.jwt\n")
        return {"Authorization": "Bearer " + file.read_text().strip()}

    def server(self, *flags, program=None, is_kept=True, leaves_out=(), **options):
        words = START.replace("\\\n", " ").split()[3:]
        pairs = dict(zip(words[::2], words[1::2], strict=True))
        for name in ("--listen", "--data", *leaves_out):
            del pairs[name]
        pairs["--cors-origin"] = self.addresses.get(PAGES, PAGES)
        for name in ("--personal-keys", "--hook-secret-file", "--policy", "--jwt-keys"):
            if name in pairs:
                pairs[name] = str(self.folder / pairs[name])
        words = [word for pair in pairs.items() for word in pair]
        data = self.folder / "data" if is_kept else None
        return Server(*words, *flags, program=program or self.program, data=data, **options)

    def act(self, server, who, name, **payload):
        answer = server.post({"type": f"board/roadmap/{name}", "payload": payload}, self.header(who))
        assert answer.status == 200, answer
        return answer.json

    def view(self, server, who="ada"):
        return server.get("/views/board?board=roadmap", self.header(who)).json

    def present(self, server):
        return server.get("/stores/live/views/present?board=roadmap", self.header("ada")).json["members"]

    def enter(self, server, who):
        """Begins a session, and enters the board in it; returns the header fields of the session."""
        own = session(server, self.header(who))
        body = {"type": "whereabouts/entered", "payload": {"place": "roadmap"}}
        assert server.send("/stores/live/dispatch", body, own).status == 200
        return own


@pytest.fixture
def team(tmp_path, program):
    return Team(tmp_path, program)


def columns(view):
    return {column["id"]: [card["id"] for card in column["cards"]] for column in view["columns"]}


def kill(server):
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    server.process.returncode = 0


class Receiver(http.server.BaseHTTPRequestHandler):
    """An address that fails a number of times, and then takes comments."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.bodies.append(json.loads(body))
        self.send_response(503 if len(self.server.bodies) <= self.server.failures else 204)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Pages(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *arguments):
        super().__init__(*arguments, directory=str(KANBAN / "page"))

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serving(handler, **members):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    vars(server).update(members, url=f"http://127.0.0.1:{server.server_port}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def test_the_readme_is_walked(team):
    with team.server() as server, serving(Receiver, bodies=[], failures=0) as receiver:
        team.addresses[HOOK] = receiver.url
        assert [answer["version"] for answer in team.run(BOARD, server)] == [1, 2, 3, 4]
        moved, view, undone, found = team.run(MOVES, server)
        assert columns(view) == {"to do": ["c2", "c1"], "done": []} and view["members"] == ["ada", "bob"]
        assert (moved["version"], undone["version"]) == (5, 6)
        assert found == {"hits": [{"board": "roadmap", "card": "c1", "text": "Plan"}]}
        imported, window = team.run(IMPORT, server)
        assert imported["version"] == 7
        assert [(name, card["text"]) for name, card in window.items()] == [("i5000", "Card 5000"), ("i5001", "Card 5001")]
        assert [column["count"] for column in team.view(server)["columns"]] == [2, 10_000]
        # Eve is no member.
        eve = team.header("eve")
        assert server.get("/views/boards", eve).json == {"boards": []}
        assert server.get("/state/board/roadmap", eve).status == 404
        team.run(COMMENT, server)
        until(lambda: len(receiver.bodies) == 1, "the comment is delivered")
        address, present = "".join(PAGE.splitlines(keepends=True)[:1]), PAGE.splitlines()[1]
        assert address.startswith("echo") and team.run(present, server) == [{"members": []}]
        removed, log = team.run(FORGET, server)
        assert server.get("/views/boards", team.header("bob")).json == {"boards": []}
        board = server.get("/state/board/roadmap", team.header("root")).json
        assert board["members"] == ["ada"] and board["cards"]["c1"]["comments"] == []
        assert {card["author"] for card in board["cards"].values()} == {"ada", ""}
        [record] = log["actions"]
        assert record["payload"] == {"card": "c1", "text": None} and record["forgotten"] is True
    with team.server() as server:
        assert columns(team.view(server))["to do"] == ["c1", "c2"]
        # The forget has dispatched `users/forgotten` and `PersonForgotten`.
        tag = server.get("/state", team.header("ada"))["ETag"].strip('"')
        assert tag == f"{removed['epoch']}:{removed['version'] + 2}"
    assert b"A good plan." not in b"".join(
        file.read_bytes() for name in ("data", "secrets") for file in (team.folder / name).rglob("*") if file.is_file()
    )


def test_the_receiver_of_the_readme_takes_signed_comments_alone(team):
    with serving(Receiver) as free:
        port = free.server_port
    team.addresses[HOOK] = f"http://127.0.0.1:{port}"
    with team.server() as server, open(team.folder / "printed", "w") as printed:
        team.run(BOARD, server)
        team.run(COMMENT, server)
        # The store tries until the receiver is there.
        root = team.header("root")
        assert server.get("/state/effects/pending", root).json
        receiver = subprocess.Popen(
            ["bash", "-c", "exec " + RECEIVER.replace("9000", str(port))], cwd=team.folder, stdout=printed
        )
        try:
            shown = "roadmap, c1: bob wrote 'A good plan.'\n"
            until(lambda: (team.folder / "printed").read_text() == shown, "the comment is printed", 30)
            forged = subprocess.run(
                ["curl", "-sS", "-o", os.devnull, "-w", "%{http_code}", "--json", "{}", f"http://127.0.0.1:{port}/"],
                capture_output=True, text=True, timeout=20,
            )
            assert forged.stdout == "401"
        finally:
            receiver.kill()
            receiver.wait()


def test_a_comment_reaches_the_address_after_failures_and_a_kill(team):
    with serving(Receiver, bodies=[], failures=2) as receiver:
        with team.server() as server:
            team.run(BOARD, server)
            team.act(server, "ada", "hooked", url=receiver.url)
            team.act(server, "bob", "commented", card="c1", text="Good plan.")
            until(lambda: receiver.bodies, "the first attempt has failed")
            kill(server)
        with team.server() as server:
            until(lambda: len(receiver.bodies) >= 3, "the comment is delivered", 30)
            root = team.header("root")
            until(lambda: server.get("/state", root).json["effects"] == {"pending": []}, "the work has ended")
            assert receiver.bodies[-1]["comment"]["text"] == "Good plan." and receiver.bodies[-1]["board"] == "roadmap"
            assert server.get("/state/board/roadmap/undelivered", team.header("ada")).json == 0


def test_the_reminder_comes_each_morning(team):
    flags = ("--clock", "test")
    with team.server(*flags, is_kept=False, leaves_out=["--personal-keys"]) as server:
        team.run(BOARD, server)
        root = team.header("root")
        [timer] = server.get("/schedule", root).json["timers"]
        assert timer["id"] == "reminder" and timer["due"].endswith("T07:00:00.000Z")
        assert team.view(server)["reminder"] == ""
        assert server.send(ADVANCE, {"seconds": DAY_SECONDS}, root).status == 200
        assert team.view(server)["reminder"] == "2 cards were open this morning."
        team.act(server, "bob", "moved", card="c1", column="done", before=None)
        assert server.send(ADVANCE, {"seconds": DAY_SECONDS}, root).status == 200
        assert team.view(server)["reminder"] == "1 cards were open this morning."


READER = """
import socket, sys
_, host, port, head = sys.argv
connection = socket.create_connection((host, int(port)))
connection.sendall(head.encode())
print(connection.recv(12).decode(), flush=True)
while connection.recv(4096):
    pass
"""


def test_a_killed_client_and_a_silent_client_are_not_present(team):
    with team.server("--clock", "test", is_kept=False, leaves_out=["--personal-keys"]) as server:
        team.run(BOARD, server)
        ada, bob = session(server, team.header("ada")), session(server, team.header("bob"))
        target = "/stores/live/views/present/events?board=roadmap"
        fields = "".join(f"{name}: {value}\r\n" for name, value in bob.items())
        head = f"GET {target} HTTP/1.1\r\nHost: {server.authority}\r\n{fields}\r\n"
        client = subprocess.Popen(
            [sys.executable, "-c", READER, server.host, str(server.port), head], stdout=subprocess.PIPE
        )
        try:
            assert client.stdout.readline().split()[1] == b"200"
            with Stream(server, target, headers=ada.items()) as stream:
                stream.opened()
                for who in (ada, bob):
                    body = {"type": "whereabouts/entered", "payload": {"place": "roadmap", "detail": {"card": "c1"}}}
                    assert server.send("/stores/live/dispatch", body, who).status == 200
                assert team.present(server) == [{"id": "ada", "card": "c1"}, {"id": "bob", "card": "c1"}]
                client.kill()
                client.wait()
                until(lambda: team.present(server) == [{"id": "ada", "card": "c1"}], "the killed client has left")
                # The stream of ada is open, and ada dispatches nothing.
                advance = "/stores/live" + ADVANCE
                assert server.send(advance, {"seconds": 31}, team.header("root")).status == 200
                assert team.present(server) == []
        finally:
            client.kill()
            client.wait()
            client.stdout.close()
        # A member reads the members of a board, and not the whereabouts.
        assert server.get("/stores/live/state", team.header("ada")).status in (403, 404)


def test_the_members_of_version_1_find_their_boards(team):
    early = build_sample("EarlyKanban")
    policy = team.folder / "early.json"
    policy.write_text(json.dumps({"roles": {"member": {"read": ["/board"], "dispatch": ["board/*"]}}}))
    left = ["--personal-keys", "--hook-secret-file", "--policy"]
    with team.server("--policy", str(policy), program=early, leaves_out=left) as server:
        start = {"title": "Roadmap", "columns": ["to do", "done"]}
        team.act(server, "ada", "start", **start)
        team.act(server, "ada", "added", card="c1", title="Plan", column="to do")
        team.act(server, "ada", "added", card="c2", title="Build", column="to do")
        team.act(server, "ada", "edited", card="c1", title="Plan it")
        team.act(server, "ada", "invited", member="bob")
        before = server.get("/state/board/roadmap/cards", team.header("bob")).json
        assert {name: card["title"] for name, card in before.items()} == {"c1": "Plan it", "c2": "Build"}
    verified = subprocess.run(
        [team.program, "verify", "--data", team.folder / "data"],
        env=environment_with(), capture_output=True, text=True, timeout=60,
    )
    assert verified.returncode == 0, verified
    for end in (kill, Server.stop):
        with team.server() as server:
            view = team.view(server, "bob")
            assert [card["text"] for card in view["columns"][0]["cards"]] == ["Plan it", "Build"]
            team.act(server, "bob", "edited", card="c2", text="Build")
            # The log shows the records as they were written.
            record = server.get("/actions?after=1&limit=1", team.header("ada")).json["actions"][0]
            assert record["payload"] == {"card": "c1", "title": "Plan", "column": "to do"}
            end(server)


def test_there_is_a_bound_on_boards(team):
    with team.server(is_kept=False, leaves_out=["--personal-keys"]) as server:
        def start(*numbers):
            payload = {"title": "Roadmap", "columns": ["to do"]}
            body = [{"type": f"board/b{number}/start", "payload": payload} for number in numbers]
            return server.post(body, team.header("ada"))

        for first in range(0, 5_000, 1_000):
            assert start(*range(first, first + 1_000)).status == 200
        # A member does not see the whole state, so the reason is in the log alone.
        assert start(5_000).problem("refused", 409)["reason"] == "The store refuses this."
        server.await_log("There are 5000 boards, the maximum.")


def test_all_is_there_after_a_kill(team):
    with team.server() as server:
        team.run(BOARD, server)
        team.act(server, "bob", "moved", card="c2", column="done", before=None)
        team.enter(server, "bob")
        assert team.present(server) == [{"id": "bob"}]
        kill(server)
    with team.server() as server:
        assert columns(team.view(server)) == {"to do": ["c1"], "done": ["c2"]}
        assert team.present(server) == []
        team.act(server, "bob", "undone")
        assert columns(team.view(server)) == {"to do": ["c1", "c2"], "done": []}


def test_a_forgotten_users_comment_on_its_way_is_dropped(team):
    with serving(Receiver, bodies=[], failures=1_000) as receiver, team.server() as server:
        team.run(BOARD, server)
        team.act(server, "ada", "hooked", url=receiver.url)
        team.act(server, "bob", "commented", card="c1", text="A secret plan.")
        until(lambda: receiver.bodies, "the first attempt has failed")
        root = team.header("root")
        assert "A secret plan." in server.get("/state", root).body.decode()
        team.run(FORGET.splitlines()[1], server)
        assert "A secret plan." not in server.get("/state", root).body.decode()
        assert server.get("/actions?limit=1000", root).body.decode().count("A secret plan.") == 0


def test_the_page_shows_the_board_and_who_is_there(team):
    from playwright.sync_api import sync_playwright
    from test_clients import CHROMIUM

    with serving(Pages) as pages, sync_playwright() as playwright:
        team.addresses[PAGES] = pages.url
        with team.server() as server:
            team.run(BOARD, server)
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, headless=True, args=["--no-sandbox", "--disable-gpu"]
            )

            def opened(name):
                page = browser.new_context().new_page()
                token = (team.folder / f"{name}.jwt").read_text().strip()
                page.goto(f"{pages.url}/#{server.url},roadmap,{token}")
                page.wait_for_selector("[data-card=c2]", timeout=20_000)
                return page

            def shows(page, id, text):
                condition = "([id, text]) => document.getElementById(id).textContent === text"
                page.wait_for_function(condition, arg=[id, text], timeout=20_000)

            ada, bob = opened("ada"), opened("bob")
            shows(ada, "present", "adabob")
            bob.hover("[data-card=c1]")
            shows(ada, "present", "adabob at c1")
            bob.drag_and_drop("[data-card=c2]", "[data-card=c1]")
            ada.wait_for_selector("[data-card=c2] + [data-card=c1]", timeout=20_000)
            bob.drag_and_drop("[data-card=c2]", "[data-column=done]")
            ada.wait_for_selector("[data-column=done] [data-card=c2]", timeout=20_000)
            bob.click("#undo")
            ada.wait_for_selector("[data-card=c2] + [data-card=c1]", timeout=20_000)
            team.run(IMPORT, server)
            ada.wait_for_selector("[data-card=i99]", timeout=20_000)
            assert ada.text_content("[data-column=done] h2") == "done (10000)"
            ada.click("#more")
            ada.wait_for_selector("[data-card=i199]", timeout=20_000)
            team.run(FORGET.splitlines()[0], server)
            shows(bob, "status", "You are no member of this board.")
            assert not bob.query_selector("[data-card]") and bob.text_content("h1") == ""
            bob.context.close()
            shows(ada, "present", "ada")
            browser.close()
