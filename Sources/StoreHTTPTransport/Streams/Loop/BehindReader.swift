import StoreEventStream
import StoreWire

/// A reader whose socket did not take every byte.
struct BehindReader {
    /// The most frames without a version that wait for the reader.
    static let commandsMax = 16

    var backlog: Backlog
    /// The time at which the socket last took a byte.
    var progressed: Double
    /// The version that the reader had before the backlog; `nil` if it had none.
    var version: UInt64?
    /// True if the stream ends when the backlog is sent.
    var isClosing = false
    /// True if the reader gets the newest version after the backlog.
    var needsNewest = false
    /// The large frame at the head of the backlog, unless the stream is in patch mode.
    var largeFrame: LargeFrame?
    /// The frames without a version that follow the backlog.
    var commands: [Bytes] = []
    /// True if the socket takes more, and the reader waits for its turn.
    var awaitsTurn = false
}
