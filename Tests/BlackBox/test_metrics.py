"""What the server tells Prometheus (protocol 7.2)."""

import json
import re

from harness import INCREASE, Stream, step

SAMPLE = re.compile(r'^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? ([0-9.e+-]+|\+Inf)$')


def samples(server, wire=None):
    """Every sample by its name and labels; the text is what the format allows, line by line."""
    answer = server.get("/metrics", wire=wire)
    assert answer["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    found, described = {}, set()
    for line in answer.body.decode().splitlines():
        if line.startswith("# "):
            kind, name = line.split(" ")[1:3]
            assert kind in ("HELP", "TYPE")
            described.add(name)
            continue
        match = SAMPLE.match(line)
        assert match, line
        base = re.sub("_(bucket|sum|count)$", "", match[1])
        assert base in described or match[1] in described, line
        key = line.rsplit(" ", 1)[0]
        assert key not in found, line
        found[key] = float(match[4])
    return found


def test_7_2_metrics_count_what_happens(fresh):
    before = samples(fresh)
    assert before["store_version"] == 0
    fresh.post([INCREASE] * 3)
    fresh.post(step(2))
    with Stream(fresh) as stream:
        stream.opened().event()
        after = samples(fresh)
        assert after["store_streams_open"] == 1
    assert after["store_version"] == 4
    assert after['store_reduce_seconds_count{type="CounterIncreaseRequested"}'] == 3
    assert after['store_reduce_seconds_bucket{type="StepChangeRequested",le="+Inf"}'] == 1
    assert after["http_requests_total"] > before["http_requests_total"]
    buckets = [
        value
        for name, value in after.items()
        if name.startswith('store_reduce_seconds_bucket{type="CounterIncreaseRequested"')
    ]
    assert buckets == sorted(buckets) and buckets[-1] == 3


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
    assert after['store_reduce_seconds_count{type="login/loading"}'] == 1
