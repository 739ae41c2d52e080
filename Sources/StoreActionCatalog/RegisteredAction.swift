import StoreCore
package import StoreWire

/// Who may dispatch an action.
package enum ActionAccess: Sendable {
    /// Every client, by `POST /dispatch`.
    case everybody
    /// The views of its module, by `POST /modules/<name>/ui`.
    case views
    /// The program alone: its effects and presenters.
    case program
}

/// What belongs to one wire name: its module, who may dispatch it, and how an action is made of a
/// payload. A struct of an action has one, an enum of actions one for each case.
///
/// The table of actions makes them when the server starts, and finds one by its name for each
/// action that arrives. They are objects so that finding one copies nothing but a reference.
package final class RegisteredAction: Sendable {
    /// Makes an action of its payload; `nil` stands for no payload.
    typealias Reader =
        @Sendable (JSONNode?, JSONDecoder) throws(JSONError) -> any Action

    /// The wire name. Where each action is for one instance of a module, it is the name without the
    /// instance's id: `cards/liked`, for `cards/7/liked`.
    package let name: String
    /// The module that it belongs to; `nil` where the store is not made of modules.
    package let module: String?
    /// Whether it may change the whole state, so that its records are read by all.
    package let isOfWholeState: Bool
    /// The types of its payload, of which the JSON schema is made.
    package let form: ActionForm
    package let access: ActionAccess
    /// Whether each action is for one instance of its module.
    let isForInstances: Bool
    /// The names of the secret members: a client may send them, and they are removed from the
    /// payload before the action is made.
    package let secrets: [String]

    private let read: Reader
    /// The one action that every payload makes, where the payload has no members: it is made once,
    /// and no payload is read.
    private let constant: (any Action)?
    /// Whether its payload has no members.
    var isBare: Bool { constant != nil }

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
        isOfWholeState: Bool = false,
        read: @escaping Reader
    ) {
        self.name = name
        self.module = module
        self.form = form
        self.access = access
        self.isForInstances = isForInstances
        self.isOfWholeState = isOfWholeState
        self.secrets = secrets
        constant = isBare ? try? read(nil, JSONDecoder()) : nil
        self.read = read
    }

    /// Reads the action from its payload; `nil` stands for no payload.
    ///
    /// - Throws: ``JSONError`` with a pointer below `/payload`.
    func decode(_ payload: JSONNode?, _ decoder: JSONDecoder) throws(JSONError) -> any Action {
        if let constant { return constant }
        return try read(payload, decoder)
    }

    /// The name of one action in the journal: with the id of the instance, if it is for one.
    func wireName(_ instance: String?) -> String {
        guard let instance, let slash = name.firstIndex(of: "/") else { return name }
        return "\(name[..<slash])/\(instance)\(name[slash...])"
    }
}
