import DefaultCounterInterface
public import StoreCore

/// A screen has come into view. The action changes nothing, and serves only analytics.
public struct ScreenShown: TrackedAction, Codable {
    /// The screen's name for visitors.
    public let name: String

    /// Makes the action for the screen of this name.
    public init(name: String) { self.name = name }

    /// Returns the record for analytics: the screen, and the counter before the action.
    public func record(before state: AppState) -> Record {
        Record(screen: name, counter: state.counter.counter)
    }

    /// The analytics record of one shown screen.
    public struct Record: Codable, Equatable, Sendable {
        /// The screen's name.
        public let screen: String
        /// The counter before the action.
        public let counter: Int
    }
}
