import StoreWire

/// A policy file, parsed and checked against the names of the stores.
package struct PolicyFile: Sendable {
    /// The most bytes of a file.
    package static let bytesMax = 1 << 20
    /// The most roles of a file.
    package static let rolesMax = 1_000
    /// The most grants of a file, in all roles together.
    package static let grantsMax = 10_000
    /// The most conditions of one grant.
    package static let conditionsMax = 32

    /// The roles in the order of the file; each name once.
    let roles: [RoleGrants]

    /// The numbers of roles and grants, for the operator.
    package var summary: String {
        let grants = roles.reduce(0) {
            $0 + $1.read.count + $1.dispatch.count + $1.call.count + $1.use.count
        }
        return "\(roles.count) roles, \(grants) grants"
    }

    /// Reads a policy for the stores of a process. There is at least one store.
    ///
    /// - Throws: ``PolicyError`` with all faults.
    package init(parsing bytes: [UInt8], for worlds: [PolicyWorld]) throws(PolicyError) {
        var reader = PolicyReader(worlds)
        let roles = reader.read(bytes)
        guard reader.faults.isEmpty else { throw PolicyError(faults: reader.faults) }
        self.roles = roles
    }
}
