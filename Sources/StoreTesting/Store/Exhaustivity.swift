/// The part of the store's events that a test has to state.
public enum Exhaustivity: Sendable, Equatable {
    /// The test states every change of the state, every action and every effect's end.
    case on
    /// The store compares the statements of the test, and skips other events. With `showSkipped` it
    /// reports them as warnings.
    case off(showSkipped: Bool)

    /// The store compares the statements of the test, and skips other events without a report.
    public static let off = Exhaustivity.off(showSkipped: false)
}
