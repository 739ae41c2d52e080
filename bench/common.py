"""Common parts of the measurements of whole servers: servers on core 0, load on core 1, medians of rounds."""

import json
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / ".build" / "bench-servers"
STORE_SERVER = ROOT / ".build" / "release" / "store-server"
SERVER_CORE, LOAD_CORE, BOTH_CORES = "0", "1", "0,1"
START_SECONDS_MAX = 20
STOP_SECONDS_MAX = 15
BUSY_SHARE_MAX = 0.05


def say(text):
    print(f"{pathlib.Path(sys.argv[0]).parent.name}: {text}", file=sys.stderr, flush=True)


def require(*tools):
    for tool in tools:
        if not shutil.which(tool):
            sys.exit(f"{tool} is missing; scripts/setup bench installs it")


def compile_reference(name, *libraries):
    BUILD.mkdir(parents=True, exist_ok=True)
    target = BUILD / name
    subprocess.run(
        ["gcc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror"]
        + [str(ROOT / "bench" / "reference" / f"{name}.c"), "-o", str(target), *libraries],
        check=True,
    )
    return str(target)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listens(server):
    try:
        socket.create_connection(("127.0.0.1", server.port), 1).close()
        return True
    except OSError:
        return False


def wait_until_idle(seconds_max):
    """Waits until no other program uses the machine, but no longer than this."""
    deadline = time.monotonic() + seconds_max
    while time.monotonic() < deadline and busy_share(0.5) > BUSY_SHARE_MAX:
        pass


def busy_share(seconds):
    """Returns the share of the machine's CPU time that is used during some seconds."""
    busy, total = cpu_times()
    time.sleep(seconds)
    busy_later, total_later = cpu_times()
    return (busy_later - busy) / max(1, total_later - total)


def cpu_times():
    """Returns the used and the available time so far, of all cores together."""
    line = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0]
    times = list(map(int, line.split()[1:9]))
    return sum(times) - times[3] - times[4], sum(times)


class Server:
    """One server on `cores`, with all its processes, which answers on `port`."""

    def __init__(self, name, command, is_ready=listens, cores=SERVER_CORE, **options):
        self.name = name
        self.port = free_port()
        BUILD.mkdir(parents=True, exist_ok=True)
        self.log = open(BUILD / f"{name.replace(' ', '-')}.log", "wb")
        self.process = subprocess.Popen(
            ["taskset", "-c", cores, *[part.format(port=self.port) for part in command]],
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            **options,
        )
        deadline = time.monotonic() + START_SECONDS_MAX
        while not is_ready(self):
            if time.monotonic() > deadline or self.process.poll() is not None:
                self.stop()
                sys.exit(f"{name} does not listen; see {self.log.name}")
            time.sleep(0.02)

    def cpu_seconds(self):
        """Returns the processor time of the server and of its children, live and ended."""
        pid = self.process.pid
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return sum(map(spent, children), spent(pid, ended_children=True))

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


class Guard:
    """Keys and a policy in a folder: a server runs with them by `arguments`."""

    def __init__(self, program, folder, roles):
        self.program, self.keys = program, pathlib.Path(folder) / "keys.json"
        policy = pathlib.Path(folder) / "policy.json"
        policy.write_text(json.dumps({"roles": roles}))
        self.arguments = ["--auth-keys", str(self.keys), "--policy", str(policy)]

    def token(self, principal, role):
        """Makes a new API key, and returns it."""
        command = [self.program, "token", "create", "--keys", self.keys, "--principal", principal, "--role", role]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def spent(pid, ended_children=False):
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return 0
    fields = text.rsplit(")", 1)[1].split()
    return sum(map(int, fields[11 : 15 if ended_children else 13])) / 100


class Sample:
    """The results of one measurement of a server: requests a second, latencies and CPU time in µs."""

    def __init__(self, server, connections, seconds, *arguments, headers=()):
        """Sends requests with wrk. The arguments are the path and the body of each POST."""
        before = server.cpu_seconds()
        output = subprocess.run(
            ["taskset", "-c", LOAD_CORE, "wrk", "-t1", f"-c{connections}", f"-d{seconds}s"]
            + ["--latency", "-s", str(ROOT / "bench" / "post.lua")]
            + [part for header in headers for part in ("-H", header)]
            + [f"http://127.0.0.1:{server.port}", "--", *arguments],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        fields = [line for line in output.splitlines() if line.startswith("result ")][0].split()
        requests, micros, errors, self.p50, self.p99 = map(int, fields[1:])
        if errors:
            sys.exit(f"{errors} errors against {server.name}\n{output}")
        self.rate = requests * 1e6 / micros
        self.cpu = (server.cpu_seconds() - before) * 1e6 / max(requests, 1)


class Samples:
    """The samples of each server at each number of connections."""

    def __init__(self):
        self.taken = {}

    def add(self, name, connections, sample):
        self.taken.setdefault((name, connections), []).append(sample)

    def median(self, name, connections, field="rate"):
        return statistics.median(getattr(each, field) for each in self.taken[name, connections])

    def print(self):
        print("| server | connections | requests/s | range | p50 / p99 µs | CPU µs per request |")
        print("|---|---|---|---|---|---|")
        for name, connections in self.taken:
            rates = [each.rate for each in self.taken[name, connections]]
            median = {
                field: self.median(name, connections, field) for field in ("p50", "p99", "cpu")
            }
            print(
                f"| {name} | {connections} | {self.median(name, connections):,.0f} "
                f"| {min(rates):,.0f}–{max(rates):,.0f} "
                f"| {median['p50']:,.0f} / {median['p99']:,.0f} | {median['cpu']:.1f} |"
            )
        print()

    def compare(self, goals):
        """Prints each ratio beside its goal. Returns whether a ratio misses its goal.

        A goal is its title, the measured server, the reference, the number of connections, and the least ratio. A
        goal without measurements is left out. A ratio is the median of the ratios of the rounds: measurements
        within seconds have the same noise.
        """
        print("| ratio | connections | reached | half of the rounds | goal | |")
        print("|---|---|---|---|---|---|")
        missed = False
        for title, over, under, connections, goal in goals:
            if not {(over, connections), (under, connections)} <= self.taken.keys():
                continue
            ratios = self.ratios((over, connections), (under, connections))
            reached = statistics.median(ratios)
            least, most = ratios[len(ratios) // 4], ratios[-1 - len(ratios) // 4]
            missed = missed or reached < goal
            print(
                f"| {title} | {connections} | {reached:.2f} | {least:.2f}–{most:.2f} | ≥ {goal} "
                f"| {verdict(reached >= goal)} |"
            )
        return missed

    def ratios(self, over, under):
        """Returns the ratio of the rates in each round, the smallest first."""
        rounds = zip(self.taken[over], self.taken[under], strict=True)
        return sorted(one.rate / other.rate for one, other in rounds)


def verdict(is_reached):
    return "ok" if is_reached else "**missed**"
