"""PostgreSQL as a server to measure: a cluster of its own on a Unix socket, and pgbench as the load."""

import glob
import os
import pwd
import re
import shutil
import statistics
import subprocess
import sys
import time

from common import LOAD_CORE, STOP_SECONDS_MAX, Server

TABLE = "CREATE TABLE records (version bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text)"


def programs():
    """Returns the directory of the newest server's programs; `None` without a server."""
    found = glob.glob("/usr/lib/postgresql/*/bin/postgres")
    if found:
        return os.path.dirname(max(found, key=lambda path: int(path.split("/")[4])))
    found = shutil.which("postgres")
    return found and os.path.dirname(found)


class Postgres(Server):
    """A fresh cluster with its default settings: fsync and synchronous_commit are on."""

    def __init__(self, name, directory, record):
        self.bin = programs()
        self.directory = directory
        # PostgreSQL refuses to run as root. Under root, it runs with the account of its package.
        account = {}
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(directory, owner.pw_uid, owner.pw_gid)
            account = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        cluster = f"{directory}/cluster"
        subprocess.run(
            [f"{self.bin}/initdb", "--pgdata", cluster, "--auth", "trust", "--username", "bench"],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=directory,
            **account,
        )
        # A Unix socket only: a user without access to the directory cannot connect.
        super().__init__(
            name,
            [f"{self.bin}/postgres", "-D", cluster, "-k", directory, "-c", "listen_addresses="],
            is_ready=lambda server: server.run("pg_isready", "--quiet").returncode == 0,
            cwd=directory,
            **account,
        )
        self.run("psql", "--quiet", "--command", TABLE, "postgres", check=True)
        self.script = f"{directory}/insert.sql"
        with open(self.script, "w") as script:
            script.write(f"INSERT INTO records (body) VALUES ('{record}');\n")

    def wait_for_backends(self):
        """Waits until the processes of the last load have ended: only then is their CPU time known."""
        deadline = time.monotonic() + STOP_SECONDS_MAX
        query = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
        while time.monotonic() < deadline:
            count = self.run("psql", "--tuples-only", "--command", query, "postgres", check=True)
            if int(count.stdout) == 1:  # the process that asks
                return
            time.sleep(0.02)

    def run(self, program, *arguments, prefix=(), **options):
        return subprocess.run(
            [*prefix, f"{self.bin}/{program}", "-h", self.directory, "-U", "bench", *arguments],
            stdout=subprocess.PIPE,
            text=True,
            **options,
        )


class PostgresSample:
    """The result of one prepared INSERT for each transaction, as a `Sample`."""

    def __init__(self, server, connections, seconds):
        before = server.cpu_seconds()
        log = f"{server.directory}/latencies"
        output = server.run(
            "pgbench",
            *("--client", str(connections), "--time", str(seconds), "--jobs", "1", "--no-vacuum"),
            *("--protocol", "prepared", "--file", server.script, "--log", "--log-prefix", log),
            "postgres",
            prefix=("taskset", "-c", LOAD_CORE),
            check=True,
        ).stdout
        rate = re.search(r"tps = ([\d.]+) \(without initial", output)
        failed = re.search(r"failed transactions: (\d+)", output)
        if not rate or (failed and int(failed[1])):
            sys.exit(f"transactions failed against {server.name}\n{output}")
        self.rate = float(rate[1])
        latencies = []
        for path in glob.glob(f"{log}.*"):
            with open(path) as lines:
                latencies += [int(line.split()[2]) for line in lines]
            os.unlink(path)
        server.wait_for_backends()
        percentiles = statistics.quantiles(latencies, n=100)
        self.p50, self.p99 = percentiles[49], percentiles[98]
        self.cpu = (server.cpu_seconds() - before) * 1e6 / len(latencies)
