/// A number, and the step by which it is moved.
public struct CounterState: Codable, Equatable, Sendable {
    /// Where the counter stands.
    public var counter: Int
    /// What one increase adds and one decrease takes away; negative and zero are allowed.
    public var step: Int

    /// Makes a counter that stands at `counter` and moves by `step`.
    public init(counter: Int, step: Int) {
        self.counter = counter
        self.step = step
    }

    /// Zero, moved by ones.
    public static let initial = CounterState(counter: 0, step: 1)
}
