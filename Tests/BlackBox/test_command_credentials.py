"""The commands that send requests to a server send a credential, from a file or from the environment."""

import json
import re

import pytest
import yaml
from access import ALL, House
from harness import INCREASE, ROOT, run

STATUS = {"use": ["metrics"]}
SCRIPT = {"steps": [{"dispatch": INCREASE, "expect": {"/counter/counter": 1}}]}


@pytest.fixture
def house(tmp_path):
    return House(tmp_path, {"operator": ALL, "scraper": STATUS, "nothing": {}})


@pytest.fixture
def file(house, tmp_path):
    """Writes the key of a new principal of a role into a file."""

    def file(role):
        path = tmp_path / f"{role}.token"
        path.write_text(house.token(f"the-{role}", role) + "\n")
        return path

    return file


def shown(ended):
    """Returns the words of a status, each with its value."""
    return dict(line.split(maxsplit=1) for line in ended.stdout.splitlines() if not line.startswith(" "))


def test_status_shows_a_credential_from_a_file(house, file):
    scraper, other = file("scraper"), file("nothing")
    with house.server() as server:
        nothing = run("status", server.url)
        assert nothing.returncode == 0
        assert "/metrics answers 401: --token-file FILE sends a credential" in nothing.stdout
        assert "version" not in shown(nothing)
        assert shown(run("status", server.url, "--token-file", str(scraper)))["version"] == "0"
        denied = run("status", server.url, "--token-file", str(other))
        assert "/metrics answers 403" in denied.stdout


@pytest.mark.parametrize("variable", ["STORE_SERVER_TOKEN", "STORE_SERVER_TOKEN_FILE"])
def test_status_shows_a_credential_of_the_environment(house, file, variable):
    path = file("scraper")
    value = path.read_text() if variable == "STORE_SERVER_TOKEN" else str(path)
    with house.server() as server:
        assert shown(run("status", server.url, environment={variable: value}))["version"] == "0"


def test_a_script_is_played_with_a_credential(house, file, tmp_path):
    script = tmp_path / "script.json"
    script.write_text(json.dumps(SCRIPT))
    operator = file("operator")
    with house.server() as server:
        words = ["assert", str(script), "--url", server.url]
        refused = run(*words)
        assert refused.returncode == 1
        assert "answers 401 to GET /state; --token-file sends a credential" in refused.stderr
        played = run(*words, "--token-file", str(operator))
        assert played.returncode == 0, played.stdout + played.stderr
        [action] = server.get("/actions", house.operator).json["actions"]
        assert action["principal"].endswith("the-operator")


@pytest.mark.parametrize("text", ["", "two words", "a\nb", "é", "x" * 8_193])
def test_a_text_that_is_no_credential_is_refused_and_not_shown(tmp_path, text):
    path = tmp_path / "token"
    path.write_text(text)
    for ended in (
        run("status", "--token-file", str(path)),
        run("status", environment={"STORE_SERVER_TOKEN": text}),
    ):
        assert ended.returncode == 2
        assert "this is not a credential; allowed are 1 to 8192 visible characters" in ended.stderr
        assert not text or text not in ended.stderr


def test_both_variables_or_a_command_without_a_request_are_refused(tmp_path):
    both = {"STORE_SERVER_TOKEN": "a", "STORE_SERVER_TOKEN_FILE": "b"}
    assert "are both set; give one" in run("status", environment=both).stderr
    ended = run("--token-file", str(tmp_path))
    assert ended.returncode == 2
    assert "--token-file is allowed only with status and with assert --url" in ended.stderr


def test_a_server_accepts_the_variables_of_its_commands(house, file):
    both = {"STORE_SERVER_TOKEN_FILE": str(file("scraper"))}
    ended = run("--check-config", environment=both)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_scraper_logs_in_as_the_guide_says(tmp_path):
    text = (ROOT / "docs/METRICS.md").read_text()
    policy = json.loads(re.search(r"^```json\n(.*?)^```", text, re.S | re.M)[1])
    house = House(tmp_path, {**policy["roles"], "operator": ALL})
    scraper = house.bearer("prometheus", "scraper")
    with house.server() as server:
        assert server.get("/metrics", scraper).status == 200
        assert server.get("/metrics").status == 401
        assert server.get("/state", scraper).status == 403
    [job] = yaml.safe_load(re.findall(r"^```yaml\n(.*?)^```", text, re.S | re.M)[1])["scrape_configs"]
    composed = (ROOT / "deploy/compose/prometheus.yml").read_text()
    lines = [line.strip().removeprefix("# ") for line in composed.splitlines()]
    assert f"credentials_file: {job['authorization']['credentials_file']}" in [line.strip() for line in lines]
