/// So many in so many seconds. They may come all at once, and what was taken comes back evenly.
public struct Rate: Sendable, Equatable, CustomStringConvertible {
    /// The most at once, 1 to 1,000,000.
    public let count: Int
    /// In how many seconds all of them come back, 1 to 86,400.
    public let seconds: Int

    /// A rate; `nil` where one of the numbers is out of its bounds.
    public init?(_ count: Int, in seconds: Int) {
        guard 1...1_000_000 ~= count, 1...86_400 ~= seconds else { return nil }
        self.count = count
        self.seconds = seconds
    }

    /// Reads `100/60`: 100 in 60 seconds.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(parts[0]), let seconds = Int(parts[1]) else {
            return nil
        }
        self.init(count, in: seconds)
    }

    /// The text form that a flag has: `100/60`.
    public var description: String { "\(count)/\(seconds)" }
}
