import StoreEventStream
import StoreWire

/// A reader whose socket did not take everything.
struct BehindReader {
    /// The most frames without a version that wait for it.
    static let commandsMax = 16

    var backlog: Backlog
    /// When its socket last took something.
    var progressed: Double
    /// The version that it had before, if any.
    var version: UInt64?
    /// Whether the stream ends when the backlog is sent.
    var isClosing = false
    /// Whether it is sent the newest version after the backlog.
    var needsNewest = false
    /// The large frame that it is being sent, where it is not in patch mode.
    var largeFrame: LargeFrame?
    /// The frames without a version that it is sent after the backlog.
    var commands: [Bytes] = []
    /// Whether its socket takes more, and other readers have their turn first.
    var awaitsTurn = false
}
