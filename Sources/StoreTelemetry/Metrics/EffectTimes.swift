import StorePlatform
import StoreTexts
import Synchronization

/// How long effects took, and how many ran at the same time, by their kind: the module that they
/// work for, and the action that they follow.
///
/// A program has as many kinds as its modules have actions with effects; no id, instance or session
/// is in them.
package final class EffectTimes: Sendable {
    /// The most kinds that have figures of their own; effects of any further kind count as `other`.
    package static let kindsMax = 1_000

    /// The labels of one series of figures.
    struct Kind: Hashable, Sendable {
        let module: ExactText
        let action: ExactText

        static let other = Kind(module: ExactText("other"), action: ExactText("other"))
    }

    /// What was measured of one kind.
    struct Series: Sendable {
        var durations = Distribution(.durations)
        /// How many failed for good, and how many attempts followed one that failed.
        var failed: UInt64 = 0
        var retried: UInt64 = 0
        var running = 0
        /// The most that ran at the same time.
        var runningMax = 0
    }

    private struct Table: Sendable {
        var kinds: [Kind: Series] = [:]
        var running = 0
        var runningMax = 0

        mutating func change(_ kind: Kind, _ change: (inout Series) -> Void) {
            // No kind is ever removed. So an effect that began as `other` ends as `other`.
            let isKnown = kinds.count < EffectTimes.kindsMax || kinds[kind] != nil
            change(&kinds[isKnown ? kind : .other, default: Series()])
        }
    }

    private let table = Locked(Table())

    package init() {}

    /// Notes that an effect begins. Any thread; a short lock.
    package func begin(_ action: String, of module: String) {
        let kind = Kind(module: ExactText(module), action: ExactText(action))
        table.withLock { table in
            table.running += 1
            table.runningMax = max(table.runningMax, table.running)
            table.change(kind) { series in
                series.running += 1
                series.runningMax = max(series.runningMax, series.running)
            }
        }
    }

    /// Notes that one has ended which ``begin(_:of:)`` was called for. Any thread; a short lock.
    package func end(_ action: String, of module: String, after nanoseconds: UInt64) {
        let kind = Kind(module: ExactText(module), action: ExactText(action))
        table.withLock { table in
            table.running -= 1
            table.change(kind) { series in
                series.running -= 1
                series.durations.add(nanoseconds)
            }
        }
    }

    /// Notes that one failed for good. Any thread; a short lock.
    package func fail(_ action: String, of module: String) {
        let kind = Kind(module: ExactText(module), action: ExactText(action))
        table.withLock { $0.change(kind) { $0.failed += 1 } }
    }

    /// Notes that one is about to be tried again. Any thread; a short lock.
    package func retry(_ action: String, of module: String) {
        let kind = Kind(module: ExactText(module), action: ExactText(action))
        table.withLock { $0.change(kind) { $0.retried += 1 } }
    }

    /// How many effects of all kinds run.
    package var running: Int { table.withLock { $0.running } }

    /// The most effects of all kinds that ran at the same time.
    package var runningMax: Int { table.withLock { $0.runningMax } }

    /// All kinds, by module and action.
    var all: [(kind: Kind, series: Series)] {
        table.withLock { $0.kinds.map { (kind: $0.key, series: $0.value) } }.sorted { a, b in
            (a.kind.module, a.kind.action) < (b.kind.module, b.kind.action)
        }
    }
}
