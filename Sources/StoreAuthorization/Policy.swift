import StoreTexts

/// What each role may do in one store. What is not granted is denied.
package struct Policy: Sendable {
    /// The role of requests that show no credential.
    package static let anonymous = "anonymous"

    private var roles: [ExactText: Role]

    /// Reads a policy for one store. Where a process has several stores, a policy may name what any
    /// of them has, and a name that two stores have is granted in both.
    ///
    /// - Throws: ``PolicyError`` with what is wrong in the file.
    package init(
        parsing bytes: [UInt8],
        in world: PolicyWorld,
        beside others: [PolicyWorld] = []
    ) throws(PolicyError) {
        self.init(try PolicyFile(parsing: bytes, for: [world] + others), in: world)
    }

    /// The policy of a file, for one store.
    package init(_ file: PolicyFile, in world: PolicyWorld) {
        roles = Dictionary(
            file.roles.map { (ExactText($0.name), Role($0, in: world)) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    private init(_ role: Role) {
        roles = [ExactText(role.name): role]
    }

    /// What holds where there is no policy: anonymous may do everything but debug, and see what all
    /// sessions have.
    package static let open = open(adding: [])

    /// The same with further groups of routes.
    package static func open(adding groups: Set<RouteGroupName>) -> Policy {
        Policy(Role(ofAll: anonymous, using: standardGroups.union(groups)))
    }

    private static let standardGroups = Set(RouteGroupName.allCases).subtracting([.debug, .operate])

    /// The same with a role that may do everything that anonymous may where there is no policy.
    package func adding(roleOfAll name: String) -> Policy {
        var policy = self
        policy.roles[ExactText(name)] = Role(ofAll: name, using: Self.standardGroups)
        return policy
    }

    /// The names of the roles that it has, in their order.
    package var roleNames: [String] { roles.keys.map(\.text).sorted() }

    /// The role of this name; `nil` where the policy does not have it, and it may do nothing.
    package func role(_ name: String) -> Role? { roles[ExactText(name)] }
}
