import StoreEventStream
import StoreWire

/// The stream writer's data about one reader of the log.
struct LogReader {
    /// The event for which a reader waits.
    enum Phase {
        /// The reader's turn.
        case ready
        /// More records from the source.
        case source
        /// Room in the reader's socket; `since` is the time at which the wait began.
        case socket(since: Double)
    }

    /// The session and the sight with which the reader reads.
    let viewer: Viewer
    var position: LogPosition
    var phase = Phase.ready
    /// True if the stream has sent no record yet. Then it does not announce records that were
    /// removed before it began.
    var isBeginning: Bool
    /// True if the reader got the frame for readers that have every record.
    var isCaughtUp = false
    /// True if epoll watches the socket for room.
    var isWatched = false
    /// The last frame of the stream, which follows the chunk that is begun.
    var bye: Bytes?
    /// True if the stream is being closed because its reader takes nothing. The reader has until
    /// the next second.
    var isClosing = false

    /// Starts at the record that follows the reader's version.
    init(_ resume: Resume, for viewer: Viewer = .all) {
        self.viewer = viewer
        switch resume {
        case .fresh, .resync: (position, isBeginning) = (LogPosition(after: 0), true)
        case .after(let version): (position, isBeginning) = (LogPosition(after: version), false)
        }
    }

    /// True if a frame other than a record may be sent now.
    var isBetweenChunks: Bool { position.isBetweenChunks }

    /// The version up to which every record is sent.
    var version: UInt64 { position.cursor.version }

    /// The version that the reader certainly has, if there is one.
    var knownVersion: UInt64? { isBeginning ? nil : version }

    /// Returns the time in seconds for which the socket has taken nothing.
    func stalledSeconds(at now: Double) -> Double {
        if case .socket(let since) = phase { now - since } else { 0 }
    }
}
