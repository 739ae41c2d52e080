"""The files for Prometheus and Grafana fit the metrics of the server: promtool (Debian's `prometheus`) checks the
metrics and the rules, and the server writes every metric that they name."""

import json
import re
import subprocess

import pytest
from harness import INCREASE, ROOT, AdminListener, Server, Stream, action, step, until
from prometheus_client import parser
from prometheus_client.openmetrics import parser as openmetrics
from programs import build_sample

ALERTS = ROOT / "deploy" / "prometheus" / "alerts.yml"
ALERT_TESTS = ROOT / "deploy" / "prometheus" / "alerts.test.yml"
DASHBOARD = ROOT / "deploy" / "grafana" / "store-server.json"
DOCUMENT = ROOT / "docs" / "METRICS.md"
NAME = re.compile(r"\b(?:store|process)_[a-z0-9_]+\b")
OPEN = {"Accept": "application/openmetrics-text; version=1.0.0"}
PARTS = re.compile("_(bucket|sum|count)$")


def promtool(*arguments, text=None):
    """Runs promtool, which prints nothing if it finds no fault."""
    return subprocess.run(["promtool", *arguments], input=text, capture_output=True, text=True, timeout=60)


def traffic(server):
    """Traffic of every kind: actions, refusals, effects, streams, limits."""
    server.post([INCREASE] * 20)
    server.post(step(2))
    server.post(action("DeleteItem", index=99))
    server.post(b"{")
    server.get("/nowhere")
    server.get("/state/counter")
    login = json.dumps({"userName": "demo", "password": "demo"}).encode()
    fields = {"Content-Type": "application/json", "Prefer": "wait=5"}
    assert server.request("POST", "/usecases/login/login", login, fields).status == 200
    targets = ["/events", "/events?path=/counter", "/modules/todos/events", "/actions/events"]
    for target in targets:
        with Stream(server, target) as stream:
            stream.opened()
            last = stream.event().id
        with Stream(server, target, last=last) as stream:
            stream.opened()


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The metrics of a server with a journal after mixed traffic, in both formats."""
    data = tmp_path_factory.mktemp("monitoring") / "data"
    flags = ["--admin-listen", "127.0.0.1:0", "--snapshot-every", "5", "--analytics", f"file:{data}.log"]
    # No process listens at the collector's address.
    flags += ["--rate-requests", "100000/60", "--otlp-endpoint", "http://127.0.0.1:9"]
    with Server(*flags, data=data) as server:
        admin = AdminListener(server)
        traffic(server)
        until(lambda: b"\nstore_snapshot_seconds_count 0\n" not in admin.get("/metrics").body, "a snapshot is kept")
        yield admin.get("/metrics").body.decode(), admin.get("/metrics", OPEN).body.decode()


def families(text):
    return set(re.findall(r"^# TYPE (\S+) ", text, re.M))


def test_7_2_promtool_finds_no_fault_in_the_metrics(written):
    result = promtool("check", "metrics", text=written[0])
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_16_4_promtool_finds_no_fault_in_the_metrics_of_several_stores():
    with Server(program=build_sample("Rooms")) as server:
        server.send("/stores/chat/dispatch", action("chat/said", text="hello"))
        text = server.get("/metrics").body.decode()
        result = promtool("check", "metrics", text=text)
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
        list(parser.text_string_to_metric_families(text))
        for name in families(text) - {each for each in families(text) if re.match("process_|store_(http|build|analytics|log)_", each)}:
            found = re.findall(rf"^{name}(?:_bucket|_sum|_count)?(\{{.*\}}|) ", text, re.M)
            process = [labels for labels in found if 'store="' not in labels]
            assert not process or name == "store_limits_hit_total", (name, process)


def test_7_2_a_strict_reader_takes_both_formats(written):
    plain = {family.name: family for family in parser.text_string_to_metric_families(written[0])}
    strict = {family.name: family for family in openmetrics.text_string_to_metric_families(written[1])}
    assert len(strict) == len(plain) > 50
    units = {name: family.unit for name, family in strict.items() if family.unit}
    assert units["store_commit_seconds"] == "seconds" and units["store_journal_file_bytes"] == "bytes"
    for name in strict:
        assert not re.search("_(ms|milliseconds|kb|percent)$", name)


def test_7_2_the_rules_are_right_and_each_alert_fires_in_its_case():
    assert promtool("check", "rules", str(ALERTS)).returncode == 0
    result = promtool("test", "rules", str(ALERT_TESTS))
    assert result.returncode == 0, result.stdout + result.stderr
    names = re.findall(r"- alert: (\w+)", ALERTS.read_text())
    tested = re.findall(r'alertname="(\w+)"', ALERT_TESTS.read_text())
    assert sorted(names) == sorted(tested) and len(names) >= 15
    text = DOCUMENT.read_text()
    assert [name for name in names if f"| `{name}` |" not in text] == []


@pytest.mark.parametrize("file", [ALERTS, ALERT_TESTS, DASHBOARD, DOCUMENT], ids=lambda file: file.name)
def test_7_2_every_metric_that_a_file_names_is_written(written, file):
    there = families(written[0])
    named = set(NAME.findall(file.read_text()))
    missing = {name for name in named if name not in there and PARTS.sub("", name) not in there}
    assert missing == set()
    assert len(named) > 15


def test_7_2_every_metric_that_is_written_is_documented(written):
    text = DOCUMENT.read_text()
    assert [name for name in sorted(families(written[0])) if f"`{name}`" not in text] == []
    labels = set(re.findall(r'[{,]([a-z]+)="', written[0])) - {"le"}
    assert [label for label in sorted(labels) if f"| `{label}` |" not in text] == []


def test_7_2_each_query_of_the_dashboard_is_valid(written, tmp_path):
    dashboard = json.loads(DASHBOARD.read_text())
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    assert len(queries) > 40
    rules = [
        {"record": f"checked:{number}", "expr": query.replace("$__rate_interval", "5m")}
        for number, query in enumerate(queries)
    ]
    file = tmp_path / "queries.json"
    # JSON is YAML.
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    result = promtool("check", "rules", str(file))
    assert result.returncode == 0, result.stdout + result.stderr
    ids = [panel["id"] for panel in dashboard["panels"]]
    assert len(ids) == len(set(ids))
