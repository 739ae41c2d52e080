"""A listener for operators (protocol 7.4)."""

import json
import socket
import threading

import pytest
from harness import INCREASE, AdminListener, Server, Stream, Wire, listens, run, until
from programs import build_sample

OPERATORS = ["/metrics", "/livez", "/readyz", "/debug/subscriptions", "/debug/middleware", "/analytics"]
CLIENTS = ["/", "/state", "/modules", "/schema", "/actions", "/events", "/effects"]
ALL = ["/openapi.json", "/problems/not-found"]
FLAGS = ["--debug-routes", "--analytics-recent", "10", "--operator-reads"]


@pytest.fixture(scope="module", params=["tcp", "unix"])
def both(request, tmp_path_factory):
    """A server, and its listener for operators."""
    path = tmp_path_factory.mktemp("admin") / "admin.sock"
    address = "127.0.0.1:0" if request.param == "tcp" else f"unix:{path}"
    with Server("--admin-listen", address, *FLAGS) as server:
        yield server, AdminListener(server)


def test_7_4_operators_and_clients_are_served_apart(both):
    server, admin = both
    for path in OPERATORS:
        assert admin.get(path).status == 200, path
        server.get(path).problem("not-found", 404)
        assert server.request("OPTIONS", path).status == 404
    for path in CLIENTS:
        assert server.request("HEAD" if path != "/events" else "OPTIONS", path).status in (200, 204), path
        admin.get(path).problem("not-found", 404)
    for path in ALL:
        assert server.get(path).status == admin.get(path).status == 200, path
    admin.post(INCREASE).problem("not-found", 404)
    admin.request("DELETE", "/debug/subscriptions/none").problem("not-found", 404)
    assert server.post(INCREASE).status == 200


def test_7_4_each_listener_describes_its_own_routes(both):
    server, admin = both
    mine, theirs = (set(each.get("/openapi.json").json["paths"]) for each in both)
    assert {"/metrics", "/debug/subscriptions"} <= theirs and "/dispatch" not in theirs
    assert {"/dispatch", "/state"} <= mine and not {"/metrics", "/livez", "/debug/subscriptions"} & mine
    listed = {route["path"] for route in server.get("/", {"Accept": "application/json"}).json["routes"]}
    assert listed == mine


def test_7_4_without_the_flag_a_single_listener_serves_all_routes():
    with Server(*FLAGS) as server:
        for path in OPERATORS + ALL + ["/state"]:
            assert server.get(path).status == 200, path
        assert "operators connect" not in server.log_text


def test_7_4_clients_take_no_place_of_an_operator():
    with Server("--admin-listen", "127.0.0.1:0", "--connections-max", "2") as server:
        admin = AdminListener(server)
        with Wire(server) as one, Wire(server) as two:
            assert server.get("/state", wire=one).status == server.get("/state", wire=two).status == 200
            server.get("/state").problem("overloaded", 503)
            assert admin.get("/readyz").status == 200
            # Conversely, connections of operators take no place of a client.
            held = [socket.create_connection((admin.host, admin.port)) for _ in range(64)]
            try:
                until(lambda: refused(admin), "operators have a bound of their own")
                assert server.get("/state", wire=one).status == 200
            finally:
                for each in held:
                    each.close()
        until(lambda: admin.get("/readyz").status == 200, "their places are free again")


def refused(admin):
    try:
        return admin.get("/readyz").status == 503
    except ConnectionError:
        return False


def test_7_4_the_admin_listener_lists_the_streams_of_all_clients():
    with Server("--admin-listen", "127.0.0.1:0", *FLAGS) as server:
        admin = AdminListener(server)
        with Stream(server) as stream:
            stream.opened().event()
            shown = admin.get("/debug/subscriptions").json["streams"]
            assert [each["topic"] for each in shown] == ["state"]


def test_7_4_a_stop_covers_both(tmp_path):
    path = tmp_path / "admin.sock"
    with Server("--admin-listen", f"unix:{path}") as server:
        admin = AdminListener(server)
        with Wire(admin) as idle, Stream(server) as stream:
            assert admin.get("/readyz", wire=idle).status == 200
            stream.opened().event()
            stopped = threading.Thread(target=server.stop)
            stopped.start()
            assert stream.event().name == "bye"
            stopped.join()
            assert idle.closed() and not path.exists()
    assert server.process.returncode == 0


def test_7_4_the_health_of_a_start_is_shown_to_operators_alone(tmp_path):
    address = f"unix:{tmp_path}/admin"
    with open(tmp_path / "log", "w") as log, Server(
        "--admin-listen",
        address,
        listen=f"unix:{tmp_path}/socket",
        stderr=log,
        program=build_sample("Clockwork"),
        environment={"CLOCKWORK_PREPARES": "2000"},
    ) as server:
        until(lambda: listens(f"{tmp_path}/admin"), "it listens for operators, too")
        admin = AdminListener(server, address)
        assert admin.get("/livez").status == 200
        admin.get("/readyz").problem("draining", 503)
        # These requests wait, like all requests, and the ready server answers them.
        server.get("/livez").problem("not-found", 404)
        assert admin.get("/metrics").status == admin.get("/readyz").status == 200


def test_10_1_an_address_beyond_loopback_needs_its_flag():
    result = run("--admin-listen", "0.0.0.0:0", "--ephemeral", "--check-config")
    assert result.returncode != 0 and "--admin-listen" in result.stderr and "--allow-anonymous" in result.stderr
    result = run("--admin-listen", "nowhere", "--ephemeral", "--check-config")
    assert result.returncode != 0 and "nowhere" in result.stderr


def test_7_4_an_address_that_is_taken_ends_the_start(tmp_path):
    with Server() as other:
        result = run("--listen", "127.0.0.1:0", "--admin-listen", f"127.0.0.1:{other.port}", "--ephemeral")
        assert result.returncode != 0 and str(other.port) in result.stderr, json.dumps(result.stderr)
