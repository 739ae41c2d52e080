import StoreCore
import StorePatterns

/// A store beside the boards, for the members who look at a board now. It keeps nothing on disk.
struct Live: RootState {
    var whereabouts = Whereabouts<Focus>.State()
    var sessions = Sessions.State()
    var schedule = Schedule.State()

    static let modules: Modules = [
        Whereabouts<Focus>(silence: .seconds(30)).at(\.whereabouts),
        Sessions().at(\.sessions),
        Schedule().at(\.schedule),
    ]
    static let views: Views = [PresentViewModel.self]
}

/// The card that a member points at.
struct Focus: Codable, Equatable {
    var card: String?
}

/// The members who look at a board now. Roles read this view, and not the whereabouts, so a client
/// has to know the id of the board.
struct PresentViewModel: ParameterizedViewModel {
    static let name = "present"
    static let reads: [any ModuleInterface.Type] = [Whereabouts<Focus>.self]

    struct Parameters: Codable, Sendable { let board: String }

    struct Row: Encodable, Equatable, Sendable {
        let id: String
        let card: String?
    }

    let members: [Row]

    init?(state: Live, parameters: Parameters) {
        // A member with several tabs is shown once, with its last arrival.
        let visits = state.whereabouts[parameters.board].values.sorted { $0.since < $1.since }
        let cards = Dictionary(visits.map { ($0.principal ?? "a visitor", $0.detail?.card) }) { $1 }
        members = cards.sorted { $0.key < $1.key }.map { Row(id: $0.key, card: $0.value) }
    }
}
