import StoreJSON

/// The cases of an enum of actions, with their names and payloads in JSON. Reading, writing,
/// schemas and tests all get the cases from this type.
///
/// Two kinds of enums are possible: enums with a `Codable` that the compiler has written,
/// `{"case":{…}}`, and enums with texts as raw values, `"case"`.
package struct ActionEnumCases: Sendable {
    /// A case of the enum.
    package struct Case: Sendable {
        /// The name of the case in the enum's own JSON form: the coding key or the raw value.
        package let key: String
        /// The schema of the associated values. The schema may refer to definitions that this value
        /// does not contain.
        package let payloadSchema: JSONSchema

        /// True if the case has no associated values.
        package var hasNoPayload: Bool { payloadSchema == .object([]) }

        /// Returns the wire name of the case in a module: the module's name, a slash and the key,
        /// such as `counter/increased`. If the key begins with a slash, the rest of the key is the
        /// whole wire name: `/Increased` gives `Increased`.
        package func wireName(in module: String) -> String {
            guard isWholeWireName(key) else { return "\(module)/\(key)" }
            return String(decoding: key.utf8.dropFirst(), as: UTF8.self)
        }
    }

    /// The kinds of actions whose wire names have to begin with the name of their module. So no key
    /// of such an action may be a whole wire name.
    package enum PrefixedActionKind: Sendable {
        /// Actions of a module's views. A client of a view may leave out the name of the module.
        case views
        /// Actions of instances. The id of the instance follows the name of the module.
        case instances

        /// Makes the kind; `nil` if the actions are neither of views nor of instances.
        package init?(areOfViews: Bool, areOfInstances: Bool) {
            guard areOfViews || areOfInstances else { return nil }
            self = areOfInstances ? .instances : .views
        }
    }

    package let cases: [Case]

    /// Derives the cases by decoding the type from dummy values. As a check, also encodes a value
    /// of each case.
    ///
    /// - Parameters:
    ///   - type: the enum of actions.
    ///   - prefixed: the reason why no key may be a whole wire name; `nil` if a key may be a whole
    ///     wire name.
    /// - Throws: ``ActionEnumError`` if the type is no such enum, or has a key that is not
    ///   permitted.
    package init<Value: Codable>(
        of type: Value.Type,
        prefixed: PrefixedActionKind? = nil
    ) throws(ActionEnumError) {
        guard let count = EnumCases.count(of: type) else { throw ActionEnumError(type, .noEnum) }
        let document = JSONSchemaDocument(of: [type])
        let root = document.resolved(document.roots[0])
        if case .integerEnum = root { throw ActionEnumError(type, .numericRawValues) }
        let found = document.cases(of: root)
        guard !found.isEmpty || count == 0 else { throw ActionEnumError(type, .customCodable) }
        let keys = found.map(\.name)
        for key in keys {
            guard Self.isValidKey(key) else { throw ActionEnumError(type, .invalidKey(key)) }
            if let prefixed, isWholeWireName(key) {
                throw ActionEnumError(type, .wholeName(key, prefixed))
            }
        }
        let payloads = found.map { document.resolved($0.schema) }
        guard payloads.allSatisfy(\.mayBeObject) else {
            throw ActionEnumError(type, .customCodable)
        }
        let encoder = JSONEncoder()
        for sample in JSONSchemaDeriver().samples(of: type) {
            // A dummy value that cannot be encoded is no reason to refuse the type.
            guard let bytes = try? encoder.encode(sample) else { continue }
            let key = bytes.withUnsafeBytes { bytes in
                EncodedCase(bytes).map { String(decoding: $0.name, as: UTF8.self) }
            }
            guard let key, keys.contains(key) else { throw ActionEnumError(type, .customCodable) }
        }
        cases = zip(keys, payloads).map { Case(key: $0, payloadSchema: $1) }
    }

    /// Returns true if a key is a valid last segment of a wire name, or is a slash and a valid
    /// whole wire name.
    private static func isValidKey(_ key: String) -> Bool {
        let name = key.utf8.dropFirst(isWholeWireName(key) ? 1 : 0)
        return !name.isEmpty
            && name.allSatisfy { byte in
                byte >= 0x20 && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "\"")
                    && byte != UInt8(ascii: "\\")
            }
    }
}

/// Returns true if a case's key is a whole wire name: it begins with a slash. The function compares
/// bytes, because Swift treats a slash with a combining mark as a different character from a slash.
private func isWholeWireName(_ key: String) -> Bool { key.utf8.first == UInt8(ascii: "/") }

/// The reason why a type cannot be an enum of actions.
package struct ActionEnumError: Error, CustomStringConvertible {
    enum Reason {
        case noEnum, numericRawValues, customCodable
        case invalidKey(String)
        case wholeName(String, ActionEnumCases.PrefixedActionKind)
    }

    private let type: String
    private let reason: Reason

    init(_ type: any Any.Type, _ reason: Reason) {
        // Leave out the name of the Swift module, which adds nothing to the name of the type.
        let parts = String(reflecting: type).split(separator: ".")
        self.type = parts.dropFirst().joined(separator: ".")
        self.reason = reason
    }

    /// A text with the error and its remedy.
    package var description: String {
        switch reason {
        case .noEnum: "\(type) is no enum; make it one, with a case for each action"
        case .numericRawValues:
            "the cases of \(type) are written as numbers; use raw values of the type String, or no "
                + "raw values"
        case .customCodable:
            "the cases of \(type) have no names on the wire, because the enum has Codable code of "
                + "its own; let the compiler write that code, or use raw values of the type String"
        case .invalidKey(let key):
            "\(type) writes a case as '\(key)'; write it as a name without slashes, quotes, "
                + "backslashes and control characters, or such a name behind one slash"
        case .wholeName(let key, .views):
            "\(type) writes a case as '\(key)', a whole wire name; an action of a module's views "
                + "needs the module's name in front, so remove the slash"
        case .wholeName(let key, .instances):
            "\(type) writes a case as '\(key)', a whole wire name; an action of an instance needs "
                + "the module's name and the instance's id in front, so remove the slash"
        }
    }
}
