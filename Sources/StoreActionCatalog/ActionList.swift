public import StoreCore

/// The actions that a server takes, each with its wire name and module.
///
/// An array literal of types is the short form: each type's own name is its wire name.
///
/// ```swift
/// let actions: ActionList = [CounterIncreaseRequested.self, StepChangeRequested.self]
/// ```
public struct ActionList: ExpressibleByArrayLiteral, Sendable {
    /// An action type that can come over the wire.
    public typealias Element = any (Action & Codable).Type

    package struct Entry: Sendable {
        package let name: String
        package let module: String?
        package let type: Element
    }

    package let entries: [Entry]

    /// The actions of these types, under their own names, in no module.
    public init(arrayLiteral types: Element...) {
        self.init(types, module: nil)
    }

    /// The actions of one slice of the state: `module` is the `subject` of their analytics lines.
    public static func module(_ name: String, _ types: [Element]) -> ActionList {
        ActionList(types, module: name)
    }

    /// One action under a wire name that differs from its type's.
    public static func named(_ name: String, _ type: Element, module: String? = nil) -> ActionList {
        ActionList(entries: [Entry(name: name, module: module, type: type)])
    }

    /// Both lists, one after the other.
    public static func + (first: ActionList, second: ActionList) -> ActionList {
        ActionList(entries: first.entries + second.entries)
    }

    private init(entries: [Entry]) {
        self.entries = entries
    }

    private init(_ types: [Element], module: String?) {
        entries = types.map { Entry(name: String(describing: $0), module: module, type: $0) }
    }
}
