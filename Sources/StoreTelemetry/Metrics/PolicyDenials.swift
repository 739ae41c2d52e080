import StorePlatform
import Synchronization

/// What a policy has denied, by what was asked for.
package final class PolicyDenials: Sendable {
    /// What a policy grants or denies.
    package enum Grant: Int, Sendable, CaseIterable {
        case read, dispatch, call, use
    }

    private let cells = Cells(count: Grant.allCases.count)

    package init() {}

    /// Counts a request that was denied. Any thread.
    package func deny(_ grant: Grant) {
        cells.first[grant.rawValue].add(1, ordering: .relaxed)
    }

    /// How many of each were denied.
    package var all: [(grant: String, count: UInt64)] {
        Grant.allCases.map { ("\($0)", cells[$0.rawValue]) }
    }
}
