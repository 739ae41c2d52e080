"""The metrics of the server for Prometheus (protocol 7.2)."""

import json
import re

import pytest
from access import ALL, House, reading, reload
from harness import INCREASE, Server, Stream, Wire, action, step, until

SAMPLE = re.compile(r'^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? ([0-9.e+-]+|\+Inf)$')


def samples(server, wire=None):
    """Returns every sample by its name and labels. Checks that each line has the right format."""
    answer = server.get("/metrics", wire=wire)
    assert answer["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    found, described = {}, {}
    for line in answer.body.decode().splitlines():
        if line.startswith("# "):
            kind, name, rest = line[2:].split(" ", 2)
            assert kind in ("HELP", "TYPE") and rest
            assert kind not in described.setdefault(name, []), line
            described[name].append(kind)
            continue
        match = SAMPLE.match(line)
        assert match, line
        base = re.sub("_(bucket|sum|count)$", "", match[1])
        assert described.get(base) or described.get(match[1]), line
        assert re.match("store_|process_", line), line
        key = line.rsplit(" ", 1)[0]
        assert key not in found, line
        found[key] = float(match[4])
    assert all(kinds == ["HELP", "TYPE"] for kinds in described.values())
    return found


def total(found, name, **labels):
    """Returns the sum of the samples of a name that have these labels."""
    wanted = [f'{key}="{value}"' for key, value in labels.items()]
    return sum(
        value
        for key, value in found.items()
        if key.partition("{")[0] == name and all(each in key for each in wanted)
    )


def test_7_2_metrics_count_actions_requests_and_streams(fresh):
    before = samples(fresh)
    assert before["store_version"] == 0
    fresh.post([INCREASE] * 3)
    fresh.post(step(2))
    with Stream(fresh) as stream:
        stream.opened().event()
        after = samples(fresh)
        assert after['store_streams_open{kind="state"}'] == 1
        assert after['store_stream_resumes_total{outcome="fresh"}'] == 1
    assert after["store_version"] == 4
    assert after[f'store_history_info{{epoch="{fresh.epoch}"}}'] == 1
    assert after['store_reduce_seconds_count{type="CounterIncreaseRequested"}'] == 3
    assert after['store_reduce_seconds_bucket{type="StepChangeRequested",le="+Inf"}'] == 1
    assert after["store_http_requests_total"] > before["store_http_requests_total"]
    buckets = [
        value
        for name, value in after.items()
        if name.startswith('store_reduce_seconds_bucket{type="CounterIncreaseRequested"')
    ]
    assert buckets == sorted(buckets) and buckets[-1] == 3
    # The bounds are 1, 2.5, 5, and so on: between two bounds a percentile is exact to a factor of 2.5.
    bounds = re.findall(r'store_commit_seconds_bucket\{le="([^"+]+)"\}', "\n".join(after))
    assert [float(each) for each in bounds[:4]] == [1e-6, 2.5e-6, 5e-6, 1e-5]
    assert float(bounds[-1]) == 10 and len(bounds) == 22
    assert after["store_batch_actions_sum"] == 4 and after["store_batch_actions_count"] == 2
    for phase in ("queue_wait", "commit", "publish"):
        assert after[f"store_{phase}_seconds_count"] == 2
        assert 0 < after[f"store_{phase}_seconds_sum"] < 10
    route = '{method="POST",route="/dispatch",status="2xx"}'
    assert after[f"store_http_request_seconds_count{route}"] == 2
    waited = after["store_queue_wait_seconds_sum"] + after["store_commit_seconds_sum"]
    assert after[f"store_http_request_seconds_sum{route}"] > waited


def test_7_2_each_action_has_one_outcome_and_refused_ones_are_not_reduced(fresh):
    def outcomes(type_):
        pattern = re.compile(rf'^store_actions_total\{{type="{re.escape(type_)}",outcome="(\w+)"\}}$')
        return {match[1]: value for key, value in samples(fresh).items() if (match := pattern.match(key))}

    assert fresh.post(step(2)).status == 200
    assert fresh.post(step(2)).json["changed"] is False
    # There is no such item, so the last member refuses the whole array.
    refused = fresh.post([step(3), step(4), action("DeleteItem", index=99)])
    assert refused.status == 409, refused
    assert fresh.post(step(9), query="?dry-run=true").status == 200
    assert fresh.post(step(9), {"If-Match": f'"{fresh.epoch}:0"'}).status == 412
    key = {"Idempotency-Key": '"once"'}
    assert fresh.post(step(5), key).status == 200
    assert fresh.post(step(5), key).status == 200
    assert fresh.post(step(6), key).status == 422
    assert outcomes("StepChangeRequested") == {
        "changed": 2,
        "unchanged": 1,
        "refused": 2,
        "dry_run": 1,
        "version_mismatch": 1,
        "replayed": 1,
        "key_taken": 1,
    }
    assert outcomes("DeleteItem") == {"refused": 1} and outcomes("AddItem") == {}
    found = samples(fresh)
    assert found['store_reduce_seconds_count{type="StepChangeRequested"}'] == 3
    assert total(found, "store_reduce_seconds_count", type="DeleteItem") == 0


def test_7_2_labels_are_bounded_whatever_clients_send(fresh):
    known = set(samples(fresh))
    for number in range(30):
        assert fresh.get(f"/nowhere/{number}").status == 404
        assert fresh.get(f"/state/todos/items/{number}").status in (200, 404)
        assert fresh.post(action(f"nothing/{number}/done")).status == 422
        fresh.request("PUT", f"/x{number}")
    found = samples(fresh)
    new = set(found) - known
    assert not [key for key in new if re.search(r"nowhere|nothing|items|/x\d", key)], new
    assert total(found, "store_http_request_seconds_count", route="none", status="4xx") == 60
    routes = {re.search('route="([^"]*)"', key)[1] for key in new if "route=" in key}
    assert routes == {"none", "/dispatch", "/state/{pointer}", "/metrics"}, routes


def test_7_2_the_end_of_a_stream_is_counted_once_with_its_reason(tmp_path):
    def closed(found):
        return {key: value for key, value in found.items() if key.startswith("store_streams_closed_total")}

    with Server("--stream-lifetime", "1") as server:
        with Stream(server) as leaves:
            leaves.opened().event()
        until(lambda: samples(server)['store_streams_closed_total{reason="peer"}'] == 1, "it has left")
        with Stream(server, "/actions/events") as log, Stream(server, "/modules/todos/events") as module:
            log.opened(), module.opened()
            open_ = samples(server)
            assert open_['store_streams_open{kind="actions"}'] == open_['store_streams_open{kind="module"}'] == 1
            until(lambda: samples(server)['store_streams_closed_total{reason="lifetime"}'] == 2, "their time is over")
        found = samples(server)
        assert sum(closed(found).values()) == 3 == total(found, "store_streams_opened_total")
        assert total(found, "store_streams_open") == 0
        assert found["store_stream_sent_bytes_total"] > 500


def test_7_2_a_bound_that_is_reached_is_counted():
    with Server("--streams-max", "1", "--body-max", "64", "--uri-max", "64") as server:
        with Stream(server) as stream:
            stream.opened()
            server.get("/events").problem("stream-limit", 503)
        server.post(b" " * 65).problem("too-large", 413)
        server.get("/" + "x" * 64).problem("uri-too-long", 414)
        found = samples(server)
        hits = {name: found[f'store_limits_hit_total{{limit="{name}"}}'] for name in ("streams", "body", "uri", "mailbox")}
        assert hits == {"streams": 1, "body": 1, "uri": 1, "mailbox": 0}
        # A request that the transport itself refuses has no route.
        assert total(found, "store_http_request_seconds_count", route="none", status="4xx") == 2


def test_7_2_a_denial_of_a_policy_is_counted_by_the_missing_grant(tmp_path):
    policy = tmp_path / "policy.json"
    grants = {"read": ["/counter"], "dispatch": ["CounterIncreaseRequested"], "use": ["metrics"]}
    policy.write_text(json.dumps({"roles": {"anonymous": grants}}))
    with Server("--policy", str(policy)) as server:
        assert server.post(INCREASE).status == 200 == server.get("/state").status
        assert server.post(step(2)).status in (401, 403, 404)
        assert server.get("/actions").status in (401, 403, 404)
        assert server.get("/modules/todos").status in (401, 403, 404)
        assert server.send("/usecases/login/login", {}).status in (401, 403, 404)
        assert server.get("/effects").status in (401, 403, 404)
        found = samples(server)
        denied = {name: found[f'store_policy_denials_total{{grant="{name}"}}'] for name in ("read", "dispatch", "call", "use")}
        assert denied == {"read": 2, "dispatch": 1, "call": 1, "use": 1}


def test_7_2_open_streams_are_counted_by_role_under_a_policy(tmp_path):
    house = House(tmp_path, {})
    reads = {"read": ["*"]}
    house.write({"operator": ALL, "reader": reads, "guest": reads, "anonymous": {}})
    ada, bob, eve = house.bearer("ada", "reader"), house.bearer("bob", "reader"), house.bearer("eve", "guest")

    def found():
        answer = server.get("/metrics", house.operator).body.decode()
        pattern = r'^store_streams_open\{kind="(\w+)",role="(\w*)"\} (\d+)$'
        assert len(re.findall(r"^store_streams_open\{", answer, re.M)) == len(re.findall(pattern, answer, re.M))
        return {(role, kind): int(count) for kind, role, count in re.findall(pattern, answer, re.M)}

    def some():
        return {place: count for place, count in found().items() if count}

    with house.server() as server:
        # Each role of the policy has a series of each kind from the start.
        roles, kinds = ({key[place] for key in found()} for place in (0, 1))
        assert roles == {"operator", "reader", "guest", "anonymous"} and len(found()) == len(roles) * len(kinds) == 28
        streams = reading(server, ada, "/events", "/actions/events") + reading(server, bob, "/events", "/modules/todos/events")
        streams += reading(server, eve, "/events")
        assert server.get("/events").status in (401, 404)
        wanted = {("reader", "state"): 2, ("reader", "actions"): 1, ("reader", "module"): 1, ("guest", "state"): 1}
        assert some() == wanted
        # A role that a new policy lacks stays in the metrics until its streams have ended.
        house.write({"operator": ALL, "reader": reads})
        reload(server)
        until(lambda: {role for role, _ in found()} == {"operator", "reader"}, "the guest's stream has ended")
        for stream in streams:
            stream.close()
        until(lambda: some() == {}, "all have ended")


def test_7_2_the_journal_on_disk_is_measured(tmp_path):
    flags = ["--snapshot-every", "5", "--retain-age", "3600"]
    with Server(*flags, data=tmp_path / "data") as server:
        for _ in range(3):
            server.post([INCREASE] * 5)
        until(lambda: samples(server)["store_snapshot_seconds_count"] >= 1, "a snapshot is kept")
        found = samples(server)
        assert found["store_journal_sync_seconds_count"] == 3 == found["store_commit_seconds_count"]
        assert 0 < found["store_journal_sync_seconds_sum"] <= found["store_commit_seconds_sum"]
        assert found['store_journal_file_bytes{file="database"}'] > 4_096
        assert found["store_journal_records"] == 15 and found["store_journal_oldest_version"] == 1
        assert found["store_journal_retention_seconds"] == 3600
        assert 5 <= found["store_snapshot_version"] <= 15
        assert found["store_journal_failed"] == found["store_snapshots_failed_total"] == 0


def test_7_2_the_process_is_measured(fresh):
    found = samples(fresh)
    assert found["process_open_fds"] == fresh.descriptors or abs(found["process_open_fds"] - fresh.descriptors) <= 1
    assert abs(found["process_resident_memory_bytes"] - fresh.resident_bytes) < 20 << 20
    assert found["process_max_fds"] >= 1_024 and found["process_threads"] > 5
    with open("/proc/uptime") as uptime, open("/proc/stat") as stat:
        now = int(re.search(r"^btime (\d+)$", stat.read(), re.M)[1]) + float(uptime.read().split()[0])
    assert now - 120 < found["process_start_time_seconds"] <= now + 1
    before = found["process_cpu_seconds_total"]
    with Wire(fresh) as wire:
        until(
            lambda: fresh.post([INCREASE] * 500, wire=wire) and samples(fresh)["process_cpu_seconds_total"] > before,
            "processor time is counted",
        )
    build = [key for key in found if key.startswith("store_build_info{")]
    assert len(build) == 1 and 'program="store-server"' in build[0]


@pytest.mark.parametrize(
    "accept, is_open",
    [
        ("application/openmetrics-text; version=1.0.0", True),
        ("application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.4,*/*;q=0.1", True),
        ("application/openmetrics-text;version=2.0.0", False),
        ("text/plain;version=0.0.4", False),
        ("*/*", False),
    ],
)
def test_7_2_openmetrics_is_a_matter_of_negotiation(server, accept, is_open):
    answer = server.get("/metrics", {"Accept": accept})
    assert answer.status == 200 and answer["vary"] == "Accept"
    assert answer.body.endswith(b"# EOF\n") is is_open
    kind = "application/openmetrics-text; version=1.0.0" if is_open else "text/plain; version=0.0.4"
    assert answer["content-type"] == kind + "; charset=utf-8"


def test_k14_effects_are_measured_by_module_and_action(fresh):
    credentials = {"userName": "demo", "password": "demo"}
    body = fresh.request(
        "POST",
        "/usecases/login/login",
        json.dumps(credentials).encode(),
        headers={"Content-Type": "application/json", "Prefer": "wait=5"},
    )
    assert body.status == 200
    after = samples(fresh)
    label = '{module="login",action="usecases/login/login"}'
    assert after[f"store_effect_seconds_count{label}"] == 1
    assert after["store_effects_running"] == after[f"store_effect_running{label}"] == 0
    assert after["store_effects_running_max"] >= after[f"store_effect_running_max{label}"] == 1
    assert after[f"store_effects_failed_total{label}"] == after[f"store_effects_retried_total{label}"] == 0
    assert after['store_reduce_seconds_count{type="login/loading"}'] == 1
    assert after['store_reduce_seconds_count{type="usecases/login/login"}'] == 1


def test_7_2_encoding_is_measured_by_module(fresh):
    """A slice is encoded whole: a large slice costs time that no other metric shows."""
    name = "store_encode_seconds"
    assert not [series for series in samples(fresh) if series.startswith(name)]
    for number in range(20):
        assert fresh.post(action("AddItem", text=f"{number}" + "x" * 100_000)).status == 200
    assert fresh.post(INCREASE).status == 200
    after = samples(fresh)
    assert after[f'{name}_count{{module="todos"}}'] == 20
    assert after[f'{name}_count{{module="counter"}}'] == 1
    each = after[f'{name}_sum{{module="todos"}}'] / 20
    assert each > after[f'{name}_sum{{module="counter"}}'] > 0
    assert f'{name}_count{{module="user"}}' not in after
