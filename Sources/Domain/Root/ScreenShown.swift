import DefaultCounterInterface
public import StoreCore

/// An action for analytics: a visitor sees a screen. The action does not change the state.
public struct ScreenShown: TrackedAction, Codable {
    /// The name of the screen.
    public let name: String

    /// Makes the action for the screen of this name.
    public init(name: String) { self.name = name }

    /// Returns the analytics record: the screen, and the counter before the action.
    public func record(before state: AppState) -> Record {
        Record(screen: name, counter: state.counter.counter)
    }

    /// The analytics record of one shown screen.
    public struct Record: Codable, Equatable, Sendable {
        /// The name of the shown screen.
        public let screen: String
        /// The counter before the action.
        public let counter: Int
    }
}
