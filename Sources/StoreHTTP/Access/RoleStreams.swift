import StoreAuthorization
import StoreEventStream
import StorePlatform
import StoreTexts
import Synchronization

/// How many streams the roles of a policy have open, by their kinds. Any thread.
///
/// Bounded by the roles of the policy, and those of earlier ones while they have streams.
package final class RoleStreams: Sendable {
    private struct Table: Sendable {
        /// The roles of the policy that holds.
        var roles: [String]
        /// By their names; one for each kind of stream.
        var open: [ExactText: Cells] = [:]
    }

    private let table: Locked<Table>

    init(_ policy: Policy) {
        table = Locked(Table(roles: policy.roleNames))
    }

    /// From now on this policy holds. Roles that it does not have stay while they have streams.
    func replace(by policy: Policy) {
        table.withLock { table in
            table.roles = policy.roleNames
            table.open = table.open.filter { !$0.value.isZero }
        }
    }

    /// Counts a stream that opens. The caller calls what is returned once, when it has ended.
    func begin(_ kind: StreamKind, of role: String) -> @Sendable () -> Void {
        // Under the lock, so that no counts are forgotten that are about to be used.
        let cells = table.withLock { table -> Cells in
            let name = ExactText(role)
            let cells = table.open[name] ?? Cells(count: StreamKind.allCases.count)
            table.open[name] = cells
            cells.first[kind.rawValue].add(1, ordering: .relaxed)
            return cells
        }
        return { cells.first[kind.rawValue].subtract(1, ordering: .relaxed) }
    }

    /// How many are open, of each kind: for the roles of the policy, and for others that have some.
    var open: [(role: String, kind: StreamKind, count: UInt64)] {
        let (roles, open) = table.withLock { ($0.roles, $0.open) }
        let former = open.filter { !$0.value.isZero && !roles.contains(exactly: $0.key.text) }
        return (roles + former.keys.map(\.text).sorted()).flatMap { role in
            let cells = open[ExactText(role)]
            return StreamKind.allCases.map { (role, $0, cells?[$0.rawValue] ?? 0) }
        }
    }
}

extension Cells {
    fileprivate var isZero: Bool { (0..<count).allSatisfy { self[$0] == 0 } }
}
