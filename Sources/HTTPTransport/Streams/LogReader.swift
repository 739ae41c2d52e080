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

/// The readers of the log by their places, and who of them is to be looked at next.
struct LogReaders {
    private var readers: [Int32: LogReader] = [:]
    private var ready: [Int32] = []
    private var waiting: [Int32] = []

    var isEmpty: Bool { readers.isEmpty }
    var hasReady: Bool { !ready.isEmpty }

    subscript(slot: Int32) -> LogReader? {
        get { readers.isEmpty ? nil : readers[slot] }
        set { readers[slot] = newValue }
    }

    mutating func add(_ reader: LogReader, at slot: Int32) {
        readers[slot] = reader
        ready.append(slot)
    }

    /// Puts a reader at the end of those whose turn it is.
    mutating func makeReady(_ slot: Int32) {
        guard let reader = readers[slot] else { return }
        if case .ready = reader.phase { return }
        readers[slot]?.phase = .ready
        ready.append(slot)
    }

    /// Takes those whose turn it is.
    mutating func takeReady() -> [Int32] {
        defer { ready = [] }
        return ready
    }

    /// Puts back, at the end, one that is still ready.
    mutating func keepReady(_ slot: Int32) {
        ready.append(slot)
    }

    /// Puts back, at the front, those whose turn did not come.
    mutating func putBack(_ slots: ArraySlice<Int32>) {
        ready.insert(contentsOf: slots, at: 0)
    }

    mutating func awaitSource(_ slot: Int32) {
        readers[slot]?.phase = .source
        waiting.append(slot)
    }

    /// Everyone who waits for the source is to be looked at again.
    mutating func sourceMoved() {
        let slots = waiting
        waiting = []
        for slot in slots {
            // The place may have another reader by now.
            if case .source? = readers[slot]?.phase { makeReady(slot) }
        }
    }

    /// Those whose socket has taken nothing for so long, and those that are being closed for it.
    func slow(stalledFor seconds: Double, at now: Double) -> [Int32] {
        readers.filter { $0.value.mustEnd || $0.value.stalledSeconds(at: now) >= seconds }
            .map(\.key)
    }
}
