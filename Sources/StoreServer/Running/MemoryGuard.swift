import Glibc
import StoreHTTPTransport
import StorePlatform
import StoreTelemetry
import Synchronization

/// Closes slow streams before the kernel's OOM killer acts.
///
/// Above 90 % of the bound on memory, the guard refuses new streams, and ends streams of readers
/// that are behind, the slowest first. Below 80 %, the guard ends no more streams, and accepts new
/// streams. Dispatches and reads always continue.
///
/// Only readers that are behind can make memory scarce. Their streams hold old versions of the
/// state, and all other memory has a bound.
final class MemoryGuard: Sendable {
    static let highPercent = 90
    static let normalPercent = 80
    /// The percentage from which the guard at once ends the streams of all readers that are behind.
    static let criticalPercent = 97
    /// The number of calls of ``check()`` after which freed memory is given back to the system,
    /// while memory is scarce. From ``criticalPercent`` on, each call gives memory back. At lower
    /// percentages, giving memory back in each call would take too much time.
    private static let checksPerTrim = 5

    private struct Condition: Sendable {
        var isMemoryScarce = false
        var scarceChecksCount = 0
        /// The senders of streams, one for each store.
        var writers: [StreamWriter] = []
    }

    private let memoryUse: MemoryUse
    private let logger: Logger
    private let condition = Locked(Condition())

    init(_ use: MemoryUse, _ logger: Logger) {
        self.memoryUse = use
        self.logger = logger
    }

    func add(_ writer: StreamWriter) {
        condition.withLock { condition in
            condition.writers.append(writer)
            writer.isShedding = condition.isMemoryScarce
        }
    }

    /// True if memory is scarce.
    var isMemoryScarce: Bool { condition.withLock { $0.isMemoryScarce } }

    /// Compares the used memory with the bound, and ends streams if memory is scarce. A single
    /// thread calls this function at short intervals.
    func check() {
        guard var bytes = memoryUse.usedBytes else { return }
        let wasHigh = isMemoryScarce
        // The allocator holds freed memory, which counts as used until it is given back.
        let isTrimmed = percent(bytes) >= Self.criticalPercent || (wasHigh && countScarceCheck())
        if isTrimmed {
            AllocatorMemory.returnFreeMemory()
            bytes = memoryUse.usedBytes ?? bytes
        }
        let percent = percent(bytes)
        guard percent >= (wasHigh ? Self.normalPercent : Self.highPercent) else {
            if wasHigh { endShedding(at: bytes) }
            return
        }
        if !wasHigh { beginShedding(at: bytes) }
        // Below ``highPercent``, the measured bytes are reliable only if freed memory has just been
        // given back.
        if percent >= Self.highPercent || isTrimmed {
            for writer in writers { writer.shed(fraction: Self.shedFraction(at: percent)) }
        }
    }

    private func percent(_ bytes: Int) -> Int { bytes / max(1, memoryUse.limitBytes / 100) }

    /// Returns the fraction of the slow readers whose streams a call of ``check()`` ends. The
    /// fraction grows from 0.1 at ``highPercent`` to 1 at ``criticalPercent``.
    static func shedFraction(at percent: Int) -> Double {
        let range = Double(criticalPercent - highPercent)
        return min(1, 0.1 + 0.9 * Double(max(0, percent - highPercent)) / range)
    }

    /// Counts a check while memory is scarce. Returns true if the check is due to trim.
    private func countScarceCheck() -> Bool {
        condition.withLock { condition in
            condition.scarceChecksCount += 1
            return condition.scarceChecksCount % Self.checksPerTrim == 0
        }
    }

    private var writers: [StreamWriter] { condition.withLock { $0.writers } }

    /// Refuses new streams from now on, or accepts them again.
    private func setScarce(_ isHigh: Bool) {
        condition.withLock { condition in
            condition.isMemoryScarce = isHigh
            condition.scarceChecksCount = 0
            for writer in condition.writers { writer.isShedding = isHigh }
        }
    }

    private func beginShedding(at bytes: Int) {
        setScarce(true)
        logger.warning(
            .memoryHigh,
            "memory is scarce: new streams are refused, and slow readers are disconnected",
            LogField("bytes", .count(bytes)),
            LogField("limit", .count(memoryUse.limitBytes))
        )
    }

    private func endShedding(at bytes: Int) {
        setScarce(false)
        let shed = writers.reduce(0) { $0 + $1.counters.readersShed.load(ordering: .relaxed) }
        logger.info(
            .memoryNormal,
            "memory is free again, and new streams are accepted",
            LogField("bytes", .count(bytes)),
            LogField("limit", .count(memoryUse.limitBytes)),
            LogField("closed", .count(shed))
        )
    }
}

/// The memory that the process uses, and its bound.
struct MemoryUse: Sendable {
    /// The bound, in bytes.
    let limitBytes: Int
    /// The folder of the control group that sets the bound; `nil` if the operator sets it.
    private let controlGroupFolder: String?

    /// Takes the operator's bound, or, if `bytesMax` is `nil`, the bound of the process's control
    /// group. Returns `nil` if there is no bound.
    init?(bytesMax: Int?) {
        controlGroupFolder = bytesMax == nil ? Self.ownControlGroupFolder : nil
        let limit = bytesMax ?? controlGroupFolder.flatMap { Self.number(in: $0 + "/memory.max") }
        guard let limit else { return nil }
        self.limitBytes = limit
    }

    /// The used bytes that count against the bound; `nil` if they can't be read. For the bound of a
    /// control group, the group's memory counts, including the memory of sockets. The cached pages
    /// of files do not count, because the kernel reclaims them. For the operator's bound, resident
    /// memory counts.
    var usedBytes: Int? {
        guard let controlGroupFolder else { return Self.residentBytes }
        guard let all = Self.number(in: controlGroupFolder + "/memory.current"),
            let files = Self.text(of: controlGroupFolder + "/memory.stat").flatMap(
                Self.fileCacheBytes
            )
        else { return nil }
        return max(0, all - files)
    }

    /// The resident memory in bytes, from `/proc/self/statm` (proc(5)).
    static var residentBytes: Int? {
        let fields = text(of: "/proc/self/statm")?.split(separator: " ") ?? []
        guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
        return pages * Int(sysconf(CInt(_SC_PAGESIZE)))
    }

    /// The folder of the process's own control group of version 2 (cgroups(7)).
    private static var ownControlGroupFolder: String? {
        guard let text = text(of: "/proc/self/cgroup") else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("0::/") }
        return line.map { "/sys/fs/cgroup" + $0.dropFirst(3) }
    }

    private static func fileCacheBytes(_ stat: String) -> Int? {
        let line = stat.split(separator: "\n").first { $0.hasPrefix("file ") }
        return line.flatMap { Int($0.dropFirst(5)) }
    }

    /// Returns the number in a file; `nil` if the file has another text, such as `max`.
    private static func number(in path: String) -> Int? {
        text(of: path).flatMap { Int($0.filter { $0 != "\n" }) }
    }

    private static func text(of path: String) -> String? {
        FileReader.read(path, bytesMax: 64 << 10).map { String(decoding: $0, as: UTF8.self) }
    }
}
