import StoreJSON
import StoreTexts
import StoreWire

/// The reader of a policy file. The reader continues after a fault, so that it finds all faults.
struct PolicyReader {
    private(set) var faults: [PolicyFault] = []
    let names: PolicyNames
    private var grantsCount = 0

    init(_ worlds: [PolicyVocabulary]) { names = PolicyNames(worlds) }

    /// True if the list of faults is full. The reader then skips the rest of the file.
    var hasMaximumFaults: Bool { faults.count >= PolicyError.faultsMax }

    /// Adds a fault. The fault suggests the candidate that is most similar to `wanted`.
    mutating func addFault(
        _ pointer: String,
        _ message: String,
        nearest wanted: String? = nil,
        in candidates: [String] = []
    ) {
        guard !hasMaximumFaults else { return }
        let nearest = wanted.flatMap { EditDistance.nearest(to: $0, in: candidates) }
        faults.append(PolicyFault(pointer: pointer, message: message, suggestedName: nearest))
    }

    /// Adds a fault, and returns `nil` for the faulty value.
    mutating func refuse<Value>(
        _ pointer: String,
        _ message: String,
        nearest wanted: String? = nil,
        in candidates: [String] = []
    ) -> Value? {
        addFault(pointer, message, nearest: wanted, in: candidates)
        return nil
    }

    /// Returns the roles of a file; `nil` if the object with the roles can't be read. If the file
    /// has faults, some roles and grants may be missing.
    mutating func read(_ bytes: [UInt8]) -> [RoleGrants]? {
        guard bytes.count <= PolicyFile.bytesMax else {
            return refuse(
                "",
                "the file is too large; at most \(PolicyFile.bytesMax) bytes are allowed"
            )
        }
        let document: JSONDocument
        do {
            let limits = JSONLimits(bytesMax: PolicyFile.bytesMax)
            document = try JSONDocument(parsing: bytes, limits: limits)
        } catch {
            return refuse("", "byte \(error.offset): \(error.message)")
        }
        let root = document.root
        guard checkObject(root, "", members: ["$schema", "roles"]) else { return nil }
        if let schema = root.member("$schema"), schema.kind != .string {
            addFault("/$schema", "expected a text: the address of the schema of policies")
        }
        guard let roles = root.member("roles") else {
            return refuse(
                "",
                "the member \"roles\" is missing: an object whose members are the roles, by name"
            )
        }
        guard roles.kind == .object else {
            return refuse("/roles", "expected an object whose members are the roles, by name")
        }
        let given = roles.members
        guard given.count <= PolicyFile.rolesMax else {
            return refuse(
                "/roles",
                "\(given.count) roles are too many; allowed are \(PolicyFile.rolesMax)"
            )
        }
        var found: [RoleGrants] = []
        for (name, node) in given where !hasMaximumFaults {
            if let role = parseRole(name, node) { found.append(role) }
        }
        return found
    }

    private mutating func parseRole(_ name: String, _ node: JSONNode) -> RoleGrants? {
        let pointer = "/roles/" + JSONPointer.escaped(name)
        guard Self.isRoleName(name) else {
            return refuse(
                pointer,
                "this is not a valid name of a role; allowed are 1 to 64 characters of A to Z, a "
                    + "to z, 0 to 9, '_', '.' and '-'"
            )
        }
        guard checkObject(node, pointer, members: ["read", "dispatch", "call", "use"]) else {
            return nil
        }
        var role = RoleGrants(name: name)
        role.readGrants = parseList(node, "read", in: pointer) { $0.parseReadGrant($1, $2) }
        role.dispatchGrants = parseList(node, "dispatch", in: pointer) {
            $0.parseDispatchGrant($1, $2)
        }
        role.callGrants = parseList(node, "call", in: pointer) { $0.parseCallGrant($1, $2) }
        role.useGrants = parseList(node, "use", in: pointer) { $0.parseUseGrant($1, $2) }
        return role
    }

    /// Returns the grants in a list of a role. Returns no grants if the role does not have the
    /// list.
    private mutating func parseList<Scope>(
        _ role: JSONNode,
        _ name: String,
        in pointer: String,
        _ read: (inout PolicyReader, JSONNode, String) -> Scope?
    ) -> [Grant<Scope>] {
        guard !hasMaximumFaults, let node = role.member(named: name) else { return [] }
        let pointer = pointer + "/" + name
        guard node.kind == .array else {
            addFault(pointer, "expected an array of grants")
            return []
        }
        var grants: [Grant<Scope>] = []
        for (index, element) in node.elements.enumerated() {
            guard !hasMaximumFaults else { break }
            grantsCount += 1
            guard grantsCount <= PolicyFile.grantsMax else {
                // Add the fault only for the first grant above the bound: this code also runs for
                // each later list.
                if grantsCount == PolicyFile.grantsMax + 1 {
                    addFault(
                        pointer,
                        "there are more than \(PolicyFile.grantsMax) grants in all roles"
                    )
                }
                break
            }
            let place = "\(pointer)/\(index)"
            guard let scope = read(&self, element, place) else { continue }
            grants.append(Grant(pointer: place, sourceText: element.sourceText, scope: scope))
        }
        return grants
    }

    /// Returns true if the node is an object. Adds a fault for each member that is not allowed.
    mutating func checkObject(_ node: JSONNode, _ pointer: String, members allowed: [String])
        -> Bool
    {
        guard node.kind == .object else {
            addFault(
                pointer,
                "expected an object with the members \(allowed.joined(separator: ", "))"
            )
            return false
        }
        for (name, _) in node.members where !allowed.contains(exactly: name) {
            addFault(
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
                case 48...57, 65...90, 97...122: true
                case UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"): true
                default: false
                }
            }
    }
}

// The scopes of the texts in `read`, `call` and `use`.

extension PolicyReader {
    /// Returns the scope of an element of `read`. Adds a fault and returns `nil` if the element is
    /// invalid.
    mutating func parseReadGrant(_ node: JSONNode, _ pointer: String) -> NameScope? {
        let allowed =
            "allowed are \"/MEMBER\" of the state, \"/*\" for all of "
            + "them, \"views/NAME\", \"views/*\", \"log\" and \"*\" for everything"
        guard let text = parseText(node, pointer, allowed) else { return nil }
        if text.isSame(as: "*") { return .everything }
        if text.isSame(as: "/*") { return NameScope(kind: .member, name: nil) }
        if text.isSame(as: PolicyVocabulary.logName) { return NameScope(kind: .log, name: nil) }
        if let view = text.rest(after: GrantedKind.view.prefix) {
            return parseScope(.view, view, text, allowed, pointer)
        }
        guard let path = JSONPointer(text), let member = path.tokens.first else {
            return refuseUnknownName(
                text,
                "no name of a part that can be read",
                allowed,
                pointer,
                textsOfReadGrants
            )
        }
        guard names[.member].contains(member) else {
            guard names[.member].names.isEmpty else {
                return refuseUnknownName(
                    text,
                    "no member of the state",
                    allowed,
                    pointer,
                    textsOfReadGrants
                )
            }
            return refuse(
                pointer,
                "the state of this store has no members to grant one by one; allowed is \"/*\", "
                    + "the whole state"
            )
        }
        guard path.tokens.count == 1 else {
            return refuse(
                pointer,
                "\(quoted(text)) is a part of a member; allowed is the whole member, "
                    + "\(quoted(GrantedKind.member.grantText(for: member))), or a view that shows the part"
            )
        }
        return NameScope(kind: .member, name: member)
    }

    private var textsOfReadGrants: [String] {
        [.member, .view, .log].flatMap { names.grantTexts(of: $0) }
    }

    /// Returns the scope of an element of `call`. Adds a fault and returns `nil` if the element is
    /// invalid.
    mutating func parseCallGrant(_ node: JSONNode, _ pointer: String) -> NameScope? {
        let allowed =
            "allowed are \"usecases/NAME\", \"usecases/*\", \"notify/NAME\", "
            + "\"notify/*\" and \"*\""
        guard let text = parseText(node, pointer, allowed) else { return nil }
        if text.isSame(as: "*") { return .everything }
        let kinds: [GrantedKind] = [.useCase, .notification]
        for kind in kinds {
            guard let name = text.rest(after: kind.prefix) else { continue }
            return parseScope(kind, name, text, allowed, pointer)
        }
        let known = kinds.flatMap { names.grantTexts(of: $0) }
        return refuseUnknownName(
            text,
            "no name of a use case or of a notification",
            allowed,
            pointer,
            known
        )
    }

    /// Returns the scope of an element of `use`. Adds a fault and returns `nil` if the element is
    /// invalid.
    mutating func parseUseGrant(_ node: JSONNode, _ pointer: String) -> NameScope? {
        let groups = names.grantTexts(of: .group)
        let allowed = "allowed are \(groups.joined(separator: ", ")) and \"*\""
        guard let text = parseText(node, pointer, allowed) else { return nil }
        if text.isSame(as: "*") { return .everything }
        guard names[.group].contains(text) else {
            return refuseUnknownName(text, "no group of routes", allowed, pointer, groups)
        }
        return NameScope(kind: .group, name: text)
    }

    /// Returns the scope of a text such as `views/NAME` or `views/*`. `name` is the end of the
    /// text, such as `NAME` or `*`.
    private mutating func parseScope(
        _ kind: GrantedKind,
        _ name: String,
        _ text: String,
        _ allowed: String,
        _ pointer: String
    ) -> NameScope? {
        if name.isSame(as: "*") { return NameScope(kind: kind, name: nil) }
        if names[kind].contains(name) { return NameScope(kind: kind, name: name) }
        let known = names.grantTexts(of: kind)
        return refuseUnknownName(text, "no \(kind.noun) of this store", allowed, pointer, known)
    }

    /// Returns the text of a node. Adds a fault if the node is no text.
    mutating func parseText(_ node: JSONNode, _ pointer: String, _ allowed: String) -> String? {
        node.stringValue ?? refuse(pointer, "this is no text; \(allowed)")
    }

    /// Adds a fault for an unknown name, and returns `nil`.
    mutating func refuseUnknownName<Value>(
        _ text: String,
        _ what: String,
        _ allowed: String,
        _ pointer: String,
        _ candidates: [String]
    ) -> Value? {
        refuse(pointer, "\(quoted(text)) is \(what); \(allowed)", nearest: text, in: candidates)
    }
}

extension String {
    /// Returns the rest of this text after the prefix `start`; `nil` if the text does not begin
    /// with these bytes.
    func rest(after start: String) -> String? {
        guard utf8.starts(with: start.utf8) else { return nil }
        return String(decoding: utf8.dropFirst(start.utf8.count), as: UTF8.self)
    }
}

/// Returns a text in quotes, for a message. A long text is shortened.
func quoted(_ text: String) -> String { JSONText.quoted(Problem.excerpt(text)) }
