/// How much of what happens a test has to state.
public enum Exhaustivity: Sendable, Equatable {
    /// Every change of the state, every action, every effect's end.
    case on
    /// What is stated is compared, and the rest is left out; it is shown as a warning on request.
    case off(showSkipped: Bool)

    /// What is stated is compared, and the rest is left out.
    public static let off = Exhaustivity.off(showSkipped: false)
}
