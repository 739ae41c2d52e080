package import StorePlatform
import Synchronization

/// The measurements of a Core. The thread that drains the mailbox writes the measurements; any
/// thread may read them.
///
/// Each type of action has a row of cells: one cell for each outcome, and a histogram of the
/// reducer's time. The rows are made at the start. An action has the index of its row, so counting
/// needs no lookup. The last row counts all types that the program does not declare.
package final class CoreFigures: Sendable {
    /// The name of the row for undeclared types of actions.
    package static let undeclaredTypesLabel = "other"

    /// The time that client envelopes waited in the mailbox. The time begins at the iteration of
    /// the event loop that offered the envelope. The time ends before the envelope's first action
    /// is reduced.
    package let queueWait = Histogram()
    /// The time that the journal took to make a batch durable.
    package let commitTime = Histogram()
    /// The time from the end of the append until readers could get the batch.
    package let publishTime = Histogram()
    /// The number of actions in the batches.
    package let batchSizes = Histogram(.forCounts)

    private let types: [String]
    /// The index of the row of each kind of request.
    private let rowIndicesByRequestKind: [ExactText: Int]
    private let rows: CounterArray
    private let buckets = Buckets.forDurations
    private let cellsPerRow: Int

    /// - Parameters:
    ///   - types: the types of actions, in the order of ``EnvelopeMember/typeIndex``.
    ///   - requests: the kinds of client requests that are no actions, as in
    ///     ``ClientRequest/wireNameTemplate``.
    package init(types: [String] = [], requests: [String] = []) {
        self.types = types + requests + [Self.undeclaredTypesLabel]
        self.rowIndicesByRequestKind = Dictionary(
            requests.enumerated().map { (ExactText($1), types.count + $0) },
            uniquingKeysWith: { first, _ in first }
        )
        cellsPerRow = ActionOutcome.allCases.count + Buckets.forDurations.cellCount
        rows = CounterArray(count: cellsPerRow * self.types.count)
    }
}

// Counting

extension CoreFigures {
    /// Counts an applied action and the nanoseconds that its reduction took.
    func countApplied(_ member: ReducedAction, changed: Bool, nanoseconds: UInt64) {
        let row = row(of: member)
        row[(changed ? ActionOutcome.changed : .unchanged).rawValue].increment()
        buckets.add(nanoseconds, at: row + ActionOutcome.allCases.count)
    }

    /// Counts the actions of an envelope that was not applied.
    func countUnapplied(_ envelope: Envelope, _ outcome: ActionOutcome) {
        for place in envelope.members.indices {
            row(of: ReducedAction(envelope: envelope, memberIndex: place))[outcome.rawValue]
                .increment()
        }
    }

    private func row(of member: ReducedAction) -> UnsafeMutablePointer<Atomic<UInt64>> {
        let number = member.typeIndex
        return rows.counters + cellsPerRow * (number >= 0 ? number : rowIndexOfRequest(member))
    }

    /// Returns the row of a client request, or the last row for any other action without a type
    /// index.
    private func rowIndexOfRequest(_ member: ReducedAction) -> Int {
        let request = member.action as? ClientRequest
        return request.flatMap { rowIndicesByRequestKind[ExactText($0.wireNameTemplate)] } ?? types
            .count - 1
    }
}

// Reading

extension CoreFigures {
    /// The counts of one type of action.
    package struct ActionFigures: Sendable {
        /// The type's wire name, with `{id}` in the place of an instance's id.
        package let type: String
        /// The number of actions with each outcome, in the order of the cases of ``ActionOutcome``.
        package let countsByOutcome: [UInt64]
        /// The time that reducing the applied actions took.
        package let reducerTime: Distribution
    }

    /// The counts of each type of action that was dispatched. Any thread may read the counts.
    package var actionFigures: [ActionFigures] {
        types.indices.compactMap { type in
            let row = rows.counters + cellsPerRow * type
            let outcomes = ActionOutcome.allCases.map { row[$0.rawValue].load(ordering: .relaxed) }
            guard outcomes.contains(where: { $0 > 0 }) else { return nil }
            return ActionFigures(
                type: types[type],
                countsByOutcome: outcomes,
                reducerTime: buckets.distribution(at: row + outcomes.count)
            )
        }
    }
}

/// The outcome of a dispatched action, as the label `outcome` of the metrics. All actions of an
/// array have the outcome of the array.
package enum ActionOutcome: Int, Sendable, CaseIterable {
    /// Applied, and the state differs from the state before.
    case changed
    /// Applied, and the state is the same.
    case unchanged
    /// Refused by the reducer, by an interceptor, or because the state has no JSON form.
    case refused
    /// Not applied, because the state does not have the expected version.
    case versionMismatch
    /// Answered with the stored outcome: the same request was applied earlier.
    case replayed
    /// Not applied, because another request had the same idempotency key.
    case keyTaken
    /// Tried in a dry run, on a copy of the state.
    case dryRun
    /// Not applied, because the effect that dispatched the action was cancelled.
    case cancelled
    /// The journal or the Core failed: the action was not applied, or its outcome is unknown.
    case failed

    /// The value of the label `outcome`.
    package var label: String {
        switch self {
        case .changed: "changed"
        case .unchanged: "unchanged"
        case .refused: "refused"
        case .versionMismatch: "version_mismatch"
        case .replayed: "replayed"
        case .keyTaken: "key_taken"
        case .dryRun: "dry_run"
        case .cancelled: "cancelled"
        case .failed: "failed"
        }
    }

    /// Makes the outcome of an envelope that was not applied; `nil` if it was applied.
    init?(_ outcome: Outcome) {
        switch outcome {
        case .applied: return nil
        case .replayed: self = .replayed
        case .keyTaken: self = .keyTaken
        case .refused: self = .refused
        case .versionMismatch: self = .versionMismatch
        case .dryRun: self = .dryRun
        case .failed: self = .failed
        case .cancelled: self = .cancelled
        }
    }
}

/// The moments of a commit, as ``SystemTime/steadyNanoseconds()``.
struct CommitTimes {
    /// The time directly before the append to the journal.
    var beforeAppend: UInt64 = 0
    var afterAppend: UInt64 = 0
    /// The time at which the batch became available to readers.
    var afterPublish: UInt64 = 0
}

// Measuring. Without figures and traces, these functions read no clock.

extension Engine {
    /// The current time; 0 if nothing is measured. Each commit reads the time three times.
    var nowIfMeasured: UInt64 { figures == nil && !isTraced ? 0 : SystemTime.steadyNanoseconds() }

    /// Counts the actions of a published batch.
    func measureCommit(_ done: borrowing Batch, _ times: CommitTimes) {
        guard let figures else { return }
        figures.commitTime.observe(times.afterAppend &- times.beforeAppend)
        figures.publishTime.observe(times.afterPublish &- times.afterAppend)
        figures.batchSizes.observe(UInt64(done.steps.count))
        done.steps.withUnsafeBufferPointer { steps in
            for index in steps.indices {
                figures.countApplied(
                    steps[index].reducedAction,
                    changed: steps[index].change.changesState,
                    nanoseconds: steps[index].reducerNanoseconds
                )
            }
        }
    }

    /// Completes an envelope with its outcome. Counts the envelope's actions if they were not
    /// applied: the commit has already counted applied actions.
    func answer(_ envelope: Envelope, _ outcome: Outcome) {
        if let figures, let ended = ActionOutcome(outcome) {
            figures.countUnapplied(envelope, ended)
        }
        if isTraced, let span = envelope.span { end(span, of: envelope, outcome) }
        envelope.completion.complete(outcome)
    }
}
