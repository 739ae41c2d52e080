import HTTPTransport
import Platform
import Synchronization
import Telemetry

/// Lets readers go before the kernel ends the process: above 90 % of the memory that it may have,
/// new streams are refused, and streams end whose readers do not take what they are sent, the
/// slowest first. Below 80 % all is as before. Dispatches and reads go on throughout.
///
/// What readers that are behind keep is versions of the state; all else has a bound of its own.
final class MemoryGuard: Sendable {
    static let highPercent = 90
    static let normalPercent = 80
    /// The part of the readers that are behind which ends at one look.
    static let shedPart = 0.1
    /// After how many looks freed memory is given back to the system, while it is scarce.
    private static let looksPerTrim = 10

    private struct Condition: Sendable {
        var isHigh = false
        var looks = 0
    }

    private let use: MemoryUse
    private let logger: Logger
    private let streams: @Sendable () -> [StreamWriter]
    private let condition = Locked(Condition())

    init(_ use: MemoryUse, _ logger: Logger, _ streams: @escaping @Sendable () -> [StreamWriter]) {
        self.use = use
        self.logger = logger
        self.streams = streams
    }

    /// Whether memory is scarce.
    var isHigh: Bool { condition.withLock { $0.isHigh } }

    /// Looks at how much memory there is. One thread calls it, every so often.
    func look() {
        guard let bytes = use.bytes else { return }
        let wasHigh = isHigh
        let percent = bytes / max(1, use.limit / 100)
        guard percent >= (wasHigh ? Self.normalPercent : Self.highPercent) else {
            if wasHigh { end(bytes) }
            return
        }
        if !wasHigh { begin(bytes) }
        for writer in streams() {
            // Again and again: a store may have been added meanwhile.
            writer.isShedding = true
            if percent >= Self.highPercent { writer.shed(part: Self.shedPart) }
        }
        let isTrimmed = condition.withLock { condition in
            condition.looks += 1
            return condition.looks % Self.looksPerTrim == 0
        }
        // The allocator keeps what was freed, and it would count as taken for good.
        if isTrimmed { AllocatorMemory.giveBack() }
    }

    private func begin(_ bytes: Int) {
        condition.withLock { $0 = Condition(isHigh: true) }
        logger.warning(
            .memoryHigh,
            "memory is scarce: new streams are refused, and slow readers are let go",
            LogField("bytes", .count(bytes)),
            LogField("limit", .count(use.limit))
        )
    }

    private func end(_ bytes: Int) {
        condition.withLock { $0 = Condition() }
        for writer in streams() { writer.isShedding = false }
        let shed = streams().reduce(0) { $0 + $1.counters.shed.load(ordering: .relaxed) }
        logger.notice(
            .memoryNormal,
            "there is memory again, and streams are opened",
            LogField("bytes", .count(bytes)),
            LogField("limit", .count(use.limit)),
            LogField("closed", .count(shed))
        )
    }
}
