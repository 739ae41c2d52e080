public import StoreCore

extension Shared {
    /// Makes a value that another module shares, for a test of the reading module alone.
    ///
    /// In a test of a root state, the store fills the value, and the test does not state it.
    public init(_ value: Value) {
        self.init()
        self.value = value
    }
}

extension RootState {
    /// Fills the values that modules of this state share, as a store does after each action.
    static var connected: @Sendable (inout Self) -> Void {
        // A failure of these modules is reported when the test makes a store.
        guard let machine = try? ModuleMachine<Self>(of: modules) else { return { _ in } }
        return { machine.connect(&$0) }
    }
}
