/// The limits of the documents that a reader accepts.
public struct JSONLimits: Sendable, Equatable {
    /// The deepest nesting that any limits can permit; it bounds the stack that decoding needs.
    public static let depthCeiling = 512

    /// The maximum number of nested calls of `encode(to:)` or `init(from:)`. A type that passes
    /// itself on as a single value opens no container, so a limit of nesting alone would not stop
    /// it.
    static let callsMax = 2 * depthCeiling

    /// The maximum number of bytes of a document.
    public var bytesMax: Int
    /// The maximum depth of arrays and objects; a scalar has depth 0.
    public var depthMax: Int

    /// Makes limits. `depthMax` is reduced to ``depthCeiling`` if it is larger.
    public init(bytesMax: Int = 1 << 20, depthMax: Int = 64) {
        self.bytesMax = min(bytesMax, Int(UInt32.max) - 16)
        self.depthMax = min(depthMax, Self.depthCeiling)
    }

    /// Limits for the program's own documents: as large as the reader can address (4 GiB).
    public static let unbounded = JSONLimits(bytesMax: .max, depthMax: depthCeiling)
}
