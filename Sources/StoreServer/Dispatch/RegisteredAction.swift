import StoreCore
import Wire

/// Who may dispatch an action.
enum ActionAccess: Sendable {
    case everybody
    /// The views of its module, by `POST /modules/<name>/ui`.
    case views
    /// The program itself.
    case program
}

/// What is known of one action type, or of one case of a module's actions.
///
/// An object, because it is looked up for each action and has many members to copy.
final class RegisteredAction<State>: Sendable {
    /// The wire name; for an action of instances it lacks the instance, `cards/liked`.
    let name: String
    let module: String?
    /// What it looks like on the wire.
    let form: ActionForm
    let access: ActionAccess
    /// Whether it is for one of a module's instances.
    let isForInstances: Bool
    /// The payload's members that are taken off before the action is made.
    let secrets: [String]
    /// What analytics keep of an action, if its type declares anything.
    let record: (@Sendable (any Action, State) -> (any Encodable & Sendable)?)?
    /// The instance that it is for.
    let instance: String?

    private let read: @Sendable (JSONNode?, JSONDecoder) throws(JSONError) -> any Action

    /// An action that is a type of its own.
    convenience init(
        _ type: ActionList.Element,
        named name: String,
        module: String?
    ) throws(ConfigurationError) {
        self.init(
            name: name,
            module: module,
            form: ActionForm(name, type),
            secrets: (type as? any SecretiveAction.Type)?.secrets ?? [],
            record: try Self.recorder(of: type, named: name),
            read: Self.reader(of: type)
        )
    }

    init(
        name: String,
        module: String?,
        form: ActionForm,
        access: ActionAccess = .everybody,
        isForInstances: Bool = false,
        instance: String? = nil,
        secrets: [String],
        record: (@Sendable (any Action, State) -> (any Encodable & Sendable)?)?,
        read: @escaping @Sendable (JSONNode?, JSONDecoder) throws(JSONError) -> any Action
    ) {
        self.name = name
        self.module = module
        self.form = form
        self.access = access
        self.isForInstances = isForInstances
        self.instance = instance
        self.secrets = secrets
        self.record = record
        self.read = read
    }

    /// The name under which it is journaled: with the instance that it is for.
    var wireName: String {
        guard let instance, let slash = name.firstIndex(of: "/") else { return name }
        return "\(name[..<slash])/\(instance)\(name[slash...])"
    }

    /// The same action, for one of the instances.
    func of(_ instance: String) -> RegisteredAction {
        RegisteredAction(
            name: name,
            module: module,
            form: form,
            access: access,
            isForInstances: isForInstances,
            instance: instance,
            secrets: secrets,
            record: record,
            read: read
        )
    }

    /// Reads the action from its payload; `nil` stands for no payload.
    func decode(_ payload: JSONNode?, _ decoder: JSONDecoder) throws(JSONError) -> any Action {
        let action = try read(payload, decoder)
        guard let instance else { return action }
        return action.to(instance)
    }
}

extension RegisteredAction {
    /// Reads a value that is the whole payload.
    static func reader<Value: Decodable & Sendable>(
        of type: Value.Type,
        _ make: @escaping @Sendable (Value) -> (any Action)?
    ) -> @Sendable (JSONNode?, JSONDecoder) throws(JSONError) -> any Action {
        { payload, decoder throws(JSONError) in
            let value = try PayloadReader.value(Value.self, payload, decoder)
            guard let action = make(value) else {
                throw JSONError(code: .invalid, pointer: "/payload", message: "It makes no action.")
            }
            return action
        }
    }

    private static func reader<A: Action & Codable>(
        of type: A.Type
    ) -> @Sendable (JSONNode?, JSONDecoder) throws(JSONError) -> any Action {
        { payload, decoder throws(JSONError) in
            try PayloadReader.value(A.self, payload, decoder)
        }
    }

    /// Reads one case of an enum, whose associated values are the payload.
    static func reader<A: Action & Codable>(
        of type: A.Type,
        caseName: String
    ) -> @Sendable (JSONNode?, JSONDecoder) throws(JSONError) -> any Action {
        { payload, decoder throws(JSONError) in
            try PayloadReader.value(A.self, payload, decoder, as: caseName)
        }
    }

    static func recorder(
        of type: any Any.Type,
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
