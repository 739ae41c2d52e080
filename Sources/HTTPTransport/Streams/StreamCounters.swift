package import Synchronization

/// What happens to streams, counted since the start. Any thread may read.
package final class StreamCounters: Sendable {
    /// Streams that are open, with those whose place is reserved.
    package let open = Atomic<Int>(0)
    package let adopted = Atomic<UInt64>(0)
    /// Streams refused because all places were taken.
    package let refused = Atomic<UInt64>(0)
    /// Frames sent whole.
    package let frames = Atomic<UInt64>(0)
    /// Frames left out: by readers that were behind, and by the server under a burst.
    package let conflated = Atomic<UInt64>(0)
    /// Commands to screens that a reader was too far behind for, or that were too many.
    package let commandsDropped = Atomic<UInt64>(0)
    package let heartbeats = Atomic<UInt64>(0)
    package let closedByPeer = Atomic<UInt64>(0)
    package let closedSlow = Atomic<UInt64>(0)
    /// Those of the slow ones that were closed because memory was scarce.
    package let shed = Atomic<UInt64>(0)
    /// Streams refused because memory was scarce.
    package let refusedForMemory = Atomic<UInt64>(0)
    package let closedByServer = Atomic<UInt64>(0)

    /// How long the writer's thread has worked, from the end of each wait to the next.
    package let workNanoseconds = Atomic<UInt64>(0)

    package init() {}
}
