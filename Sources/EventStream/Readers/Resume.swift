package import Wire

/// Where a stream begins, given what its reader has already.
package enum Resume: Sendable, Equatable {
    /// The reader has nothing: the newest frame at once.
    case fresh
    /// The reader has this version: nothing until there is a newer one.
    case after(version: UInt64)
    /// What the reader has can't be continued: these bytes, which say why, and the newest frame.
    case resync(Bytes)
}
