import StorePlatform
import StoreTexts
import Synchronization

/// The durations of effects and the numbers of running effects, by kind. The kind of an effect is
/// its module and the type of the action that it follows, without any id. So a program has as many
/// kinds as its modules have actions with effects.
package final class EffectTimes: Sendable {
    /// The maximum number of kinds with figures of their own. Effects of further kinds count as
    /// `other`.
    package static let kindsMax = 1_000

    /// The labels of one series of figures.
    struct Kind: Hashable, Sendable {
        let module: ExactText
        let action: ExactText

        static let other = Kind(module: ExactText("other"), action: ExactText("other"))
    }

    /// The figures of one kind.
    struct Series: Sendable {
        fileprivate(set) var durations = Distribution(.forDurations)
        /// The number of effects that failed in their last attempt. `retriedCount` counts the
        /// attempts after a failed attempt.
        fileprivate(set) var failedCount: UInt64 = 0
        fileprivate(set) var retriedCount: UInt64 = 0
        fileprivate(set) var runningCount = 0
        /// The highest number of effects of this kind that ran at the same time.
        fileprivate(set) var runningMax = 0
    }

    private struct Table: Sendable {
        var seriesByKind: [Kind: Series] = [:]
        var runningCount = 0
        var runningMax = 0
    }

    private let table = Locked(Table())

    package init() {}

    // Any thread may call these functions; each takes a short lock.

    /// Records that an effect begins.
    package func noteBeginning(_ action: String, of module: String) {
        change(action, module, running: 1) { series in
            series.runningCount += 1
            series.runningMax = max(series.runningMax, series.runningCount)
        }
    }

    /// Records the end of an effect, after a call of ``noteBeginning(_:of:)``.
    package func noteEnding(_ action: String, of module: String, after nanoseconds: UInt64) {
        change(action, module, running: -1) { series in
            series.runningCount -= 1
            series.durations.add(nanoseconds)
        }
    }

    /// Records that an effect failed in its last attempt.
    package func noteFailure(_ action: String, of module: String) {
        change(action, module) { $0.failedCount += 1 }
    }

    /// Records that an effect is about to be tried again.
    package func noteRetry(_ action: String, of module: String) {
        change(action, module) { $0.retriedCount += 1 }
    }

    private func change(
        _ action: String,
        _ module: String,
        running difference: Int = 0,
        _ change: (inout Series) -> Void
    ) {
        let kind = Kind(module: ExactText(module), action: ExactText(action))
        table.withLock { table in
            table.runningCount += difference
            table.runningMax = max(table.runningMax, table.runningCount)
            // No kind is ever removed. So an effect that began as `other` ends as `other`.
            let isKnown =
                table.seriesByKind.count < Self.kindsMax || table.seriesByKind[kind] != nil
            change(&table.seriesByKind[isKnown ? kind : .other, default: Series()])
        }
    }

    /// The highest number of effects of all kinds that ran at the same time.
    var runningMax: Int { table.withLock { $0.runningMax } }

    /// All kinds with their figures, sorted by module and action.
    var allSeries: [(kind: Kind, series: Series)] {
        table.withLock { $0.seriesByKind.map { (kind: $0.key, series: $0.value) } }.sorted { a, b in
            (a.kind.module, a.kind.action) < (b.kind.module, b.kind.action)
        }
    }
}
