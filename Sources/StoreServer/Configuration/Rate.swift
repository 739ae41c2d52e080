/// A number of requests or other units in a number of seconds. A client may use all of them at
/// once; they are restored at an even pace.
public struct Rate: Sendable, Equatable, CustomStringConvertible {
    /// The maximum at once, 1 to 1,000,000.
    public let count: Int
    /// The seconds in which all of them are restored, 1 to 86,400.
    public let seconds: Int

    /// Makes a rate; `nil` if one of the numbers is out of its bounds.
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

    /// The text form of the rate in a flag: `100/60`.
    public var description: String { "\(count)/\(seconds)" }
}
