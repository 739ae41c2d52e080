import StoreJSON
import StoreTexts

/// An element in one of a role's lists: the scope of the grant, and the pointer to the element.
struct Grant<Scope: Sendable>: Sendable {
    let pointer: String
    /// The source text of the element, for messages.
    let sourceText: String
    let scope: Scope
}

/// A role of a policy, with its grants.
struct RoleGrants: Sendable {
    let name: String
    var readGrants: [Grant<NameScope>] = []
    var dispatchGrants: [Grant<DispatchScope>] = []
    var callGrants: [Grant<NameScope>] = []
    var useGrants: [Grant<NameScope>] = []

    /// Returns the list that has the grants of a kind, and the name of the list.
    func list(of kind: GrantedKind) -> (name: String, grants: [Grant<NameScope>]) {
        switch kind {
        case .member, .view, .log: ("read", readGrants)
        case .useCase, .notification: ("call", callGrants)
        case .group: ("use", useGrants)
        }
    }

    /// Returns the first grant of the thing with this name; `nil` if the role has no such grant.
    func grant(of kind: GrantedKind, _ name: String) -> Grant<NameScope>? {
        list(of: kind).grants.first { $0.scope.covers(kind, name) }
    }

    /// Returns the first grant of all things of a kind; `nil` if the role has no such grant.
    func grant(ofAll kind: GrantedKind) -> Grant<NameScope>? {
        list(of: kind).grants.first { $0.scope.coversAll(kind) }
    }
}

/// A kind of things that a policy grants by name, such as the views. The kind `log` has a single
/// thing, the log.
enum GrantedKind: Sendable, CaseIterable {
    case member, view, log, useCase, notification, group

    /// The beginning of the text of a grant, before the name of the thing.
    var prefix: String {
        switch self {
        case .member: "/"
        case .view: "views/"
        case .useCase: "usecases/"
        case .notification: "notify/"
        case .log, .group: ""
        }
    }

    /// The noun for a thing of this kind, in messages.
    var noun: String {
        switch self {
        case .member: "member of the state"
        case .view: "view"
        case .log: "log"
        case .useCase: "use case"
        case .notification: "notification"
        case .group: "group of routes"
        }
    }

    /// Returns the text of a grant for the thing of this name.
    func grantText(for name: String) -> String {
        prefix + (self == .member ? JSONPointer.escaped(name) : name)
    }
}

/// The scope of a grant in `read`, `call` or `use`.
struct NameScope: Sendable {
    static let everything = NameScope(kind: nil, name: nil)

    /// The kind of the granted things; `nil` for everything in the list.
    let kind: GrantedKind?
    /// The name of the granted thing; `nil` for all things of the kind.
    let name: String?

    func coversAll(_ kind: GrantedKind) -> Bool {
        self.kind == nil || self.kind == kind && name == nil
    }

    func covers(_ kind: GrantedKind, _ name: String) -> Bool {
        coversAll(kind) || self.kind == kind && self.name?.isSame(as: name) == true
    }
}

/// The scope of a grant in `dispatch`.
struct DispatchScope: Sendable {
    let actions: ActionScope
    /// The conditions for the payload, which must all hold. Without conditions, the grant covers
    /// any payload.
    var conditions: [PayloadCondition] = []
}

/// The actions of a grant.
enum ActionScope: Sendable {
    case everything
    case module(String)
    case action(String)

    func covers(_ action: PolicyAction) -> Bool {
        guard action.isForClients else { return false }
        return switch self {
        case .everything: true
        case .module(let name): action.module.map(name.isSame) == true
        case .action(let name): action.name.isSame(as: name)
        }
    }
}
