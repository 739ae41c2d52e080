import EventStream
import Wire

/// A reader of the log, as the stream writer keeps it.
struct LogReader {
    /// What it waits for.
    enum Phase {
        /// Its turn.
        case ready
        /// That the source has more.
        case source
        /// That its socket takes more, and since when.
        case socket(since: Double)
    }

    var cursor: LogCursor
    var phase = Phase.ready
    /// Whether it was sent no record yet: then the stream does not name records removed before it began.
    var isBeginning: Bool
    /// Whether it has been told that it has everything.
    var isCaughtUp = false
    /// Whether its socket is watched for room.
    var isWatched = false
    /// What it is to be told in the end, as soon as the frame that is begun is whole.
    var last: Bytes?
    /// Whether it is being closed for taking nothing; it has until the next second.
    var mustEnd = false

    /// Begins where a reader can go on, given what it has.
    init(_ resume: Resume) {
        switch resume {
        case .fresh, .resync: (cursor, isBeginning) = (LogCursor(after: 0), true)
        case .after(let version): (cursor, isBeginning) = (LogCursor(after: version), false)
        }
    }

    /// Whether something may be said between two records now.
    var takesWords: Bool { !cursor.isWithinFrame }

    /// The version that it certainly has been sent, where there is one.
    var knownVersion: UInt64? { isBeginning ? nil : cursor.version }

    /// For how long its socket has taken nothing.
    func stalledSeconds(at now: Double) -> Double {
        if case .socket(let since) = phase { now - since } else { 0 }
    }
}
