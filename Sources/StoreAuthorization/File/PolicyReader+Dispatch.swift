import StoreJSON
import StoreTexts

// The scopes of the elements of `dispatch`.

extension PolicyReader {
    private static let allowedDispatchText =
        "allowed are an action's wire name, \"MODULE/*\", \"*\", and "
        + "{\"type\": one of these, \"where\": {\"/pointer\": value}}"

    /// Returns the scope of an element of `dispatch`. Adds a fault and returns `nil` if the element
    /// is invalid.
    mutating func parseDispatchGrant(_ node: JSONNode, _ pointer: String) -> DispatchScope? {
        if let text = node.stringValue {
            return parseActionScope(text, pointer).map { DispatchScope(actions: $0) }
        }
        guard node.kind == .object else {
            return refuse(pointer, "this is no grant; \(Self.allowedDispatchText)")
        }
        _ = checkObject(node, pointer, members: ["type", "where"])
        guard let type = node.member("type") else {
            return refuse(pointer, "there is no member \"type\"; \(Self.allowedDispatchText)")
        }
        guard let name = parseText(type, pointer + "/type", Self.allowedDispatchText),
            let types = parseActionScope(name, pointer + "/type")
        else { return nil }
        guard let conditions = parseConditions(node, of: types, pointer) else { return nil }
        return DispatchScope(actions: types, conditions: conditions)
    }

    private mutating func parseActionScope(_ text: String, _ pointer: String) -> ActionScope? {
        if text.isSame(as: "*") { return .everything }
        if names.clientActionNames.contains(text) { return .action(text) }
        if text.utf8.count > 2, text.utf8.suffix(2).elementsEqual("/*".utf8) {
            let module = String(decoding: text.utf8.dropLast(2), as: UTF8.self)
            if names.modules.contains(module) { return .module(module) }
            let known = names.modules.names.map { $0 + "/*" }
            return refuseUnknownName(
                text,
                "no module with actions for clients",
                Self.allowedDispatchText,
                pointer,
                known
            )
        }
        if names.isProgramOnly(text) {
            return refuse(
                pointer,
                "\(quoted(text)) is dispatched by the program alone, whatever a policy grants; "
                    + "leave it out"
            )
        }
        if let all = names.instancesName(for: text) {
            return refuse(
                pointer,
                "\(quoted(text)) names one instance; allowed is \(quoted(all)), for all instances"
            )
        }
        return refuseUnknownName(
            text,
            "no action of this store",
            Self.allowedDispatchText,
            pointer,
            names.clientActionNames.names
        )
    }

    private mutating func parseConditions(
        _ grant: JSONNode,
        of types: ActionScope,
        _ pointer: String
    ) -> [PayloadCondition]? {
        let pointer = pointer + "/where"
        guard let node = grant.member("where"), node.kind == .object, node.count > 0 else {
            return refuse(
                pointer,
                "expected an object whose names are JSON Pointers into the payload, each with its "
                    + "required value; without a condition, give the type as a text"
            )
        }
        let members = node.members
        guard members.count <= PolicyFile.conditionsMax else {
            return refuse(
                pointer,
                "\(members.count) conditions are too many; allowed are \(PolicyFile.conditionsMax)"
            )
        }
        let actions = names.actions(of: types)
        var conditions: [PayloadCondition] = []
        for (name, value) in members {
            let place = pointer + "/" + JSONPointer.escaped(name)
            guard let path = JSONPointer(name), let first = path.tokens.first else {
                addFault(
                    place,
                    "\(quoted(name)) is no JSON Pointer (RFC 6901) such as \"/authorID\""
                )
                continue
            }
            guard checkMember(first, isIn: actions, place), checkPath(path, isIn: actions, place),
                let required = parseRequiredValue(value, place)
            else { continue }
            conditions.append(PayloadCondition(pointer: path, requiredValue: required))
        }
        return conditions.count == members.count ? conditions : nil
    }

    /// Returns true if some action's payload has the member, and the member is secret in no action.
    /// Otherwise adds a fault and returns false.
    private mutating func checkMember(
        _ member: String,
        isIn actions: [PolicyAction],
        _ pointer: String
    ) -> Bool {
        if actions.contains(where: { $0.secretMembers.contains(exactly: member) }) {
            addFault(
                pointer,
                "the server removes the secret member \(quoted(member)) before it makes the "
                    + "action; allowed are members that the action keeps"
            )
            return false
        }
        if actions.contains(where: { $0.payloadMembers?.contains(exactly: member) ?? true }) {
            return true
        }
        let known = NameSet(actions.flatMap { $0.payloadMembers ?? [] }).names
        addFault(
            pointer,
            "no payload of this type has a member \(quoted(member))"
                + (known.isEmpty ? "" : "; allowed are \(listText(known))"),
            nearest: member,
            in: known
        )
        return false
    }

    /// Returns true if a pointer may lead to a value in the payload of some action. Otherwise adds
    /// a fault and returns false. Without this fault, the condition would deny every payload, and
    /// the operator would get no message.
    private mutating func checkPath(
        _ path: JSONPointer,
        isIn actions: [PolicyAction],
        _ pointer: String
    ) -> Bool {
        let ends = actions.map { $0.findUnreachablePrefix(path) }
        guard let end = ends.compactMap(\.self).first, !ends.contains(nil) else { return true }
        let above = JSONPointer(tokens: Array(end.tokens.dropLast()))
        addFault(
            pointer,
            "no payload of this type has a value at \(quoted(end.description)): "
                + "\(quoted(above.description)) has no member and no element of that name; allowed "
                + "are pointers to members that a payload may have"
        )
        return false
    }

    /// The maximum number of names in the list of a message.
    private static let listedNamesMax = 10

    private func listText(_ names: [String]) -> String {
        names.prefix(Self.listedNamesMax).map(quoted).joined(separator: ", ")
            + (names.count > Self.listedNamesMax ? ", …" : "")
    }

    private mutating func parseRequiredValue(
        _ value: JSONNode,
        _ pointer: String
    ) -> PayloadCondition.RequiredValue? {
        if value.stringValue?.isSame(as: "$principal") == true { return .principal }
        let tree = JSONTree(value)
        // The fault is necessary. Otherwise, a condition with an unknown variable would hold for no
        // payload, and the operator would get no message.
        if let text = tree.text(beginningWith: UInt8(ascii: "$")) {
            return refuse(
                pointer,
                "\(quoted(text)) begins with $, like a variable; the only variable is "
                    + "\"$principal\", as the whole value",
                nearest: text,
                in: ["$principal"]
            )
        }
        return .value(tree)
    }
}

extension JSONTree {
    /// Returns the first text in the value, at any depth, that begins with this byte.
    fileprivate func text(beginningWith byte: UInt8) -> String? {
        switch self {
        case .literal: nil
        case .string(let text): text.utf8.first == byte ? text : nil
        case .array(let elements): elements.lazy.compactMap { $0.text(beginningWith: byte) }.first
        case .object(let members):
            members.lazy.compactMap { $0.value.text(beginningWith: byte) }.first
        }
    }
}
