"""store-server token, and the options for keys and issuers (decision 0021)."""

import base64
import datetime
import fcntl
import hashlib
import hmac
import json
import os
import re
import signal
import stat
import subprocess
import time

import pytest
import tour
from harness import ROOT, Server, binary, environment_with, run, until

ISSUER = "https://issuer.example"
KEY = re.compile(r"ssk_[a-z2-7]{12}_[A-Za-z0-9_-]{49}")


@pytest.fixture
def keys(tmp_path):
    return tmp_path / "keys.json"


@pytest.fixture
def policy(tmp_path):
    """The options for a policy, without which the server accepts no credential."""
    file = tmp_path / "policy.json"
    everything = {"read": ["*"], "dispatch": ["*"], "call": ["*"], "use": ["*"]}
    file.write_text(json.dumps({"roles": {"operator": everything, "author": {"read": ["/counter"]}}}))
    file.chmod(0o600)
    return ["--policy", str(file)]


def token(*words, status=0, environment=None):
    ended = run("token", *map(str, words), environment=environment)
    assert ended.returncode == status, ended
    return ended.stdout if status == 0 else ended.stderr


def create(keys, *words, principal="deploy", role="operator"):
    return token("create", "--keys", keys, "--principal", principal, "--role", role, *words).strip()


def check(value, *words, status=0):
    """Checks a token from standard input."""
    ended = subprocess.run(
        [binary(), "token", "check", "-", *map(str, words)],
        input=value + "\n",
        env=environment_with(),
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert ended.returncode == status, ended
    return ended.stdout if status == 0 else ended.stderr


def rows(keys):
    head, *lines = token("list", "--keys", keys).splitlines()
    assert head.split("\t") == ["id", "principal", "role", "created", "expires"]
    return [line.split("\t") for line in lines]


# API keys


def test_a_key_is_printed_once_and_its_digest_kept(keys):
    key = create(keys)
    assert KEY.fullmatch(key)
    text = keys.read_text()
    assert key[17:40] not in text
    [kept] = json.loads(text)["keys"]
    assert kept["digest"] == hashlib.sha256(key.encode()).hexdigest()
    assert kept["id"] == key[4:16] and "expires" not in kept
    assert stat.S_IMODE(keys.stat().st_mode) == 0o600
    assert check(key, "--keys", keys) == (
        f"valid\ncredential: key:{key[4:16]}\nprincipal: deploy\nrole: operator\nexpires: never\n"
    )
    assert token("check", key, "--keys", keys).startswith("valid\n")


def test_keys_are_listed_and_revoked_by_their_ids(keys):
    ada, eve = create(keys, principal="ada"), create(keys, principal="eve u", role="reader")
    assert [row[:3] for row in rows(keys)] == [
        [ada[4:16], "ada", "operator"],
        [eve[4:16], "eve u", "reader"],
    ]
    said = token("revoke", ada[4:16], "--keys", keys)
    assert said.startswith(f"revoked {ada[4:16]} of ada;")
    assert [row[1] for row in rows(keys)] == ["eve u"]
    refused = check(ada, "--keys", keys, status=1)
    assert f"not valid: there is no API key '{ada[4:16]}'" in refused and ada not in refused
    assert check(eve, "--keys", keys)
    assert "there is no key" in token("revoke", ada[4:16], "--keys", keys, status=1)


def test_keys_may_end(keys):
    create(keys, "--expires", "90d")
    create(keys, "--expires", "2099-01-31T00:00:00Z")
    (_, _, _, created, span), (*_, moment) = rows(keys)
    form = "%Y-%m-%dT%H:%M:%SZ"
    lasts = datetime.datetime.strptime(span, form) - datetime.datetime.strptime(created, form)
    assert lasts == datetime.timedelta(days=90) and moment == "2099-01-31T00:00:00Z"
    for wrong in ["0d", "-1d", "1w", "d", "", "2001-01-31T00:00:00Z", "2999-01-01T00:00:00Z", "1e3d"]:
        words = ("--keys", keys, "--principal", "a", "--role", "b", f"--expires={wrong}")
        assert "allowed is" in token("create", *words, status=2)
    assert len(rows(keys)) == 2
    # A key whose end has passed
    ended = create(keys, "--expires", "30m")
    document = json.loads(keys.read_text())
    document["keys"][2]["expires"] = "2001-01-01T00:00:01Z"
    keys.write_text(json.dumps(document))
    assert rows(keys)[2][4] == "2001-01-01T00:00:01Z (expired)"
    assert "has expired" in check(ended, "--keys", keys, status=1)


def test_a_mistyped_key_is_reported_as_such(keys):
    key = create(keys)
    for place in (5, 20, 60, 65):
        typed = key[:place] + ("b" if key[place] == "a" else "a") + key[place + 1 :]
        assert "checksum is wrong" in check(typed, "--keys", keys, status=1)
    assert "neither an API key nor a JWT" in check(key[:-1], "--keys", keys, status=1)
    assert "it is empty" in check("", "--keys", keys, status=1)


def test_many_commands_at_once_lose_no_key(keys):
    words = [binary(), "token", "create", "--keys", str(keys), "--role", "r", "--principal"]
    running = [
        subprocess.Popen([*words, f"p{n}"], env=environment_with(), stdout=subprocess.PIPE)
        for n in range(10)
    ]
    made = {process.communicate(timeout=30)[0].decode().strip()[4:16] for process in running}
    assert {row[0] for row in rows(keys)} == made and len(made) == 10


def test_a_command_waits_for_the_one_before_it(keys):
    create(keys)
    folder = os.open(keys.parent, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_SH)
    words = ["token", "create", "--keys", str(keys), "--role", "r", "--principal", "p"]
    running = subprocess.Popen([binary(), *words], env=environment_with(), stdout=subprocess.PIPE)

    def is_waiting():
        # `3: -> FLOCK  ADVISORY  WRITE <pid> …` is a lock that waits.
        lines = [line.split() for line in open("/proc/locks")]
        return any(line[1] == "->" and str(running.pid) in line for line in lines)

    until(is_waiting, "the command waits for the lock")
    assert len(rows(keys)) == 1
    os.close(folder)
    assert running.wait(timeout=20) == 0 and len(rows(keys)) == 2


def test_a_command_that_lacks_an_argument_shows_its_form(keys):
    usage = "usage: token create --principal NAME --role ROLE [--expires WHEN] [--keys FILE]"
    assert usage in token("create", "--keys", keys, "--principal", "a", status=2)
    assert usage in token("create", "more", "--keys", keys, status=2)
    assert "usage: token revoke ID" in token("revoke", "--keys", keys, status=2)
    assert "usage: token list" in token("list", "--role", "a", status=2)
    assert "token: the commands are create, list, revoke, check" in token("make", status=2)
    assert "token: the commands are" in token(status=2)
    assert "no keys file is given" in token("list", status=2)
    assert "check needs --keys" in check("ssk_", status=2)
    ended = run("--keys", "a")
    assert ended.returncode == 2 and "--keys is allowed only with token" in ended.stderr
    twice = ("--keys", keys, "--principal", "a", "--principal", "b", "--role", "c")
    assert "--principal is given twice" in token("create", *twice, status=2)
    anonymous = ("--keys", keys, "--principal", "anonymous", "--role", "c")
    assert "and not the name 'anonymous'" in token("create", *anonymous, status=1)
    assert not keys.exists()
    assert "token check TOKEN" in run("--help").stdout


def test_the_configuration_names_the_file_of_the_keys(keys, tmp_path):
    variables = {"STORE_SERVER_AUTH_KEYS": str(keys)}
    made = token("create", "--principal", "a", "--role", "b", environment=variables)
    assert made.strip()[4:16] in token("list", environment=variables)
    file = tmp_path / "config.json"
    file.write_text(json.dumps({"auth-keys": str(keys)}))
    assert made.strip()[4:16] in token("list", "--config", file)


def test_a_file_that_others_may_write_is_refused(keys, policy):
    key = create(keys)
    keys.chmod(0o666)
    for words in (("list",), ("create", "--principal", "a", "--role", "b"), ("revoke", key[4:16])):
        assert "users other than its owner may write it" in token(*words, "--keys", keys, status=1)
    ended = run("--auth-keys", str(keys), *policy, "--check-config")
    assert ended.returncode == 2 and f"{keys}: users other than its owner may write it" in ended.stderr


def test_a_keys_file_keeps_its_owner(keys):
    # Only root may change the owner of a file.
    owner = (12345, 12345) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
    create(keys)
    os.chown(keys, *owner)
    create(keys)
    assert (keys.stat().st_uid, keys.stat().st_gid) == owner
    assert len(rows(keys)) == 2


def written(keys, count, name="n" * 240):
    """Writes a file with `count` keys, in the form of the command. Returns their ids."""
    letters = "abcdefghijklmnopqrstuvwxyz234567"
    ids = ["".join(letters[n >> 5 * place & 31] for place in range(12)) for n in range(count)]
    time_ = "2026-01-31T00:00:00Z"
    document = [
        {"id": id, "principal": f"{name}{n}", "role": "operator", "digest": f"{n:064x}", "created": time_}
        for n, id in enumerate(ids)
    ]
    keys.write_text(json.dumps({"keys": document}))
    keys.chmod(0o600)
    return ids


def test_ten_thousand_keys_are_made_listed_revoked_and_taken(keys, policy, tmp_path):
    ids = written(keys, 9_999)
    last = create(keys, principal="last")
    assert keys.stat().st_size > 3 << 20 and len(rows(keys)) == 10_000
    before = keys.read_bytes()
    refused = token("create", "--keys", keys, "--principal", "a", "--role", "b", status=1)
    assert f"{keys}: it has 10000 keys; at most 10000 are allowed. 'token revoke' removes one" in refused
    assert keys.read_bytes() == before
    with Server("--auth-keys", str(keys), *policy, data=tmp_path / "data") as server:
        assert server.get("/state", bearer(last)).status == 200
        token("revoke", last[4:16], "--keys", keys)
        os.kill(server.process.pid, signal.SIGHUP)
        server.await_log("are read again")
        assert server.get("/state", bearer(last)).status == 401
    assert len(rows(keys)) == 9_999 and rows(keys)[-1][0] == ids[-1]


def test_keys_can_be_taken_out_of_a_file_that_has_too_many(keys, policy):
    ids = written(keys, 10_001, "n")
    ended = run("--auth-keys", str(keys), *policy, "--check-config")
    said = f"{keys}: it has 10001 keys; at most 10000 are allowed. 'token list' shows them, and 'token revoke'"
    assert ended.returncode == 2 and said in ended.stderr
    assert len(rows(keys)) == 10_001
    token("revoke", ids[7], "--keys", keys)
    assert run("--auth-keys", str(keys), *policy, "--check-config").returncode == 0


# JWTs, made by openssl


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def openssl(*words, data=None):
    ended = subprocess.run(["openssl", *map(str, words)], input=data, capture_output=True, timeout=60)
    assert ended.returncode == 0, ended
    return ended.stdout


def raw(der):
    """r and s of a signature in DER, 32 bytes each."""
    numbers, rest = [], der[2:]
    for _ in range(2):
        length = rest[1]
        numbers.append(int.from_bytes(rest[2 : 2 + length], "big").to_bytes(32, "big"))
        rest = rest[2 + length :]
    return b"".join(numbers)


class Issuer:
    """A key of openssl, and the options with which the server accepts its tokens."""

    KINDS = {
        "RS256": ("-algorithm", "rsa", "-pkeyopt", "rsa_keygen_bits:2048"),
        "ES256": ("-algorithm", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
        "EdDSA": ("-algorithm", "ed25519"),
    }

    def __init__(self, folder, algorithm, name="issuer"):
        self.algorithm, self.folder = algorithm, folder
        self.key, self.public = folder / f"{name}.key", folder / f"{name}.pem"
        openssl("genpkey", *self.KINDS[algorithm], "-out", self.key)
        openssl("pkey", "-in", self.key, "-pubout", "-out", self.public)
        self.options = self.options_for(self.public)

    @staticmethod
    def options_for(*files):
        words = [word for file in files for word in ("--jwt-keys", file)]
        return [*words, "--jwt-issuer", ISSUER, "--jwt-audience", "store"]

    def sign(self, text):
        if self.algorithm == "EdDSA":
            file = self.folder / "text"
            file.write_bytes(text)
            return openssl("pkeyutl", "-sign", "-rawin", "-inkey", self.key, "-in", file)
        signature = openssl("dgst", "-sha256", "-sign", self.key, data=text)
        return raw(signature) if self.algorithm == "ES256" else signature

    def token(self, header=None, **changes):
        claims = {"iss": ISSUER, "aud": "store", "sub": "ada", "role": "author", "exp": time.time() + 600}
        claims = {name: value for name, value in {**claims, **changes}.items() if value is not None}
        head = {"alg": self.algorithm, "typ": "at+jwt", **(header or {})}
        text = encoded(json.dumps(head).encode()) + "." + encoded(json.dumps(claims).encode())
        return f"{text}.{encoded(self.sign(text.encode()))}"


@pytest.mark.parametrize("algorithm", Issuer.KINDS)
def test_a_token_that_openssl_has_signed_is_good(tmp_path, algorithm):
    issuer, other = Issuer(tmp_path, algorithm), Issuer(tmp_path, algorithm, "other")
    said = check(issuer.token(), *issuer.options)
    assert said.startswith("valid\ncredential: issuer:") and "\nprincipal: ada\nrole: author\n" in said
    assert "signature" in check(other.token(), *issuer.options, status=1)
    # During the change of keys, both tokens are valid.
    for token_ in (issuer.token(), other.token()):
        assert check(token_, *Issuer.options_for(issuer.public, other.public))


def test_a_certificate_is_a_key(tmp_path):
    issuer = Issuer(tmp_path, "ES256")
    certificate = tmp_path / "certificate.pem"
    openssl("req", "-x509", "-new", "-key", issuer.key, "-subj", "/CN=issuer", "-out", certificate)
    assert check(issuer.token(), *Issuer.options_for(certificate))


def test_a_jwt_needs_the_configured_claims(tmp_path):
    issuer = Issuer(tmp_path, "EdDSA")
    wrong = {
        "iss of the JWT is another": {"iss": "https://eve.example"},
        "aud of the JWT does not": {"aud": ["other"]},
        "has expired": {"exp": time.time() - 31},
        "is in the future": {"nbf": time.time() + 60},
        "lacks the claim exp": {"exp": None},
        "lacks the claim aud": {"aud": None},
        "lacks the claim iss": {"iss": None},
        "lacks the claim sub": {"sub": None},
        "lacks the claim role": {"role": None},
        "claim sub of the JWT is not": {"sub": "anonymous"},
    }
    for reason, changes in wrong.items():
        assert reason in check(issuer.token(**changes), *issuer.options, status=1)
    assert check(issuer.token(aud=["other", "store"], exp=time.time() - 20), *issuer.options)
    assert "has expired" in check(
        issuer.token(exp=time.time() - 20), *issuer.options, "--jwt-leeway", "0", status=1
    )
    admin = issuer.token(role=None, scope="admin")
    assert "\nrole: admin\n" in check(admin, *issuer.options, "--jwt-role-claim", "scope")


def test_no_token_chooses_its_own_algorithm(tmp_path):
    issuer = Issuer(tmp_path, "RS256")
    text = issuer.token(header={"alg": "HS256"}).rpartition(".")[0]
    mac = hmac.new(issuer.public.read_bytes(), text.encode(), hashlib.sha256).digest()
    reason = "the alg of the JWT differs from the algorithm of the issuer's key"
    assert reason in check(f"{text}.{encoded(mac)}", *issuer.options, status=1)
    text = issuer.token(header={"alg": "none"}).rpartition(".")[0]
    assert reason in check(f"{text}.", *issuer.options, status=1)


def test_a_shared_secret_is_refused_if_others_may_read_its_file(tmp_path):
    secret, file = os.urandom(32), tmp_path / "secret.json"
    file.write_text(json.dumps({"keys": [{"kty": "oct", "kid": "1", "k": encoded(secret)}]}))
    file.chmod(0o600)
    claims = {"iss": ISSUER, "aud": "store", "sub": "ada", "role": "a", "exp": 4102444800}
    text = encoded(b'{"alg":"HS256","kid":"1"}') + "." + encoded(json.dumps(claims).encode())
    made = f"{text}.{encoded(hmac.new(secret, text.encode(), hashlib.sha256).digest())}"
    assert "expires: 2100-01-01T00:00:30Z" in check(made, *Issuer.options_for(file))
    file.chmod(0o604)
    assert "everyone may read it" in check(made, *Issuer.options_for(file), status=2)


# y of points of order 4, 1, 8 and 2, and of no point of the curve.
WEAK_POINTS = [
    bytes(32),
    b"\1" + bytes(31),
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
    b"\xec" + b"\xff" * 30 + b"\x7f",
    b"\2" + bytes(31),
]
EVEN = b"\xc1" + os.urandom(254) + b"\x10"
WEAK = [
    *({"kty": "OKP", "crv": "Ed25519", "x": encoded(point)} for point in WEAK_POINTS),
    {"kty": "EC", "crv": "P-256", "x": encoded(b"\1" * 32), "y": encoded(b"\1" * 32)},
    {"kty": "RSA", "n": encoded(EVEN), "e": "AQAB"},
    {"kty": "RSA", "n": encoded(EVEN[:128] + b"\1"), "e": "AQAB"},
]


@pytest.mark.parametrize("weak", WEAK)
def test_a_set_with_a_weak_key_is_refused_by_its_kid(tmp_path, policy, weak):
    good = {"kty": "OKP", "crv": "Ed25519", "kid": "good", "x": encoded(b"\3" + bytes(31))}
    file = tmp_path / "set.json"
    file.write_text(json.dumps({"keys": [good]}))
    options = [str(word) for word in (*Issuer.options_for(file), *policy)]
    with Server(*options, data=tmp_path / "data") as server:
        file.write_text(json.dumps({"keys": [good, weak | {"kid": "k-17"}]}))
        said = f'{file}: /keys/1 (kid "k-17"): '
        ended = run(*options, "--check-config")
        assert ended.returncode == 2 and said in ended.stderr
        ended = run(*options, "--ephemeral", "--listen", "127.0.0.1:0")
        assert ended.returncode == 2 and said in ended.stderr
        os.kill(server.process.pid, signal.SIGHUP)
        server.await_log('(kid \\"k-17\\")' if server.log_text.startswith("{") else '(kid "k-17")')


def test_no_token_is_forged_for_a_key_of_small_order(tmp_path):
    # R = the identity and S = 0 fit the identity as a key, whatever the text is.
    file = tmp_path / "set.json"
    file.write_text(json.dumps({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": encoded(WEAK_POINTS[1])}]}))
    claims = {"iss": ISSUER, "aud": "store", "sub": "eve", "role": "operator", "exp": 4102444800}
    text = encoded(b'{"alg":"EdDSA"}') + "." + encoded(json.dumps(claims).encode())
    forged = f"{text}.{encoded(WEAK_POINTS[1] + bytes(32))}"
    assert "of small order" in check(forged, *Issuer.options_for(file), status=2)


def test_no_token_of_the_issuer_has_the_name_of_a_keys_principal(tmp_path, keys, policy):
    issuer = Issuer(tmp_path, "EdDSA")
    create(keys, principal="deploy")
    deploy, ada = issuer.token(sub="deploy", role="operator"), issuer.token(role="operator")
    assert "principal: deploy" in check(deploy, *issuer.options)
    said = "the sub of the JWT is the principal of an API key"
    assert said in check(deploy, *issuer.options, "--keys", keys, status=1)
    options = [str(word) for word in ("--auth-keys", keys, *policy, *issuer.options)]
    with Server(*options, data=tmp_path / "data") as server:
        assert server.get("/state", bearer(deploy)).status == 401
        server.await_log(said)
        assert server.get("/state", bearer(ada)).status == 200
        cookie = server.request("POST", "/session", b"", bearer(ada))["set-cookie"].partition(";")[0]
        assert server.get("/state", {"Cookie": cookie}).status == 200
        # A key that is made later takes the name.
        create(keys, principal="ada")
        os.kill(server.process.pid, signal.SIGHUP)
        server.await_log("are read again")
        assert server.get("/state", bearer(ada)).status == 401
        assert server.get("/state", {"Cookie": cookie}).status == 401


# Options


def test_options_for_an_issuer_go_together(tmp_path, policy):
    issuer = Issuer(tmp_path, "EdDSA")
    together = "--jwt-keys, --jwt-issuer and --jwt-audience go together"
    for words in (issuer.options[:2], issuer.options[:4], issuer.options[2:], issuer.options[4:]):
        ended = run(*map(str, words), *policy, "--check-config")
        assert ended.returncode == 2 and together in ended.stderr
    ended = run(*map(str, issuer.options), *policy, "--check-config")
    assert (ended.returncode, ended.stdout) == (0, "the configuration is good\n")
    for wrong in (("--jwt-leeway", "61"), ("--cookie-secure", "yes"), ("--auth-cookie-seconds", "0")):
        ended = run(*wrong, "--check-config")
        assert ended.returncode == 2 and "allowed is" in ended.stderr


def test_check_config_reads_the_files(keys, policy, tmp_path):
    ended = run("--auth-keys", str(keys), *policy, "--check-config")
    assert ended.returncode == 2 and f"{keys}: there is no such file" in ended.stderr
    keys.write_text('{"keys":[{"id":"a"}]}')
    ended = run("--auth-keys", str(keys), *policy, "--check-config")
    assert ended.returncode == 2 and f"{keys}: /keys/0/id: expected 12 characters" in ended.stderr
    issuer = Issuer(tmp_path, "EdDSA")
    ended = run(*map(str, Issuer.options_for(issuer.key)), *policy, "--check-config")
    assert ended.returncode == 2 and "it is a private key" in ended.stderr


def test_print_config_shows_names_of_files_and_no_secret(keys, policy):
    key = create(keys)
    ended = run("--auth-keys", str(keys), *policy, "--cookie-secure", "always", "--print-config")
    shown = json.loads(ended.stdout)
    assert shown["auth-keys"] == str(keys) and shown["cookie-secure"] == "always"
    assert shown["jwt-keys"] == [] and "jwt-issuer" not in shown
    assert key[17:30] not in ended.stdout
    assert hashlib.sha256(key.encode()).hexdigest() not in ended.stdout


# Over HTTP


def bearer(value):
    return {"Authorization": f"Bearer {value}"}


def test_a_running_server_takes_keys_and_tokens_until_they_go(keys, policy, tmp_path):
    key, second = create(keys), create(keys)
    issuer = Issuer(tmp_path, "ES256")
    ada = issuer.token()
    options = ["--auth-keys", keys, *policy, *issuer.options]
    with Server(*map(str, options), data=tmp_path / "data") as server:
        assert list(server.get("/state", bearer(ada)).json) == ["counter"]
        assert len(server.get("/state", bearer(key)).json) > 1
        another = "-" if key[-1] != "-" else "_"
        for wrong in (key[:-1], key[:-1] + another, ada[:-4] + "AAAA", "", "a.b.c", "x" * 8_193):
            answer = server.get("/state", bearer(wrong))
            assert answer.status == 401 and 'error="invalid_token"' in answer["www-authenticate"]
        cookies = {}
        for name, credential in (("key", key), ("ada", ada)):
            answer = server.request("POST", "/session", b"", bearer(credential))
            assert answer.status == 204
            cookies[name] = {"Cookie": answer["set-cookie"].partition(";")[0]}
            assert server.get("/state", cookies[name]).status == 200
        secret = tmp_path / "data" / "auth-cookie.key"
        assert stat.S_IMODE(secret.stat().st_mode) == 0o600 and secret.stat().st_size == 32

        # The credentials are removed from the files, but nothing changes until SIGHUP.
        token("revoke", key[4:16], "--keys", keys)
        issuer.public.write_bytes(Issuer(tmp_path, "ES256", "other").public.read_bytes())
        assert server.get("/state", bearer(key)).status == 200
        os.kill(server.process.pid, signal.SIGHUP)
        server.await_log("are read again")
        for gone in (bearer(key), bearer(ada), *cookies.values()):
            assert server.get("/state", gone).status == 401
        assert server.get("/state", bearer(second)).status == 200
        server.await_log(f"there is no API key '{key[4:16]}'")
        assert key[17:40] not in server.log_text and ada[-40:] not in server.log_text


def test_a_cookie_outlives_a_restart(keys, policy, tmp_path):
    key = create(keys)
    options = ("--auth-keys", str(keys), *policy)
    with Server(*options, data=tmp_path / "data") as server:
        cookie = server.request("POST", "/session", b"", bearer(key))["set-cookie"].partition(";")[0]
    with Server(*options, data=tmp_path / "data") as server:
        assert server.get("/state", {"Cookie": cookie}).status == 200
    (tmp_path / "data" / "auth-cookie.key").unlink()
    with Server(*options, data=tmp_path / "data") as server:
        assert server.get("/state", {"Cookie": cookie}).status == 401


def test_the_commands_of_authentication_print_the_shown_lines(store_server_in_path):
    text = (ROOT / "docs" / "AUTHENTICATION.md").read_text()
    assert tour.play(text, store_server_in_path) >= 13
