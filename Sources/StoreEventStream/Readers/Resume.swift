package import StoreWire

/// The point at which a stream begins, which depends on the version that its reader has.
package enum Resume: Sendable, Equatable {
    /// The reader has no version: the stream begins with the newest frame.
    case fresh
    /// The reader has this version: the stream begins with the next newer one.
    case after(version: UInt64)
    /// The stream can't go on from the reader's version: it begins with a frame that has the
    /// reason, and the newest frame.
    case resync(Bytes)
}
