"""Personal members and the command `forget` (docs/decisions/0056, docs/PERSONAL_DATA.md)."""

import base64
import gzip
import itertools
import json
import random
import re
import shutil
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import tour
from access import ALL, House
from harness import ROOT, SmallDisk, Wire, action, environment_with, until
from programs import SOURCES, build_sample
from searching import Keys, files_in, found, found_with, traces
from test_tokens import Issuer

ROLES = {
    "operator": ALL,
    "user": {"read": ["*", "log"], "dispatch": ["*"], "use": ["sessions"]},
    "anonymous": {"read": ["*"], "dispatch": ["*"]},
}
DOCUMENT = (ROOT / "docs" / "PERSONAL_DATA.md").read_text()


@pytest.fixture(scope="module")
def program():
    return build_sample("Confidant")


class Shop(House):
    """A store with personal members, its data, and its keys in a directory apart."""

    def __init__(self, folder, program):
        super().__init__(folder, ROLES, program)
        self.data, self.secrets = folder / "data", folder / "secrets"
        # A server reads the file of credentials at its start.
        self.ada, self.bob = self.bearer("ada", "user"), self.bearer("bob", "user")

    def server(self, *flags, **options):
        options.setdefault("data", self.data)
        return super().server("--personal-keys", str(self.secrets), *flags, **options)

    def command(self, verb, *words, data=None, keys=None, input=None):
        return subprocess.run(
            [self.program, verb, *words, "--data", data or self.data, "--personal-keys", keys or self.secrets],
            env=environment_with(),
            capture_output=True,
            text=True,
            input=input,
            timeout=120,
        )

    def forget(self, *names):
        """Forgets these users, and returns the printed text."""
        if len(names) == 1:
            ended = self.command("forget", *names)
        else:
            ended = self.command("forget", "-", input="\n".join(names))
        assert ended.returncode == 0, ended.stderr
        return ended.stdout


@pytest.fixture
def shop(tmp_path, program):
    return Shop(tmp_path, program)


def invite(server, header, name, secret):
    answer = server.post(action("invitations/sent", invitee=name, email=secret), header)
    assert answer.status == 200, answer
    return answer.json["version"]


def move(server, header, street, agent="Teapot/7.3 (ada)"):
    answer = server.post(
        action("profile/addressChanged", street=street, country="FR"), {**header, "User-Agent": agent}
    )
    assert answer.status == 200, answer
    return answer.json["version"]


def log(server, header):
    return server.request("GET", "/actions?limit=1000", headers=header).json["actions"]


def emails(server, header):
    return server.get("/modules/invitations", header).json["emails"]


def populate(shop, server):
    """Gives two users secrets, and returns their header fields."""
    ada, bob = shop.ada, shop.bob
    move(server, ada, "rue Sécrète 1")
    notes = [{"text": "likes Zürich tea", "kind": "a"}, {"text": "has a grey cat", "kind": "b"}]
    assert server.post(action("profile/noted", notes=notes), ada).status == 200
    move(server, bob, "Verborgene Gasse 2", "Kettle/1.1 (bob)")
    invite(server, bob, "ada", "ada@hidden.example")
    invite(server, ada, "bob", "bob@hidden.example")
    return ada, bob


ADA = ["rue Sécrète 1", "likes Zürich tea", "has a grey cat", "ada@hidden.example", "Teapot/7.3 (ada)"]
BOB = ["Verborgene Gasse 2", "bob@hidden.example", "Kettle/1.1 (bob)"]


def test_no_file_has_a_personal_value_and_readers_have_it(shop):
    with shop.server("--snapshot-every", "2") as server:
        ada, bob = populate(shop, server)
        assert server.get("/modules/profile", ada).json["street"] == "rue Sécrète 1"
        records = log(server, shop.operator)
        assert records[0]["payload"] == {"street": "rue Sécrète 1", "country": "FR"}
        assert records[0]["origin"].endswith("Teapot/7.3 (ada)")
        assert "forgotten" not in records[0]
        assert server.get("/state?version=1", shop.operator).json["profile"]["@ada"]["street"] == "rue Sécrète 1"
        assert traces(ADA + BOB, shop.data, shop.secrets) == []
    assert traces(ADA + BOB, shop.data, shop.secrets) == []
    exported = shop.command("export", str(shop.folder / "lines"))
    assert exported.returncode == 0, exported.stderr
    assert traces(ADA + BOB, shop.folder / "lines") == []
    # A copy of the history needs the keys, and then has the same state.
    imported = shop.command("import", str(shop.folder / "lines"), data=shop.folder / "copy", keys=shop.secrets)
    assert imported.returncode == 0, imported.stderr
    for data in (shop.data, shop.folder / "copy"):
        with shop.server(data=data) as server:
            assert server.get("/modules/profile", ada).json["notes"] == ["likes Zürich tea", "has a grey cat"]
            assert emails(server, shop.operator)["bob"] == "bob@hidden.example"


@pytest.mark.parametrize("is_running", [True, False])
def test_a_forgotten_user_is_nowhere_and_the_others_stay(shop, is_running):
    server = shop.server("--snapshot-every", "2")
    ada, bob = populate(shop, server)
    key = {**ada, "Idempotency-Key": '"7"'}
    moved = action("profile/addressChanged", street="rue Sécrète 1", country="FR")
    assert server.post(moved, key).status == 200
    assert server.post(moved, key)["idempotency-replayed"] == "true"
    backup = shop.command("backup", str(shop.folder / "before.db"))
    assert backup.returncode == 0, backup.stderr
    if not is_running:
        assert server.stop() == 0
    assert "ada is forgotten\nmake a backup now" in shop.forget("ada")
    if not is_running:
        server = shop.server()
    with server:
        newest = server.version
        assert server.get("/state", shop.operator).json["profile"] == {
            "@bob": {"street": "Verborgene Gasse 2", "notes": []}
        }
        assert emails(server, shop.operator) == {"bob": "bob@hidden.example"}
        records = log(server, shop.operator)
        assert records[0]["payload"] == {"street": None, "country": "FR"}
        assert records[0]["forgotten"] is True and "origin" not in records[0]
        assert records[0]["principal"] == "ada"
        assert records[1]["payload"]["notes"] == [{"text": None, "kind": "a"}, {"text": None, "kind": "b"}]
        assert records[2]["payload"] == {"street": "Verborgene Gasse 2", "country": "FR"}
        assert records[3]["payload"] == {"invitee": "ada", "email": None}
        assert records[4]["payload"] == {"invitee": "bob", "email": "bob@hidden.example"}
        assert [record["type"] for record in records[-2:]] == ["users/forgotten", "invitations/removed"]
        assert records[-1]["origin"] == "StoreServer/forget"
        # A state before the forget can't be made again. The answer names the first version with a state.
        for version in (0, 1, newest - 1):
            gone = server.get(f"/state?version={version}", shop.operator)
            gone.problem("gone", 410)
            assert gone.json["oldest"] == newest
        assert server.get(f"/state?version={newest}", shop.operator).status == 200
        blame = server.get("/state/invitations/total?blame=true", shop.operator).json
        assert blame["complete"] is False and blame["searchedAfter"] == newest
        # The idempotency keys of the user are gone, too. The user may return, with a new key.
        assert server.post(moved, key)["idempotency-replayed"] is None
        move(server, ada, "rue Neuve 3")
        assert server.get("/modules/profile", ada).json["street"] == "rue Neuve 3"
    everything = [shop.data, shop.secrets, shop.folder / "before.db"]
    assert traces(ADA + BOB + ["rue Neuve 3"], *everything) == []
    verified = shop.command("verify")
    assert verified.returncode == 0, verified.stderr
    assert "the content of 4 records is forgotten" in verified.stdout
    assert f"states before version {newest} can't be made again" in verified.stdout
    # With today's keys, the log of the earlier backup can be read, but no server can start with the backup.
    shutil.copytree(shop.secrets, shop.folder / "today")
    (shop.folder / "restored").mkdir()
    shutil.copy(shop.folder / "before.db", shop.folder / "restored/store.db")
    ended = shop.command("export", data=shop.folder / "restored")
    assert ended.returncode == 0 and len(ended.stdout.splitlines()) == 6
    ended = subprocess.run(
        [shop.program, "--data", shop.folder / "restored", "--personal-keys", shop.secrets, "--listen", "127.0.0.1:0"],
        env=environment_with(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 1
    assert "copied before a person was forgotten" in ended.stderr
    # An export has forgotten values as null, so an import can't reduce these lines.
    assert shop.command("export", str(shop.folder / "lines")).returncode == 0
    imported = shop.command("import", str(shop.folder / "lines"), data=shop.folder / "anew")
    assert imported.returncode == 1 and "its content is forgotten" in imported.stderr


def test_keys_that_are_missing_never_look_forgotten(shop):
    with shop.server() as server:
        populate(shop, server)
    shutil.copytree(shop.secrets, shop.folder / "kept")

    def refusal():
        ended = shop.command("verify")
        assert ended.returncode == 1
        return ended.stderr

    (shop.secrets / "keys").unlink()
    assert "is sealed" in refusal() and "does not have its keys" in refusal()
    (shop.secrets / "keys").write_text("no keys at all\n")
    assert "is no file of keys" in refusal()
    shutil.copy(shop.folder / "kept/keys", shop.secrets / "keys")
    assert shop.command("verify").returncode == 0
    # A damaged slot is damage. The first slots belong to the snapshots and to ada.
    data = bytearray((shop.folder / "kept/keys").read_bytes())
    data[2 * 64 + 30] ^= 1
    (shop.secrets / "keys").write_bytes(data)
    assert "which is damaged" in refusal()


def test_a_refused_action_forgets_nothing(shop):
    with shop.server() as server:
        ada, _ = populate(shop, server)
        assert server.post(action("invitations/closed"), shop.operator).status == 200
        ended = shop.command("forget", "ada")
        assert ended.returncode == 1 and "The invitations are closed." in ended.stderr
        assert server.get("/modules/profile", ada).json["street"] == "rue Sécrète 1"
        version = server.version
    ended = shop.command("forget", "ada")
    assert ended.returncode == 1 and "The invitations are closed." in ended.stderr
    with shop.server() as server:
        assert server.version == version
        assert server.get("/modules/profile", ada).json["street"] == "rue Sécrète 1"
        assert server.get("/state?version=1", shop.operator).status == 200


def test_the_command_names_what_is_wrong(shop, tmp_path):
    assert "usage: forget NAME" in shop.command("forget").stderr
    assert "there is no history" in shop.command("forget", "ada").stderr
    with shop.server() as server:
        populate(shop, server)
        assert "a name has at least one character" in shop.command("forget", "a\tb").stderr
        assert "standard input has no names" in shop.command("forget", "-", input="\n").stderr
        # A name without values is no error: the state and the log may have the name.
        assert "carol is forgotten" in shop.forget("carol")


def test_an_action_within_the_own_forget_is_forgotten_as_a_whole_or_stays(shop):
    """A user acts all the time. The log forgets exactly the actions that the state forgets."""
    with shop.server() as server:
        stopping, numbers = threading.Event(), itertools.count()

        def note():
            with Wire(server) as wire:
                while not stopping.is_set():
                    notes = [{"text": f"note {next(numbers)}", "kind": "a"}]
                    assert server.post(action("profile/noted", notes=notes), shop.ada, wire=wire).status == 200

        with ThreadPoolExecutor(4) as pool:
            work = [pool.submit(note) for _ in range(4)]
            after = 0
            try:
                for _ in range(8):
                    until(lambda: server.version > after + 12, "the user has acted")
                    shop.forget("ada")
                    after = server.version
                    until(lambda: server.version > after + 12, "the user has acted again")
                    state = server.get("/modules/profile", shop.operator)
                    version = int(state["etag"].strip('"').split(":")[1])
                    records, page = [], None
                    while not records or records[-1]["version"] < version:
                        page = server.get(f"/actions?after={len(records)}&limit=1000", shop.operator).json
                        records += page["actions"]
                    begin = max(n for n, record in enumerate(records) if record["type"] == "users/forgotten")
                    texts = [
                        (record["version"], note["text"])
                        for record in records[:version]
                        if record["type"] == "profile/noted"
                        for note in record["payload"]["notes"]
                    ]
                    assert all(text is None for place, text in texts if place <= begin)
                    assert state.json["@ada"]["notes"] == [text for place, text in texts if place > begin]
            finally:
                stopping.set()
            for done in work:
                done.result()
    verified = shop.command("verify")
    assert verified.returncode == 0, verified.stderr


def test_a_full_disk_forgets_later(shop):
    with SmallDisk(shop.folder) as disk:
        shop.data = disk.data / "data"
        with shop.server() as server:
            ada, _ = populate(shop, server)
            disk.fill()
            ended = shop.command("forget", "ada")
            assert ended.returncode == 1 and "nothing was forgotten" in ended.stderr
            assert server.get("/modules/profile", ada).json["street"] == "rue Sécrète 1"
            disk.clear()
            shop.forget("ada")
            assert log(server, shop.operator)[0]["payload"]["street"] is None


def test_a_killed_forget_is_complete_or_has_not_begun(shop):
    """Kills the server at a random moment of a forget. Afterwards, all of the user's data exists, or none."""
    with shop.server() as server:
        for number in range(40):
            invite(server, shop.operator, f"user{number}", f"secret-{number}@hidden.example")
    generator = random.Random(17)
    outcomes = {True: 0, False: 0}
    for number in range(12):
        name, secret = f"user{number}", f"secret-{number}@hidden.example"
        is_offline = number % 4 == 3
        if is_offline:
            victim = subprocess.Popen(
                [shop.program, "forget", name, "--data", shop.data, "--personal-keys", shop.secrets],
                env=environment_with(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            time.sleep(generator.uniform(0, 0.15))
            victim.kill()
            victim.wait()
        else:
            server = shop.server()
            command = subprocess.Popen(
                [shop.program, "forget", name, "--data", shop.data, "--personal-keys", shop.secrets],
                env=environment_with(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            time.sleep(generator.uniform(0, 0.25))
            server.stop(signal.SIGKILL)
            command.kill()
            command.wait()
        has_begun = (shop.data / "forget").exists()
        with shop.server() as server:
            assert not (shop.data / "forget").exists()
            [record] = [
                each
                for each in log(server, shop.operator)
                if each["type"] == "invitations/sent" and each["payload"]["invitee"] == name
            ]
            is_forgotten = record["payload"]["email"] is None
            assert record.get("forgotten", False) == is_forgotten
            assert (name in emails(server, shop.operator)) != is_forgotten
            assert is_forgotten or not has_begun
            assert emails(server, shop.operator)["user39"] == "secret-39@hidden.example"
        assert traces([secret], shop.data, shop.secrets) == []
        verified = shop.command("verify")
        assert verified.returncode == 0, verified.stderr
        outcomes[is_forgotten] += 1
    assert outcomes[True] > 0, outcomes


TAG = re.compile(rb"zq\d{4}[0-9a-f]{8}")


class Person:
    """A user whose every personal value has a tag of its own."""

    def __init__(self, number, chance, token):
        self.name = f"u{number}"
        kinds = ("street", "note", "email", "agent", "meta")
        self.tags = {kind: f"zq{number:04}{chance.getrandbits(32):08x}" for kind in kinds}
        self.header = {"Authorization": f"Bearer {token}", "User-Agent": f"Kettle {self.tags['agent']}"}
        self.street = f'Gäßchen "{self.tags["street"]}" / \u2028 \\'
        self.note = f"\U0001f408 {self.tags['note']}"
        self.email = f"{self.tags['email']}@hidden.example"

    def act(self, server, operator):
        meta = {"source": self.tags["meta"]}
        moved = {**action("profile/addressChanged", street=self.street, country="FR"), "meta": meta}
        both = [moved, action("profile/noted", notes=[{"text": self.note, "kind": "cat"}])]
        key = {"Idempotency-Key": f'"{self.name}"'}
        assert server.post(both, {**self.header, **key}).status == 200
        invite(server, operator, self.name, self.email)

    def all_tags(self, *kinds):
        return {tag.encode() for kind, tag in self.tags.items() if not kinds or kind in kinds}


def tags_of(people, *kinds):
    return set().union(*(person.all_tags(*kinds) for person in people))


@pytest.mark.parametrize("count", [60, pytest.param(1_000, marks=pytest.mark.ci)])
def test_of_three_in_ten_users_no_byte_is_left(shop, count):
    """Plants secrets of many users, forgets three in ten, and searches live files, backups, exports and dumps: all
    bytes, with the keys of today, too. The others have all of theirs."""
    chance, issuer = random.Random(5), Issuer(shop.folder, "ES256")
    tokens = [issuer.token(sub=f"u{number}", role="user", exp=4_000_000_000) for number in range(count)]
    people = [Person(number, chance, token) for number, token in enumerate(tokens)]
    gone = [person for number, person in enumerate(people) if number % 10 < 3]
    kept = [person for person in people if person not in gone]
    state_kinds = ("street", "note", "email")
    copies, dumps = shop.folder / "copies", shop.folder / "dumps"
    copies.mkdir(), dumps.mkdir()

    def copy(verb, name):
        ended = shop.command(verb, str(copies / name))
        assert ended.returncode == 0, ended.stderr

    def dump(server):
        """The history and the state as clients read them."""
        (dumps / "state").write_bytes(server.get("/state", shop.operator).body)
        pages, target = [], "/actions?limit=1000"
        while not pages or int(pages[-1]["next"].split("after=")[1].split("&")[0]) < pages[-1]["version"]:
            pages.append(server.get(pages[-1]["next"] if pages else target, shop.operator).json)
        (dumps / "log").write_text(json.dumps(pages))

    flags = ["--snapshot-every", "100", *issuer.options]
    with shop.server(*flags) as server:
        for person in people:
            person.act(server, shop.operator)
        dump(server)
        # The search finds everything where values are plain, and nothing in a file of the server.
        assert found(TAG, dumps / "log") == tags_of(people) and found(TAG, dumps / "state") == tags_of(people, *state_kinds)
        assert found(TAG, shop.data, shop.secrets) == set()
        copy("backup", "before.db")
        shutil.copytree(shop.secrets, shop.folder / "then")
        then = Keys(shop.folder / "then")
        assert found_with(TAG, then.open_history(copies / "before.db")) == tags_of(people)
        # Most of them at once, some alone, and one without a server.
        shop.forget(*(person.name for person in gone[:-5]))
        for person in gone[-5:-1]:
            shop.forget(person.name)
        for person in kept[::10]:
            assert server.post(action("profile/noted", notes=[]), person.header).status == 200
        copy("backup", "after.db")
        assert found(TAG, shop.data, shop.secrets, copies) == set()
    shop.forget(gone[-1].name)
    with shop.server(*flags) as server:
        dump(server)
        for person in kept:
            assert server.get("/modules/profile", person.header).json == {"street": person.street, "notes": [person.note]}
        assert emails(server, shop.operator) == {person.name: person.email for person in kept}
        assert found(TAG, dumps / "log") == tags_of(kept) and found(TAG, dumps / "state") == tags_of(kept, *state_kinds)
        copy("backup", "end.db")
        server.stop(signal.SIGKILL)
        server.process.returncode = 0
    # The files as a kill leaves them, with the log of the database.
    assert found(TAG, shop.data, shop.secrets, copies) == set()
    copy("export", "lines")
    now = Keys(shop.secrets)
    late = {tag for tag in tags_of(gone[-1:])}
    assert found_with(TAG, now.open_history(shop.data / "store.db")) == tags_of(kept)
    assert found_with(TAG, now.open_history(copies / "end.db")) == tags_of(kept)
    assert found_with(TAG, now.open_export(copies / "lines")) == tags_of(kept)
    # Backups of before are unreadable in these members, because the keys were apart.
    for name in ("before.db", "after.db"):
        assert found_with(TAG, now.open_history(copies / name)) == tags_of(kept)
    assert late <= found_with(TAG, then.open_history(copies / "after.db"))
    # No file has a destroyed key.
    destroyed = {key for slot, key in then.keys.items() if slot not in now.keys}
    assert len(destroyed) >= len(gone) + 1
    for file in files_in(shop.data, shop.secrets, copies, dumps):
        data = file.read_bytes()
        assert not any(key in data for key in destroyed), file
    verified = shop.command("verify")
    assert verified.returncode == 0, verified.stderr
    assert f"the content of {3 * len(gone)} records is forgotten" in verified.stdout


@pytest.mark.parametrize("before", range(5))
def test_the_search_finds_a_value_in_every_form(tmp_path, before):
    secret, file = 'zq0001abcdef01 "Zürich" \U0001f408', tmp_path / "file"
    noise = random.Random(before).randbytes(1_000)
    plain = b"x" * before + secret.encode() + b"y" * before
    escaped = "".join(f"\\u{unit:04x}" for unit in memoryview(secret.encode("utf-16-le")).cast("H"))
    for form in (
        plain,
        json.dumps(secret).encode(),
        json.dumps(secret, ensure_ascii=False).encode(),
        escaped.encode(),
        base64.b64encode(plain),
        base64.urlsafe_b64encode(plain).rstrip(b"="),
        plain.hex().encode(),
        plain.hex().upper().encode(),
        gzip.compress(plain),
        subprocess.run(["zstd", "-19"], input=plain * 50, capture_output=True, check=True).stdout,
        base64.b64encode(json.dumps({"text": secret}).encode()),
    ):
        file.write_bytes(noise + b" " + form + b" " + noise)
        assert found(TAG, file) == {b"zq0001abcdef01"}, form
        assert traces([secret], file), form
    # A frame that is cut is found as far as it goes.
    frame = subprocess.run(["zstd", "-1"], input=plain * 10_000 + noise * 400, capture_output=True, check=True).stdout
    file.write_bytes(noise + frame[: len(frame) // 2])
    assert traces([secret], file)
    file.write_bytes(noise)
    assert found(TAG, file) == set() and traces([secret], file) == []


def test_the_document_has_the_declarations_of_the_program():
    [code] = re.findall(r"^```swift\n(.*?)^```", DOCUMENT, re.S | re.M)
    assert code in (SOURCES / "Confidant.swift").read_text()


@pytest.mark.parametrize("is_running", [True, False])
def test_the_command_of_the_document_prints_the_shown_lines(shop, is_running):
    server = shop.server()
    populate(shop, server)
    if not is_running:
        assert server.stop() == 0
    shown = DOCUMENT.replace("$ store-server", f"$ {shop.program}").replace("--data store", f"--data {shop.data}")
    assert tour.play(shown.replace("--personal-keys secrets", f"--personal-keys {shop.secrets}"), "http://127.0.0.1:8080") == 1
    if is_running:
        assert server.stop() == 0
