import StorePlatform
import Synchronization

/// The numbers of requests that a policy has denied, by the kind of grant.
package final class PolicyDenials: Sendable {
    /// The kinds of grants of a policy.
    package enum Grant: Int, Sendable, CaseIterable {
        case read, dispatch, call, use
    }

    private let cells = Cells(count: Grant.allCases.count)

    package init() {}

    /// Counts a denied request. Any thread may call it.
    package func deny(_ grant: Grant) {
        cells.first[grant.rawValue].add(1, ordering: .relaxed)
    }

    /// The number of denied requests of each kind.
    package var all: [(grant: String, count: UInt64)] {
        Grant.allCases.map { ("\($0)", cells[$0.rawValue]) }
    }
}
