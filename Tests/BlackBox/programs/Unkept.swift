// A view that reports its visibility, in a state without a place for the report.

import StoreCore
import StoreServer

struct Page: VisibleModule {
    struct State: ModuleState { var viewers = 0 }

    enum UI: ModuleAction { case appeared, disappeared }

    func reduce(_ state: inout State, ui action: UI) { state.viewers += 1 }

    func visibilityDidChange(to visibility: ViewVisibility) -> UI? {
        visibility == .visible ? .appeared : .disappeared
    }
}

struct AppState: RootState {
    var page = Page.State()

    static let modules: Modules = [Page().at(\.page)]
}

Server(AppState.self).main()
