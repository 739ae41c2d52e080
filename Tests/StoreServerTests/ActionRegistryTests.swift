import StoreCore
import StoreJSON
import StoreJournalSQLite
import StorePatterns
import Testing

@testable import StoreActionCatalog
@testable import StoreHTTP
@testable import StoreHistory
@testable import StoreJSONSchema
@testable import StorePublishing
@testable import StoreServer

@Suite struct ActionRegistryTests {
    private let registry: ActionRegistry<YardState>
    private let encoder = JSONEncoder()

    init() throws {
        registry = try ActionRegistry([], YardState.modules.map { ModuleActions($0) })
    }

    private func member(_ action: any Action) throws -> EnvelopeMember {
        try registry.member(of: action, encoder)
    }

    private func text(_ action: any Action) throws -> String {
        let member = try member(action)
        return member.type + " " + String(decoding: member.payload, as: UTF8.self)
    }

    /// Reads the written action, as a replay does.
    private func again(_ action: any Action) throws -> any Action {
        let member = try member(action)
        let found = try #require(registry[member.type])
        let payload = try JSONDocument(parsing: member.payload, limits: .unbounded).root
        return try found.decode(payload, JSONDecoder())
    }

    @Test func `an action is read by its written name and payload`() throws {
        #expect(try text(Gate.Action.opened) == "gate/opened {}")
        #expect(try text(Gate.Action.widened(by: 3)) == #"gate/widened {"by":3}"#)
        #expect(try text(Gate.Internal.shut) == "gate/shut {}")
        #expect(try text(Painted(colour: "red")) == #"Painted {"colour":"red"}"#)
        #expect(try text(Shed.start(.init(size: 2)).to("a/b")) == #"shed/a/b/start {"size":2}"#)
        #expect(try text(Shed.stop.to("7")) == "shed/7/stop {}")
        #expect(try text(Shed.Action.swept.to("7")) == "shed/7/swept {}")
        #expect(try text(Emptied(of: "hay").to("7")) == #"shed/7/Emptied {"of":"hay"}"#)

        #expect(try again(Gate.Action.opened) as? Gate.Action == .opened)
        #expect(try again(Gate.Action.widened(by: 3)) as? Gate.Action == .widened(by: 3))
        #expect(try again(Gate.Internal.shut) as? Gate.Internal == .shut)
        // An enum of one case takes no memory either, and is still written with its name.
        #expect(try text(Rung.once) == #"Rung {"once":{}}"#)
        #expect(try again(Rung.once) is Rung)
        #expect(try text(Bare()) == "Bare {}")
        #expect(try again(Bare()) is Bare)

        let swept = try #require(try again(Shed.Action.swept.to("7")) as? AddressedAction)
        #expect(swept.action as? Shed.Action == .swept)
        #expect(swept.instance == "7")
        let emptied = try #require(try again(Emptied(of: "hay").to("7")) as? AddressedAction)
        #expect(emptied.action as? Emptied == Emptied(of: "hay"))
    }

    @Test func `a case that is not read as it is written is an error`() throws {
        let moods = try ActionRegistry([], Alone<Moody>.modules.map { ModuleActions($0) })
        #expect(try moods.member(of: Moody.Action.set(to: 1), encoder).type == "moody/set")
        #expect(throws: ActionWriteError.unwritable(type: "Action")) {
            try moods.member(of: Moody.Action.set(to: 7), encoder)
        }
    }

    @Test func `an action that no record can hold is named, with the bound`() throws {
        #expect(ActionTable.payloadBytesMax == SQLiteJournal.fieldBytesMax)
        let modules = YardState.modules.map { ModuleActions($0) }
        let small = try ActionRegistry([], modules, payloadBytesMax: 20)
        let fits = Painted(colour: "magenta")
        #expect(try small.member(of: fits, encoder).payload.count == 20)
        #expect {
            try small.member(of: Painted(colour: fits.colour + "r"), encoder)
        } throws: {
            "\($0)".contains("21 bytes") && "\($0)".contains("at most 20")
        }
    }

    @Test func `an id counts only for a module with instances`() throws {
        let member = try member(Gate.Action.opened.to("7"))
        #expect(member.type == "gate/opened")
        #expect(member.action as? Gate.Action == .opened)
        #expect(registry["gate/7/opened"] == nil)
        #expect(registry["shed/swept"] == nil)
        #expect(registry["shed//swept"] == nil)
        #expect(registry["shed/\(String(repeating: "x", count: 129))/swept"] == nil)
        #expect(registry["shed/\(String(repeating: "x", count: 128))/swept"] != nil)
        // The action has its name in the log, until the reducer refuses it.
        #expect(try self.member(Shed.Action.swept).type == "shed/swept")
    }

    @Test func `names are compared by their bytes`() throws {
        struct Cafe: Action, Codable {}
        let registry = try ActionRegistry<YardState>(.named("caf\u{E9}", Cafe.self))
        #expect(registry["caf\u{E9}"] != nil)
        #expect(registry["cafe\u{301}"] == nil)
        #expect(registry[""] == nil)
    }

    @Test func `secret members are removed from actions of every origin`() throws {
        for action: any Action in [
            Gate.UI.unlocked(by: "ada", code: "4711"),
            Gate.UI.unlocked(by: "ada", code: "4711").to("7"),
        ] {
            let member = try member(action)
            #expect(String(decoding: member.payload, as: UTF8.self) == #"{"by":"ada"}"#)
            #expect(member.action as? Gate.UI == .unlocked(by: "ada", code: nil))
        }
        let whole = try member(Forced(by: "eve", code: "4711"))
        #expect(String(decoding: whole.payload, as: UTF8.self) == #"{"by":"eve"}"#)
        #expect(whole.action as? Forced == Forced(by: "eve", code: nil))
        let addressed = try member(Shed.Internal.locked(code: "4711").to("7"))
        #expect(addressed.type == "shed/7/locked")
        #expect(addressed.payload == Array("{}".utf8))
        let inner = try #require(addressed.action as? AddressedAction)
        #expect(inner.action as? Shed.Internal == .locked(code: nil))
        #expect(inner.instance == "7")
    }

    @Test func `an action that is not registered is named`() throws {
        struct Stranger: Action {}
        let stranger = ActionWriteError.unregistered(type: "Stranger")
        #expect(throws: stranger) { try member(Stranger()) }
        #expect(throws: stranger) { try member(Stranger().to("7")) }
        #expect(throws: ActionWriteError.unregistered(type: "AddressedAction")) {
            try member(Shed.Action.swept.to("7").to("8"))
        }
        #expect(
            stranger.description.hasPrefix("Stranger is dispatched by the program, but is not")
        )
    }

    private func refusal<Root: RootState>(_ root: Root.Type) -> String? {
        do {
            _ = try ActionRegistry<Root>([], Root.modules.map { ModuleActions($0) })
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `an action that can't work on the wire is refused with its module`() throws {
        #expect(refusal(YardState.self) == nil)
        let numbered = try #require(refusal(Alone<Numbered>.self))
        #expect(numbered.hasPrefix("the actions of module 'numbered': "))
        #expect(
            numbered.hasSuffix(
                "Numbered.Action are written as numbers; use raw values of the type String, or no "
                    + "raw values"
            )
        )
        let shown = try #require(refusal(Alone<WholeForViews>.self))
        #expect(shown.hasPrefix("the actions of module 'wholeForViews': "))
        #expect(shown.contains("UI writes a case as '/Pressed', a whole wire name; an action of a"))
        let many = try #require(refusal(Many.self))
        #expect(many.hasPrefix("the actions of module 'wholeForInstances': "))
        #expect(
            many.contains("Action writes a case as '/Swept', a whole wire name; an action of an")
        )
        let needy = try #require(refusal(Alone<Needy>.self))
        #expect(
            needy.hasPrefix("the action 'needy/opened' needs its member 'code', but the server")
        )
        let twice = try #require(refusal(Alone<Twice>.self))
        #expect(twice == "two actions have the wire name 'twice/done'; names must be unique")
        let same = try #require(refusal(Alone<Same>.self))
        #expect(same == "two actions have the wire name 'Done'; names must be unique")
        let taken = try #require(refusal(Alone<Taken>.self))
        #expect(taken == "two actions have the wire name 'Bare'; names must be unique")
    }

    @Test func `a whole name is the action's, and the module stays`() throws {
        let registry = try ActionRegistry([], Alone<Old>.modules.map { ModuleActions($0) })
        let names = registry.entries.map(\.name)
        #expect(names == ["MoveRequested", "old/stopped", "Aged"])
        #expect(registry.entries.allSatisfy { $0.module == "old" })
        for (action, text) in [
            (Old.Action.moveRequested(by: 3), #"MoveRequested {"by":3}"#),
            (Old.Action.stopped, "old/stopped {}"), (Old.Internal.aged, "Aged {}"),
        ] as [(any Action, String)] {
            let member = try registry.member(of: action, encoder)
            #expect(member.type + " " + String(decoding: member.payload, as: UTF8.self) == text)
            let found = try #require(registry[member.type])
            let payload = try JSONDocument(parsing: member.payload, limits: .unbounded).root
            let again = try found.member(payload, JSONDecoder())
            #expect(again.type == member.type && "\(again.action)" == "\(action)")
        }
        for absent in ["/MoveRequested", "old/MoveRequested", "old//MoveRequested", "Old", "aged"] {
            #expect(registry[absent] == nil)
        }
        #expect(
            registry.table.signatures(for: .everybody).map(\.name) == [
                "MoveRequested", "old/stopped",
            ]
        )
    }
}

private struct YardState: RootState {
    var gate = Gate.State()
    var sheds = Instances<Shed.State>()
    static let modules: Modules = [Gate().at(\.gate), Shed().at(\.sheds).lifecycle(.everybody)]
}

private struct Gate: Module {
    struct State: ModuleState { var width = 1 }

    enum Action: ModuleAction {
        case opened
        case widened(by: Int)
    }

    enum UI: RedactedAction, ModuleAction {
        static let secrets = ["code"]
        case unlocked(by: String, code: String?)
    }

    enum Internal: String, ModuleAction { case shut }

    static let dispatchables: [any Dispatchable.Type] = [
        Painted.self, Forced.self, Rung.self, Bare.self,
    ]

    func reduce(_ state: inout State, _ action: Action) {}
    func reduce(_ state: inout State, ui action: UI) {}
    func reduce(_ state: inout State, internal action: Internal) {}
}

private struct Painted: StateUpdater {
    let colour: String
    func updateState(_ state: inout Gate.State) {}
}

private enum Rung: StateUpdater {
    case once
    func updateState(_ state: inout Gate.State) {}
}

private struct Bare: StateUpdater {
    func updateState(_ state: inout Gate.State) {}
}

private struct Forced: RedactedAction, StateUpdater, Equatable {
    static let secrets = ["code"]
    let by: String
    let code: String?
    func updateState(_ state: inout Gate.State) {}
}

private struct Shed: StartableModule {
    struct State: ModuleState { var size = 1 }
    struct Start: Codable, Equatable, Sendable { let size: Int }

    enum Action: String, ModuleAction { case swept }

    enum Internal: RedactedAction, ModuleAction {
        static let secrets = ["code"]
        case locked(code: String?)
    }

    static let dispatchables: [any Dispatchable.Type] = [Emptied.self]

    func begin(_ start: Start) -> State { State(size: start.size) }
    func reduce(_ state: inout State, _ action: Action) {}
    func reduce(_ state: inout State, internal action: Internal) {}
}

private struct Emptied: StateUpdater, Equatable {
    let of: String
    func updateState(_ state: inout Shed.State) {}
}

// Modules with a defect

private protocol Defective: Module where State == Gate.State { init() }

private struct Alone<M: Defective>: RootState {
    var gate = Gate.State()
    static var modules: Modules { [M().at(\.gate)] }
}

private struct Numbered: Defective {
    typealias State = Gate.State
    enum Action: Int, ModuleAction { case one, two }
    func reduce(_ state: inout State, _ action: Action) {}
}

/// Writes one of its values under a name that it does not read.
private struct Moody: Defective {
    typealias State = Gate.State
    enum Action: ModuleAction {
        case set(to: Int)

        private enum Name: String, CodingKey { case set, lucky }
        private struct Fields: Codable { let to: Int }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Name.self)
            self = .set(to: try container.decode(Fields.self, forKey: .set).to)
        }

        func encode(to encoder: any Encoder) throws {
            guard case .set(let number) = self else { return }
            var container = encoder.container(keyedBy: Name.self)
            try container.encode(Fields(to: number), forKey: number == 7 ? .lucky : .set)
        }
    }
    func reduce(_ state: inout State, _ action: Action) {}
}

private struct Needy: Defective {
    typealias State = Gate.State
    enum Action: RedactedAction, ModuleAction {
        static let secrets = ["code"]
        case opened(code: String)
    }
    func reduce(_ state: inout State, _ action: Action) {}
}

private struct Twice: Defective {
    typealias State = Gate.State
    enum Action: ModuleAction { case done }
    enum Internal: ModuleAction { case done }
    func reduce(_ state: inout State, _ action: Action) {}
    func reduce(_ state: inout State, internal action: Internal) {}
}

/// Has whole names, as actions from the time before modules.
private struct Old: Defective {
    typealias State = Gate.State
    enum Action: ModuleAction {
        case moveRequested(by: Int)
        case stopped

        enum CodingKeys: String, CodingKey {
            case moveRequested = "/MoveRequested"
            case stopped
        }
    }
    enum Internal: String, ModuleAction { case aged = "/Aged" }
    func reduce(_ state: inout State, _ action: Action) {}
    func reduce(_ state: inout State, internal action: Internal) {}
}

private struct WholeForViews: Defective {
    typealias State = Gate.State
    enum UI: String, ModuleAction { case pressed = "/Pressed" }
    func reduce(_ state: inout State, ui action: UI) {}
}

private struct WholeForInstances: StartableModule {
    typealias State = Gate.State
    enum Action: String, ModuleAction { case swept = "/Swept" }
    func begin(_ start: NoFields) -> State { State() }
    func reduce(_ state: inout State, _ action: Action) {}
}

private struct Many: RootState {
    var gates = Instances<Gate.State>()
    static let modules: Modules = [WholeForInstances().at(\.gates)]
}

private struct Same: Defective {
    typealias State = Gate.State
    enum Action: String, ModuleAction { case done = "/Done" }
    enum Internal: String, ModuleAction { case done = "/Done" }
    func reduce(_ state: inout State, _ action: Action) {}
    func reduce(_ state: inout State, internal action: Internal) {}
}

/// Uses the name of an action with a type of its own.
private struct Taken: Defective {
    typealias State = Gate.State
    enum Action: String, ModuleAction { case bare = "/Bare" }
    static let dispatchables: [any Dispatchable.Type] = [Bare.self]
    func reduce(_ state: inout State, _ action: Action) {}
}
