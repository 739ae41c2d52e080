package import StoreCore
package import StoreWire

/// A page of the log (protocol 5.1).
package struct LogPage: Sendable {
    package let records: [Record]
    /// Everything up to this version that was asked for has been given.
    package let through: UInt64
    package let epoch: Epoch
    /// The newest version that is durable.
    package let newest: UInt64
    package let query: LogQuery
}
