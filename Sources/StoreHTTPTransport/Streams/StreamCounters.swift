import StorePlatform
package import StoreWire
package import Synchronization

/// Counters of streams since the start. Any thread may read them.
package final class StreamCounters: Sendable {
    /// The number of open streams and reserved places.
    package let openOrReservedCount = Atomic<Int>(0)
    /// The number of open streams of each kind, then the number ever opened of each kind.
    private let kindCounts = CounterArray(count: 2 * StreamKind.allCases.count)
    /// Streams refused because all places were taken.
    package let refusedForPlaces = Atomic<UInt64>(0)
    /// The numbers of streams that began without a version, resumed, or began with a resync. The
    /// event loop's thread counts the beginnings.
    private let beginningCounts = CounterArray(count: 3)
    /// Frames sent whole. The writer's loop counts frames, bytes and heartbeats.
    package let frames = Atomic<UInt64>(0)
    package let bytes = Atomic<UInt64>(0)
    package let heartbeats = Atomic<UInt64>(0)
    /// Frames that were left out, because a reader was behind or too many versions were published
    /// in a short time.
    package let framesConflated = Atomic<UInt64>(0)
    /// Screen commands that were dropped because too many waited, or the stream was closing.
    package let commandsDropped = Atomic<UInt64>(0)
    /// Slow readers whose streams were closed because memory was scarce.
    package let readersShed = Atomic<UInt64>(0)
    /// Streams refused because memory was scarce.
    package let refusedForMemory = Atomic<UInt64>(0)
    /// Streams that have ended, by the cause of the end.
    private let endingCounts = CounterArray(count: StreamEnding.allCases.count)

    /// The time that the writer's loop has worked: its turns without waits and pauses.
    package let workNanoseconds = Atomic<UInt64>(0)

    package init() {}

    /// Notes that a place is taken for a stream of this kind. Any thread may call this function.
    func noteReserved(_ kind: StreamKind) {
        kindCounts.counters[kind.rawValue].add(1, ordering: .relaxed)
    }

    /// Notes that a place is free again. Any thread may call this function.
    func noteFreed(_ kind: StreamKind) {
        kindCounts.counters[kind.rawValue].subtract(1, ordering: .relaxed)
    }

    /// Notes that a stream has begun. The writer's loop calls this function.
    func noteOpened(_ kind: StreamKind) {
        kindCounts.counters[StreamKind.allCases.count + kind.rawValue].increment()
    }

    /// Notes that a stream has ended. Any thread may call this function.
    func noteEnded(_ ending: StreamEnding) {
        endingCounts.counters[ending.index].add(1, ordering: .relaxed)
    }

    /// Counts a stream by its beginning: without a version, resumed, or with a resync. The stream
    /// already has a place. The event loop's thread calls this function.
    package func noteBeginning(_ resume: Resume) {
        switch resume {
        case .fresh: beginningCounts.counters[0].increment()
        case .after: beginningCounts.counters[1].increment()
        case .resync: beginningCounts.counters[2].increment()
        }
    }

    /// The number of open streams of each kind, and the number that were ever opened.
    package var byKind: [(kind: StreamKind, open: UInt64, opened: UInt64)] {
        StreamKind.allCases.map {
            ($0, kindCounts[$0.rawValue], kindCounts[StreamKind.allCases.count + $0.rawValue])
        }
    }

    package var openedTotal: UInt64 { byKind.reduce(0) { $0 + $1.opened } }

    /// Returns the number of streams with this cause of the end.
    package func count(of ending: StreamEnding) -> UInt64 { endingCounts[ending.index] }

    /// The numbers of streams that began without a version, resumed, or began with a resync.
    package var beginnings: (fresh: UInt64, resumed: UInt64, resynchronized: UInt64) {
        (beginningCounts[0], beginningCounts[1], beginningCounts[2])
    }
}
