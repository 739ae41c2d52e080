/// The key of a slice within its module: an owner, an instance, both or neither.
///
/// A key takes one machine word of memory. Most actions are for the only slice of a module, and the
/// key of such a slice stores no names.
package struct SliceKey: Hashable, Sendable {
    private final class Names: Sendable {
        let owner: String?
        let instance: String?
        let readers: [Readers]?

        init(_ owner: String?, _ instance: String?, _ readers: [Readers]? = nil) {
            self.owner = owner
            self.instance = instance
            self.readers = readers
        }
    }

    private let names: Names?

    /// Makes a key that names an owner, an instance, or both.
    package init(owner: String? = nil, instance: String? = nil) {
        names = owner == nil && instance == nil ? nil : Names(owner, instance)
    }

    private init() { names = nil }

    /// Makes the key of a changed slice of a restricted module, with the readers of the slice
    /// before and after the change.
    init(instance: String?, readers: [Readers]) { names = Names(nil, instance, readers) }

    /// The readers of a changed slice, before and after the change. The readers are no part of the
    /// key: equal keys may have different readers. `nil` for the key of any other slice.
    var readers: [Readers]? { names?.readers }

    /// The key of a module's only slice.
    package static var only: SliceKey { SliceKey() }

    /// True if the key names neither an owner nor an instance.
    @inline(__always)
    package var isOnly: Bool { names == nil }

    /// The owner, an ``OwnerName``; `nil` if the slices of the module are shared. If the slices
    /// have owners, `nil` stands for the value that every owner begins with.
    package var owner: String? { names?.owner }

    /// The session of the owner, if the owner is a session or a visitor.
    package var session: String? { names?.owner.flatMap(OwnerName.session(of:)) }

    /// The principal that owns the slice; `nil` if the owner is not a user. The principal has no
    /// role.
    package var principal: ActionPrincipal? {
        names?.owner.flatMap(OwnerName.principal(of:)).map { ActionPrincipal($0) }
    }

    /// The instance; `nil` if the module has no instances.
    package var instance: String? { names?.instance }

    package static func == (a: SliceKey, b: SliceKey) -> Bool {
        a.names === b.names || (isSame(a.owner, b.owner) && isSame(a.instance, b.instance))
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(owner.map { ExactText($0) })
        hasher.combine(instance.map { ExactText($0) })
    }

    private static func isSame(_ a: String?, _ b: String?) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        return a.isSame(as: b)
    }
}

/// The address of a slice: its module, and the owner and the instance if the module's slices have
/// owners or instances.
package struct SliceAddress: Hashable, Sendable {
    package let module: String
    package let key: SliceKey

    package init(module: String, _ key: SliceKey = .only) {
        self.module = module
        self.key = key
    }

    package var instance: String? { key.instance }

    /// The address in wire names and paths, which do not name the owner: `card/7`.
    package var path: String { key.instance.map { module + "/" + $0 } ?? module }

    package static func == (a: SliceAddress, b: SliceAddress) -> Bool {
        a.module.isSame(as: b.module) && a.key == b.key
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(module))
        hasher.combine(key)
    }
}

/// An action for one of a module's instances.
public struct AddressedAction: Action, Equatable {
    /// The action itself.
    public let action: any Action
    /// The instance's id.
    public let instance: String

    /// Returns true if both values name the same instance, and their actions are equal. Actions of
    /// a type that is not `Equatable` are never equal.
    public static func == (a: AddressedAction, b: AddressedAction) -> Bool {
        guard a.instance.isSame(as: b.instance), let action = a.action as? any Equatable else {
            return false
        }
        return action.isSame(as: b.action)
    }
}

extension Equatable {
    fileprivate func isSame(as other: Any) -> Bool { other as? Self == self }
}

extension Action {
    /// Returns the same action for the instance of this id.
    public func to(_ instance: String) -> AddressedAction {
        AddressedAction(action: self, instance: instance)
    }
}

/// The names of sessions that the engine itself uses.
package enum SessionName {
    /// The session of all clients without a session of their own. Work of the program that follows
    /// no client's action has this session, too.
    package static let shared = "shared"
}
