package import StorePlatform
import StoreTexts
import Synchronization

/// What a Core measures of its work. The thread that drains the mailbox is the owner of all of it;
/// any thread may read.
///
/// Each type of action has a row of cells: one for each outcome, and a histogram of reducing. The
/// rows are made at the start, and an action brings the number of its row, so nothing is looked up.
/// There are as many rows as the program declares types, and one for all others.
package final class CoreFigures: Sendable {
    /// The name of the row of actions that are not declared.
    package static let other = "other"

    /// How long envelopes waited in the mailbox, from the event loop's turn that offered them until
    /// the first of their actions was about to be reduced. Those of clients alone.
    package let queueWait = Histogram()
    /// How long the journal took for a batch: until it was durable.
    package let commit = Histogram()
    /// How long it took from there until readers could get it.
    package let publish = Histogram()
    /// How many actions the batches had.
    package let batches = Histogram(.counts)

    private let types: [String]
    /// The rows of requests.
    private let requests: [ExactText: Int]
    private let rows: Cells
    private let buckets = Buckets.durations
    private let rowCount: Int

    /// - Parameters:
    ///   - types: the types of actions, in the order of ``EnvelopeMember/number``.
    ///   - requests: what clients ask for besides actions, each as ``ClientRequest/kind``.
    package init(types: [String] = [], requests: [String] = []) {
        self.types = types + requests + [Self.other]
        self.requests = Dictionary(
            requests.enumerated().map { (ExactText($1), types.count + $0) },
            uniquingKeysWith: { first, _ in first }
        )
        rowCount = ActionOutcome.allCases.count + Buckets.durations.cellCount
        rows = Cells(count: rowCount * self.types.count)
    }
}

// Counting

extension CoreFigures {
    /// Counts an action that was applied, and that took so many nanoseconds to reduce.
    func applied(_ member: ReducedMember, changed: Bool, nanoseconds: UInt64) {
        let row = row(of: member)
        row[(changed ? ActionOutcome.changed : .unchanged).rawValue].count()
        buckets.add(nanoseconds, at: row + ActionOutcome.allCases.count)
    }

    /// Counts the actions of an envelope that was not applied.
    func ended(_ envelope: Envelope, _ outcome: ActionOutcome) {
        for place in envelope.members.indices {
            row(of: ReducedMember(envelope: envelope, place: place))[outcome.rawValue].count()
        }
    }

    private func row(of member: ReducedMember) -> UnsafeMutablePointer<Atomic<UInt64>> {
        let number = member.number
        return rows.first + rowCount * (number >= 0 ? number : rowOfRequest(member))
    }

    /// The row of what is no action of the table.
    private func rowOfRequest(_ member: ReducedMember) -> Int {
        let request = member.action as? ClientRequest
        return request.flatMap { requests[ExactText($0.kind)] } ?? types.count - 1
    }
}

// Reading

extension CoreFigures {
    /// What was counted of one type of action.
    package struct ActionFigures: Sendable {
        /// The type's wire name, with `{id}` in the place of an instance's id.
        package let type: String
        /// How many actions had each outcome, in the order of the cases.
        package let outcomes: [UInt64]
        /// How long reducing those took that were applied.
        package let reducing: Distribution
    }

    /// Of each type that was dispatched. Any thread.
    package var actions: [ActionFigures] {
        types.indices.compactMap { type in
            let row = rows.first + rowCount * type
            let outcomes = ActionOutcome.allCases.map {
                row[$0.rawValue].load(ordering: .relaxed)
            }
            guard outcomes.contains(where: { $0 > 0 }) else { return nil }
            return ActionFigures(
                type: types[type],
                outcomes: outcomes,
                reducing: buckets.distribution(at: row + outcomes.count)
            )
        }
    }
}
