import StoreHTTPTransport
import StorePlatform
import StoreTelemetry
import Synchronization

/// Lets readers go before the kernel ends the process: above 90 % of the memory that it may have,
/// new streams are refused, and streams end whose readers do not take what they are sent, the
/// slowest first. They go on ending until less than 80 % is taken; then all is as before.
/// Dispatches and reads go on throughout.
///
/// What readers that are behind keep is versions of the state; all else has a bound of its own.
final class MemoryGuard: Sendable {
    static let highPercent = 90
    static let normalPercent = 80
    /// From how many percent on all readers that are behind end at one look.
    static let lastPercent = 97
    /// After how many looks freed memory is given back to the system, while it is scarce; below
    /// ``lastPercent`` that would take too much time at each.
    private static let looksPerTrim = 5

    private struct Condition: Sendable {
        var isHigh = false
        var looks = 0
        /// Those that send streams.
        var writers: [StreamWriter] = []
    }

    private let use: MemoryUse
    private let logger: Logger
    private let condition = Locked(Condition())

    init(_ use: MemoryUse, _ logger: Logger) {
        self.use = use
        self.logger = logger
    }

    /// From now on what this one sends is looked after, too.
    func add(_ writer: StreamWriter) {
        condition.withLock { condition in
            condition.writers.append(writer)
            writer.isShedding = condition.isHigh
        }
    }

    /// Whether memory is scarce.
    var isHigh: Bool { condition.withLock { $0.isHigh } }

    /// Looks at how much memory there is. One thread calls it, every so often.
    func look() {
        guard var bytes = use.bytes else { return }
        let wasHigh = isHigh
        // The allocator keeps what was freed, and it would count as taken for good.
        let isTrimmed = percent(bytes) >= Self.lastPercent || (wasHigh && isTrimDue)
        if isTrimmed {
            AllocatorMemory.giveBack()
            bytes = use.bytes ?? bytes
        }
        let percent = percent(bytes)
        guard percent >= (wasHigh ? Self.normalPercent : Self.highPercent) else {
            if wasHigh { end(bytes) }
            return
        }
        if !wasHigh { begin(bytes) }
        // Below that, only memory counts which is taken for sure.
        if percent >= Self.highPercent || isTrimmed {
            for writer in writers { writer.shed(part: Self.shedPart(at: percent)) }
        }
    }

    private func percent(_ bytes: Int) -> Int { bytes / max(1, use.limit / 100) }

    /// The part of the readers that are behind which ends at one look: a tenth where memory has
    /// just become scarce, and all where hardly any is left.
    static func shedPart(at percent: Int) -> Double {
        let range = Double(lastPercent - highPercent)
        return min(1, 0.1 + 0.9 * Double(max(0, percent - highPercent)) / range)
    }

    private var isTrimDue: Bool {
        condition.withLock { condition in
            condition.looks += 1
            return condition.looks % Self.looksPerTrim == 0
        }
    }

    private var writers: [StreamWriter] { condition.withLock { $0.writers } }

    /// Has streams refused from now on, or opened again.
    private func change(isHigh: Bool) {
        condition.withLock { condition in
            condition.isHigh = isHigh
            condition.looks = 0
            for writer in condition.writers { writer.isShedding = isHigh }
        }
    }

    private func begin(_ bytes: Int) {
        change(isHigh: true)
        logger.warning(
            .memoryHigh,
            "memory is scarce: new streams are refused, and slow readers are let go",
            LogField("bytes", .count(bytes)),
            LogField("limit", .count(use.limit))
        )
    }

    private func end(_ bytes: Int) {
        change(isHigh: false)
        let shed = writers.reduce(0) { $0 + $1.counters.shed.load(ordering: .relaxed) }
        logger.notice(
            .memoryNormal,
            "there is memory again, and streams are opened",
            LogField("bytes", .count(bytes)),
            LogField("limit", .count(use.limit)),
            LogField("closed", .count(shed))
        )
    }
}
