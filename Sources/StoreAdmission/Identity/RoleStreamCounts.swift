import StoreAuthorization
import StorePlatform
import StoreTexts
package import StoreWire
import Synchronization

/// The number of open streams for each role and each kind of stream. Any thread may use the table.
///
/// The table has the roles of the policy, and roles of earlier policies until their streams end.
package final class RoleStreamCounts: Sendable {
    private struct Table: Sendable {
        /// The roles of the present policy.
        var roles: [String]
        /// The counters of each role, by the role's name: a counter for each kind of stream.
        var openCounts: [ExactText: CounterArray] = [:]
    }

    private let table: Locked<Table>

    init(_ policy: Policy) { table = Locked(Table(roles: policy.roleNames)) }

    /// Replaces the policy. Roles of the old policy stay in the table while they have open streams.
    func replacePolicy(by policy: Policy) {
        table.withLock { table in
            table.roles = policy.roleNames
            table.openCounts = table.openCounts.filter { !$0.value.isZero }
        }
    }

    /// Counts a stream that opens. The caller calls the returned closure once, at the stream's end.
    package func countStream(_ kind: StreamKind, of role: String) -> @Sendable () -> Void {
        // Count under the lock: `replacePolicy(by:)` must not remove counters that are about to be
        // used.
        let cells = table.withLock { table -> CounterArray in
            let name = ExactText(role)
            let cells = table.openCounts[name] ?? CounterArray(count: StreamKind.allCases.count)
            table.openCounts[name] = cells
            cells.counters[kind.rawValue].add(1, ordering: .relaxed)
            return cells
        }
        return { cells.counters[kind.rawValue].subtract(1, ordering: .relaxed) }
    }

    /// The number of open streams of each kind, for each role of the policy, and for each other
    /// role with open streams.
    package var openCounts: [(role: String, kind: StreamKind, count: UInt64)] {
        let (roles, open) = table.withLock { ($0.roles, $0.openCounts) }
        let former = open.filter { !$0.value.isZero && !roles.contains(exactly: $0.key.text) }
        return (roles + former.keys.map(\.text).sorted()).flatMap { role in
            let cells = open[ExactText(role)]
            return StreamKind.allCases.map { (role, $0, cells?[$0.rawValue] ?? 0) }
        }
    }
}

extension CounterArray {
    fileprivate var isZero: Bool { (0..<count).allSatisfy { self[$0] == 0 } }
}
