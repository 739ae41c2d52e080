package import StoreCore
import StoreJSON
import StoreJSONSchema

/// The registration of one action type: the wire names of its values, and the functions that read
/// and write the values.
package final class RegisteredType: Sendable {
    /// Returns the index of a value's entry in ``entries``, and the value's payload.
    typealias Writer = @Sendable (any Action, JSONEncoder) throws -> (entry: Int, payload: [UInt8])

    /// A payload without members.
    package static let emptyObject = Array("{}".utf8)

    package let type: any Action.Type
    /// The entries: one entry for each case of an enum that ``cases(of:in:traits:)`` registers, and
    /// a single entry for any other type.
    package let entries: [RegisteredAction]
    let write: Writer

    private init(_ type: any Action.Type, _ entries: [RegisteredAction], write: @escaping Writer) {
        self.type = type
        self.entries = entries
        self.write = write
    }
}

extension RegisteredType {
    /// Registers a type whose value is encoded as the payload.
    static func single<A: Action & Codable>(
        _ type: A.Type,
        named name: String,
        traits place: ActionTraits
    ) throws(ConfigurationError) -> RegisteredType {
        let entry = RegisteredAction(
            name: name,
            traits: place,
            type,
            secretMembers: try secretMembers(of: type, named: name),
            mayLackPayload: MemoryLayout<A>.size == 0
        ) { payload, decoder throws(JSONError) in
            try decoder.decode(type, at: payload, pointerPrefix: "/payload")
        }
        if entry.hasEmptyPayload {
            return RegisteredType(type, [entry]) { _, _ in (0, emptyObject) }
        }
        return RegisteredType(type, [entry]) { action, encoder in
            guard let action = action as? A else { throw ActionWriteError.unregistered(action) }
            return (0, try encoder.encode(action))
        }
    }

    /// Registers an enum of a module. Each case is an action, and the associated values are its
    /// payload.
    static func cases<A: Action & Codable>(
        of type: A.Type,
        in module: String,
        traits place: ActionTraits
    ) throws(ConfigurationError) -> RegisteredType {
        let enumCases: ActionEnumCases
        do throws(ActionEnumError) {
            enumCases = try ActionEnumCases(
                of: type,
                prefixed: .init(
                    areOfViews: place.access == .views,
                    areOfInstances: place.isForInstances
                )
            )
        } catch {
            throw ConfigurationError("the actions of module '\(module)': \(error)")
        }
        let secrets = (type as? any RedactedAction.Type)?.secrets ?? []
        var entries: [RegisteredAction] = []
        for choice in enumCases.cases {
            let name = choice.wireName(in: module)
            try checkSecretMembersAreOptional(secrets, in: choice.payloadSchema, named: name)
            entries.append(
                RegisteredAction(
                    name: name,
                    traits: place,
                    type,
                    caseName: choice.key,
                    secretMembers: secrets,
                    mayLackPayload: choice.hasNoPayload
                ) { [key = choice.key] payload, decoder throws(JSONError) in
                    try decoder.decode(A.self, at: payload, asCase: key, pointerPrefix: "/payload")
                }
            )
        }
        let keys = NameIndex(enumCases.cases.map(\.key))
        return RegisteredType(type, entries) { action, encoder in
            guard let action = action as? A else { throw ActionWriteError.unregistered(action) }
            return try encoder.encodeCase(action) { key, payload in
                guard let entry = keys.nameIndex(of: key.assumingMemoryBound(to: UInt8.self)) else {
                    throw ActionWriteError.unwritable(action)
                }
                return (entry, payload.count == 2 ? emptyObject : Array(payload))
            }
        }
    }

    /// Registers the action that starts or stops a module. The payload of the action has the type
    /// `Wire`.
    static func startOrStopAction<Wire: Codable & Sendable>(
        _ type: any Action.Type,
        _ wire: Wire.Type,
        named name: String,
        traits place: ActionTraits,
        make: @escaping @Sendable (any Codable) -> (any Action)?,
        payload: @escaping @Sendable (any Action) -> (any Codable)?
    ) -> RegisteredType {
        let entry = RegisteredAction(
            name: name,
            traits: place,
            wire,
            mayLackPayload: MemoryLayout<Wire>.size == 0
        ) { payload, decoder throws(JSONError) in
            let value = try decoder.decode(wire, at: payload, pointerPrefix: "/payload")
            guard let action = make(value) else {
                throw JSONError(
                    code: .invalid,
                    pointer: "/payload",
                    message: "The program makes no action from this payload."
                )
            }
            return action
        }
        return RegisteredType(type, [entry]) { action, encoder in
            guard !entry.hasEmptyPayload, let payload = payload(action) as? Wire else {
                return (0, emptyObject)
            }
            return (0, try encoder.encode(payload))
        }
    }

    /// Returns the names of the secret members, which the server removes from a payload before it
    /// makes the action.
    private static func secretMembers<A: Action & Codable>(
        of type: A.Type,
        named name: String
    ) throws(ConfigurationError) -> [String] {
        guard let secrets = (type as? any RedactedAction.Type)?.secrets else { return [] }
        try checkSecretMembersAreOptional(
            secrets,
            in: JSONSchemaDocument(of: [type]).roots[0],
            named: name
        )
        return secrets
    }

    private static func checkSecretMembersAreOptional(
        _ secrets: [String],
        in payload: JSONSchema,
        named name: String
    ) throws(ConfigurationError) {
        guard let needed = payload.firstRequiredMember(of: secrets) else { return }
        throw ConfigurationError(
            "the action '\(name)' needs its member '\(needed)', but the server removes this secret "
                + "member before it makes the action; declare the member optional"
        )
    }
}

/// The reason why an action of the program itself can't be journaled.
enum ActionWriteError: Error, Equatable {
    /// No list and no module has the type.
    case unregistered(type: String)
    /// The payload exceeds the bound on a field of a record.
    case oversized(bytes: Int, bytesMax: Int)
    /// The encoder writes the action under a name that the decoder does not read.
    case unwritable(type: String)

    static func unregistered(_ action: any Action) -> ActionWriteError {
        .unregistered(type: "\(type(of: action))")
    }

    static func unwritable(_ action: any Action) -> ActionWriteError {
        .unwritable(type: "\(type(of: action))")
    }
}

extension ActionWriteError: CustomStringConvertible {
    var description: String {
        switch self {
        case .unregistered(let type):
            "\(type) is dispatched by the program, but is not registered: the journal has no name "
                + "for it; list it with a module's dispatchables or the server's actions"
        case .oversized(let bytes, let bytesMax):
            "its payload has \(bytes) bytes; a record of the history holds at most \(bytesMax)"
        case .unwritable(let type):
            "\(type) encodes a case under another name than it decodes; let the compiler write the "
                + "enum's Codable conformance"
        }
    }
}

/// A value of any encodable type. The encoding is the encoding of the wrapped value.
package struct AnyEncodable: Encodable {
    package let value: any Encodable

    package init(_ value: any Encodable) { self.value = value }

    package func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
