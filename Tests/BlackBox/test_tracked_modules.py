"""Analytics that a module declares in a target of its own, which imports its own slice and no root state."""

import json

import pytest
from harness import Server, action
from programs import build
from test_sessions import Client

CARDS = """public import StoreCore

public struct Cards: StartableModule {
    public struct State: ModuleState {
        public var likes = 0
    }

    public enum Action: ModuleAction {
        case liked
    }

    public init() {}

    public func begin(_ start: NoFields) -> State { State() }

    public func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .liked: state.likes += 1
        }
    }
}

public struct Like: Codable, Equatable, Sendable {
    let card: String
    let before: Int
}

extension Cards.Action: TrackedInstanceAction {
    public func record(before state: Cards.State, of instance: String) -> Like {
        Like(card: instance, before: state.likes)
    }
}
"""
CART = """public import StoreCore

public struct Cart: Module {
    public struct State: ModuleState {
        public var items = 0

        public init() {}
    }

    public enum Action: ModuleAction {
        case added
    }

    public init() {}

    public func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .added: state.items += 1
        }
    }
}

extension Cart.Action: TrackedAction {
    public func record(before state: Cart.State) -> [Int] { [state.items] }
}
"""
SHOP = """import StoreCore
import StorePatterns
import StoreServer
import TrackedPart0
import TrackedPart1

struct Shop: RootState {
    var cards = Instances<Cards.State>()
    var cart = PerSession(Cart.State())
    var sessions = Sessions.State()

    static let modules: Modules = [
        Cards().at(\\.cards).lifecycle(.everybody), Cart().at(\\.cart), Sessions().at(\\.sessions),
    ]
}

Server(Shop.self).main()
"""


@pytest.fixture(scope="module")
def program():
    return build("Tracked", SHOP, [CARDS, CART])


def events(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.ci
def test_an_action_of_an_instance_is_tracked_with_its_slice_and_its_id(program, tmp_path):
    file = tmp_path / "analytics.jsonl"
    with Server("--analytics", f"file:{file}", program=program) as server:
        server.post([action("cards/a/start"), action("cards/b/start")])
        server.post([action("cards/a/liked"), action("cards/b/liked"), action("cards/a/liked")])
        assert server.stop() == 0
    assert [event.get("data") for event in events(file)] == [
        {},
        {},
        {"card": "a", "before": 0},
        {"card": "b", "before": 0},
        {"card": "a", "before": 1},
    ]


def test_an_action_of_a_session_is_tracked_with_the_slice_of_that_session(program, tmp_path):
    file = tmp_path / "analytics.jsonl"
    with Server("--analytics", f"file:{file}", program=program) as server:
        ada, bob = Client(server).begin(), Client(server).begin()
        for client in (ada, ada, bob):
            assert client.send(action("cart/added")).status == 200
        assert server.stop() == 0
    found = [event["data"] for event in events(file) if event["type"].endswith("cart/added")]
    assert found == [[0], [1], [0]]
