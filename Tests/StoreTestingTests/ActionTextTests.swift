import StoreCore
import Testing

@testable import StoreTesting

@Suite struct ActionTextTests {
    private struct Plain: Action {}

    private struct Empty: Action, Encodable {}

    private struct Fields: Action, Encodable {
        var a = 1
        var b: String? = "x"
    }

    private enum Letters: String, ModuleAction {
        case a
        case b = "/b"
    }

    private enum Renamed: ModuleAction {
        case opened
        case moved(to: Int)

        enum CodingKeys: String, CodingKey {
            case opened = "/Opened"
            case moved = "went"
        }
    }

    private enum Broken: ModuleAction {
        case measured(Double)
    }

    private static let texts: [(any Action, String)] = [
        (Search.Action.closed, "Search.Action.closed"),
        (Search.Action.typed("a \"b\""), #"Search.Action.typed("a \"b\"")"#),
        (Search.Internal.drawn(1, id: "x"), #"Search.Internal.drawn(1, id: "x")"#),
        (Tally.Action.increased.to("7"), #"Tally.Action.increased.to("7")"#),
        (Page.start(.init(title: "A")), #"Page.start(.init(title: "A"))"#),
        (Page.stop, "Page.stop"),
        (Plain(), "ActionTextTests.Plain"),
        (Empty(), "ActionTextTests.Empty()"),
        (Fields(), #"ActionTextTests.Fields(a: 1, b: "x")"#),
        (Letters.a, "ActionTextTests.Letters.a"),
        // A case may have another name on the wire.
        (Letters.b, "ActionTextTests.Letters.b"),
        (Renamed.opened, "ActionTextTests.Renamed.opened"),
        (Renamed.moved(to: 3), "ActionTextTests.Renamed.moved(to: 3)"),
        // The action has no JSON form.
        (Broken.measured(.nan), "ActionTextTests.Broken"),
    ]

    @Test(arguments: texts.indices)
    func `an action is written as in a program`(index: Int) {
        let (action, text) = Self.texts[index]
        #expect(ActionText.of(action) == text)
    }
}
