package import StoreWire

/// Where a stream begins, given what its reader has already.
package enum Resume: Sendable, Equatable {
    /// The reader has nothing: the newest frame at once.
    case fresh
    /// The reader has this version: nothing until there is a newer one.
    case after(version: UInt64)
    /// The stream can't go on from what the reader has: a frame with the reason, and the newest
    /// frame.
    case resync(Bytes)
}
