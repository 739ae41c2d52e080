"""Schemathesis checks the server against its own description, with all of its checks."""

import os
import pathlib
import subprocess
import sys

import pytest
from access import ALL, House
from harness import Server

FOLDER = pathlib.Path(__file__).parent / "contract"
SECONDS_MAX = 240
ROLES = {
    "operator": ALL,
    "reader": {
        "read": ["/todos", "views/list", "log"],
        "dispatch": ["AddItem", {"type": "CompleteItem", "where": {"/index": 0}}],
        "use": ["schema", "sessions"],
    },
    "anonymous": {"read": ["/counter"], "use": ["schema"]},
}


def hold(server, configuration, seed, examples, headers=None):
    """Runs schemathesis, and fails with its report if an answer is not as described.

    Schemathesis reads each answer to its end, and a stream has no end. So `test_description.py` checks streams.
    """
    command = [
        pathlib.Path(sys.executable).parent / "schemathesis", "--config-file", configuration,
        "run", f"http://{server.authority}/openapi.json", "--seed", str(seed),
        "--max-examples", str(examples), "--exclude-path-regex", "events$", "--no-color",
        *(word for name, value in (headers or {}).items() for word in ("--header", f"{name}: {value}")),
    ]
    done = subprocess.run(
        command,
        cwd=FOLDER,
        env={**os.environ, "SCHEMATHESIS_HOOKS": "hooks"},
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert server.get("/livez").status == 200


@pytest.mark.timeout(SECONDS_MAX + 30)
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.ci
def test_6_2_every_answer_is_as_described(seed):
    with Server("--debug-routes") as server:
        hold(server, "schemathesis.toml", seed, examples=25)


@pytest.mark.timeout(SECONDS_MAX + 30)
@pytest.mark.parametrize("role", [*ROLES])
@pytest.mark.ci
def test_6_2_every_answer_is_as_described_under_a_policy(tmp_path, role):
    house = House(tmp_path, ROLES)
    headers = {} if role == "anonymous" else house.bearer("ann", role)
    with house.server("--debug-routes") as server:
        hold(server, "guarded.toml", seed=1, examples=5, headers=headers)


@pytest.mark.timeout(SECONDS_MAX + 30)
@pytest.mark.ci
def test_6_2_every_answer_is_as_described_for_clients_that_read_as_operators():
    with Server("--operator-reads") as server:
        hold(server, "schemathesis.toml", seed=1, examples=5)


def test_6_2_a_description_has_the_login_under_a_policy(tmp_path):
    house = House(tmp_path, ROLES)
    with house.server() as server, Server() as plain:
        document = server.get("/openapi.json").json
        known = [{"bearer": []}, {"cookie": []}]
        assert document["components"]["securitySchemes"] == {
            "bearer": {"type": "http", "scheme": "bearer"},
            "cookie": {"type": "apiKey", "in": "cookie", "name": "store-auth"},
        }
        paths = document["paths"]
        assert paths["/dispatch"]["post"]["security"] == known
        assert paths["/state"]["get"]["security"] == [*known, {}]
        assert "security" not in paths["/livez"]["get"]
        assert {"401", "403"} < set(paths["/state"]["get"]["responses"])
        assert "securitySchemes" not in plain.get("/openapi.json").json["components"]
