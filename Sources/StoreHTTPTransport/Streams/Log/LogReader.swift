import StoreEventStream
import StoreWire

/// A reader of the log, as the stream writer keeps it.
struct LogReader {
    /// What it waits for.
    enum Phase {
        /// Its turn.
        case ready
        /// More records from the source.
        case source
        /// Room in its socket, and since when.
        case socket(since: Double)
    }

    /// As whom it reads.
    let viewer: Viewer
    var position: LogPosition
    var phase = Phase.ready
    /// Whether it was sent no record yet: then the stream does not name records removed before it
    /// began.
    var isBeginning: Bool
    /// Whether it was sent the frame for readers that have everything.
    var isCaughtUp = false
    /// Whether its socket is watched for room.
    var isWatched = false
    /// The last frame of its stream, to be sent as soon as the chunk that is begun is whole.
    var bye: Bytes?
    /// Whether it is being closed for taking nothing; it has until the next second.
    var isClosing = false

    /// Begins where a reader can go on, given what it has.
    init(_ resume: Resume, for viewer: Viewer = .all) {
        self.viewer = viewer
        switch resume {
        case .fresh, .resync: (position, isBeginning) = (LogPosition(after: 0), true)
        case .after(let version): (position, isBeginning) = (LogPosition(after: version), false)
        }
    }

    /// Whether another frame may be sent now.
    var isBetweenChunks: Bool { position.isBetweenChunks }

    /// The version up to which every record is sent.
    var version: UInt64 { position.cursor.version }

    /// The version that its reader certainly has, where there is one.
    var knownVersion: UInt64? { isBeginning ? nil : version }

    /// For how long its socket has taken nothing.
    func stalledSeconds(at now: Double) -> Double {
        if case .socket(let since) = phase { now - since } else { 0 }
    }
}
