// A view that reports when it is shown, in a state that has no place to keep that.

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

StoreServer(AppState.self).main()
