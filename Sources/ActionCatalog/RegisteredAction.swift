package import StoreCore
package import Wire

/// Who may dispatch an action.
package enum ActionAccess: Sendable {
    case everybody
    /// The views of its module, by `POST /modules/<name>/ui`.
    case views
    /// The program itself.
    case program
}

/// What is known of one wire name: an action type, or one case of a module's actions.
///
/// An object, because it is looked up for each action and has many members to copy.
package final class RegisteredAction: Sendable {
    typealias Reader =
        @Sendable (JSONNode?, JSONDecoder) throws(JSONError) -> any Action

    /// The wire name; for an action of instances it lacks the instance, `cards/liked`.
    package let name: String
    package let module: String?
    /// What it looks like on the wire.
    package let form: ActionForm
    package let access: ActionAccess
    /// Whether it is for one of a module's instances.
    let isForInstances: Bool
    /// The payload's members that are taken off before the action is made.
    let secrets: [String]

    /// The action itself, where all of its payloads make the same.
    private let only: (any Action)?
    /// Whether its payload has no members.
    var isBare: Bool { only != nil }
    private let read: Reader

    /// An action without fields is bare: one value stands for all, where it can be read from no
    /// payload. `read` reads the action from its payload; `nil` stands for no payload.
    init(
        name: String,
        module: String?,
        form: ActionForm,
        access: ActionAccess = .everybody,
        isForInstances: Bool = false,
        secrets: [String] = [],
        isBare: Bool = false,
        read: @escaping Reader
    ) {
        self.name = name
        self.module = module
        self.form = form
        self.access = access
        self.isForInstances = isForInstances
        self.secrets = secrets
        only = isBare ? try? read(nil, JSONDecoder()) : nil
        self.read = read
    }

    /// Reads the action from its payload; `nil` stands for no payload.
    ///
    /// - Throws: ``JSONError`` with a pointer below `/payload`.
    func decode(_ payload: JSONNode?, _ decoder: JSONDecoder) throws(JSONError) -> any Action {
        if let only { return only }
        return try read(payload, decoder)
    }

    /// The name under which it is journaled: with the instance that it is for.
    func wireName(_ instance: String?) -> String {
        guard let instance, let slash = name.firstIndex(of: "/") else { return name }
        return "\(name[..<slash])/\(instance)\(name[slash...])"
    }
}

/// A registered action as it was asked for: by a wire name, which may name an instance.
package struct FoundAction {
    package let entry: RegisteredAction
    /// The instance that it is for.
    package let instance: String?
    /// The name under which it is journaled.
    let wireName: String

    package var name: String { entry.name }
    package var module: String? { entry.module }
    package var access: ActionAccess { entry.access }

    /// Reads the action from its payload; `nil` stands for no payload.
    package func decode(_ payload: JSONNode?, _ decoder: JSONDecoder) throws(JSONError)
        -> any Action
    {
        let action = try entry.decode(payload, decoder)
        guard let instance else { return action }
        return action.to(instance)
    }

    /// What is reduced and journaled, both without the action's secret members.
    package func member(
        _ payload: JSONNode?,
        meta: [UInt8]? = nil,
        _ decoder: JSONDecoder
    ) throws(JSONError) -> EnvelopeMember {
        guard let payload else {
            return EnvelopeMember(
                action: try decode(nil, decoder),
                type: wireName,
                payload: RegisteredType.emptyObject,
                meta: meta
            )
        }
        guard !entry.secrets.isEmpty, payload.hasMember(of: entry.secrets) else {
            return EnvelopeMember(
                action: try decode(payload, decoder),
                type: wireName,
                payload: payload.byteRange.count == 2
                    ? RegisteredType.emptyObject : Array(payload.source),
                meta: meta
            )
        }
        let kept = payload.source(without: entry.secrets)
        return EnvelopeMember(
            action: try decode(JSONDocument(parsing: kept, limits: .unbounded).root, decoder),
            type: wireName,
            payload: kept,
            meta: meta
        )
    }
}
