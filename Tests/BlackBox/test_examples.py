"""The packages in examples/: each is built, tested and started unchanged, and driven by curl."""

import functools
import json
import re
import subprocess
import sys

import pytest
from harness import ROOT, Server, Stream, until
from programs import BUILT, locked, swift

EXAMPLES = ROOT / "examples"
SERVICE = EXAMPLES / "Movies" / "service" / "films.py"


@pytest.fixture(scope="module")
def counter():
    return built("Counter")


@pytest.fixture(scope="module")
def movies():
    return built("Movies")


@functools.cache
def built(example):
    """Builds an example, runs its tests, and returns the path of its program."""
    package = EXAMPLES / example
    with locked():
        swift("build", "--build-tests", package=package)
        tests = swift("test", "--skip-build", package=package)
    assert re.search(r"Test run with [1-9]\d* tests? .* passed", tests.stdout), tests.stdout
    return BUILT / example


def curl(server, path, *options):
    done = subprocess.run(
        ["curl", "-sS", "--max-time", "10", *options, server.url + path],
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)


def dispatch(server, action, **payload):
    body = {"type": action, **({"payload": payload} if payload else {})}
    return curl(server, "/dispatch", "--json", json.dumps(body))


def is_shown(server, view, **members):
    """Waits until a view shows these members."""
    path = f"/views/{view}"
    for name, value in members.items():
        until(lambda: curl(server, path)[name] == value, f"{name} {value!r} in {path}")


class Visitor:
    """A browser with its own cookies, and a session in it."""

    def __init__(self, server, folder, name):
        self.server, self.jar = server, folder / name
        curl(server, "/sessions", "--cookie-jar", self.jar, "--data", "")

    def dispatch(self, action, **payload):
        body = {"type": action, **({"payload": payload} if payload else {})}
        return curl(self.server, "/dispatch", "--cookie", self.jar, "--json", json.dumps(body))

    def sees(self, path):
        return curl(self.server, path, "--cookie", self.jar)


class Films:
    """The service that belongs to the movies example."""

    def __init__(self, port=0):
        self.process = subprocess.Popen(
            [sys.executable, SERVICE, str(port)], stdout=subprocess.PIPE, text=True
        )
        self.url = self.process.stdout.readline().split()[-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def test_u31_the_counter_counts(counter):
    with Server(program=counter) as server:
        assert dispatch(server, "counter/increased")["version"] == 1
        dispatch(server, "counter/increased")
        dispatch(server, "counter/decreased")
        assert curl(server, "/state") == {"counter": {"count": 1}}


def test_u31_popular_films_come_page_by_page(movies):
    with Films() as films, Server(program=movies, environment={"STORE_SERVER_FILM_SERVICE": films.url}) as server:
        dispatch(server, "popular/refreshed")
        is_shown(server, "popular", status="", hasMore=True)
        assert curl(server, "/views/popular")["titles"][1] == "Nine Umbrellas (1988)"
        for page in (2, 3, 4):
            dispatch(server, "popular/nextPageAsked")
            is_shown(server, "popular", status="", hasMore=page < 4)
        titles = curl(server, "/views/popular")["titles"]
        known = json.loads((SERVICE.parent / "films.json").read_text())
        assert titles == [f"{film['title']} ({film['year']})" for film in known]
        assert "That was the last page." in dispatch(server, "popular/nextPageAsked")["detail"]


def test_u31_searches_that_found_something_are_suggested_also_after_a_restart(movies, tmp_path):
    with Films() as films:
        environment = {"STORE_SERVER_FILM_SERVICE": films.url}
        data = tmp_path / "data"
        with Server(data=data, program=movies, environment=environment) as server:
            dispatch(server, "search/textChanged", to="umb")
            dispatch(server, "search/textChanged", to="umbrella")
            is_shown(server, "search", text="umbrella", status="")
            assert len(curl(server, "/views/search")["titles"]) == 2
            dispatch(server, "search/textChanged", to="nobody has this")
            is_shown(server, "search", status="Nothing found.")
            dispatch(server, "search/textChanged", to="lighthouse")
            is_shown(server, "search", status="")
        with Server(data=data, program=movies, environment=environment) as server:
            dispatch(server, "search/textChanged", to="")
            is_shown(server, "search", suggestions=["lighthouse", "umbrella"], titles=[])


def test_u31_details_come_and_errors_of_the_service_are_shown(movies):
    with Films() as films, Server(program=movies, environment={"STORE_SERVER_FILM_SERVICE": films.url}) as server:
        dispatch(server, "details/start", id=2)
        is_shown(server, "details", title="Nine Umbrellas", facts="1988, 144 minutes")
        dispatch(server, "details/start", id=99)
        is_shown(server, "details", overview=f"GET {films.url}/films/99: the answer is 404")
        films.stop()
        dispatch(server, "popular/refreshed")
        until(
            lambda: curl(server, "/views/popular")["status"].startswith(
                f"GET {films.url}/popular: Failed to connect"
            ),
            "the failure",
        )


def test_a_guestbook_is_signed_by_all():
    with Server(program=built("Guestbook")) as server:
        assert dispatch(server, "guestbook/signed", name="Ada")["version"] == 1
        assert dispatch(server, "guestbook/signed", name="")["reason"] == "A guest has a name."
        assert curl(server, "/state") == {"guestbook": {"entries": ["Ada"]}}


def test_rooms_of_the_chat_are_shared_and_drafts_belong_to_a_visitor(tmp_path):
    with Server(program=built("Chat")) as server:
        ada, bob = (Visitor(server, tmp_path, name) for name in ("ada", "bob"))
        assert ada.dispatch("rooms/tea/said", author="Ada", text="?")["status"] == 409
        for room in ("tea", "cake"):
            ada.dispatch(f"rooms/{room}/start", title=room.title())
        ada.dispatch("draft/roomOpened", id="tea")
        bob.dispatch("draft/roomOpened", id="tea")
        ada.dispatch("draft/typed", text="Good mor")
        bob.dispatch("rooms/tea/said", author="Bob", text="Hello")
        room = {"title": "Tea", "lines": ["Bob: Hello"]}
        assert ada.sees("/views/screen") == {**room, "draft": "Good mor"}
        assert bob.sees("/views/screen") == {**room, "draft": ""}
        assert curl(server, "/views/screen") is None
        assert "Good mor" not in json.dumps([bob.sees("/state"), bob.sees("/actions")])
        assert ada.sees("/modules/rooms/cake") == {"title": "Cake", "lines": []}
        again = bob.dispatch("rooms/tea/start", title="Bob's")
        assert (again["status"], again["reason"]) == (409, "'rooms/tea' is started already.")
        assert bob.dispatch("rooms/tea/stop")["status"] == 403
        assert ada.sees("/modules/rooms/tea") == {
            "title": "Tea", "lines": [{"author": "Bob", "text": "Hello"}],
        }


def test_carts_of_the_shop_belong_to_a_visitor_and_read_the_shared_prices(tmp_path):
    with Server(program=built("Shop")) as server:
        ada, bob = (Visitor(server, tmp_path, name) for name in ("ada", "bob"))
        ada.dispatch("cart/added", article="tea", pieces=3)
        bob.dispatch("cart/added", article="cup", pieces=1)
        assert ada.sees("/views/bill") == {"lines": ["3 × tea"], "cents": 1350}
        assert bob.sees("/views/bill") == {"lines": ["1 × cup"], "cents": 1200}
        dispatch(server, "catalogue/priced", article="tea", cents=500)
        assert ada.sees("/views/bill")["cents"] == 1500
        before = server.version
        ada.dispatch("Checkout")
        assert (server.version, server.state["sales"]) == (before + 1, {"orders": 1, "cents": 1500})
        assert ada.sees("/views/bill") == {"lines": [], "cents": 0}
        assert ada.dispatch("Checkout")["reason"] == "There is nothing in the cart that is sold."
        dispatch(server, "catalogue/withdrawn", article="cup")
        assert bob.sees("/views/bill") == {"lines": [], "cents": 0}
        assert ada.dispatch("cart/added", article="cup", pieces=1)["pointer"] == "/payload/article"
        assert curl(server, "/views/bill") == {"lines": [], "cents": 0}


def test_t1_the_list_is_shared_and_the_filter_belongs_to_a_visitor(tmp_path):
    data = tmp_path / "data"
    todo = built("Todo")
    with Server(program=todo, data=data) as server:
        ada, bob = (Visitor(server, tmp_path, name) for name in ("ada", "bob"))
        cells = ada.sees("/views/visibleItems")["cells"]
        assert len(cells) == 4
        with Stream(server, "/views/visibleItems/events") as screen:
            assert screen.event().json["pending"] == 4
            ada.dispatch("filter/chosen", _0="completed")
            # The link of the last cell completes the item of the cell.
            followed = server.request("POST", cells[3]["complete"]["href"], b"")
            assert followed.status == 200
            assert screen.event().json["pending"] == 3
        mars = {"cells": [{"text": "Visit mars"}], "pending": 3}
        assert ada.sees("/views/visibleItems") == mars
        bob.dispatch("todos/added", text="Rest")
        assert bob.sees("/views/visibleItems")["cells"][-1]["text"] == "Rest"
    with Server(program=todo, data=data) as server:
        ada.server = server
        assert ada.sees("/views/visibleItems") == {**mars, "pending": 4}


@pytest.mark.parametrize("example", ["Guestbook", "Chat", "Shop", "Todo"])
def test_the_commands_of_the_small_documents_are_taken(example, tmp_path):
    commands = re.findall(r"^curl (.*)$", (EXAMPLES / example / "README.md").read_text(), re.M)
    assert len(commands) >= 2
    with Server(program=built(example)) as server:
        for command in commands:
            line = "curl -fsS " + command.replace("http://127.0.0.1:8080", server.url)
            subprocess.run(["bash", "-c", line], check=True, capture_output=True, cwd=tmp_path)


def test_the_commands_of_the_movies_document_are_taken(movies):
    text = (EXAMPLES / "Movies" / "README.md").read_text()
    commands = re.findall(r"^curl (?!-N)(.*)$", text, re.M)
    assert len(commands) == 6
    with Films() as films, Server(program=movies, environment={"STORE_SERVER_FILM_SERVICE": films.url}) as server:
        for command in commands:
            line = "curl -fsS " + command.replace("http://127.0.0.1:8080", server.url)
            # The second page can be requested when the first has arrived.
            until(
                lambda: subprocess.run(["bash", "-c", line], capture_output=True).returncode == 0,
                line,
            )
