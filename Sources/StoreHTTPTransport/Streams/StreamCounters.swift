package import StoreEventStream
import StorePlatform
package import Synchronization

/// What happens to streams, counted since the start. Any thread may read.
package final class StreamCounters: Sendable {
    /// Streams that are open, with those whose place is reserved.
    package let open = Atomic<Int>(0)
    /// The same by their kinds, and those that were opened.
    private let kinds = Cells(count: 2 * StreamKind.allCases.count)
    /// Streams refused because all places were taken.
    package let refused = Atomic<UInt64>(0)
    /// How streams began: fresh, resumed, not resumed. The thread of the event loop counts.
    private let begun = Cells(count: 3)
    /// Frames sent whole. The writer's loop counts, and so it does the bytes and the heartbeats.
    package let frames = Atomic<UInt64>(0)
    /// Bytes that sockets have taken.
    package let bytes = Atomic<UInt64>(0)
    package let heartbeats = Atomic<UInt64>(0)
    /// Frames left out: by readers that were behind, and by the server under a burst.
    package let conflated = Atomic<UInt64>(0)
    /// Commands to screens that a reader was too far behind for, or that were too many.
    package let commandsDropped = Atomic<UInt64>(0)
    /// Slow readers whose streams were closed because memory was scarce.
    package let shed = Atomic<UInt64>(0)
    /// Streams refused because memory was scarce.
    package let refusedForMemory = Atomic<UInt64>(0)
    /// Streams that have ended, by what ended them.
    private let endings = Cells(count: StreamEnding.allCases.count)

    /// How long the writer's thread has worked, from the end of each wait to the next.
    package let workNanoseconds = Atomic<UInt64>(0)

    package init() {}
}

// Counting

extension StreamCounters {
    /// Notes that a place is taken for a stream of this kind. Any thread.
    func reserved(_ kind: StreamKind) {
        kinds.first[kind.rawValue].add(1, ordering: .relaxed)
    }

    /// Notes that the place is free again. Any thread.
    func freed(_ kind: StreamKind) {
        kinds.first[kind.rawValue].subtract(1, ordering: .relaxed)
    }

    /// Notes that a stream has begun. The writer's loop calls it.
    func opened(_ kind: StreamKind) {
        kinds.first[StreamKind.allCases.count + kind.rawValue].count()
    }

    /// Notes that a stream has ended. Any thread.
    func ended(_ ending: StreamEnding) {
        endings.first[ending.place].add(1, ordering: .relaxed)
    }

    /// Notes how a stream begins that has a place. The thread of the event loop calls it.
    package func begins(_ resume: Resume) {
        switch resume {
        case .fresh: begun.first[0].count()
        case .after: begun.first[1].count()
        case .resync: begun.first[2].count()
        }
    }
}

// Reading

extension StreamCounters {
    /// How many streams of each kind are open and were opened.
    package var byKind: [(kind: StreamKind, open: UInt64, opened: UInt64)] {
        StreamKind.allCases.map {
            ($0, kinds[$0.rawValue], kinds[StreamKind.allCases.count + $0.rawValue])
        }
    }

    /// How many streams were opened in all.
    package var opened: UInt64 { byKind.reduce(0) { $0 + $1.opened } }

    /// How many streams this has ended.
    package func count(of ending: StreamEnding) -> UInt64 { endings[ending.place] }

    /// How many streams began fresh, how many where their reader had stopped, and how many with the
    /// reason why that was not possible.
    package var beginnings: (fresh: UInt64, resumed: UInt64, resynchronized: UInt64) {
        (begun[0], begun[1], begun[2])
    }
}
