import StoreCore
import StoreJSON
package import StoreJSONSchema

/// The clients that may dispatch an action.
package enum ActionAccess: Sendable {
    /// Every client, by `POST /dispatch`.
    case everybody
    /// The views of its module, by `POST /modules/<name>/ui`.
    case views
    /// Only the program: its effects and presenters.
    case program
}

/// The placeholder for the constant of an action with fields. No client gets it.
private struct NoAction: Action {}

/// The entry of a wire name: its module, its access, and the function that makes an action from a
/// payload. A struct of an action has one entry, an enum of actions an entry for each case.
///
/// The table of actions makes the entries when the server starts, and finds an entry by its name
/// for each action that arrives. Entries are objects, so that a look-up copies only a reference.
package final class RegisteredAction: Sendable {
    /// Makes an action from its payload; `nil` means no payload.
    typealias Reader = @Sendable (JSONNode?, JSONDecoder) throws(JSONError) -> any Action

    /// The wire name. For an action of instances, it is the name without the id: `cards/liked`, for
    /// `cards/7/liked`.
    package let name: String
    private let place: ActionPlace
    /// The types of the payload, from which its JSON schema is made.
    package let form: ActionForm
    /// The names of the secret members. A client may send them, but they are removed before the
    /// action is made.
    package let secrets: [String]

    private let read: Reader
    /// True if the payload has no members. The payload is not read then.
    let isBare: Bool
    /// The action that every payload makes if the type has no fields. Not optional, because each
    /// dispatch copies it, and a copy of an optional costs more.
    private let constant: any Action

    /// Makes an entry. With `isBare`, tries to make an action without a payload. If that succeeds,
    /// the one action serves for all payloads. `read` makes an action from its payload; `nil` means
    /// no payload.
    init(
        name: String,
        at place: ActionPlace,
        _ type: any (Decodable & SendableMetatype).Type,
        caseName: String? = nil,
        secrets: [String] = [],
        isBare: Bool,
        read: @escaping Reader
    ) {
        self.name = name
        self.place = place
        let isForInstances = place.isForInstances
        let anyID = ".{1,\(InstanceID.bytesMax)}"
        form = ActionForm(
            isForInstances ? Self.wireName(name, "{id}") : name,
            type,
            caseName: caseName,
            pattern: isForInstances ? "^\(Self.wireName(name, anyID))$" : nil
        )
        self.secrets = secrets
        let constant = isBare ? try? read(nil, JSONDecoder()) : nil
        self.isBare = constant != nil
        self.constant = constant ?? NoAction()
        self.read = read
    }

    /// The module of the action; `nil` if it has none.
    package var module: String? { place.module }
    package var access: ActionAccess { place.access }
    /// True if each action is for one instance of its module.
    var isForInstances: Bool { place.isForInstances }
    /// True if the action may change the whole state, so that every reader may read its records.
    package var isOfWholeState: Bool { place.isOfWholeState }

    /// Makes the action from its payload; `nil` means no payload.
    ///
    /// - Throws: ``JSONError`` with a pointer below `/payload`.
    func decode(_ payload: JSONNode?, _ decoder: JSONDecoder) throws(JSONError) -> any Action {
        if isBare { return constant }
        return try read(payload, decoder)
    }

    /// Returns the name of an action in the journal; for an action of an instance, with the id.
    func wireName(_ instance: String?) -> String {
        instance.map { Self.wireName(name, $0) } ?? name
    }

    private static func wireName(_ name: String, _ instance: String) -> String {
        guard let slash = name.firstIndex(of: "/") else { return name }
        return "\(name[..<slash])/\(instance)\(name[slash...])"
    }
}

/// The module of a type's actions, and their access.
struct ActionPlace: Sendable {
    var module: String?
    var access = ActionAccess.everybody
    /// True if each action is for one instance of the module.
    var isForInstances = false
    /// True if the actions may change the whole state.
    var isOfWholeState = false
}
