/// The cases of an enum of actions, as they stand on the wire: the one derivation for reading,
/// writing, schemas and tests.
///
/// Two kinds of enums have such a form: those whose `Codable` the compiler wrote, `{"case":{…}}`,
/// and those with texts as raw values, `"case"`.
package struct EnumForm: Sendable {
    /// One case.
    package struct Case: Sendable {
        /// Its coding key, or its raw value: the name in the enum's own JSON form.
        package let key: String
        /// The associated values. Their types may be definitions that are not here.
        package let payload: JSONSchema

        /// Whether it has no associated values, so that all its values are alike.
        package var isBare: Bool { payload == .object([]) }

        /// The wire name in a module: the key behind the module's name, `counter/increased`. A key
        /// that begins with a slash is a whole name, as an absolute path is: `/Increased`.
        package func wireName(in module: String) -> String {
            guard isWholeName(key) else { return "\(module)/\(key)" }
            return String(decoding: key.utf8.dropFirst(), as: UTF8.self)
        }
    }

    /// Whose names have to begin with the module's, so that none is whole.
    package enum Prefixed: Sendable {
        /// Actions of a module's views, which may leave the module's name out.
        case views
        /// Actions of instances, whose ids stand behind the module's name.
        case instances

        /// `nil` where the actions are neither.
        package init?(areOfViews: Bool, areOfInstances: Bool) {
            guard areOfViews || areOfInstances else { return nil }
            self = areOfInstances ? .instances : .views
        }
    }

    package let cases: [Case]

    /// Derives the cases by letting the type decode from dummies, and writes a value of each.
    ///
    /// - Parameters:
    ///   - type: the enum.
    ///   - prefixed: why no name may be whole; `nil` where each may.
    /// - Throws: ``EnumFormError`` where the type has another form, or such a name.
    package init<Value: Codable>(
        of type: Value.Type,
        prefixed: Prefixed? = nil
    ) throws(EnumFormError) {
        guard let count = EnumCases.count(of: type) else { throw EnumFormError(type, .noEnum) }
        let document = JSONSchemaDocument(of: [type])
        let root = document.resolved(document.roots[0])
        if case .integers = root { throw EnumFormError(type, .numbers) }
        let found = document.cases(of: root)
        guard !found.isEmpty || count == 0 else { throw EnumFormError(type, .ownForm) }
        let keys = found.map(\.name)
        for key in keys {
            guard Self.isPlain(key) else { throw EnumFormError(type, .key(key)) }
            if let prefixed, isWholeName(key) {
                throw EnumFormError(type, .wholeName(key, prefixed))
            }
        }
        let payloads = found.map { document.resolved($0.schema) }
        guard payloads.allSatisfy(\.mayBeObject) else { throw EnumFormError(type, .ownForm) }
        let encoder = JSONEncoder()
        for sample in JSONSchemaDeriver().samples(of: type) {
            // A dummy that has no JSON form shows nothing.
            guard let bytes = try? encoder.encode(sample) else { continue }
            let key = bytes.withUnsafeBytes { bytes in
                CaseBytes(bytes).map { String(decoding: $0.name, as: UTF8.self) }
            }
            guard let key, keys.contains(key) else { throw EnumFormError(type, .ownForm) }
        }
        cases = zip(keys, payloads).map { Case(key: $0, payload: $1) }
    }

    /// Whether a key can be the last part of a wire name, or behind its slash a whole one.
    private static func isPlain(_ key: String) -> Bool {
        let name = key.utf8.dropFirst(isWholeName(key) ? 1 : 0)
        return !name.isEmpty
            && name.allSatisfy { byte in
                byte >= 0x20 && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "\"")
                    && byte != UInt8(ascii: "\\")
            }
    }
}

/// Whether a case's key is a whole wire name. Bytes are looked at: with a combining mark behind it,
/// the slash is another character.
private func isWholeName(_ key: String) -> Bool { key.utf8.first == UInt8(ascii: "/") }

/// Why a type can't be an enum of actions.
package struct EnumFormError: Error, CustomStringConvertible {
    enum Reason {
        case noEnum, numbers, ownForm
        case key(String)
        case wholeName(String, EnumForm.Prefixed)
    }

    private let type: String
    private let reason: Reason

    init(_ type: any Any.Type, _ reason: Reason) {
        // The program's own name is in the way of a type's.
        self.type = String(reflecting: type).split(separator: ".").dropFirst().joined(
            separator: "."
        )
        self.reason = reason
    }

    /// What is wrong, and what would be right.
    package var description: String {
        switch reason {
        case .noEnum:
            "\(type) is no enum; make it one, with a case for each action"
        case .numbers:
            "the cases of \(type) are written as numbers; give it no raw values, or texts"
        case .ownForm:
            "the cases of \(type) have no names on the wire, because its Codable is its own; let the "
                + "compiler write it, or give the enum texts as raw values"
        case .key(let key):
            "\(type) writes a case as '\(key)'; that is to be a name without slashes, quotes, "
                + "backslashes and control characters, or such a name behind one slash"
        case .wholeName(let key, .views):
            "\(type) writes a case as '\(key)', a whole wire name; an action of a module's views is "
                + "found by its module's name, so take the slash off"
        case .wholeName(let key, .instances):
            "\(type) writes a case as '\(key)', a whole wire name; an action of an instance is found "
                + "by its module's name and the instance's id, so take the slash off"
        }
    }
}
