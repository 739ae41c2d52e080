"""examples/Kanban: the commands of its README are run unchanged, and its page is opened in a browser."""

import http.server
import json
import re
import subprocess
import threading

import pytest
from harness import Server, until
from test_examples import EXAMPLES, built

KANBAN = EXAMPLES / "Kanban"


@pytest.fixture(scope="module")
def program():
    return built("Kanban")


def blocks():
    """Returns the shell blocks of the README: the tokens, the start, and three walks."""
    return re.findall(r"```sh\n(.*?)```", (KANBAN / "README.md").read_text(), re.S)


class Team:
    """A folder with the files of the README, a server of the README's options, and its commands."""

    def __init__(self, folder, program):
        self.folder, self.program = folder, program
        for name in ("issuer", "policy.json"):
            (folder / name).symlink_to(KANBAN / name)
        self.run(blocks()[0])

    def run(self, commands, url=None):
        """Runs shell commands; returns the answers of curl as JSON."""
        text = commands.replace("http://127.0.0.1:8080", url or "")
        text = re.sub(r"^curl ", r"curl -sS --fail-with-body -w '\\n' ", text, flags=re.M)
        done = subprocess.run(["bash", "-ec", text], cwd=self.folder, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done
        return [json.loads(line) for line in done.stdout.splitlines() if line]

    def header(self, name):
        return {"Authorization": "Bearer " + (self.folder / f"{name}.jwt").read_text().strip()}

    def server(self, origin="http://127.0.0.1:8000", **options):
        words = blocks()[1].replace("\\\n", " ").split()
        start = words.index("--policy")
        flags = [origin if word == "http://127.0.0.1:8000" else word for word in words[start:]]
        flags = [str(self.folder / word) if word in ("policy.json", "issuer.pem") else word for word in flags]
        return Server(*flags, program=self.program, **options)


@pytest.fixture
def team(tmp_path, program):
    return Team(tmp_path, program)


def columns(view):
    return {column["id"]: [card["id"] for card in column["cards"]] for column in view["columns"]}


def test_the_readme_is_walked(team, tmp_path):
    data = tmp_path / "data"
    with team.server(data=data) as server:
        assert [answer["version"] for answer in team.run(blocks()[2], server.url)] == [1, 2, 3]
        moved, view, undone, found = team.run(blocks()[3], server.url)
        assert columns(view) == {"to do": ["c1"], "done": ["c2"]} and view["members"] == ["ada", "bob"]
        assert (moved["version"], undone["version"]) == (4, 5)
        assert found == {"hits": [{"board": "roadmap", "card": "c1", "text": "Plan"}]}
        # Eve is no member.
        team.run("node issuer/token.mjs issuer.key eve member >eve.jwt\n")
        assert server.get("/views/boards", team.header("eve")).json == {"boards": []}
        assert server.get("/state/board/roadmap", team.header("eve")).status == 404
        [timer] = server.get("/schedule", team.header("root")).json["timers"]
        assert timer["id"] == "reminder"
        removed, forgotten = team.run(blocks()[4], server.url)
        assert forgotten["version"] == removed["version"] + 1
        assert server.get("/views/boards", team.header("bob")).json == {"boards": []}
        assert "bob" not in json.dumps(server.get("/state", team.header("root")).json["board"])
    with team.server(data=data) as server:
        view = server.get("/views/board?board=roadmap", team.header("ada")).json
        assert columns(view) == {"to do": ["c1", "c2"], "done": []}


class Receiver(http.server.BaseHTTPRequestHandler):
    """An address that fails twice, and then takes comments."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append(body)
        self.send_response(503 if len(self.server.bodies) <= 2 else 204)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def test_a_comment_reaches_the_address_of_the_board_after_failures(team):
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    receiver.bodies = []
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    with team.server() as server:
        team.run(blocks()[2], server.url)
        url = f"http://127.0.0.1:{receiver.server_port}/hook"
        for name, who, payload in (
            ("hooked", "ada", {"url": url}),
            ("commented", "bob", {"card": "c1", "text": "Good plan."}),
        ):
            body = {"type": f"board/roadmap/{name}", "payload": payload}
            assert server.post(body, team.header(who)).status == 200
        until(lambda: len(receiver.bodies) == 3, "the comment is delivered", 30)
        assert receiver.bodies[2]["comment"]["text"] == "Good plan." and receiver.bodies[2]["board"] == "roadmap"
        root = team.header("root")
        until(lambda: server.get("/state", root).json["effects"] == {"pending": []}, "the work has ended")
    receiver.shutdown()


def test_the_page_shows_the_board_and_loses_it(team):
    from playwright.sync_api import sync_playwright
    from test_clients import CHROMIUM

    class Pages(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(KANBAN / "page"))

        def log_message(self, *_):
            pass

    pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{pages.server_port}"
    with team.server(origin) as server, sync_playwright() as playwright:
        team.run(blocks()[2], server.url)
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, headless=True, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        token = (team.folder / "bob.jwt").read_text().strip()
        page.goto(f"{origin}/#{server.url},roadmap,{token}")
        page.wait_for_selector("[data-card=c2]", timeout=20_000)
        page.drag_and_drop("[data-card=c2]", "[data-column=done]")
        page.wait_for_selector("[data-column=done] [data-card=c2]", timeout=20_000)
        assert "Roadmap" in page.text_content("h1")
        team.run(blocks()[4].split("curl")[0] + "curl" + blocks()[4].split("curl")[1], server.url)
        page.wait_for_function("!document.querySelector('[data-card]')", timeout=20_000)
        assert "no member" in page.text_content("#status")
        browser.close()
    pages.shutdown()
