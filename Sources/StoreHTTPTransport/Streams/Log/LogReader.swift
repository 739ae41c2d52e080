import StoreJSON
import StoreWire

/// The stream writer's data about one reader of the log.
struct LogReader {
    /// The event for which a reader waits.
    enum Phase {
        /// The reader's turn to be served.
        case ready
        /// More records in the source of the log.
        case awaitsSource
        /// Room in the reader's socket; `since` is the time at which the wait began.
        case awaitsSocket(since: Double)
    }

    /// The session and the sight that decide which records the reader may see.
    let viewer: Viewer
    var position: LogPosition
    var phase = Phase.ready
    /// True if the stream has sent no record yet. In that case, no `resync` is sent if the first
    /// records were removed from the log.
    var isBeginning: Bool
    /// True if the reader got the frame that reports that the reader has every record.
    var isCaughtUp = false
    /// True if epoll reports when the socket takes more bytes.
    var isSocketWatched = false
    /// The last frame of a stream that is ending. The frame follows the chunk that is sent in part.
    var byeFrame: Bytes?
    /// True if the reader's socket takes no bytes. The stream then ends within the next second.
    var isClosing = false

    /// Starts at the record that follows the reader's version.
    init(_ resume: Resume, for viewer: Viewer = .unrestricted) {
        self.viewer = viewer
        switch resume {
        case .fresh, .resync: (position, isBeginning) = (LogPosition(after: 0), true)
        case .after(let version): (position, isBeginning) = (LogPosition(after: version), false)
        }
    }

    /// True if a frame other than a record may be sent now.
    var isBetweenChunks: Bool { position.isBetweenChunks }

    var version: UInt64 { position.cursor.version }

    /// The version that the reader certainly has; `nil` if there is no such version.
    var knownVersion: UInt64? { isBeginning ? nil : version }

    /// Returns the time in seconds for which the socket has taken nothing.
    func stalledSeconds(at now: Double) -> Double {
        if case .awaitsSocket(let since) = phase { now - since } else { 0 }
    }
}

/// The readers of the log by their slots, and the order of their turns.
struct LogReaders {
    private var readers: [Int32: LogReader] = [:]
    private var readySlots: [Int32] = []
    private var slotsAwaitingSource: [Int32] = []

    var isEmpty: Bool { readers.isEmpty }
    var hasReady: Bool { !readySlots.isEmpty }

    subscript(slot: Int32) -> LogReader? {
        get { readers.isEmpty ? nil : readers[slot] }
        set { readers[slot] = newValue }
    }

    mutating func add(_ reader: LogReader, at slot: Int32) {
        readers[slot] = reader
        readySlots.append(slot)
    }

    /// Adds a reader to the end of the queue for turns, unless the reader is in the queue already.
    mutating func makeReady(_ slot: Int32) {
        guard let reader = readers[slot] else { return }
        if case .ready = reader.phase { return }
        readers[slot]?.phase = .ready
        readySlots.append(slot)
    }

    /// Takes all readers from the queue for turns.
    mutating func takeReady() -> [Int32] {
        defer { readySlots = [] }
        return readySlots
    }

    /// Puts a reader that is still ready back at the end of the queue.
    mutating func putLast(_ slot: Int32) { readySlots.append(slot) }

    /// Puts the readers that did not get their turn back at the front of the queue.
    mutating func putFirst(_ slots: ArraySlice<Int32>) {
        readySlots.insert(contentsOf: slots, at: 0)
    }

    mutating func awaitSource(_ slot: Int32) {
        readers[slot]?.phase = .awaitsSource
        slotsAwaitingSource.append(slot)
    }

    /// Adds the readers that wait for the source to the queue for turns.
    mutating func makeWaitingReady() {
        let slots = slotsAwaitingSource
        slotsAwaitingSource = []
        for slot in slots {
            // The slot may have another reader by now.
            if case .awaitsSource? = readers[slot]?.phase { makeReady(slot) }
        }
    }

    /// Returns the slots of the readers whose sockets have taken nothing for `seconds`. Readers
    /// that are already being closed are included.
    func stalledSlots(for seconds: Double, at now: Double) -> [Int32] {
        readers.filter { $0.value.isClosing || $0.value.stalledSeconds(at: now) >= seconds }
            .map(\.key)
    }
}

/// The pace at which readers of the log catch up while actions are applied.
///
/// Dispatching goes first: after a turn that sent much, the log pauses for four times as long as
/// the turn took. So catching up takes about a fifth of a processor core. Every reader makes
/// progress, because a pause has a bound and a turn follows each pause. There are no pauses while
/// no action is applied.
struct CatchUpPace {
    /// The size in bytes from which a pause follows a turn. After a smaller turn, the next turn
    /// follows at once, so readers that keep up get each record immediately.
    static let pausedTurnBytesMin = 256 << 10
    static let pauseFactor = 4.0
    /// The longest pause. The pause grows with the time of the turn. Without this bound, a turn
    /// that other threads have delayed would lead to a long pause.
    static let pauseSecondsMax = 0.02

    /// The time at which the last pause ends.
    private var pauseEnd = 0.0
    /// The newest version at the last turn.
    private var lastVersion: UInt64 = 0

    /// Returns the rest of the pause in seconds.
    func pauseSeconds(at now: Double) -> Double { max(0, pauseEnd - now) }

    /// Records the time of a turn, the number of bytes that the turn sent, and the newest version.
    mutating func noteTurn(from began: Double, to ended: Double, bytes: Int, version newest: UInt64)
    {
        defer { lastVersion = newest }
        guard bytes >= Self.pausedTurnBytesMin, newest != lastVersion else { return }
        pauseEnd = ended + min((ended - began) * Self.pauseFactor, Self.pauseSecondsMax)
    }
}
