"""The packages in examples/: each is built and tested as it stands, started, and driven by curl."""

import json
import re
import subprocess
import sys

import pytest
from harness import ROOT, Server, until
from programs import SCRATCH, locked, swift

EXAMPLES = ROOT / "examples"
SERVICE = EXAMPLES / "Movies" / "service" / "films.py"


@pytest.fixture(scope="module")
def counter():
    return built("Counter")


@pytest.fixture(scope="module")
def movies():
    return built("Movies")


def built(example):
    """Builds an example, has its tests pass, and answers where its program is."""
    package = EXAMPLES / example
    with locked():
        swift("build", "--build-tests", package=package)
        tests = swift("test", "--skip-build", package=package)
    assert re.search(r"Test run with [1-9]\d* tests? .* passed", tests.stdout), tests.stdout
    return SCRATCH / "debug" / example


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


class Films:
    """The service that the movies example brings along."""

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
    with Films() as films, Server(program=movies, environment={"MOVIES_SERVICE": films.url}) as server:
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
        environment = {"MOVIES_SERVICE": films.url}
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
    with Films() as films, Server(program=movies, environment={"MOVIES_SERVICE": films.url}) as server:
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


def test_the_commands_of_the_movies_document_are_taken(movies):
    text = (EXAMPLES / "Movies" / "README.md").read_text()
    commands = re.findall(r"^curl (?!-N)(.*)$", text, re.M)
    assert len(commands) == 6
    with Films() as films, Server(program=movies, environment={"MOVIES_SERVICE": films.url}) as server:
        for command in commands:
            line = "curl -fsS " + command.replace("http://127.0.0.1:8080", server.url)
            # The second page can be asked for when the first is there.
            until(
                lambda: subprocess.run(["bash", "-c", line], capture_output=True).returncode == 0,
                line,
            )
