import Synchronization

/// Names for requests, so that a problem can be found again in the log.
enum RequestID {
    private static let prefix = String(UInt64.random(in: .min ... .max), radix: 36)
    private static let count = Atomic<UInt64>(0)

    /// A name that no other request of this or another process has.
    static func next() -> String {
        "\(prefix)-\(count.add(1, ordering: .relaxed).newValue)"
    }
}
