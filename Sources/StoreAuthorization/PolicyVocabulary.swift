package import StoreJSON
import StoreTexts

/// The names in a store that a policy may use. Each name in a policy must be one of these names.
///
/// Without this check, a grant with a misspelt name would grant nothing, and the operator would get
/// no message.
package struct PolicyVocabulary: Sendable {
    /// The members of the root state: the modules and fields in the order of declaration. Empty if
    /// the state has no members.
    package let members: [String]
    package let views: [String]
    /// The actions in the order of the store's table of actions. ``Role/permission(ofActionAt:)``
    /// takes an index of this array.
    package let actions: [PolicyAction]
    /// The use cases, such as `login/login`. The use case of a module with instances has `{id}`
    /// after the first slash.
    package let useCases: [String]
    package let notifications: [String]

    package init(
        members: [String],
        views: [String],
        actions: [PolicyAction],
        useCases: [String],
        notifications: [String]
    ) {
        self.members = members
        self.views = views
        self.actions = actions
        self.useCases = useCases
        self.notifications = notifications
    }

    /// The name of the log in a policy.
    static let logName = "log"

    /// Returns the names of all things of a kind.
    func names(of kind: GrantedKind) -> [String] {
        switch kind {
        case .member: members
        case .view: views
        case .log: [Self.logName]
        case .useCase: useCases
        case .notification: notifications
        case .group: RouteGroupName.allCases.map(\.rawValue)
        }
    }
}

/// An action of a store, with the facts that the check of a policy needs.
package struct PolicyAction: Sendable {
    /// The wire name. For an action of instances, the name has `{id}`: `cards/{id}/liked`.
    package let name: String
    /// The module of the action; `nil` if the action belongs to no module.
    package let module: String?
    /// True if clients may dispatch the action, directly or by a view; false if only the program
    /// dispatches the action.
    package let isForClients: Bool
    /// The names of the payload's members; `nil` if any member is allowed.
    package let payloadMembers: [String]?
    /// The secret members, which are removed before the action is made.
    package let secretMembers: [String]
    /// Returns the shortest beginning of a pointer at which no payload has a value. Returns `nil`
    /// if the pointer may lead to a value.
    package let findUnreachablePrefix: @Sendable (JSONPointer) -> JSONPointer?

    package init(
        _ name: String,
        module: String? = nil,
        isForClients: Bool = true,
        payloadMembers: [String]? = nil,
        secrets: [String] = [],
        findUnreachablePrefix: @escaping @Sendable (JSONPointer) -> JSONPointer? = { _ in nil }
    ) {
        self.findUnreachablePrefix = findUnreachablePrefix
        self.name = name
        self.module = module
        self.isForClients = isForClients
        self.payloadMembers = payloadMembers
        self.secretMembers = secrets
    }
}

/// The names in all stores of a policy. The names of a kind are also the suggestions for misspelt
/// names of the kind.
struct PolicyNames {
    let modules: NameSet
    let clientActionNames: NameSet
    private let namesByKind: [GrantedKind: NameSet]
    private let allActions: [PolicyAction]

    init(_ worlds: [PolicyVocabulary]) {
        allActions = worlds.flatMap(\.actions)
        modules = NameSet(allActions.filter(\.isForClients).compactMap(\.module))
        clientActionNames = NameSet(allActions.filter(\.isForClients).map(\.name))
        namesByKind = Dictionary(
            uniqueKeysWithValues: GrantedKind.allCases.map { kind in
                (kind, NameSet(worlds.flatMap { $0.names(of: kind) }))
            }
        )
    }

    /// The names of all things of this kind.
    subscript(kind: GrantedKind) -> NameSet { namesByKind[kind] ?? NameSet([]) }

    /// Returns the texts of all grants for a single thing of a kind.
    func grantTexts(of kind: GrantedKind) -> [String] { self[kind].names.map(kind.grantText) }

    /// Returns true if only the program dispatches the action with this name.
    func isProgramOnly(_ name: String) -> Bool {
        !clientActionNames.contains(name) && allActions.contains { $0.name.isSame(as: name) }
    }

    /// Returns the actions that a grant covers.
    func actions(of types: ActionScope) -> [PolicyAction] { allActions.filter(types.covers) }

    /// Returns the name for all instances, `cards/{id}/liked`, if `name` is the name for one
    /// instance, such as `cards/7/liked`. Returns `nil` otherwise.
    func instancesName(for name: String) -> String? {
        name.allInstancesName.flatMap { clientActionNames.contains($0) ? $0 : nil }
    }
}

/// Names of one kind, in their order, without duplicates.
struct NameSet {
    let names: [String]
    private let set: Set<ExactText>

    init(_ names: [String]) {
        var set: Set<ExactText> = []
        self.names = names.filter { set.insert(ExactText($0)).inserted }
        self.set = set
    }

    func contains(_ name: String) -> Bool { set.contains(ExactText(name)) }
}

extension String {
    /// The name for all instances, if this text names one instance: `cards/{id}/liked` for
    /// `cards/7/liked`. The id is the text between the first and the last slash. `nil` if there is
    /// no id.
    var allInstancesName: String? {
        let bytes = Array(utf8)
        let slash = UInt8(ascii: "/")
        guard let first = bytes.firstIndex(of: slash), let last = bytes.lastIndex(of: slash),
            first + 1 < last
        else { return nil }
        return String(decoding: bytes[...first], as: UTF8.self) + "{id}"
            + String(decoding: bytes[last...], as: UTF8.self)
    }
}
