/// How large a document a reader is willing to take.
public struct JSONLimits: Sendable, Equatable {
    /// The deepest nesting that any limits may allow; it bounds the stack that decoding needs.
    public static let depthCeiling = 512

    /// How many values' own `encode(to:)` or `init(from:)` may run within each other. One that
    /// hands itself on as a single value opens no container, so nesting alone would not stop it.
    static let callsMax = 2 * depthCeiling

    /// The most bytes of a document.
    public var bytesMax: Int
    /// How deep arrays and objects may nest; a scalar has depth 0.
    public var depthMax: Int

    /// Makes limits; `depthMax` above ``depthCeiling`` counts as that.
    public init(bytesMax: Int = 1 << 20, depthMax: Int = 64) {
        self.bytesMax = min(bytesMax, Int(UInt32.max) - 16)
        self.depthMax = min(depthMax, Self.depthCeiling)
    }

    /// For documents of our own making: as large as the reader can address (4 GiB).
    public static let unbounded = JSONLimits(bytesMax: .max, depthMax: depthCeiling)
}
