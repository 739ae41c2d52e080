import StoreTexts
import StoreWire

/// Reads a policy file. The reader continues after a fault, so that it finds all faults.
struct PolicyReader {
    private(set) var faults: [PolicyFault] = []
    let names: PolicyNames
    private var grantsCount = 0

    init(_ worlds: [PolicyWorld]) {
        names = PolicyNames(worlds)
    }

    /// True if the reader has found the most faults, and does not read the rest.
    var isFull: Bool { faults.count >= PolicyError.faultsMax }

    /// Adds a fault. The candidate nearest to `wanted` becomes its hint.
    mutating func add(
        _ pointer: String,
        _ message: String,
        nearest wanted: String? = nil,
        in candidates: [String] = []
    ) {
        guard !isFull else { return }
        let nearest = wanted.flatMap { EditDistance.nearest(to: $0, in: candidates) }
        faults.append(PolicyFault(pointer: pointer, message: message, nearest: nearest))
    }

    /// Returns the roles of a file. If the file has faults, some of its roles and grants are
    /// missing.
    mutating func read(_ bytes: [UInt8]) -> [RoleGrants] {
        guard bytes.count <= PolicyFile.bytesMax else {
            add("", "the file is too large; allowed are \(PolicyFile.bytesMax) bytes")
            return []
        }
        let document: JSONDocument
        do {
            document = try JSONDocument(
                parsing: bytes,
                limits: JSONLimits(bytesMax: PolicyFile.bytesMax)
            )
        } catch {
            add("", "byte \(error.offset): \(error.message)")
            return []
        }
        let root = document.root
        guard check(root, "", members: ["$schema", "roles"]) else { return [] }
        if let schema = root.member("$schema"), schema.kind != .string {
            add("/$schema", "allowed is a text: the address of the schema of policies")
        }
        guard let roles = root.member("roles") else {
            add("", "there is no member \"roles\", an object with the roles by their names")
            return []
        }
        guard roles.kind == .object else {
            add("/roles", "allowed is an object with the roles by their names")
            return []
        }
        let given = roles.members
        guard given.count <= PolicyFile.rolesMax else {
            add("/roles", "\(given.count) roles are too many; allowed are \(PolicyFile.rolesMax)")
            return []
        }
        var found: [RoleGrants] = []
        for (name, node) in given where !isFull {
            if let role = role(name, node) { found.append(role) }
        }
        return found
    }

    private mutating func role(_ name: String, _ node: JSONNode) -> RoleGrants? {
        let pointer = "/roles/" + JSONPointer.escaped(name)
        guard Self.isRoleName(name) else {
            add(
                pointer,
                "this is no role's name; allowed are 1 to 64 of A to Z, a to z, 0 to 9, '_', '.' "
                    + "and '-'"
            )
            return nil
        }
        guard check(node, pointer, members: ["read", "dispatch", "call", "use"]) else {
            return nil
        }
        var role = RoleGrants(name: name)
        role.read = list(node, "read", in: pointer) { $0.readScope($1, $2) }
        role.dispatch = list(node, "dispatch", in: pointer) { $0.dispatchScope($1, $2) }
        role.call = list(node, "call", in: pointer) { $0.callScope($1, $2) }
        role.use = list(node, "use", in: pointer) { $0.useScope($1, $2) }
        return role
    }

    /// Returns the grants of one list of a role; none if the list does not exist.
    private mutating func list<Scope>(
        _ role: JSONNode,
        _ name: String,
        in pointer: String,
        _ read: (inout PolicyReader, JSONNode, String) -> Scope?
    ) -> [Grant<Scope>] {
        guard !isFull, let node = role.member(named: name) else { return [] }
        let pointer = pointer + "/" + name
        guard node.kind == .array else {
            add(pointer, "allowed is an array of grants")
            return []
        }
        var grants: [Grant<Scope>] = []
        for (index, element) in node.elements.enumerated() {
            guard !isFull else { break }
            grantsCount += 1
            guard grantsCount <= PolicyFile.grantsMax else {
                // Added once: the reader stops here.
                if grantsCount == PolicyFile.grantsMax + 1 {
                    add(pointer, "there are more than \(PolicyFile.grantsMax) grants in all roles")
                }
                break
            }
            let place = "\(pointer)/\(index)"
            guard let scope = read(&self, element, place) else { continue }
            grants.append(Grant(pointer: place, text: element.sourceText, scope: scope))
        }
        return grants
    }

    /// Returns true if the node is an object. Adds a fault for each member that is not allowed.
    mutating func check(_ node: JSONNode, _ pointer: String, members allowed: [String]) -> Bool {
        guard node.kind == .object else {
            add(pointer, "allowed is an object with \(allowed.joined(separator: ", "))")
            return false
        }
        for (name, _) in node.members where !allowed.contains(exactly: name) {
            add(
                pointer + "/" + JSONPointer.escaped(name),
                "no member has this name; allowed are \(allowed.joined(separator: ", "))",
                nearest: name,
                in: allowed
            )
        }
        return true
    }

    private static func isRoleName(_ name: String) -> Bool {
        1...64 ~= name.utf8.count
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
