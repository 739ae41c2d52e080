// A store on disk, and an ephemeral store beside it (docs/WRITING_STORES.md). LIVELY names a defect
// of the program, or the seconds of silence after which a visit ends.

import Glibc
import StoreCore
import StorePatterns
import StoreServer

/// The cards of a board, on disk.
struct Cards: Module {
    struct State: ModuleState {
        var titles: [String] = []
    }

    enum Action: ModuleAction { case added(title: String) }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .added(let title): state.titles.append(title)
        }
    }
}

struct Boards: RootState {
    var cards = Cards.State()
    var sessions = Sessions.State()

    static let modules: Modules = [Cards().at(\.cards), Sessions().at(\.sessions)]
}

struct Cursor: Codable, Equatable {
    var x: Double
    var isTyping: Bool?
    var text: String?
}

/// A choice of one session that lasts as long as the session and the process.
struct Choice: Module {
    struct State: ModuleState {
        var color = "black"
    }

    enum Action: ModuleAction { case chosen(color: String) }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .chosen(let color): state.color = color
        }
    }
}

let wish = getenv("LIVELY").map { String(cString: $0) } ?? ""

struct Live: RootState {
    var whereabouts = Whereabouts<Cursor>.State()
    var choice = PerSession(Choice.State())
    var sessions = Sessions.State()
    var schedule = Schedule.State()

    static let modules: Modules = [
        Whereabouts<Cursor>(silence: .seconds(Int(wish) ?? 30)).at(\.whereabouts),
        Choice().at(\.choice), Sessions().at(\.sessions), Schedule().at(\.schedule),
    ]
    static let views: Views = [CrowdViewModel.self]
}

/// The places, and the number of sessions at each.
struct CrowdViewModel: ViewModelWithState {
    static let reads: [any ModuleInterface.Type] = [Whereabouts<Cursor>.self]

    let counts: [String: Int]

    init?(state: Live) {
        counts = state.whereabouts.places.reduce(into: [:]) { counts, place in
            counts[place] = state.whereabouts[place].count
        }
    }
}

struct Unsteady: RootState {
    var whereabouts = Whereabouts<Cursor>.State()
    var schedule = Schedule.State()

    static let modules: Modules = [
        Whereabouts<Cursor>().at(\.whereabouts), Schedule().at(\.schedule),
    ]
}

struct Sessionless: RootState {
    var cards = Cards.State()

    static let modules: Modules = [Cards().at(\.cards)]
}

switch wish {
case "on disk": Server(Boards.self).store(Server(Live.self), named: "live").main()
case "sessionless root":
    Server(Sessionless.self).store(Server(Live.self).ephemeral(), named: "live").main()
case "sessionless":
    Server(Boards.self).store(Server(Unsteady.self).ephemeral(), named: "live").main()
case "slow":
    Server(Boards.self)
        .store(Server(Live.self).ephemeral(pace: .seconds(61)), named: "live").main()
case "endless":
    Server(Boards.self).store(Server(Live.self).ephemeral(actionsMax: 0), named: "live").main()
case "both":
    Server(Boards.self)
        .store(Server(Live.self).journal(MemoryJournal()).ephemeral(), named: "live").main()
case "first": Server(Live.self).ephemeral().store(Server(Boards.self), named: "boards").main()
case "short":
    Server(Boards.self).store(Server(Live.self).ephemeral(actionsMax: 10), named: "live").main()
default: Server(Boards.self).store(Server(Live.self).ephemeral(), named: "live").main()
}
