import StoreTexts

/// The permissions of each role in one store. A request without a grant is denied.
package struct Policy: Sendable {
    /// The role of requests without a credential.
    package static let anonymous = "anonymous"

    private var roles: [ExactText: Role]

    /// Reads a policy for one store. If a process has several stores, a policy may use the names of
    /// all of them. A name that two stores have is granted in both.
    ///
    /// - Throws: ``PolicyError`` with the faults of the file.
    package init(
        parsing bytes: [UInt8],
        in world: PolicyWorld,
        beside others: [PolicyWorld] = []
    ) throws(PolicyError) {
        self.init(try PolicyFile(parsing: bytes, for: [world] + others), in: world)
    }

    /// Makes the policy of a file, for one store.
    package init(_ file: PolicyFile, in world: PolicyWorld) {
        roles = Dictionary(
            file.roles.map { (ExactText($0.name), Role($0, in: world)) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    private init(_ role: Role) {
        roles = [ExactText(role.name): role]
    }

    /// The policy of a server without a policy file. The role anonymous may do everything, except
    /// to debug and to see the data of all sessions.
    package static let open = open(adding: [])

    /// Returns the policy of a server without a policy file, with further groups of routes.
    package static func open(adding groups: Set<RouteGroupName>) -> Policy {
        Policy(Role(ofAll: anonymous, using: standardGroups.union(groups)))
    }

    private static let standardGroups = Set(RouteGroupName.allCases).subtracting([.debug, .operate])

    /// Returns this policy with one more role, which has the rights of anonymous in ``open``.
    package func adding(roleOfAll name: String) -> Policy {
        var policy = self
        policy.roles[ExactText(name)] = Role(ofAll: name, using: Self.standardGroups)
        return policy
    }

    /// The names of the roles, sorted.
    package var roleNames: [String] { roles.keys.map(\.text).sorted() }

    /// Returns the role of this name; `nil` if the policy does not have it: then the principal may
    /// do nothing.
    package func role(_ name: String) -> Role? { roles[ExactText(name)] }
}
