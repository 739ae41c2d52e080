import StoreCore
import Wire

/// Finds an action's type by its wire name, and what the server does with that type.
struct ActionRegistry<State>: Sendable {
    /// What is known of one action type.
    struct Entry: Sendable {
        let name: String
        let module: String?
        let type: ActionList.Element
        /// Reads the action from its payload; `nil` stands for no payload.
        let decode: @Sendable (JSONNode?, JSONDecoder) throws(JSONError) -> any Action
        /// The payload's members that are taken off before the action is made.
        let secrets: [String]
        /// What analytics keep of an action, if its type declares anything.
        let record: (@Sendable (any Action, State) -> (any Encodable & Sendable)?)?
    }

    let entries: [Entry]
    private let byName: [String: Int]

    /// Registers every action of the list.
    ///
    /// - Throws: where two types share a wire name, a name is empty, or an action's analytics are
    ///   declared for another state.
    init(_ list: ActionList) throws(ConfigurationError) {
        var entries: [Entry] = []
        var byName: [String: Int] = [:]
        for entry in list.entries {
            guard !entry.name.isEmpty else {
                throw ConfigurationError("an action has an empty wire name; give it one")
            }
            guard byName.updateValue(entries.count, forKey: entry.name) == nil else {
                throw ConfigurationError(
                    "two actions have the wire name '\(entry.name)'; names must be unique"
                )
            }
            entries.append(
                Entry(
                    name: entry.name,
                    module: entry.module,
                    type: entry.type,
                    decode: Self.decoder(of: entry.type),
                    secrets: (entry.type as? any SecretiveAction.Type)?.secrets ?? [],
                    record: try Self.recorder(of: entry.type, named: entry.name)
                )
            )
        }
        self.entries = entries
        self.byName = byName
    }

    subscript(name: String) -> Entry? {
        byName[name].map { entries[$0] }
    }

    /// All wire names, in order of registration.
    var names: [String] { entries.map(\.name) }

    private static func decoder<A: Action & Codable>(
        of type: A.Type
    ) -> @Sendable (JSONNode?, JSONDecoder) throws(JSONError) -> any Action {
        { payload, decoder throws(JSONError) in
            guard let payload else {
                return try Self.decodeAbsent(A.self, decoder)
            }
            return try decoder.decode(A.self, at: payload, pointerPrefix: "/payload")
        }
    }

    /// Reads an action that came without a payload, as if that were an empty object.
    private static func decodeAbsent<A: Action & Codable>(
        _ type: A.Type,
        _ decoder: JSONDecoder
    ) throws(JSONError) -> A {
        do {
            return try decoder.decode(type, from: emptyObject)
        } catch {
            throw JSONError(
                code: error.code,
                pointer: "/payload" + error.pointer,
                expected: error.expected,
                message: error.message
            )
        }
    }

    private static func recorder(
        of type: ActionList.Element,
        named name: String
    ) throws(ConfigurationError) -> (@Sendable (any Action, State) -> (any Encodable & Sendable)?)?
    {
        guard let tracked = type as? any TrackedAction.Type else { return nil }
        guard let recorder = recorder(ofTracked: tracked) else {
            throw ConfigurationError(
                "the action '\(name)' declares its analytics for another state than \(State.self)"
            )
        }
        return recorder
    }

    private static func recorder<A: TrackedAction>(
        ofTracked type: A.Type
    ) -> (@Sendable (any Action, State) -> (any Encodable & Sendable)?)? {
        guard A.State.self == State.self else { return nil }
        return { action, state in
            guard let action = action as? A, let state = state as? A.State else { return nil }
            return action.record(before: state)
        }
    }
}

private let emptyObject = Array("{}".utf8)
