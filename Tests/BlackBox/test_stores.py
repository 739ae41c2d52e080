"""Several stores in one process (docs/EMBEDDING.md, programs/Rooms.swift)."""

import json
import os
import re
import resource
import signal
import subprocess

import pytest
from harness import (
    STOP_SECONDS_MAX,
    ConnectionEnded,
    Server,
    Stream,
    environment_with,
    until,
)
from programs import build_sample

STORES = {"default": "/", "chat": "/stores/chat", "scores": "/stores/scores"}


@pytest.fixture(scope="module")
def program():
    return build_sample("Rooms")


def add(server, base, count):
    return server.send(base + "/dispatch", {"type": "Added", "payload": {"count": count}})


def say(server, text, **options):
    return server.send(
        "/stores/chat/dispatch", {"type": "chat/said", "payload": {"_0": text}}, **options
    )


def rows(server):
    return {row["name"]: row for row in server.get("/stores").json["stores"]}


def threads(server):
    return len(os.listdir(f"/proc/{server.process.pid}/task"))


def test_each_store_has_a_state_versions_and_an_epoch_of_its_own(program, tmp_path):
    with Server(program=program, data=tmp_path / "data") as server:
        assert {name: row["path"] for name, row in rows(server).items()} == STORES
        assert all(row["ready"] for row in rows(server).values())
        for _ in range(3):
            assert add(server, "", 1).status == 200
        assert add(server, "/stores/scores", 7).json["version"] == 1
        assert say(server, "hello").json["version"] == 1
        assert server.get("/state").json == {"count": 3}
        assert server.get("/stores/scores/state").json == {"count": 7}
        assert server.get("/stores/chat/state/chat").json == {"lines": ["hello"]}
        tags = [server.get(f"{base}/state")["ETag"] for base in ("", "/stores/chat", "/stores/scores")]
        assert [tag.strip('"').split(":")[1] for tag in tags] == ["3", "1", "1"]
        assert len({tag.split(":")[0] for tag in tags}) == 3
        # Links of a page, an index and a description stay in the store.
        assert server.get("/stores/scores/actions").json["next"].startswith("/stores/scores/actions?")
        paths = {row["path"] for row in server.get("/stores/chat").json["routes"]}
        assert all(path.startswith("/stores/chat") for path in paths)
        described = set(server.get("/stores/chat/openapi.json").json["paths"])
        assert described == paths
        assert "/stores" in server.get("/openapi.json").json["paths"]
        # A store does not accept the actions of other stores.
        assert say(server, "x").status == 200
        server.send("/stores/scores/dispatch", {"type": "chat/said"}).problem("unknown-action", 422)
        before = [server.get(path).body for path in ("/state", "/stores/chat/state", "/stores/scores/state")]
        server.stop()
    with Server(program=program, data=tmp_path / "data") as server:
        after = [server.get(path).body for path in ("/state", "/stores/chat/state", "/stores/scores/state")]
        assert after == before


def test_streams_get_the_events_of_their_own_store(program):
    with Server(program=program) as server:
        with Stream(server) as first, Stream(server, "/stores/scores/events") as scores, Stream(
            server, "/stores/chat/actions/events"
        ) as chat:
            assert first.opened().event().json == {"count": 0}
            assert scores.opened().event().json == {"count": 0}
            assert chat.opened().event().name == "caught-up"
            assert add(server, "/stores/scores", 5).status == 200
            assert scores.event().json == {"count": 5}
            assert say(server, "ping", headers=[("Prefer", "wait=10")]).status == 200
            said = [chat.event().json["payload"]["_0"], chat.event().json["payload"]["_0"]]
            assert said == ["ping", "pong"]
            assert add(server, "", 1).status == 200
            assert first.event().json == {"count": 1}


def test_a_missing_resource_is_404_and_names_the_store(program):
    with Server(program=program) as server:
        for target in ("/stores/nobody/state", "/stores/", "/stores/chat/nothing", "/stores/CHAT/state"):
            server.get(target).problem("not-found", 404)
        assert server.get("/stores/chat/nothing").json["store"] == "chat"
        assert "store" not in server.get("/nothing").json
        assert server.get("/%73tores/ch%61t/state").status == 200
        refused = server.send("/stores/chat/dispatch", {"type": "Added"})
        assert refused.problem("unknown-action", 422)["store"] == "chat"
        assert server.send("/stores/chat/state", {}).problem("method-not-allowed", 405)["store"] == "chat"


def test_sessions_of_one_store_mean_nothing_in_another(program):
    with Server(program=program) as server:
        begun = server.request("POST", "/stores/chat/sessions", b"")
        assert begun.status == 201
        assert begun["Location"] == "/stores/chat/session"
        cookie = begun["Set-Cookie"]
        assert re.search(r"^store-session-chat=\S+; Path=/stores/chat; HttpOnly; ", cookie)
        shown = [("Cookie", cookie.split(";")[0])]
        assert say(server, "hello", headers=shown).status == 200
        record = server.get("/stores/chat/actions?type=chat/said").json["actions"][0]
        assert begun.json["session"] in record["origin"]
        # A cookie of the store at / is sent to all stores, and belongs to none of the others.
        stranger = [("Cookie", "store-session=" + "0" * 32)]
        assert say(server, "hello", headers=stranger).status == 200
        ended = server.request("DELETE", "/stores/chat/session", headers=shown)
        assert ended.status == 204
        say(server, "hello", headers=shown).problem("forbidden", 403)


def test_metrics_logs_and_analytics_name_the_store(program, tmp_path):
    lines = tmp_path / "analytics"
    with Server("--analytics", f"file:{lines}", "--log-actions", program=program) as server:
        add(server, "", 1)
        say(server, "hello")
        text = server.get("/metrics").body.decode()
        versions = dict(re.findall(r'^store_version\{store="([a-z]+)"\} (\d+)$', text, re.M))
        assert versions == {"default": "1", "chat": "1", "scores": "0"}
        assert len(re.findall("^# TYPE store_version ", text, re.M)) == 1
        assert re.search(r'^store_reduce_seconds_count\{store="chat",type="chat/said"\} 1$', text, re.M)
        assert re.search(r"^store_http_requests_total \d+$", text, re.M)
        own = server.get("/stores/chat/metrics").body.decode()
        assert re.findall(r"^store_version.*$", own, re.M) == ['store_version{store="chat"} 1']
        assert "store_http_requests_total" not in own
        server.await_log("chat: applied version=1")
        server.await_log(": applied version=1")
        server.stop()
    sources = [json.loads(line)["source"] for line in lines.read_text().splitlines()]
    assert sorted(sources) == ["/store-server", "/store-server/stores/chat"]


def test_a_failed_journal_stops_its_store_and_no_other(program, tmp_path):
    data = tmp_path / "data"
    with Server(program=program, data=data) as server, Stream(server) as stream:
        assert stream.opened().event().json == {"count": 0}
        assert add(server, "/stores/scores", 1).status == 200
        log = next((data / "stores" / "scores").glob("*-wal"))
        # In this process, a longer file cannot be written. The other logs are shorter by then.
        limit = log.stat().st_size + 100
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        with pytest.raises(ConnectionEnded):
            add(server, "/stores/scores", 5)
        resource.prlimit(
            server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        )
        problem = add(server, "/stores/scores", 6).problem("draining", 503)
        assert problem["store"] == "scores"
        server.get("/stores/scores/readyz").problem("draining", 503)
        reasons = server.get("/readyz", {"Accept": "application/json"}).json["reasons"]
        assert [(reason["store"], reason["code"]) for reason in reasons] == [
            ("scores", "journal-failed")
        ]
        ready = server.get("/readyz").problem("draining", 503)
        assert ready["stores"] == ["scores"]
        assert "The store 'scores' takes no requests: The journal has failed" in ready["detail"]
        assert [name for name, row in rows(server).items() if not row["ready"]] == ["scores"]
        assert server.get("/livez").status == server.get("/stores/scores/livez").status == 200
        assert server.get("/stores/scores/state").json == {"count": 1}
        # The other stores go on, and the process lives.
        assert add(server, "", 2).status == say(server, "hello").status == 200
        assert stream.event().json == {"count": 2}
        assert server.get("/stores/chat/readyz").status == 200
        server.await_log("scores: the journal failed")
        assert server.stop() == 0


def test_stuck_reducers_stop_their_stores_and_no_other(program):
    """The number of stuck stores exceeds the number of processors, so no thread of the pool is free."""
    stuck = min(len(os.sched_getaffinity(0)), 4) + 1
    server = Server(
        "--stuck-action",
        "1",
        "--shutdown-timeout",
        "3",
        program=program,
        environment={"ROOMS": str(stuck)},
    )
    names = [f"idle-{number}" for number in range(stuck)]
    try:
        for name in names:
            body = b'{"type":"Stuck"}'
            server.socket().sendall(
                b"POST /stores/%s/dispatch HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                % (name.encode(), len(body), body)
            )
        for name in names:
            until(lambda: server.get(f"/stores/{name}/livez").status == 503, f"{name} is stuck")
        assert add(server, "", 1).status == say(server, "hello").status == 200
        assert add(server, "/stores/scores", 2).json["version"] == 1
        assert set(server.get("/readyz").problem("draining", 503)["stores"]) == set(names)
        reasons = server.get("/readyz", {"Accept": "text/html, Application/JSON;q=0.9"}).json["reasons"]
        assert {(reason["store"], reason["code"]) for reason in reasons} == {
            (name, "action-stuck") for name in names
        }
        assert server.get("/livez").status == 200
        assert server.stop() == 75
        assert "without the accepted actions (idle-0)" in server.log_text
    finally:
        server.stop(signal.SIGKILL)


def test_a_store_that_cannot_be_prepared_is_unavailable(program):
    with Server(program=program, environment={"ROOMS": "broken"}) as server:
        problem = server.get("/stores/chat/state").problem("draining", 503)
        assert "the key is lost" in problem["detail"]
        assert problem["store"] == "chat"
        assert rows(server)["chat"]["ready"] is False
        assert server.get("/readyz").problem("draining", 503)["stores"] == ["chat"]
        assert add(server, "", 1).status == add(server, "/stores/scores", 1).status == 200


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ("same name", "two stores have the name 'chat'"),
        ("bad name", "the store name '../chat' is not allowed; allowed are "),
    ],
)
def test_names_that_cannot_be_used_keep_the_server_from_starting(program, wish, words):
    ended = subprocess.run(
        [program, "--ephemeral", "--listen", "127.0.0.1:0"],
        env=environment_with({"ROOMS": wish}),
        capture_output=True,
        text=True,
        timeout=STOP_SECONDS_MAX,
    )
    assert ended.returncode == 2
    assert words in ended.stderr


def test_commands_about_a_history_take_the_store(program, tmp_path):
    data = tmp_path / "data"
    with Server(program=program, data=data) as server:
        add(server, "", 1)
        say(server, "hello")
        server.stop()

    def command(*arguments):
        return subprocess.run(
            [program, *arguments, "--data", str(data)],
            capture_output=True,
            text=True,
            timeout=STOP_SECONDS_MAX,
        )

    assert '"type":"Added"' in command("export").stdout
    assert '"type":"chat/said"' in command("export", "--store", "chat").stdout
    assert "1 records" in command("verify", "--store", "chat").stdout
    copy = tmp_path / "copy"
    assert command("backup", str(copy), "--store", "chat").returncode == 0
    assert copy.exists()
    wrong = command("verify", "--store", "nobody")
    assert wrong.returncode == 2
    assert "there is no store 'nobody' beside the one at /; there are chat, scores" in wrong.stderr


def test_threads_do_not_grow_with_the_number_of_stores(program):
    counts = []
    for stores in ("0", "60"):
        with Server(program=program, environment={"ROOMS": stores}) as server:
            targets = ["", "/stores/scores"] + [f"/stores/idle-{n}" for n in range(int(stores))]
            with Stream(server, targets[-1] + "/events") as stream:
                stream.opened().event()
                for target in targets:
                    assert add(server, target, 1).status == 200
                assert stream.event().json == {"count": 1}
                counts.append(threads(server))
            assert server.stop() == 0
    assert counts[1] <= counts[0] + 2, counts
