public import StoreCore

/// The types of actions that a server takes, each with its wire name and module.
///
/// An array literal of types also makes a list. The wire name of each type is then the type's own
/// name.
public struct ActionList: ExpressibleByArrayLiteral, Sendable {
    /// An action type that clients can dispatch.
    public typealias Element = any (Action & Codable).Type

    package struct Entry: Sendable {
        package let name: String
        package let module: String?
        package let type: Element
    }

    package let entries: [Entry]

    /// Makes a list of these types, under their own names and without a module.
    public init(arrayLiteral types: Element...) { self.init(types, module: nil) }

    /// Makes a list of the actions of one slice of the state. `name` is the name of the slice's
    /// module, and the `subject` in the analytics lines of the actions.
    public static func module(_ name: String, _ types: [Element]) -> ActionList {
        ActionList(types, module: name)
    }

    /// Makes a list of one action under a wire name that differs from the type's name.
    public static func named(_ name: String, _ type: Element, module: String? = nil) -> ActionList {
        ActionList(entries: [Entry(name: name, module: module, type: type)])
    }

    /// Returns both lists, one after the other.
    public static func + (first: ActionList, second: ActionList) -> ActionList {
        ActionList(entries: first.entries + second.entries)
    }

    private init(entries: [Entry]) { self.entries = entries }

    private init(_ types: [Element], module: String?) {
        entries = types.map { Entry(name: String(describing: $0), module: module, type: $0) }
    }
}
