import Synchronization

/// Counted identifiers: `00000000-0000-0000-0000-000000000001`, then `…2`.
///
/// ```swift
/// dependencies.set(UUIDKey.self, to: CountedUUIDs().next)
/// ```
public final class CountedUUIDs: Sendable {
    private let given = Atomic<UInt64>(0)

    /// Makes a source whose first identifier has the number 1.
    public init() {}

    /// Returns the next identifier.
    @Sendable public func next() -> String {
        Self.uuid(given.add(1, ordering: .relaxed).newValue)
    }

    /// Returns the identifier with this number, in its last 12 digits; higher bits are dropped.
    public static func uuid(_ number: UInt64) -> String {
        let digits = String(number & 0xFFFF_FFFF_FFFF, radix: 16)
        return "00000000-0000-0000-0000-" + String(repeating: "0", count: 12 - digits.count)
            + digits
    }
}
