import StoreEventStream
import StoreWire
import Synchronization

// Measures against scarce memory: no new streams, and an end for the streams that hold the most.

extension StreamWriter {
    /// True if new streams are refused because memory is scarce. Any thread.
    package var isShedding: Bool {
        get { sheds.load(ordering: .relaxed) }
        set { sheds.store(newValue, ordering: .relaxed) }
    }

    /// Ends a fraction of the streams whose readers are behind, but at least one of them. The
    /// readers that have taken nothing for the longest time go first. Each of them may keep a
    /// version of the state in memory that no other reader needs. Any thread; never waits.
    package func shed(part: Double) {
        _ = submit(.shed(part))
    }
}

extension StreamLoop {
    /// Ends a fraction of the readers that are behind.
    func shed(_ part: Double) {
        let oldest = behind.sorted { $0.value.progressed < $1.value.progressed }.map(\.key)
        let count = min(oldest.count, Int((Double(oldest.count) * part).rounded(.up)))
        let bye = bye(.slow)
        for slot in oldest.prefix(count) {
            endSlow(slot, with: bye)
            writer.counters.shed.add(1, ordering: .relaxed)
        }
        // A reader of the log in the middle of a chunk keeps a piece of the log in memory.
        for slot in logReaders.slow(stalledFor: Self.shedLogSeconds, at: now)
        where behind[slot] == nil {
            slots[Int(slot)].end(because: .slow)
            writer.counters.shed.add(1, ordering: .relaxed)
            release(slot)
        }
    }

    /// The time without progress after which a reader of the log is ended.
    private static let shedLogSeconds = 1.0

    /// Ends the stream of a reader that takes nothing.
    func endSlow(_ slot: Int32, with bye: Bytes) {
        slots[Int(slot)].end(because: .slow)
        // The last frame may only stand between two frames: within a frame, it would be read as a
        // part of it.
        if behind[slot]?.backlog.head?.offset == 0 { _ = send(bye, to: slot) }
        release(slot)
    }
}
