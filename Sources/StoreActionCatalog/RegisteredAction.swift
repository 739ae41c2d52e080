import StoreCore
import StoreJSON
package import StoreJSONSchema

/// The clients that may dispatch an action.
package enum ActionAccess: Sendable {
    /// Every client, by `POST /dispatch`.
    case everybody
    /// Only the views of the action's module, by `POST /modules/<name>/ui`.
    case views
    /// Only the program: its effects and presenters.
    case program
}

/// The placeholder for ``RegisteredAction/actionWithoutFields`` of a type with fields. The table
/// never returns this action.
private struct NoAction: Action {}

/// The entry of a wire name: its module, its access, and the function that makes an action from a
/// payload. An action that is a struct has one entry. An enum of actions has one entry for each
/// case.
///
/// The table of actions makes the entries when the server starts, and finds an entry by its name
/// for each action that arrives. Entries are objects, so that a look-up copies only a reference.
package final class RegisteredAction: Sendable {
    /// Makes an action from its payload; `nil` means no payload.
    typealias Reader = @Sendable (JSONNode?, JSONDecoder) throws(JSONError) -> any Action

    /// The wire name. For an action of instances, the wire name without the id: `cards/liked` for
    /// `cards/7/liked`.
    package let name: String
    private let traits: ActionTraits
    /// The types of the payload, from which the payload's JSON schema is made.
    package let signature: ActionSignature
    /// The names of the secret members. A client may send these members, but the server removes
    /// them before it makes the action.
    package let secretMembers: [String]

    private let read: Reader
    /// True if the payload has no members. ``decode(_:_:)`` then ignores the payload.
    let hasEmptyPayload: Bool
    /// The action that ``decode(_:_:)`` returns if ``hasEmptyPayload`` is true. The type is not
    /// optional, because each dispatch copies the action, and copying an optional costs more.
    private let actionWithoutFields: any Action

    /// Makes an entry. If `mayLackPayload` is true, tries to make an action without a payload. If
    /// this succeeds, the entry makes the same action from every payload. `read` makes an action
    /// from its payload; `nil` means no payload.
    init(
        name: String,
        traits place: ActionTraits,
        _ type: any (Decodable & SendableMetatype).Type,
        caseName: String? = nil,
        secretMembers: [String] = [],
        mayLackPayload: Bool,
        read: @escaping Reader
    ) {
        self.name = name
        self.traits = place
        let isForInstances = place.isForInstances
        let anyID = ".{1,\(InstanceID.bytesMax)}"
        signature = ActionSignature(
            isForInstances ? Self.wireName(name, "{id}") : name,
            type,
            caseName: caseName,
            namePattern: isForInstances ? "^\(Self.wireName(name, anyID))$" : nil
        )
        self.secretMembers = secretMembers
        let constant = mayLackPayload ? try? read(nil, JSONDecoder()) : nil
        self.hasEmptyPayload = constant != nil
        self.actionWithoutFields = constant ?? NoAction()
        self.read = read
    }

    /// The module of the action; `nil` if it has none.
    package var module: String? { traits.module }
    package var access: ActionAccess { traits.access }
    /// True if each action is for one instance of its module.
    var isForInstances: Bool { traits.isForInstances }
    /// True if the action may change the whole state. Clients of all sessions may then read the
    /// records of the action, unless their role sees only some members.
    package var isOfWholeState: Bool { traits.isOfWholeState }

    /// Makes the action from its payload; `nil` means no payload.
    ///
    /// - Throws: ``JSONError`` with a pointer below `/payload`.
    func decode(_ payload: JSONNode?, _ decoder: JSONDecoder) throws(JSONError) -> any Action {
        if hasEmptyPayload { return actionWithoutFields }
        return try read(payload, decoder)
    }

    /// Returns the wire name of an action in the journal, with the id of the instance if the action
    /// has an instance.
    func wireName(_ instance: String?) -> String {
        instance.map { Self.wireName(name, $0) } ?? name
    }

    private static func wireName(_ name: String, _ instance: String) -> String {
        guard let slash = name.firstIndex(of: "/") else { return name }
        return "\(name[..<slash])/\(instance)\(name[slash...])"
    }
}

/// The module and the access of a type's actions.
struct ActionTraits: Sendable {
    var module: String?
    var access = ActionAccess.everybody
    /// True if each action is for one instance of the module.
    var isForInstances = false
    /// True if the actions may change the whole state.
    var isOfWholeState = false
}
