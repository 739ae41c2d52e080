/// A module that shares a value from its slice with other modules.
///
/// Only this module can change the value. Each module that reads the value has a copy. The store
/// updates the copy, and no module can write it.
///
/// ```swift
/// extension User: SharingModule {
///     func share(_ state: State) -> Profile { state.profile }
/// }
///
/// struct Home: StartableModule {
///     struct State: ModuleState {
///         var visitor = Shared<Profile>()
///     }
/// }
///
/// // in the root state
/// Home().at(\.home).reading(\Home.State.visitor, of: User.self)
/// ```
public protocol SharingModule<State>: Module, SharingInterface where Interface: SharingInterface {
    associatedtype SharedValue

    /// Returns the value that other modules may see. The function is pure.
    func share(_ state: State) -> SharedValue
}

/// A copy of another module's shared value; empty while the slice of that module is not started.
///
/// The copy has no setter: only the owner's actions change it.
public struct Shared<Value: Codable & Equatable & Sendable>: ModuleState {
    /// The owner's value.
    public package(set) var value: Value?

    /// Makes an empty copy. The store fills the copy in the same version in which the slice begins.
    public init() {}

    /// Reads the value, or null.
    public init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Value?.self)
    }

    /// Writes the value, or null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension Mount {
    /// Returns the same module with a link to the shared value of another module.
    ///
    /// - Parameters:
    ///   - path: the member of the module's slice that gets the copy.
    ///   - owner: the module that shares the value, or its interface.
    /// - Returns: an element for ``RootState/modules``; the original element is unchanged.
    public func reading<State: ModuleState, Owner: SharingInterface>(
        _ path: any WritableKeyPath<State, Shared<Owner.SharedValue>> & Sendable,
        of owner: Owner.Type
    ) -> Mount {
        var mount = self
        let link =
            if let place = place(of: State.self) {
                SharedLink(owner, at: place, path)
            } else {
                SharedLink<Root>(owner)
            }
        mount.sharedLinks.append(link)
        return mount
    }
}
