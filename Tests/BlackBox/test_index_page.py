"""The page at `/` for people: valid and true HTML, with links that all work (protocol 6.2)."""

import json
import subprocess
from html.parser import HTMLParser

import pytest
from harness import Server, Stream
from programs import build, build_sample

HTML = {"Accept": "text/html,application/xhtml+xml;q=0.9"}
# Elements without an end tag (HTML, 13.1.2).
VOID = {"meta"}
INDEXED = ("/", "/stores/chat", "/stores/scores")


class Page(HTMLParser):
    """Reads a page like a browser: elements that end in the order of their beginnings, texts and links."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.links, self.tags, self.texts = [], [], [], {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        assert len(names) == len(set(names))
        assert not any(name.startswith("on") or name in ("style", "src") for name in names)
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "a":
            self.links.append(dict(attributes)["href"])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        for tag in self.open[-1:]:
            self.texts[tag] = self.texts.get(tag, "") + data


def page(server, path="/"):
    answer = server.get(path, HTML)
    assert (answer.status, answer["content-type"]) == (200, "text/html; charset=utf-8")
    text = answer.body.decode()
    assert text.startswith("<!doctype html>\n")
    found = Page(text)
    assert not {"script", "style", "link", "img", "iframe"} & set(found.tags)
    return found


def follow(server, path):
    """Opens a link like a browser. A stream is closed after its first event."""
    if path.endswith("/events"):
        with Stream(server, path) as stream:
            if not path.endswith("/actions/events"):
                assert stream.event().name in ("message", None, "gone")
    else:
        assert server.get(path).status == 200, path


def test_6_2_every_link_of_the_page_answers(fresh):
    links = page(fresh).links
    assert {
        *("/state", "/events", "/actions", "/actions/events", "/schema", "/openapi.json"),
        *("/modules", "/views", "/views/list", "/metrics", "/livez", "/readyz"),
    } <= set(links)
    for path in links:
        follow(fresh, path)


def test_6_2_the_page_has_the_version_of_the_program_and_of_the_state(fresh):
    version = fresh.get("/").json["version"]
    found = page(fresh)
    assert found.texts["h1"] == found.texts["title"] == "store-server"
    assert f"served by store-server {version}:" in found.texts["p"]
    assert "at version 0." in found.texts["p"]
    fresh.post({"type": "CounterIncreaseRequested"})
    assert "at version 1." in page(fresh).texts["p"]


def typed(command):
    """Returns the output of a shell into which a reader types the command of the page."""
    shell = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=20)
    return json.loads(shell.stdout)


def test_6_2_the_command_of_the_page_dispatches(fresh):
    command = page(fresh).texts["pre"]
    assert command.startswith(f"curl {fresh.url}/dispatch ")
    assert typed(command)["version"] == 1


def test_6_2_each_of_several_stores_has_its_page():
    with Server(program=build_sample("Rooms")) as server:
        for path in INDEXED:
            found = page(server, path)
            base = path.rstrip("/")
            assert "/stores" in found.links
            assert found.texts["h1"] == (base.rpartition("/")[2] or server.get("/").json["title"])
            assert f"curl {server.url}{base}/dispatch " in found.texts["pre"]
            own = [link for link in found.links if link != "/stores"]
            assert len(own) > 8 and all(link.startswith(base + "/") for link in own)
            for link in found.links:
                follow(server, link)
        assert typed(page(server, "/stores/chat").texts["pre"])["version"] == 1
        assert server.get("/stores/chat/state/chat").json == {"lines": ["text"]}
        for path in ("/stores/nobody", "/stores/chat/nothing"):
            server.get(path, HTML).problem("not-found", 404)


HOSTILE = """
import StoreCore
import StoreServer

struct Wall: Module {
    static let name = "a<b>&\\"c\\"'d'"

    struct State: ModuleState {
        var lines: [String] = []
    }

    enum Action: String, ModuleAction {
        case quoted = "it's <i> & that"
    }

    func reduce(_ state: inout State, _ action: Action) { state.lines.append(action.rawValue) }
}

struct AppState: RootState {
    var wall = Wall.State()
    static let modules: Modules = [Wall().at(\\.wall)]
    static let views: Views = [WallViewModel.self, LineViewModel.self]
}

struct WallViewModel: ViewModelWithState {
    static let name = "<script>alert('1')</script>"
    let count: Int
    init?(state: AppState) { count = state.wall.lines.count }
}

/// A link to it would not say which line.
struct LineViewModel: ParameterizedViewModel {
    struct Parameters: Codable, Sendable { let index: UInt32 }
    let line: String
    init?(state: AppState, parameters: Parameters) { line = state.wall.lines.first ?? "" }
}

Server(AppState.self, name: "<b>Tom & \\"Jerry\\"</b>").main()
"""


@pytest.fixture(scope="module")
def hostile():
    with Server(program=build("Hostile", HOSTILE)) as server:
        yield server


def test_6_2_names_are_escaped(hostile):
    found = page(hostile)
    assert found.texts["h1"] == found.texts["title"] == '<b>Tom & "Jerry"</b>'
    assert not {"b", "i"} & set(found.tags)
    assert "alert('1')" in found.texts["li"]
    assert "GET /views/line" in found.texts["code"]
    for link in found.links:
        follow(hostile, link)


def test_6_2_the_command_of_the_page_is_a_single_shell_command_for_any_name_of_an_action(hostile):
    assert typed(page(hostile).texts["pre"])["version"] >= 1
    assert hostile.state['a<b>&"c"\'d\'']["lines"][-1] == 'it\'s <i> & that'
