"""Traces that are exported by OTLP over HTTP (protocol 7.5), to a collector in the test."""

import json
import os
import pathlib
import re
import signal
import socket
import time

import pytest
from harness import INCREASE, Server, Stream, Wire, action, binary, run, until
from otlp import Collector, attributes, silent
from test_metrics import samples

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CALLER = "00f067aa0ba902b7"
SAMPLED = {"traceparent": f"00-{TRACE}-{CALLER}-01"}
UNSAMPLED = {"traceparent": f"00-{TRACE}-{CALLER}-00"}
DISPATCH = "dispatch CounterIncreaseRequested"


@pytest.fixture
def collector():
    with Collector() as running:
        yield running


def exporting(collector, *flags, **options):
    return Server("--otlp-endpoint", getattr(collector, "url", collector), *flags, **options)


def outcomes(server):
    found = samples(server)
    return {name: found[f'store_otlp_spans_total{{outcome="{name}"}}'] for name in ("exported", "dropped", "failed")}


def test_7_5_a_request_and_its_way_through_the_core_are_parts_of_the_callers_trace(collector):
    before = time.time_ns()
    with exporting(collector) as server:
        assert server.post([INCREASE, INCREASE], SAMPLED).status == 200
        assert server.post(INCREASE, SAMPLED).status == 200
        [first, second, third] = server.actions()
        epoch = server.epoch
        assert server.stop() == 0
    path, fields, body = collector.requests[0]
    assert path == "/v1/traces" and fields["content-type"] == "application/json"
    assert "traceparent" not in fields and fields["user-agent"].startswith("store-server/")
    [resource] = json.loads(body)["resourceSpans"]
    of = attributes(resource["resource"])
    assert of["service.name"] == "store-server" and of["service.version"] and of["telemetry.sdk.language"] == "swift"
    assert re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", of["service.instance.id"])
    [scope] = resource["scopeSpans"]
    assert scope["scope"]["name"] == "store-server"

    # A dispatch ends before its request.
    [array, of_array, one, of_one, *rest] = [span for span in collector.spans if span["traceId"] == TRACE]
    assert rest == []
    assert [of_array["name"], of_one["name"], array["name"], one["name"]] == ["POST /dispatch"] * 2 + ["dispatch", DISPATCH]
    for request, dispatch in ((of_array, array), (of_one, one)):
        assert request["kind"] == 2 and dispatch["kind"] == 1
        assert request["parentSpanId"] == CALLER and dispatch["parentSpanId"] == request["spanId"]
        # W3C's sampled bit; OTLP's bits for "it is known whether the parent is remote", and "it is".
        assert request["flags"] == 0x301 and dispatch["flags"] == 0x101
        assert before <= int(request["startTimeUnixNano"]) <= int(dispatch["startTimeUnixNano"])
        assert int(dispatch["endTimeUnixNano"]) <= int(request["endTimeUnixNano"]) <= time.time_ns()
        times = [int(event["timeUnixNano"]) for event in dispatch["events"]]
        assert times == sorted(times) and times[0] >= int(dispatch["startTimeUnixNano"])
        assert [event["name"] for event in dispatch["events"]] == ["reduce", "reduced", "commit", "durable", "published"]
        assert request["status"] == dispatch["status"] == {}
        # Consequences of the actions are a part of the dispatch.
    assert first["meta"] == second["meta"] == {"traceparent": f"00-{TRACE}-{array['spanId']}-01"}
    assert third["meta"] == {"traceparent": f"00-{TRACE}-{one['spanId']}-01"}
    assert attributes(array) == {
        "store.epoch": epoch, "store.actions": 2, "store.outcome": "changed",
        "store.version.first": 1, "store.version.last": 2,
    }
    assert attributes(one)["store.action.type"] == "CounterIncreaseRequested"
    found = attributes(of_one)
    assert re.fullmatch("[0-9a-v]{4}-[0-9a-v]{10}", found.pop("store.request.id"))
    assert found.pop("http.response.body.size") > 0
    assert found == {
        "http.request.method": "POST", "url.scheme": "http", "url.path": "/dispatch", "http.route": "/dispatch",
        "http.response.status_code": 200, "server.address": "127.0.0.1", "server.port": int(server.port),
        "client.address": "127.0.0.1",
    }
    assert len({span["spanId"] for span in collector.spans}) == len(collector.spans)


def test_7_5_actions_of_a_use_case_are_a_part_of_the_trace_of_its_request(collector):
    login = {"userName": "demo", "password": "demo"}
    with exporting(collector) as server:
        assert server.send("/usecases/login/login", login, {**SAMPLED, "Prefer": "wait=10"}).status == 200
        [asked, loading, *_] = server.actions()
        assert server.stop() == 0
    [request] = [span for span in collector.spans if span["name"] == "POST /usecases/login/login"]
    assert request["traceId"] == TRACE and request["parentSpanId"] == CALLER
    assert asked["type"] == "usecases/login/login" and loading["type"] == "login/loading"
    assert asked["meta"] == {"traceparent": f"00-{TRACE}-{request['spanId']}-01"}
    # Actions of the interactor are a part of its work, and of the request's trace.
    parents = {span["spanId"]: span.get("parentSpanId") for span in collector.spans}
    ancestors = [loading["meta"]["traceparent"].split("-")[2]]
    while ancestors[-1] in parents:
        ancestors.append(parents[ancestors[-1]])
    assert request["spanId"] in ancestors[1:], (ancestors, collector.spans)


def test_7_5_the_caller_decides_about_its_traces_and_the_ratio_about_new_ones(collector):
    with exporting(collector, "--otlp-sample", "0") as server:
        server.post(INCREASE)
        server.post(INCREASE, UNSAMPLED)
        server.post(INCREASE, {"traceparent": SAMPLED["traceparent"].upper()})
        server.post(INCREASE, SAMPLED)
        metas = [record.get("meta") for record in server.actions()]
        # A trace that is not exported is passed on unchanged.
        assert metas[:3] == [None, UNSAMPLED, None]
        assert server.stop() == 0
    assert {span["traceId"] for span in collector.spans} == {TRACE} and len(collector.spans) == 2


def test_7_5_of_new_traces_the_ratio_is_exported(collector):
    with exporting(collector, "--otlp-sample", "0.5") as server:
        with Wire(server) as wire:
            for _ in range(400):
                server.get("/livez", wire=wire)
        assert server.stop() == 0
    traces = {span["traceId"] for span in collector.spans}
    assert 120 < len(traces) == len(collector.spans) < 280
    assert all("parentSpanId" not in span and span["flags"] == 0x101 for span in collector.spans)


def test_7_5_consequences_of_an_action_are_a_part_of_its_trace(collector, cinema_program):
    with exporting(collector, program=cinema_program) as server:
        assert server.wait(action("MultiplyTwice", a=5, b=2)).json["value"] == 20
        server.wait(action("Fail", reason="a secret")).problem("effect-failed", 424)
        versions = {record["type"]: record["version"] for record in server.actions()}
        metas = [record["meta"]["traceparent"].split("-") for record in server.actions()]
        assert server.stop() == 0
    spans = {span["spanId"]: span for span in collector.spans}

    def way(span):
        """Returns the names of a span and of the spans around it, the outermost last."""
        names = [span["name"]]
        while "parentSpanId" in span:
            span = spans[span["parentSpanId"]]
            names.append(span["name"])
        return names

    outer = ["effect MultiplyTwice", "dispatch MultiplyTwice", "POST /dispatch"]
    inner = [way(span) for span in collector.spans if span["name"] == "effect Multiply"]
    assert inner == [["effect Multiply", "dispatch Multiply", *outer]] * 2
    # Each record names the span of its own dispatch.
    assert [spans[meta[2]]["name"] for meta in metas] == [
        "dispatch MultiplyTwice", "dispatch Multiply", "dispatch Multiply", "dispatch Fail"
    ]
    good, bad = collector.named("effect MultiplyTwice"), collector.named("effect Fail")
    assert good["status"] == {} and bad["status"] == {"code": 2}
    assert attributes(good)["store.outcome"] == "done"
    found = attributes(bad)
    assert found["store.outcome"] == "failed" and found["error.type"] == "Refusal"
    assert found["store.cause.version"] == versions["Fail"] and found["store.module"]
    assert "secret" not in collector.text


def test_7_5_an_effect_that_is_cancelled_is_no_error(collector, cinema_program):
    with exporting(collector, program=cinema_program) as server:
        server.post(action("search/start"))
        server.post(action("search/asked", text="x", ms=60_000))
        server.wait(action("search/givenUp"))
        until(lambda: samples(server)["store_effects_running"] == 0, "the effect has ended")
        assert server.stop() == 0
    span = collector.named("effect search/asked")
    assert attributes(span)["store.outcome"] == "cancelled" and span["status"] == {}


def test_7_5_only_a_fault_of_the_server_is_an_error(collector):
    with exporting(collector, "--streams-max", "0") as server:
        server.get("/events").problem("stream-limit", 503)
        server.get("/nowhere").problem("not-found", 404)
        server.request("BREW", "/state")
        server.post(action("DeleteItem", index=99)).problem("refused", 409)
        assert server.stop() == 0
    failed, lost = collector.named("GET /events"), collector.named("GET")
    assert failed["status"] == {"code": 2} and attributes(failed)["error.type"] == "503"
    assert lost["status"] == {} and attributes(lost)["http.response.status_code"] == 404
    assert "http.route" not in attributes(lost) and "error.type" not in attributes(lost)
    assert attributes(collector.named("HTTP"))["http.request.method"] == "_OTHER"
    refused = collector.named("dispatch DeleteItem")
    assert refused["status"] == {} and attributes(refused)["store.outcome"] == "refused"
    assert [event["name"] for event in refused["events"]] == ["reduce", "reduced"]


def test_7_5_the_span_of_a_stream_is_its_opening(collector):
    with exporting(collector) as server:
        with Stream(server) as stream:
            stream.opened().event()
            until(lambda: samples(server)["store_otlp_spans_waiting"] > 0, "its span waits")
            span = until(lambda: [each for each in collector.spans if each["name"] == "GET /events"], "its span")[0]
            assert attributes(span)["http.response.status_code"] == 200


def test_7_5_no_secret_and_no_payload_is_in_a_span(collector, tmp_path):
    headers = {
        **SAMPLED, "Authorization": "Bearer hush-1", "Cookie": "a=hush-2", "User-Agent": "hush-3", "X-Own": "hush-4",
        "tracestate": "a=hush-5", "Idempotency-Key": '"hush-6"',
    }
    with exporting(collector, "--forget-clients") as server:
        server.post({**action("ScreenShown", name="hush-7"), "meta": {"who": "hush-8"}}, headers)
        server.get("/state?path=/hush-9", headers)
        server.get("/actions?after=0&limit=1", headers)
        assert server.stop() == 0
    assert len(collector.spans) == 4 and "hush" not in collector.text and "limit" not in collector.text
    assert "client.address" not in collector.text


def test_7_5_the_access_log_names_the_trace_that_is_exported(collector):
    with exporting(collector, "--access-log", "--log-format", "json") as server:
        server.get("/state")
        assert server.stop() == 0
        lines = [json.loads(line) for line in server.log_text.splitlines()]
    [line] = [line for line in lines if line["event"] == "request.ended"]
    span = collector.named("GET /state")
    assert line["trace"] == span["traceId"] and line["request"] == attributes(span)["store.request.id"]


def test_7_5_the_headers_of_the_file_are_sent_and_sighup_reads_them_again(collector, tmp_path):
    file = tmp_path / "headers"
    file.write_text("# of the vendor\nAuthorization: Bearer first\nX-Scope-OrgID: 7\n")
    file.chmod(0o600)
    with exporting(collector, "--otlp-headers-file", str(file)) as server:
        server.get("/state")
        until(lambda: collector.requests, "a batch is sent")
        file.write_text("Authorization: Bearer second\n")
        server.process.send_signal(signal.SIGHUP)
        # If the new file can't be used, the old header fields stay.
        server.await_log("otlp: ")
        file.write_text("second\n")
        server.process.send_signal(signal.SIGHUP)
        server.await_log("otlp stays as it is: --otlp-headers-file: ")
        server.get("/state")
        assert server.stop() == 0
        assert "Bearer" not in server.log_text
    fields = [fields for _, fields, _ in collector.requests]
    assert (fields[0]["authorization"], fields[0]["x-scope-orgid"]) == ("Bearer first", "7")
    assert fields[-1]["authorization"] == "Bearer second" and "x-scope-orgid" not in fields[-1]


def test_7_5_a_batch_is_sent_again_to_a_collector_that_has_too_much_to_do():
    with Collector(503, 429, 200, fields={"Retry-After": "0"}) as collector, exporting(collector) as server:
        server.get("/state")
        until(lambda: outcomes(server)["exported"] >= 1, "it is exported")
        assert outcomes(server)["failed"] == 0
        bodies = [body for _, _, body in collector.requests]
        assert len(bodies) >= 3 and bodies[0] == bodies[1] == bodies[2]
        server.await_log("spans are exported again")
        assert "the collector answers 503" in server.log_text


@pytest.mark.parametrize("status", [400, 401, 500])
@pytest.mark.ci
def test_7_5_a_batch_that_is_refused_is_given_up_and_counted(status):
    with Collector(status) as collector, exporting(collector, "--log-format", "json") as server:
        server.get("/state")
        until(lambda: outcomes(server)["failed"] >= 1, "it is given up")
        assert len(collector.requests) == 1 and outcomes(server)["exported"] == 0
        server.await_log("traces.failed")
        [line] = [json.loads(each) for each in server.log_text.splitlines() if "traces.failed" in each]
        assert line["level"] == "warning" and f"the collector answers {status}" in line["message"]


def nowhere():
    """Returns a URL at which no process listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}"


def dispatching(server, count):
    """Returns the time of this number of dispatches in a row."""
    began = time.monotonic()
    with Wire(server) as wire:
        for _ in range(count):
            assert server.post(INCREASE, wire=wire).status == 200
    return time.monotonic() - began


@pytest.mark.parametrize("kind", ["silent", "dead"])
def test_7_5_a_collector_that_does_not_answer_holds_up_neither_dispatches_nor_the_stop(kind):
    with silent() as url, Server() as plain:
        with exporting(url if kind == "silent" else nowhere()) as server:
            # More spans than the queue takes, so that some are dropped
            alone, traced = dispatching(plain, 500), dispatching(server, 5_000) / 10
            assert traced < 3 * alone + 0.5
            found = outcomes(server)
            assert found["dropped"] > 0 and found["exported"] == 0
            assert samples(server)["store_otlp_spans_waiting"] <= 8_192
            began = time.monotonic()
            assert server.stop() == 0
            assert time.monotonic() - began < 4
            assert "traces.failed" in server.log_text or "spans are not exported" in server.log_text


def test_7_5_a_stop_exports_the_spans_that_wait(collector):
    with exporting(collector) as server:
        dispatching(server, 1_000)
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < 4
    assert len(collector.spans) == 2_000
    assert all(len(json.loads(body)["resourceSpans"][0]["scopeSpans"][0]["spans"]) <= 512 for *_, body in collector.requests)


def test_7_5_the_metrics_count_the_outcomes_of_spans(collector):
    with exporting(collector) as server:
        server.get("/state")
        until(lambda: outcomes(server)["exported"] >= 1, "it is exported")
        assert outcomes(server)["dropped"] == outcomes(server)["failed"] == 0


def test_7_5_without_the_option_there_are_no_threads_and_metrics_of_the_export():
    with Server() as server:
        server.post(INCREASE, SAMPLED)
        assert server.actions()[0]["meta"] == SAMPLED
        assert not [name for name in samples(server) if "otlp" in name]
        tasks = until(lambda: threads(server.pid), "its threads")
        assert "traces" not in tasks and "http-client" not in tasks


def test_7_5_libcurl_is_loaded_with_the_first_client_and_not_before(collector):
    def libraries(server):
        return {line.split("/")[-1] for line in pathlib.Path(f"/proc/{server.pid}/maps").read_text().split("\n")}

    def has_libcurl(server):
        return any(name.startswith("libcurl") for name in libraries(server))

    with Server() as server:
        assert server.post(INCREASE).status == 200
        assert server.get("/metrics").status == 200
        assert not has_libcurl(server), libraries(server)
    with exporting(collector) as server:
        assert has_libcurl(server)


@pytest.mark.skipif(os.geteuid() != 0, reason="hides libcurl by mounts of its own")
def test_7_5_without_libcurl_the_log_names_the_missing_package_and_the_store_serves(tmp_path):
    program = tmp_path / "without-libcurl"
    program.write_text(
        "#!/bin/sh\n"
        "exec unshare -m sh -c 'for file in /usr/lib/*/libcurl*.so*; do mount --bind /dev/null \"$file\"; done\n"
        f"exec \"{binary()}\" \"$@\"' sh \"$@\"\n"
    )
    program.chmod(0o755)
    flags = ["--otlp-endpoint", "http://127.0.0.1:9", "--otlp-sample", "1"]
    with Server(*flags, program=str(program)) as server:
        assert server.post(INCREASE).status == 200
        server.await_log("libcurl can't be loaded, which HTTP requests need")
        assert "Debian: libcurl4" in server.log_text


def threads(pid):
    return {path.read_text().strip() for path in pathlib.Path(f"/proc/{pid}/task").glob("*/comm")}


@pytest.mark.parametrize(
    "flags, complaint",
    [
        (["--otlp-endpoint", "collector:4318"], "--otlp-endpoint: 'collector:4318' is not allowed; allowed is an http or https URL"),
        (["--otlp-endpoint", "http://user:hush@collector"], "allowed is an http or https URL without user"),
        (["--otlp-endpoint", "http://collector?key=a"], "without user, query and fragment"),
        (["--otlp-sample", "2"], "--otlp-sample: '2' is not allowed; allowed is a number from 0 to 1"),
        (["--otlp-sample", "nan"], "allowed is a number from 0 to 1"),
        (["--otlp-service", ""], "--otlp-service: '' is not allowed"),
        (["--otlp-headers-file", "/nowhere"], "--otlp-headers-file: /nowhere: there is no such file"),
    ],
)
def test_7_5_an_option_that_can_not_be_used_is_refused_in_words(flags, complaint):
    result = run("--check-config", *flags)
    assert result.returncode == 2 and complaint in result.stderr, result.stderr


@pytest.mark.parametrize(
    "text, mode, complaint",
    [
        ("Authorization hush", 0o600, "line 1 is no header field; allowed is Name: value"),
        ("A: b\nContent-Type: hush", 0o600, "line 2: the server sets Content-Type by itself"),
        ("A: hush", 0o644, "it has a secret, and everyone may read it; run chmod o-rwx"),
    ],
)
def test_7_5_a_headers_file_that_can_not_be_used_is_refused_without_its_content(tmp_path, text, mode, complaint):
    file = tmp_path / "headers"
    file.write_text(text)
    file.chmod(mode)
    result = run("--check-config", "--otlp-endpoint", "http://127.0.0.1:4318", "--otlp-headers-file", str(file))
    assert result.returncode == 2 and complaint in result.stderr and "hush" not in result.stderr, result.stderr
    result = run("--ephemeral", "--otlp-endpoint", "http://127.0.0.1:4318", "--otlp-headers-file", str(file))
    assert result.returncode == 2 and complaint in result.stderr, result.stderr


def test_7_5_opentelemetrys_own_variables_are_defaults(collector):
    own = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_SERVICE_NAME": "shop"}
    with Server(environment=own) as server:
        server.get("/state")
        assert server.stop() == 0
    [(_, _, body)] = collector.requests
    assert attributes(json.loads(body)["resourceSpans"][0]["resource"])["service.name"] == "shop"

    def configured(*flags, **variables):
        return json.loads(run("--print-config", *flags, environment={**own, **variables}).stdout)

    assert configured()["otlp-endpoint"] == collector.url
    assert configured("--otlp-endpoint", "off")["otlp-endpoint"] == "off"
    assert configured(STORE_SERVER_OTLP_ENDPOINT="http://a")["otlp-endpoint"] == "http://a"
    assert configured(OTEL_EXPORTER_OTLP_PROTOCOL="grpc")["otlp-endpoint"] == "off"
    assert configured("--otlp-service", "b")["otlp-service"] == "b"
