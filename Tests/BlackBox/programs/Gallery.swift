// A picture that all sessions share, presented to the sessions that ask for it; a poster, whose
// view has actions with the same names; and a till. The till's analytics have the state before each
// action.

import StoreCore
import StorePatterns
import StoreServer

struct Picture: StartableModule {
    struct State: ModuleState {
        var likes = 0
    }

    enum UI: ModuleAction {
        case liked
        case spatAt
    }

    func begin(_ start: NoFields) -> State { State() }

    func begin(_ start: NoFields, over old: State) -> State { State() }

    func reduce(_ state: inout State, ui action: UI) throws {
        switch action {
        case .liked: state.likes += 1
        case .spatAt: throw Refusal(reason: "Not in here.")
        }
    }
}

struct PicturePresenter: ViewPresenter {
    static let view = "picture"

    func stateDidUpdate(
        from old: Picture.State?,
        to new: Picture.State?,
        _ context: PresenterContext
    ) {
        if old == nil, new != nil { context.navigation.present("picture") }
        if old != nil, new == nil { context.withdraw("picture") }
    }
}

/// A poster outside. The actions of its view have the same names as the picture's.
struct Poster: Module {
    struct State: ModuleState {
        var likes = 0
    }

    enum UI: ModuleAction {
        case liked
    }

    func reduce(_ state: inout State, ui action: UI) {
        switch action {
        case .liked: state.likes += 1
        }
    }
}

struct Till: Module {
    struct State: ModuleState {
        var cents = 0
    }

    enum Action: ModuleAction {
        case paid(cents: Int)
    }

    func reduce(_ state: inout State, _ action: Action) throws {
        switch action {
        case .paid(let cents):
            guard cents > 0 else { throw Refusal(reason: "That is no money.", pointer: "/cents") }
            state.cents += cents
        }
    }
}

extension Till.Action: TrackedAction {
    func record(before state: AppState) -> Record { Record(before: state.till.cents) }

    struct Record: Codable, Equatable {
        let before: Int
    }
}

struct AppState: RootState {
    var picture: Picture.State?
    var poster = Poster.State()
    var till = Till.State()
    var sessions = Sessions.State()

    static let modules: Modules = [
        Picture().at(\.picture).lifecycle(.everybody).presented(by: PicturePresenter()),
        Poster().at(\.poster),
        Till().at(\.till),
        Sessions().at(\.sessions),
    ]
}

Server(AppState.self).main()
