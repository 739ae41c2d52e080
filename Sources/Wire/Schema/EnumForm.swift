/// The cases of an enum of actions, as they stand on the wire: the one derivation for reading,
/// writing, schemas and tests.
///
/// Two kinds of enums have such a form: those whose `Codable` the compiler wrote, `{"case":{…}}`,
/// and those with texts as raw values, `"case"`.
package struct EnumForm: Sendable {
    /// One case.
    package struct Case: Sendable {
        package let name: String
        /// The associated values. Their types may be definitions that are not here.
        package let payload: JSONSchema

        /// Whether it has no associated values, so that all its values are alike.
        package var isBare: Bool { payload == .object([]) }
    }

    package let cases: [Case]

    /// Derives the cases by letting the type decode from dummies, and writes a value of each.
    ///
    /// - Throws: ``EnumFormError`` where the type has another form.
    package init<Value: Codable>(of type: Value.Type) throws(EnumFormError) {
        guard let count = EnumCases.count(of: type) else { throw EnumFormError(type, .noEnum) }
        let document = JSONSchemaDocument(of: [type])
        let root = document.resolved(document.roots[0])
        if case .integers = root { throw EnumFormError(type, .numbers) }
        let found = document.cases(of: root)
        guard !found.isEmpty || count == 0 else { throw EnumFormError(type, .ownForm) }
        for name in found.map(\.name) where !Self.isPlain(name) {
            throw EnumFormError(type, .name(name))
        }
        let payloads = found.map { document.resolved($0.schema) }
        guard payloads.allSatisfy(\.mayBeObject) else { throw EnumFormError(type, .ownForm) }
        let names = found.map(\.name)
        let encoder = JSONEncoder()
        for sample in JSONSchemaDeriver().samples(of: type) {
            // A dummy that has no JSON form shows nothing.
            guard let bytes = try? encoder.encode(sample) else { continue }
            let name = bytes.withUnsafeBytes { bytes in
                CaseBytes(bytes).map { String(decoding: $0.name, as: UTF8.self) }
            }
            guard let name, names.contains(name) else { throw EnumFormError(type, .ownForm) }
        }
        cases = zip(names, payloads).map { Case(name: $0, payload: $1) }
    }

    /// Whether a case's name can be the last part of a wire name.
    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                byte >= 0x20 && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "\"")
                    && byte != UInt8(ascii: "\\")
            }
    }
}

/// Why a type can't be an enum of actions.
package struct EnumFormError: Error, CustomStringConvertible {
    enum Reason {
        case noEnum, numbers, ownForm
        case name(String)
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
        case .name(let name):
            "\(type) writes a case as '\(name)'; that is to be a name without slashes, quotes, "
                + "backslashes and control characters"
        }
    }
}
