/// The readers of the log by their slots, and the order of their turns.
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

    /// Adds a reader to the end of the queue for turns.
    mutating func makeReady(_ slot: Int32) {
        guard let reader = readers[slot] else { return }
        if case .ready = reader.phase { return }
        readers[slot]?.phase = .ready
        ready.append(slot)
    }

    /// Takes all readers from the queue for turns.
    mutating func takeReady() -> [Int32] {
        defer { ready = [] }
        return ready
    }

    /// Puts a reader that is still ready back at the end of the queue.
    mutating func keepReady(_ slot: Int32) {
        ready.append(slot)
    }

    /// Puts the readers that did not get their turn back at the front of the queue.
    mutating func putBack(_ slots: ArraySlice<Int32>) {
        ready.insert(contentsOf: slots, at: 0)
    }

    mutating func awaitSource(_ slot: Int32) {
        readers[slot]?.phase = .source
        waiting.append(slot)
    }

    /// Makes ready the readers that wait for the source.
    mutating func sourceMoved() {
        let slots = waiting
        waiting = []
        for slot in slots {
            // The slot may have another reader by now.
            if case .source? = readers[slot]?.phase { makeReady(slot) }
        }
    }

    /// Returns the readers whose sockets have taken nothing for this time, and the readers that are
    /// being closed for it.
    func slow(stalledFor seconds: Double, at now: Double) -> [Int32] {
        readers.filter { $0.value.isClosing || $0.value.stalledSeconds(at: now) >= seconds }
            .map(\.key)
    }
}
