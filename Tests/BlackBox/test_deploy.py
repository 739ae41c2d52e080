"""The files of deploy/. The program for each file accepts it, and the file fits the server and the image."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import kubernetes_validate
import pytest
import yaml
from harness import Server, Stream, binary, run, until

ROOT = pathlib.Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
DOCKERFILE = (ROOT / "docker/Dockerfile").read_text()
OPTIONS = set(json.loads(run("--print-config").stdout)) | {"policy", "state-file", "store"}
COMPOSE = sorted((DEPLOY / "compose").glob("*.yaml"))
COMPOSE = [path for path in COMPOSE if "services" in yaml.safe_load(path.read_text())]
MANIFESTS = list(yaml.safe_load_all((DEPLOY / "kubernetes/store.yaml").read_text()))

#: The greatest exposure that `systemd-analyze security` may report.
EXPOSURE_MAX = 2.0


def variables(text):
    """Returns the options whose variables a text names."""
    return {
        name.removesuffix("_FILE").lower().replace("_", "-")
        for name in re.findall(r"STORE_SERVER_([A-Z_]+)", text)
        if name != "X"
    }


@pytest.fixture(scope="module")
def unit(tmp_path_factory):
    """The service as installed, with the path of the program on this machine."""
    folder = tmp_path_factory.mktemp("systemd")
    for path in (DEPLOY / "systemd").iterdir():
        text = path.read_text().replace("/usr/local/bin/store-server", os.path.abspath(binary()))
        (folder / path.name).write_text(text)
    return folder


def test_systemd_takes_the_units(unit):
    if not shutil.which("systemd-analyze"):
        pytest.fail("systemd-analyze is not there: scripts/setup test")
    paths = [str(path) for path in sorted(unit.iterdir())]
    checked = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *paths], capture_output=True, text=True
    )
    assert (checked.returncode, checked.stderr) == (0, "")


def test_the_exposure_of_the_service_has_a_bound(unit):
    rated = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", str(unit / "store-server.service")],
        capture_output=True, text=True,
    )
    exposure = float(re.search(r"exposure level for store-server\.service: (\S+)", rated.stdout)[1])
    assert exposure <= EXPOSURE_MAX, rated.stdout


def setting(name, text):
    return re.findall(rf"^{name}=(.*)$", text, re.M)


def test_the_times_of_the_service_fit_the_server():
    text = (DEPLOY / "systemd/store-server.service").read_text()
    config = json.loads(run("--print-config").stdout)
    assert int(setting("TimeoutStopSec", text)[0]) > int(config["shutdown-timeout"])
    assert int(setting("WatchdogSec", text)[0]) > int(config["stuck-action"])
    assert int(setting("LimitNOFILE", text)[0]) >= int(config["streams-max"]) + int(
        config["connections-max"]
    )
    assert setting("Type", text) == ["notify"]


def test_the_service_may_make_every_system_call_that_the_server_makes(tmp_path):
    """The system calls of a server from its start to its end, with a journal, streams and a reload."""
    text = (DEPLOY / "systemd/store-server.service").read_text()
    shown = subprocess.run(["systemd-analyze", "syscall-filter"], capture_output=True, text=True).stdout
    sets, name = {}, None
    for line in shown.splitlines():
        if line.startswith("@"):
            name = line.strip()
            sets[name] = set()
        elif name and line.startswith("    ") and not line.strip().startswith("#"):
            sets[name].add(line.strip())

    def calls(word):
        if not word.startswith("@"):
            return {word}
        return set().union(*(calls(each) for each in sets[word]))

    allowed = calls("@default")
    for line in setting("SystemCallFilter", text):
        named = set().union(*(calls(word) for word in line.removeprefix("~").split()))
        allowed = allowed - named if line.startswith("~") else allowed | named
    trace = tmp_path / "trace"
    server = subprocess.Popen(
        ["strace", "-f", "-qq", "-o", str(trace), binary(), "--data", str(tmp_path / "data"),
         "--listen", f"unix:{tmp_path}/socket", "--analytics", f"file:{tmp_path}/analytics"],
        stderr=subprocess.PIPE, text=True,
    )
    try:
        until(lambda: "listening" in server.stderr.readline(), "it listens", 60)
        curl = ["curl", "-s", "--max-time", "1", "--unix-socket", f"{tmp_path}/socket", "-H", "Content-Type: application/json"]
        for arguments in (["-d", '{"type":"CounterIncreaseRequested"}', "http://localhost/dispatch"], ["http://localhost/events"], ["http://localhost/metrics"]):
            assert subprocess.run([*curl, *arguments], capture_output=True).stdout
        child = int(re.match(r"\d+", trace.read_text())[0])
        os.kill(child, 1)
        subprocess.run([*curl, "http://localhost/readyz"], capture_output=True)
        os.kill(child, 15)
        assert server.wait(30) == 0
    finally:
        server.kill()
        server.stderr.close()
    made = set(re.findall(r"^\d+ +(?:<\.\.\. )?([a-z0-9_]+)(?:\(| resumed)", trace.read_text(), re.M))
    assert len(made) > 30 and "epoll_wait" in made
    # SQLite calls this only as root, and the service does not run as root.
    assert made - allowed - {"fchown"} == set()


def assert_verifies(command, environment):
    """Checks that the command is accepted, and succeeds without a history."""
    where = tempfile.mkdtemp()
    words = [where if word == "/data" else word for word in command]
    given = {name: where if value == "/data" else value for name, value in environment.items()}
    assert words[:2] == ["verify", "--if-new"]
    ended = run(*words, environment=given)
    assert (ended.returncode, ended.stdout) == (0, f"there is no history in {where} yet\n")


def test_the_service_verifies_the_history_that_a_new_program_takes_over():
    text = (DEPLOY / "systemd/store-server.service").read_text()
    [before], [after] = setting("ExecStartPre", text), setting("ExecStart", text)
    program = after.split()[0]
    assert before.startswith(f"{program} verify --if-new --data ${{STATE_DIRECTORY}}")
    assert_verifies(before.replace("${STATE_DIRECTORY}", "/data").split()[1:], {})


@pytest.mark.parametrize("path", COMPOSE, ids=lambda path: path.name)
def test_compose_files_fit_the_image(path):
    text = path.read_text()
    project = yaml.safe_load(text)
    services, volumes = project["services"], project.get("volumes", {})
    # A comment names an example of a program's own option.
    assert variables(text) <= OPTIONS | {"signing-key"}
    store = services["store"]
    for word in store["command"]:
        if word.startswith("--"):
            assert word[2:].split("=")[0] in OPTIONS
    if path.name == "own.yaml":
        # The image of another program has to be built first, by scripts/image.
        assert store["image"].startswith("${STORE_IMAGE:?") and "build" not in store
    else:
        assert store["image"] == "store-server:latest"
        assert (path.parent / store["build"]["context"] / store["build"]["dockerfile"]).is_file()
    assert services["verify"]["image"] == store["image"]
    assert "EXPOSE 8080" in DOCKERFILE and "VOLUME /data" in DOCKERFILE
    for name, service in services.items():
        image, _, tag = service["image"].partition(":")
        assert image and tag and (tag != "latest" or image == "store-server"), name
        if name == "verify":
            continue
        assert service["healthcheck"]["test"][0] == "CMD"
        assert service["restart"] == "unless-stopped"
        for volume in service["volumes"]:
            source, target = volume.split(":")[:2]
            assert target.startswith("/")
            if source.startswith("."):
                assert (path.parent / source).exists(), volume
            else:
                assert source in volumes, volume
        for port in service.get("ports", []):
            # Other machines reach only the proxy.
            assert name == "caddy" or port.startswith("127.0.0.1:"), (name, port)
        for other in service.get("depends_on", {}):
            assert other in services
        for network in service.get("networks", []):
            assert network in project["networks"]
    assert any(volume.endswith(":/data") for volume in store["volumes"])
    # A new program verifies the history before it serves the history.
    assert store["depends_on"]["verify"] == {"condition": "service_completed_successfully"}
    assert services["verify"]["volumes"] == store["volumes"]
    assert services["verify"]["restart"] == "no"
    assert_verifies(services["verify"]["command"], {})
    grace = int(store["stop_grace_period"].removesuffix("s"))
    assert grace > int(json.loads(run("--print-config").stdout)["shutdown-timeout"])


def test_the_store_behind_a_proxy_is_reached_inside_alone():
    project = yaml.safe_load((DEPLOY / "compose/proxied.yaml").read_text())
    assert "ports" not in project["services"]["store"]
    assert project["services"]["store"]["networks"] == ["inside"]
    inside = project["networks"]["inside"]
    assert inside["internal"] is True
    [subnet] = [each["subnet"] for each in inside["ipam"]["config"]]
    assert f"--trusted-proxy={subnet}" in project["services"]["store"]["command"]
    configured = yaml.safe_load((DEPLOY / "compose/prometheus.yml").read_text())
    scraped = configured["scrape_configs"]
    # The alerts that are mounted beside it are about the job of this name.
    assert configured["rule_files"] == ["alerts.yml"]
    alerts = (DEPLOY / "prometheus/alerts.yml").read_text()
    assert f'job="{scraped[0]["job_name"]}"' in alerts
    assert scraped[0]["static_configs"][0]["targets"] == ["store:8080"]
    # The names that Caddy's checks and Prometheus use.
    assert "--allowed-host=store" in project["services"]["store"]["command"]


def test_caddy_takes_its_file():
    """Caddy checks the file if Caddy is installed. Otherwise the test checks only the braces."""
    path = DEPLOY / "compose/Caddyfile"
    text = path.read_text()
    assert text.count("{") == text.count("}") and "\tflush_interval" not in text
    if not shutil.which("caddy"):
        return
    given = {
        "STORE_DOMAIN": "store.example", "STORE_USER": "ada",
        "STORE_PASSWORD_HASH": "$2a$14$Zkx19XLiW6VYouLHR5NmfOFU0z2GTNmpkT/5qqR7hx4IjWJPDhjvG",
    }
    adapted = subprocess.run(
        ["caddy", "adapt", "--config", str(path), "--adapter", "caddyfile"],
        env={**os.environ, **given}, capture_output=True, text=True,
    )
    assert adapted.returncode == 0, adapted.stderr
    assert '"flush_interval"' not in adapted.stdout and "store:8080" in adapted.stdout


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda manifest: manifest["kind"])
def test_the_manifests_fit_the_schemas_of_kubernetes(manifest):
    kubernetes_validate.validate(manifest, "1.34", strict=True)


def test_the_pod_fits_the_server():
    kinds = {}
    for manifest in MANIFESTS:
        kinds.setdefault(manifest["kind"], []).append(manifest)
    [stateful] = kinds["StatefulSet"]
    assert stateful["spec"]["replicas"] == 1
    template = stateful["spec"]["template"]
    pod = template["spec"]
    [container] = pod["containers"]
    labels = template["metadata"]["labels"]
    assert stateful["spec"]["selector"]["matchLabels"].items() <= labels.items()
    services = {service["metadata"]["name"]: service["spec"] for service in kinds["Service"]}
    assert stateful["spec"]["serviceName"] in services
    for service in services.values():
        assert service["selector"].items() <= labels.items()
        assert service["ports"][0]["targetPort"] == container["ports"][0]["name"]
    assert kinds["NetworkPolicy"][0]["spec"]["podSelector"]["matchLabels"].items() <= labels.items()

    [verify] = pod["initContainers"]
    assert verify["image"] == container["image"] and verify["envFrom"] == container["envFrom"]
    assert verify["volumeMounts"] == container["volumeMounts"]
    assert_verifies(verify["args"], kinds["ConfigMap"][0]["data"])

    # The text of the ConfigMap is a configuration that the server accepts.
    [configured] = kinds["ConfigMap"]
    assert container["envFrom"] == [{"configMapRef": {"name": configured["metadata"]["name"]}}]
    assert run("--check-config", environment=configured["data"]).returncode == 0
    assert variables(json.dumps(configured["data"])) <= OPTIONS
    assert configured["data"]["STORE_SERVER_LISTEN"].endswith(f":{container['ports'][0]['containerPort']}")

    config = json.loads(run("--print-config", environment=configured["data"]).stdout)
    pause = container["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert pod["terminationGracePeriodSeconds"] > pause + int(config["shutdown-timeout"])
    liveness = container["livenessProbe"]
    assert liveness["periodSeconds"] * liveness["failureThreshold"] > int(config["stuck-action"])
    user = re.search(r"^USER (\d+):(\d+)$", DOCKERFILE, re.M)
    context = pod["securityContext"]
    assert (str(context["runAsUser"]), str(context["fsGroup"])) == user.groups()
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    claims = {claim["metadata"]["name"] for claim in stateful["spec"]["volumeClaimTemplates"]}
    assert mounts["data"] == config["data"] and "data" in claims


def test_probes_are_answered_as_the_kubelet_asks():
    """Requests by the pod's address, with the header fields of the manifest. Without them the answer is 421."""
    [stateful] = [manifest for manifest in MANIFESTS if manifest["kind"] == "StatefulSet"]
    [container] = stateful["spec"]["template"]["spec"]["containers"]
    with Server("--allow-anonymous", listen="0.0.0.0:0") as server:
        for name in ("livenessProbe", "readinessProbe"):
            probe = container[name]["httpGet"]
            headers = {field["name"]: field["value"] for field in probe["httpHeaders"]}
            assert server.get(probe["path"], {"Host": "10.1.2.3:8080"}).status == 421
            assert server.get(probe["path"], headers).status == 200
