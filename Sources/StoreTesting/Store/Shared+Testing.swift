public import StoreCore

extension Shared {
    /// What a module sees of another one, for a test of the reader alone.
    ///
    /// In a test of a root state the store fills it, and nothing of it is stated.
    public init(_ value: Value) {
        self.init()
        self.value = value
    }
}

extension RootState {
    /// Fills what modules of this state see of one another, as a store does after each action.
    static var connected: @Sendable (inout Self) -> Void {
        // Modules that can't make a store are reported where the test makes one.
        guard let machine = try? ModuleMachine<Self>(of: modules) else { return { _ in } }
        return { machine.connect(&$0) }
    }
}
