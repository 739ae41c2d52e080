// Ballots under ids and names that clients choose: two spellings of a word are two ids and two
// names.

import StoreCore
import StoreServer

struct Ballots: StartableModule, EffectfulModule {
    struct State: ModuleState {
        var raised = 0
        var votes: [ExactText: Int] = [:]
        /// A dictionary with texts as keys has only one entry for two spellings of a word.
        var words: [String: Int] = [:]
        var last = ""
    }

    enum Action: ModuleAction {
        case raised
        case voted(name: String)
        case counted(words: [String: Int])
        case tallied(votes: [ExactText: Int])
        case marked(with: Set<String>)
        case weighed(by: Unit)
        case awaited
    }

    enum Unit: String, Codable, Sendable {
        case kelvin = "Kelvin"
        case litre = "\u{E9}tal"
    }

    func begin(_ start: NoFields) -> State { State() }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .raised: state.raised += 1
        case .voted(let name): state.votes[ExactText(name), default: 0] += 1
        case .counted(let words): state.words = words
        case .tallied(let votes): state.votes = votes
        case .marked, .weighed: break
        case .awaited:
            return .run(id: "wait") { context in
                try await context.sleep(for: .seconds(3_600))
            }
        }
        return .none
    }
}

/// A page of a ballot, whose parameters may have any names.
struct PageViewModel: ParameterizedViewModel {
    struct Parameters: Codable, Sendable {
        let K: String
    }

    let text: String

    init?(state: AppState, parameters: Parameters) { text = parameters.K }
}

struct AppState: RootState {
    var ballots = Instances<Ballots.State>()

    static let modules: Modules = [Ballots().at(\.ballots).lifecycle(.everybody)]
    static let views: Views = [PageViewModel.self]
}

Server(AppState.self).main()
