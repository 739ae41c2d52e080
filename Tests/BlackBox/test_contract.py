"""The server is held against its own description by schemathesis, with all of its checks."""

import os
import pathlib
import subprocess
import sys

import pytest
from harness import Server

FOLDER = pathlib.Path(__file__).parent / "contract"
SECONDS_MAX = 240


@pytest.mark.timeout(SECONDS_MAX + 30)
@pytest.mark.parametrize("seed", [1, 2])
def test_6_2_every_answer_is_as_described(seed):
    with Server("--debug-routes") as server:
        command = [
            pathlib.Path(sys.executable).parent / "schemathesis", "--config-file", "schemathesis.toml",
            "run", f"http://{server.authority}/openapi.json", "--seed", str(seed),
            "--max-examples", "25", "--exclude-path-regex", "events$", "--no-color",
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
