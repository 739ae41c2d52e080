"""docs/WRITING_STORES.md: its store builds, passes its tests, and works as described."""

import json
import re
import signal
import subprocess

import pytest
from access import ALL, House, cookie_of, session
from harness import ROOT, Server, Stream, until
from programs import build, run_tests

GUIDE = (ROOT / "docs" / "WRITING_STORES.md").read_text()
BLOCK = re.compile(
    r"(?:<!-- (server|test|clock|live|interface|module|program|import|options) -->\n)?^```swift\n(.*?)^```",
    re.S | re.M,
)
TEST = re.compile(r"@Test func `(.*?)`")
ROW = re.compile(r"^\| (guestbook|chat|shop|todo) \| (\d+) \|", re.M)


def code(*kinds):
    return "\n".join(text for kind, text in BLOCK.findall(GUIDE) if kind in kinds)


@pytest.fixture(scope="module")
def library():
    return build("WritingStores", code("", "server"))


@pytest.fixture
def server(library):
    with Server(program=library) as running:
        yield running


def dispatch(server, type_, headers=(), **payload):
    return server.post({"type": type_, "payload": payload}, headers)


def visitor(server):
    """Returns the header field that names a session."""
    answer = server.request("POST", "/sessions", b"")
    return {"Cookie": answer["set-cookie"].partition(";")[0]}


@pytest.mark.ci
def test_s11_the_tests_of_the_guide_pass():
    printed = run_tests("WritingStoresTests", code("", "clock", "test"))
    passed = re.findall(r'^✔ Test "(.*?)" passed after', printed, re.M)
    assert sorted(passed) == sorted(TEST.findall(code("test"))) and len(passed) == 9, printed


def test_s11_every_block_is_built():
    assert len(BLOCK.findall(GUIDE)) == GUIDE.count("```swift") == 28


def test_s11_actions_have_the_names_and_refusals_that_the_guide_shows(server):
    shown = re.search(r'`(\{"type":"books/borrowed".*?\})`', GUIDE)[1]
    refused = server.post(json.loads(shown)).problem("refused", 409)
    assert (refused["reason"], refused["pointer"]) == ("'Emma' is not on the shelf.", "/payload/book")
    assert server.version == 0
    assert dispatch(server, "books/registered", book="Emma").status == 200
    assert server.post(json.loads(shown)).status == 200
    assert server.state["books"] == {"readers": {"Emma": "Ada"}}


def test_s11_only_the_author_replaces_a_review(library, tmp_path):
    house = House(tmp_path, {"reader": ALL}, library)
    ada, bob = house.bearer("ada", "reader"), house.bearer("bob", "reader")
    with house.server() as server:
        written = {"book": "Emma", "text": "A joy."}
        assert dispatch(server, "reviews/written", ada, **written).status == 200
        refused = dispatch(server, "reviews/written", bob, **written).problem("forbidden", 403)
        assert "The review of 'Emma' is ada's." in refused["detail"]
        review = server.get("/state/reviews/reviews/Emma", ada).json
        assert review["author"] == "ada" and review["time"] > 1_700_000_000_000_000_000
    with Server(program=library) as server:
        refused = dispatch(server, "reviews/written", **written).problem("forbidden", 403)
        assert "Only readers with a key write reviews." in refused["detail"]


def test_s11_each_visitor_has_a_choice_and_the_shelf_is_shared(server):
    ada, bob = visitor(server), visitor(server)
    dispatch(server, "books/registered", book="Emma")
    assert dispatch(server, "choice/chosen", ada, book="Emma").status == 200
    shown = server.get("/views/shelf", ada).json
    assert ([each["id"] for each in shown["onShelf"]], shown["chosen"]) == (["Emma"], "Emma")
    shown = server.get("/views/shelf", bob).json
    assert ([each["id"] for each in shown["onShelf"]], shown["chosen"]) == (["Emma"], "")
    link = shown["onShelf"][0]["choose"]
    assert server.request(link["method"], link["href"], b"", bob).status == 200
    assert server.get("/views/shelf", bob).json["chosen"] == "Emma"
    assert dispatch(server, "choice/cleared", bob).status == 200
    dispatch(server, "books/borrowed", bob, book="Emma", by="Bob")
    dispatch(server, "choice/chosen", ada, book="Emma").problem("refused", 409)
    assert server.get("/state/choice/shelf", ada).json == []


def test_s1_a_reader_has_one_list_of_wishes_on_all_devices(library, tmp_path):
    reader = {"read": ["*"], "dispatch": ["*"], "use": ["sessions"]}
    house = House(tmp_path, {"operator": ALL, "reader": reader, "anonymous": reader}, library)
    ada = house.bearer("ada", "reader")
    with house.server() as server:
        wishes = lambda who: server.get("/state/wishes/books", who).json  # noqa: E731
        phone, guest = session(server, ada), visitor(server)
        assert dispatch(server, "wishes/wished", phone, book="Emma").status == 200
        for book in ("Emma", "Ulysses"):
            assert dispatch(server, "wishes/wished", guest, book=book).status == 200
        assert (wishes(ada), wishes(guest)) == (["Emma"], ["Emma", "Ulysses"])
        signed = server.request("POST", "/sessions", b"", {**ada, **guest})
        desk = {**ada, **cookie_of(signed, "store-session")}
        for device in (phone, desk, ada):
            assert wishes(device) == ["Emma", "Ulysses"]
        assert server.get("/state", guest).status == 403
        guest = visitor(server)
        for number in range(99):
            assert dispatch(server, "wishes/wished", guest, book=str(number)).status == 200
        refused = server.request("POST", "/sessions", b"", {**ada, **guest}).problem("refused", 409)
        assert refused["reason"] == "A reader has 100 wishes at most." and len(wishes(guest)) == 99
        assert server.request("DELETE", "/users/ada", b"", house.operator).status == 204
        assert wishes(desk) == []


def test_s2_an_action_of_the_whole_state_lends_the_chosen_books(server):
    ada, bob = visitor(server), visitor(server)
    for book in ("Emma", "Middlemarch"):
        dispatch(server, "books/registered", book=book)
        for reader in (ada, bob):
            dispatch(server, "choice/chosen", reader, book=book)
    before = server.version
    assert dispatch(server, "ChoiceBorrowed", ada, by="Ada").json["version"] == before + 1
    assert server.state["books"]["readers"] == {"Emma": "Ada", "Middlemarch": "Ada"}
    assert server.get("/state/choice/books", ada).json == []
    assert server.get("/state/choice/books", bob).json == ["Emma", "Middlemarch"]
    dispatch(server, "ChoiceBorrowed", bob, by="Bob").problem("refused", 409)
    dispatch(server, "OpeningChanged", hours="8 to 4")
    assert server.state["opening"] == "8 to 4"
    assert "opening" not in [each["name"] for each in server.get("/modules").json["modules"]]


def test_s11_work_is_done_where_the_guide_says(server):
    dispatch(server, "books/registered", book="Emma")
    dispatch(server, "books/borrowed", book="Emma", by="Ada")
    wait = {"Prefer": "wait=10"}
    assert dispatch(server, "books/returned", wait, book="Emma").json["completed"]
    assert server.state["desk"]["notices"] == ["Emma is back"]
    assert dispatch(server, "desk/asked", wait, book="Emma").json["completed"]
    assert server.state["desk"]["summary"] == "Emma is a novel."
    dispatch(server, "desk/staffArrived").problem("forbidden", 403)
    server.send("/usecases/desk/open", {"code": "9999"}, wait).problem("effect-failed", 424)
    assert server.send("/usecases/desk/open", {"code": "1234"}, wait).status == 200
    assert server.state["desk"]["isStaff"] is True
    assert not {"1234", "9999"} & set(re.findall(r"\d{4}", json.dumps(server.get("/actions").json["actions"])))


def test_11_1_analytics_have_the_values_of_the_guide(library):
    with Server("--analytics-recent", "9", "--operator-reads", program=library) as server:
        for book in ("Emma", "Middlemarch"):
            dispatch(server, "books/registered", book=book)
        until(lambda: len(server.get("/analytics").json) == 2, "the lines are kept")
        assert [each["data"] for each in server.get("/analytics").json] == [{"books": 0}, {"books": 1}]


@pytest.fixture(scope="module")
def house():
    imports = "import StoreCore\nimport StorePatterns\nimport StoreServer\n"
    return build("WritingStoresHouse", imports + code("clock") + "Server(House.self).main()\n")


def test_s11_the_reading_room_counts_readers_and_its_hour_outlives_a_crash(house, tmp_path):
    server = Server(program=house, data=tmp_path / "data")
    until(lambda: server.state["room"]["hours"] == 1, "the first hour strikes")
    stream = Stream(server, "/modules/room/events")
    until(lambda: server.state["room"]["readers"] == 1, "a reader is counted")
    due = server.state["effects"]["pending"][-1]["work"]["input"]
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    stream.close()
    with Server(program=house, data=tmp_path / "data") as server:
        [again] = server.get("/effects").json["effects"]
        assert again["id"] == "room/hour"
        assert server.state["effects"]["pending"][-1]["work"]["input"] == due
        assert server.state["room"]["hours"] == 1
        until(lambda: server.state["room"]["readers"] == 0, "the reader is gone")


def test_s11_a_lent_book_is_due_back_after_fourteen_days():
    imports = "import StoreCore\nimport StorePatterns\nimport StoreServer\n"
    lending = build("WritingStoresLending", imports + code("clock") + "Server(Lending.self).main()\n")
    with Server("--clock", "test", program=lending) as server:
        until(lambda: server.version == 1, "the declared timer is set")
        for book in ("Emma", "Ulysses", "clean-up"):
            assert dispatch(server, "loans/lent", book=book).status == 200
        for book in ("Ulysses", "clean-up"):
            assert dispatch(server, "loans/returned", book=book).status == 200
        assert set(server.state["schedule"]) == {"loans/clean-up", "loans/due/Emma"}
        for days, reminders in ((13, []), (1, ["Emma is due back"]), (1, [])):
            assert server.send("/test/clock/advance", {"seconds": days * 86_400}).status == 200
            assert server.state["loans"] == {"lent": ["Emma"], "reminders": reminders}
        fired = server.get("/actions?type=schedule%2Ffired").json["actions"]
        assert [record["payload"]["timer"] for record in fired].count("loans/due/Emma") == 1


def test_a_reader_is_seen_in_the_store_that_keeps_nothing():
    program = build("WritingStoresLive", "import StoreServer\n" + code("", "clock", "live"))
    with Server(program=program) as server:
        who = visitor(server)
        told = {"place": "books/Emma", "detail": {"x": 1, "y": 2, "isTyping": True}}
        target = re.search(r'EventSource\("(/stores/live/events.*?)"\)', GUIDE)[1]
        with Stream(server, target, headers=who) as stream:
            stream.opened()
            entered = {"type": "whereabouts/entered", "payload": told}
            assert server.send("/stores/live/dispatch", entered, who).status == 200
            while not (visits := server.get("/stores/live/state").json["whereabouts"]):
                pass
            [visit] = visits["books/Emma"].values()
            assert visit["detail"] == told["detail"]
        until(lambda: server.get("/stores/live/state").json["whereabouts"] == {}, "the visit has ended")
        assert server.version == 1, "the store on disk has the session alone"


def test_s3_a_module_behind_an_interface_is_mounted_as_the_guide_says():
    """The targets in the guide's text are the parts of a program here."""
    names = {"ReviewsInterface": "ApartPart0", "ReviewsModule": "ApartPart1"}

    def block(kind):
        source = code(kind)
        for name, part in names.items():
            source = re.sub(rf"import {name}$", f"import {part}", source, flags=re.M)
        return source

    with Server(program=build("Apart", block("program"), [block("interface"), block("module")])) as server:
        assert dispatch(server, "reviews/start").status == 200
        for text in ("Short.", "Much longer."):
            assert dispatch(server, "reviews/written", text=text).status == 200
        assert server.get("/views/longest").json == {"text": "Much longer."}
        dispatch(server, "reviews/cleared").problem("forbidden", 403)


def test_an_import_is_applied_as_a_whole_or_not_at_all():
    with Server(program=build("WritingStoresImport", code("import"))) as server:
        titles = [{"id": f"isbn-{number}", "name": f"The title of the book {number}"} for number in range(10_000)]
        bad = [*titles[:7], {"id": "x", "name": ""}]
        refused = dispatch(server, "catalogue/imported", titles=bad).problem("refused", 409)
        assert refused["pointer"] == "/payload/titles/7" and server.state["catalogue"]["names"] == {}
        long = [*titles, titles[0]]
        refused = dispatch(server, "catalogue/imported", titles=long).problem("refused", 409)
        assert refused["reason"] == "An import has at most 10000 titles."
        dry = server.post({"type": "catalogue/imported", "payload": {"titles": bad}}, query="?dry-run=true")
        dry.problem("refused", 409)
        answer = dispatch(server, "catalogue/imported", {"Idempotency-Key": '"one"'}, titles=titles)
        assert answer.json["version"] == 1 and len(server.state["catalogue"]["names"]) == 10_000
        again = dispatch(server, "catalogue/imported", {"Idempotency-Key": '"one"'}, titles=titles)
        assert again["idempotency-replayed"] == "true"
        assert dispatch(server, "catalogue/imported", titles=titles).json == answer.json | {"version": 2, "changed": False}
        large = [{"id": title["id"], "name": "x" * 100} for title in titles]
        dispatch(server, "catalogue/imported", titles=large).problem("too-large", 413)


def test_the_program_of_the_guide_has_options_a_name_and_a_version():
    program = build("WritingStoresOptions", code("options"))
    key = {"STORE_SERVER_SIGNING_KEY": "a key of 16 bytes"}
    ended = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=20)
    assert ended.stdout.startswith("library 2.4.0 (StoreServer ")
    ended = subprocess.run([program, "--ephemeral"], capture_output=True, text=True, timeout=20)
    assert ended.returncode == 2 and ended.stderr.startswith("library: --signing-key-file is required: ")
    with Server("--attempts-max", "5", program=program, environment=key) as server:
        assert dispatch(server, "letters/due", {"Prefer": "wait=10"}, book="Emma").json["completed"]
        assert server.state["letters"]["last"] == "Emma, by http://127.0.0.1:2525, in 5 attempts"


def test_s10_a_renamed_action_is_read_as_the_guide_says(library, tmp_path):
    """An export of an earlier program is a history that this program continues."""
    old = [
        ("books/registered", {"book": "Emma"}),
        ("books/lent", {"title": "Emma", "reader": "Ada"}),
    ]
    record = {"time": "2026-11-21T07:40:52.123456789Z", "changed": True}
    lines = tmp_path / "lines"
    lines.write_text(
        "".join(
            json.dumps({"version": version, "type": type_, "payload": payload, **record}) + "\n"
            for version, (type_, payload) in enumerate(old, 1)
        )
    )
    data = tmp_path / "data"
    subprocess.run([library, "import", lines, "--data", data], check=True, timeout=30)
    with Server(program=library, data=data) as server:
        assert server.state["books"] == {"readers": {"Emma": "Ada"}}


def test_the_table_has_the_numbers_of_lines_of_the_examples():
    counted = {}
    for name, _ in ROW.findall(GUIDE):
        folder = ROOT / "examples" / name.title() / "Sources"
        lines = [line.strip() for file in folder.rglob("*.swift") for line in file.read_text().splitlines()]
        counted[name] = str(sum(bool(line) and not line.startswith("//") for line in lines))
    assert counted == dict(ROW.findall(GUIDE)) and len(counted) == 4
