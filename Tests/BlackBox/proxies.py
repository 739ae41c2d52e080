"""Proxies in front of a server, from the unchanged files in deploy/proxy, with addresses of the test."""

import contextlib
import grp
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile

from harness import ROOT, Wire, environment_with, until

NAME = "store.example"
RECIPES = ROOT / "deploy" / "proxy"
FILES = {"nginx": "nginx.conf", "haproxy": "haproxy.cfg", "caddy": "Caddyfile"}
UPSTREAM = "127.0.0.1:8080"
PATH = "/run/store-server/store.sock"
GROUPS = {"nginx": "www-data", "haproxy": "haproxy", "caddy": "root"}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def folder():
    """A folder that the users of proxies may enter, in contrast to the folder of a test."""
    path = tempfile.mkdtemp(prefix="store-proxy-", dir="/tmp")
    os.chmod(path, 0o755)
    try:
        yield pathlib.Path(path)
    finally:
        shutil.rmtree(path)


def certificate(path):
    """Makes a certificate for the name, and the file with its key for HAProxy."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}", "-days", "2",
         "-keyout", path / "store.key", "-out", path / "store.crt"],
        check=True, capture_output=True,
    )  # fmt: skip
    (path / "store.pem").write_bytes((path / "store.crt").read_bytes() + (path / "store.key").read_bytes())


def configuration(kind, text, path, port, upstream):
    """Returns the recipe with another port, certificate and upstream, and with the bounds of this process."""

    def put(old, new, text):
        assert old in text, f"{FILES[kind]} has no {old!r}"
        return text.replace(old, new)

    text = put("/etc/ssl/store/", f"{path}/", text)
    if upstream.startswith("unix:"):
        # The recipe has the line with the path below the other line, as a comment.
        lines = text.split("\n")
        [at] = [index for index, line in enumerate(lines) if UPSTREAM in line]
        assert lines[at + 1].strip().startswith("# ") and PATH in lines[at + 1]
        lines[at : at + 2] = [lines[at + 1].replace("# ", "", 1)]
        text = put(PATH, upstream.removeprefix("unix:"), "\n".join(lines))
    else:
        text = put(UPSTREAM, upstream, text)
    if kind == "nginx":
        text = put("listen 443", f"listen 127.0.0.1:{port}", text)
        text = put("listen [::]:443", f"listen [::1]:{port}", text)
        text = put("/run/nginx.pid", f"{path}/nginx.pid", text)
        text = put("worker_rlimit_nofile 65536", "worker_rlimit_nofile 20000", text)
        if os.getuid() != 0:
            text = put("user www-data;\n", "", text)
    elif kind == "haproxy":
        text = put("bind :443 v4v6", f"bind 127.0.0.1:{port},[::1]:{port}", text)
        text = put("maxconn 32000", "maxconn 9800", text)
        if os.getuid() != 0:
            text = put("    user haproxy\n    group haproxy\n", "", text)
    else:
        text = put(f"https://{NAME}:443", f"https://{NAME}:{port}", text)
    return text


class Proxy:
    """A proxy that runs in the foreground. It has the members of a server that a `Wire` and a `Stream` use."""

    def __init__(self, kind, path, upstream):
        program = shutil.which(kind) or shutil.which(kind, path="/usr/sbin:/usr/bin")
        assert program, f"{kind} is missing; scripts/setup test installs it"
        self.kind, self.port = kind, free_port()
        certificate(path)
        file = path / FILES[kind]
        file.write_text(configuration(kind, (RECIPES / FILES[kind]).read_text(), path, self.port, upstream))
        self.log = path / "log"
        command = {
            "nginx": [program, "-c", file, "-p", path, "-g", "daemon off;"],
            "haproxy": [program, "-db", "-f", file],
            "caddy": [program, "run", "--config", file, "--adapter", "caddyfile"],
        }[kind]
        home = environment_with({"HOME": str(path), "XDG_DATA_HOME": str(path), "XDG_CONFIG_HOME": str(path)})
        with open(self.log, "wb") as out:
            self.process = subprocess.Popen(
                command, env=home, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
            )
        self.authority = f"{NAME}:{self.port}"
        self.context = ssl.create_default_context(cafile=path / "store.crt")
        until(self._listens, f"{kind} listens", 30)

    def _listens(self):
        assert self.process.poll() is None, self.log.read_text()
        try:
            self.socket(2).close()
        except OSError:
            return False
        return True

    def socket(self, seconds=15, host="127.0.0.1"):
        raw = socket.create_connection((host, self.port), seconds)
        try:
            return self.context.wrap_socket(raw, server_hostname=NAME)
        except OSError:
            raw.close()
            raise

    def request(self, method, target, body=None, headers=()):
        with Wire(self) as wire:
            fields = {"Host": self.authority, "Connection": "close", **dict(headers)}
            if body is not None:
                fields["Content-Length"] = str(len(body))
            head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
            wire.send(f"{method} {target} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + (body or b""))
            answer = wire.head()
            if answer["content-length"] is None:
                while wire.more():
                    pass
                answer.body = wire.buffer
                return answer
            length = int(answer["content-length"])
            while len(wire.buffer) < length:
                wire.need("within a body")
            answer.body = wire.buffer[:length]
            return answer

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # The proxy has a process group of its own, so its workers end, too.
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def group_of(kind):
    """Returns the group that a socket needs for this proxy; the group of the test if the test can't set another."""
    return grp.getgrnam(GROUPS[kind]).gr_gid if os.getuid() == 0 else os.getgid()
