// Views that report their visibility. They belong to a module that starts and stops, and to
// instances.

import StoreCore
import StorePatterns
import StoreServer

/// A page whose views are counted, under a name for each place.
struct Page<Place: Named>: StartableModule, VisibleModule {
    struct State: ModuleState { var viewers = 0 }

    enum UI: ModuleAction { case appeared, disappeared }

    static var name: String { Place.name }

    func begin(_ start: NoFields) -> State { State() }

    func reduce(_ state: inout State, ui action: UI) {
        switch action {
        case .appeared: state.viewers += 1
        case .disappeared: state.viewers -= 1
        }
    }

    func visibilityDidChange(to visibility: ViewVisibility) -> UI? {
        visibility == .visible ? .appeared : .disappeared
    }
}

protocol Named: Sendable { static var name: String { get } }
enum OfAll: Named { static let name = "page" }
enum OfMany: Named { static let name = "cards" }
enum OfSessions: Named { static let name = "own" }

struct AppState: RootState {
    var page: Page<OfAll>.State?
    var own = PerSession<Page<OfSessions>.State?>()
    var cards = Instances<Page<OfMany>.State>()
    var sessions = Sessions.State()
    var presence = Presence.State()

    static let modules: Modules = [
        Page<OfAll>().at(\.page).lifecycle(.everybody),
        Page<OfSessions>().at(\.own),
        Page<OfMany>().at(\.cards).lifecycle(.everybody),
        Sessions().at(\.sessions),
        Presence().at(\.presence),
    ]
}

Server(AppState.self).main()
