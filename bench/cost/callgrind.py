"""Programs under callgrind, and its counts.

Valgrind can neither read the debug information of a default Swift build nor run with the dynamic standard library.
So programs are built with the static library and stripped of debug information. Their symbols stay.
"""

import collections
import functools
import pathlib
import re
import shutil
import signal
import subprocess
import time

from common import BUILD

# Callgrind's emulation is some 50 times slower than the processor.
START_SECONDS_MAX = 120
OPTIONS = [
    "--tool=callgrind", "--separate-threads=yes", "--collect-bus=yes", "--fair-sched=no",
    "--combine-dumps=no",
]
# The beginning of a line of costs: a position, absolute or relative to the line before.
POSITIONS = frozenset("0123456789+-*")


def build(package, product, scratch, is_wanted=True):
    """Builds a product in release for valgrind, if `is_wanted`, and returns its path."""
    command = ["swift", "build", "-c", "release", "--static-swift-stdlib"]
    command += ["--package-path", str(package), "--scratch-path", str(scratch)]
    # The folder has the plan of another package.
    command += ["--disable-build-manifest-caching"]
    if is_wanted:
        subprocess.run([*command, "--product", product], check=True, stdout=subprocess.DEVNULL)
    BUILD.mkdir(parents=True, exist_ok=True)
    target = BUILD / f"{product}-stripped"
    built = scratch / "release" / product
    subprocess.run(["strip", "--strip-debug", "-o", str(target), str(built)], check=True)
    return str(target)


# Further counts beside instructions: the calls of these functions.
CALLS = {
    "allocations": r"malloc|calloc|realloc|posix_memalign|aligned_alloc|memalign",
    "frees": r"free",
    "retains": r"swift_\w*[rR]etain\w*",
    "releases": r"swift_\w*[rR]elease\w*",
    "metadata": r"swift_get(Generic|Tuple|Function|Existential|Metatype|Opaque|Foreign|Canonical)\w*"
    r"|swift_getAssociated\w*|swift_getWitnessTable\w*|swift_getTypeByMangledName\w*"
    r"|swift_conformsToProtocol\w*|swift_checkMetadataState",
    "exclusivity": r"swift_beginAccess",
    "casts": r"swift_dynamicCast\w*",
    "mutexes": r"pthread_(mutex|rwlock|spin)_\w*lock",
}
KINDS = [(kind, re.compile(pattern)) for kind, pattern in CALLS.items()]
# Under valgrind, clearing memory costs an instruction a byte, and on a processor far less.
CLEARING = re.compile(r"_*memset\w*")
# SHA-256 of 64 bytes, by nettle. Valgrind lacks the processor's instructions for SHA-256, so nettle uses
# some 3,000 other instructions. The count for a processor with these instructions comes from single
# steps on such a processor.
HASHING = re.compile(r"_nettle_sha256_compress_x86_64")
HASHED_BLOCK_INSTRUCTIONS = 178


@functools.cache
def kind_of(name):
    """Returns the kind of the counted call with this name, or `None`."""
    if "unlock" in name:
        return None
    return next((kind for kind, pattern in KINDS if pattern.fullmatch(name)), None)


class Counts:
    """Executed operations by function: `instructions`, `cleared` bytes, `atomics`, `hashed` and `CALLS`.

    Instructions, cleared bytes and atomics belong to the function itself, calls to their caller. `hashed` counts
    the blocks of 64 bytes of SHA-256.
    """

    def __init__(self):
        self.by_kind = collections.defaultdict(collections.Counter)

    def __getitem__(self, kind):
        return self.by_kind[kind]

    def total(self, kind):
        return sum(self.by_kind[kind].values())

    def add(self, other, factor=1):
        for kind, counter in other.by_kind.items():
            for name, count in counter.items():
                self[kind][name] += factor * count

    def divided(self, by):
        result = Counts()
        result.add(self, 1 / by)
        return result

    @staticmethod
    def read(path):
        """Reads one dump, in the format of callgrind's manual, chapter 'Callgrind Format'."""
        counts = Counts()
        names = {}
        after_call = False

        def named(text):
            number, _, name = text.rstrip().partition(" ")
            if name:
                # The names without versions of symbols, and without marks of recursion.
                names[number] = name.split("@@")[0].split("'")[0]
            return names[number]

        for line in open(path):
            if line.startswith("fn="):
                function = named(line[3:])
                own = counts["cleared" if CLEARING.fullmatch(function) else "instructions"]
                if HASHING.fullmatch(function):
                    own = collections.Counter()
            elif line.startswith("cfn="):
                called = named(line[4:])
            elif line.startswith("calls="):
                count = int(line[6:].split(" ", 1)[0])
                if kind := kind_of(called):
                    counts[kind][function] += count
                if HASHING.fullmatch(called):
                    counts["hashed"][called] += count
                    counts["instructions"][called] += count * HASHED_BLOCK_INSTRUCTIONS
                after_call = True
            elif line[:1] in POSITIONS:
                # The line after a call is the cost of the called function.
                if not after_call:
                    _, *costs = line.split()
                    own[function] += int(costs[0]) if costs else 0
                    counts["atomics"][function] += int(costs[1]) if len(costs) > 1 else 0
                after_call = False
        return counts


class Program:
    """A program under callgrind, which counts nothing before a command."""

    def __init__(self, command, directory, counts_from_start=False):
        self.directory = pathlib.Path(directory)
        self.dumps = 0
        self.log = open(self.directory / "log", "wb")
        self.process = subprocess.Popen(
            ["valgrind", *OPTIONS, f"--instr-atstart={'yes' if counts_from_start else 'no'}"]
            + [f"--callgrind-out-file={self.directory}/out", *command],
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
        )

    def wait_until(self, is_ready):
        deadline = time.monotonic() + START_SECONDS_MAX
        while not is_ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.end()
                raise SystemExit(f"{self.process.args[-1]} does not start; see {self.log.name}")
            time.sleep(0.05)

    def control(self, *command):
        return subprocess.run(
            ["vgdb", f"--pid={self.process.pid}", *command],
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ).stdout

    def count(self):
        """Counts from now on."""
        self.control("instrumentation", "on")

    def zero(self):
        self.control("zero")

    def counted(self):
        """Returns the counts of each thread since `count` or `zero`, by its name. Stops counting."""
        names = self.thread_names()
        self.control("dump")
        self.control("instrumentation", "off")
        return self.read_dump(names)

    def read_dump(self, names):
        # Valgrind numbers the requested dumps from 1.
        self.dumps += 1
        threads = collections.defaultdict(Counts)
        for path in self.directory.glob(f"out.{self.dumps}-*"):
            threads[names.get(int(path.suffix.rpartition("-")[2]), "other")].add(Counts.read(path))
        return threads

    def thread_names(self):
        """Returns names of threads by valgrind's numbers."""
        found = re.findall(r"Thread (\d+): .*\(lwpid (\d+)\)", self.control("v.info", "scheduler"))
        names = {}
        for number, task in found:
            path = pathlib.Path(f"/proc/{self.process.pid}/task/{task}/comm")
            if path.exists():
                names[int(number)] = path.read_text().strip()
        return names

    def end(self, sent=signal.SIGKILL):
        self.process.send_signal(sent)
        self.process.wait()
        self.log.close()


def run(command, directory):
    """Returns the counts of all threads of a program together, from its start to its end."""
    directory = pathlib.Path(directory)
    subprocess.run(
        ["valgrind", *OPTIONS, f"--callgrind-out-file={directory}/out", *command],
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    counts = Counts()
    for path in directory.glob("out-*"):
        counts.add(Counts.read(path))
    return counts


def demangled(names):
    """Returns readable names of functions, in the same order."""
    if not shutil.which("swift"):
        return names
    output = subprocess.run(
        ["swift", "demangle", "--compact", "--simplified"],
        input="\n".join(names),
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return output.splitlines()
