"""The HTTP client of effects authenticates its peer (Tests/StoreCurlTests has the rest)."""

import http.server
import ssl
import subprocess
import threading

import pytest
from programs import build_sample


@pytest.fixture(scope="module")
def program():
    return build_sample("Asking")


@pytest.fixture
def secure(tmp_path):
    """Starts servers with self-signed certificates. Returns port and certificate."""
    running = []

    def start(name):
        key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-nodes", "-days", "1", "-subj", "/CN=test"]
            + ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
            + ["-addext", f"subjectAltName={name}", "-keyout", key, "-out", certificate],
            check=True,
            capture_output=True,
        )
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), http.server.BaseHTTPRequestHandler
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        running.append(server)
        return server.server_port, certificate

    yield start
    for server in running:
        server.shutdown()
        server.server_close()


def said(program, *arguments):
    done = subprocess.run(
        [program, *arguments], capture_output=True, text=True, check=True, timeout=20
    )
    return done.stdout.strip()


def test_a_peer_is_authenticated_and_its_authority_can_be_named(program, secure):
    port, certificate = secure("IP:127.0.0.1")
    url = f"https://127.0.0.1:{port}/"
    assert said(program, url) == "certificate"
    assert said(program, url, certificate) == "501"


def test_a_peer_of_another_name_is_refused_under_any_authority(program, secure):
    port, certificate = secure("DNS:other.example")
    assert said(program, f"https://127.0.0.1:{port}/", certificate) == "certificate"
