package import StoreCore
package import StoreWire

/// A page of the log (protocol 5.1).
package struct LogPage: Sendable {
    package let records: [Record]
    /// The last version that the search covered: the page has every matching record through this
    /// version.
    package let through: UInt64
    package let epoch: Epoch
    /// The newest published version.
    package let newest: UInt64
    package let query: LogQuery
}
