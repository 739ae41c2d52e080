import StoreWire

/// A policy as its file has it: read, and checked against the names that the stores have.
package struct PolicyFile: Sendable {
    /// The most bytes of a file.
    package static let bytesMax = 1 << 20
    /// The most roles of a file.
    package static let rolesMax = 1_000
    /// The most grants of a file, those of all roles together.
    package static let grantsMax = 10_000
    /// The most conditions of one grant.
    package static let conditionsMax = 32

    /// In the order of the file; each name once.
    let roles: [RoleGrants]

    /// How much there is, for people.
    package var summary: String {
        let grants = roles.reduce(0) {
            $0 + $1.read.count + $1.dispatch.count + $1.call.count + $1.use.count
        }
        return "\(roles.count) roles, \(grants) grants"
    }

    /// Reads a policy for the stores of a process, of which there is at least one.
    ///
    /// - Throws: ``PolicyError`` with everything that is wrong.
    package init(parsing bytes: [UInt8], for worlds: [PolicyWorld]) throws(PolicyError) {
        var reader = PolicyReader(worlds)
        let roles = reader.read(bytes)
        guard reader.faults.isEmpty else { throw PolicyError(faults: reader.faults) }
        self.roles = roles
    }
}
