import StoreEventStream
import StoreWire
import Synchronization

// What is done when memory is scarce: no new streams, and an end for those that hold the most.

extension StreamWriter {
    /// Whether new streams are refused, because memory is scarce. Any thread.
    package var isShedding: Bool {
        get { sheds.load(ordering: .relaxed) }
        set { sheds.store(newValue, ordering: .relaxed) }
    }

    /// Ends a part of the streams whose readers have not taken everything, at least one of them;
    /// first those that have taken nothing for the longest time. Each is what keeps a version of
    /// the state in memory that no other reader may need. Any thread; never waits.
    package func shed(part: Double) {
        _ = submit(.shed(part))
    }
}

extension StreamLoop {
    /// Ends a part of the readers that are behind.
    func shed(_ part: Double) {
        let oldest = behind.sorted { $0.value.progressed < $1.value.progressed }.map(\.key)
        let count = min(oldest.count, Int((Double(oldest.count) * part).rounded(.up)))
        let bye = bye(.slow)
        for slot in oldest.prefix(count) {
            endSlow(slot, with: bye)
            writer.counters.shed.add(1, ordering: .relaxed)
        }
        // A reader of the log in the middle of a chunk keeps a piece of it.
        for slot in logReaders.slow(stalledFor: Self.shedLogSeconds, at: now)
        where behind[slot] == nil {
            slots[Int(slot)].end(because: .slow)
            writer.counters.shed.add(1, ordering: .relaxed)
            release(slot)
        }
    }

    /// For how long a reader of the log has taken nothing when it is ended.
    private static let shedLogSeconds = 1.0

    /// Ends the stream of a reader that takes nothing.
    func endSlow(_ slot: Int32, with bye: Bytes) {
        slots[Int(slot)].end(because: .slow)
        // Only between two frames: within one it would be taken for a part of that.
        if behind[slot]?.backlog.head?.offset == 0 { _ = send(bye, to: slot) }
        release(slot)
    }
}
