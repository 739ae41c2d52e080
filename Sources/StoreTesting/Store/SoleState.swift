import StoreCore

/// The root state of a module that is tried alone.
struct SoleState<M: Module>: RootState {
    var state: M.State?

    init() {}

    init(_ state: M.State) {
        self.state = state
    }

    /// None by itself: the module under test is a value, which a type does not have.
    static var modules: Modules { [] }

    static func modules(_ module: M) -> Modules {
        [Mount(module, .started(RootMember(\.state)))]
    }

    static func == (a: Self, b: Self) -> Bool { a.state == b.state }
}
