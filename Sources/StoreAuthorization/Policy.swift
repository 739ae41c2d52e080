import StoreJSON
import StoreTexts
import StoreWire

/// The permissions of each role in one store. The policy denies a request if the role lacks the
/// grant that the request needs.
package struct Policy: Sendable {
    /// The role of requests without a credential.
    package static let anonymousRoleName = "anonymous"

    private var roles: [ExactText: Role]

    /// Reads the policy of a file, for the store with the names in `world`. The file may also use
    /// the names of the other stores of the process. A grant of a name that several stores have is
    /// valid in each of them.
    ///
    /// - Throws: ``PolicyError`` with the faults of the file.
    package init(
        parsing bytes: [UInt8],
        in world: PolicyVocabulary,
        beside others: [PolicyVocabulary] = []
    ) throws(PolicyError) {
        self.init(try PolicyFile(parsing: bytes, for: [world] + others), in: world)
    }

    /// Makes the policy of a file, for the store with the names in `world`.
    package init(_ file: PolicyFile, in world: PolicyVocabulary) {
        roles = Dictionary(
            file.roles.map { (ExactText($0.name), Role($0, in: world)) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    private init(_ role: Role) { roles = [ExactText(role.name): role] }

    /// The policy of a server without a policy file. The role `anonymous` may do everything, except
    /// use the debug routes and see the data of all sessions.
    package static let withoutFile = withoutFile(adding: [])

    /// Returns the policy of a server without a policy file. The role `anonymous` may also use
    /// these groups of routes.
    package static func withoutFile(adding groups: Set<RouteGroupName>) -> Policy {
        Policy(Role(ofAll: anonymousRoleName, using: standardGroups.union(groups)))
    }

    private static let standardGroups = Set(RouteGroupName.allCases).subtracting([.debug, .operate])

    /// Returns this policy with a further role `name`, which has the rights of `anonymous` in
    /// ``withoutFile``.
    package func adding(unrestrictedRole name: String) -> Policy {
        var policy = self
        policy.roles[ExactText(name)] = Role(ofAll: name, using: Self.standardGroups)
        return policy
    }

    /// The names of the roles, sorted.
    package var roleNames: [String] { roles.keys.map(\.text).sorted() }

    /// Returns the role of this name; `nil` if the policy does not have the role. A principal with
    /// an unknown role may use only routes that need no grant.
    package func role(_ name: String) -> Role? { roles[ExactText(name)] }
}

/// A policy file, parsed and checked against the names of the stores.
package struct PolicyFile: Sendable {
    /// The maximum size of a file, in bytes.
    package static let bytesMax = 1 << 20
    /// The maximum number of roles in a file.
    package static let rolesMax = 1_000
    /// The maximum number of grants in a file, in all roles together.
    package static let grantsMax = 10_000
    /// The maximum number of conditions of one grant.
    package static let conditionsMax = 32

    /// The roles in the order of the file. No two roles have the same name.
    let roles: [RoleGrants]

    /// A text with the numbers of roles and grants, for the operator.
    package var summary: String {
        let grants = roles.reduce(0) {
            $0 + $1.readGrants.count + $1.dispatchGrants.count + $1.callGrants.count
                + $1.useGrants.count
        }
        return "\(roles.count) roles, \(grants) grants"
    }

    /// Reads a policy for the stores of a process. `worlds` has the names of each store, and at
    /// least one element.
    ///
    /// - Throws: ``PolicyError`` with all faults.
    package init(parsing bytes: [UInt8], for worlds: [PolicyVocabulary]) throws(PolicyError) {
        var reader = PolicyReader(worlds)
        guard let roles = reader.read(bytes), reader.faults.isEmpty else {
            throw PolicyError(faults: reader.faults)
        }
        self.roles = roles
    }
}

/// The error for an invalid policy file, with all of its faults.
package struct PolicyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The maximum number of faults in the list. The reader stops at this number.
    package static let faultsMax = 100

    /// The faults in the order of the file; at least one fault.
    package let faults: [PolicyFault]

    /// A line for each fault.
    package var description: String { lines(of: nil).joined(separator: "\n") }

    /// Returns a line for each fault. Each line begins with the name of the file, if there is a
    /// name.
    package func lines(of file: String?) -> [String] {
        let start = file.map { $0 + ": " } ?? ""
        let lines = faults.map { start + $0.description }
        guard faults.count == Self.faultsMax else { return lines }
        return lines + [start + "there may be more; these are the first \(Self.faultsMax)"]
    }
}

/// A fault of a policy file.
package struct PolicyFault: Sendable, Equatable, CustomStringConvertible {
    /// The pointer to the fault in the file (RFC 6901); empty if the fault is about the whole file.
    package let pointer: String
    /// The fault, and the allowed content.
    package let message: String
    /// The name that the author of the file probably meant.
    package let suggestedName: String?

    /// The line for the operator, without the file's name.
    package var description: String {
        let hint = suggestedName.map { "; did you mean \(JSONText.quoted($0))?" } ?? ""
        let place = pointer.isEmpty ? "" : Problem.excerpt(pointer) + ": "
        return place + message + hint
    }
}
