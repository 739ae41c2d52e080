/// A module that shares a part of its slice with other modules.
///
/// Only this module can change the part. A reader has a copy, which the store keeps up to date, and
/// which no other module can write.
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
public protocol SharingModule<State>: Module, SharingInterface
where Interface: SharingInterface {
    associatedtype SharedValue

    /// Returns the value that other modules may see. Pure.
    func share(_ state: State) -> SharedValue
}

/// A copy of another module's shared value; empty while the slice of that module is not started.
///
/// The copy has no setter: only the owner's actions change it.
public struct Shared<Value: Codable & Equatable & Sendable>: ModuleState {
    /// The owner's value.
    public package(set) var value: Value?

    /// Makes an empty copy. The store fills it in the same step in which the slice begins.
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
    /// Returns the same module, which reads the shared value of another module.
    ///
    /// - Parameters:
    ///   - path: the member of the module's slice that gets the copy.
    ///   - owner: the module that shares the value, or its interface.
    /// - Returns: an element for the root state's list; the original one is unchanged.
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

/// A reader's link to the shared value of an owner.
struct SharedLink<Root: RootState>: Sendable {
    let owner: String
    /// The type of the shared value.
    let value: any Any.Type
    /// Returns the keys of all slices of the reader.
    let keys: @Sendable (Root) -> [SliceKey]
    /// True if the reader has instances.
    private let hasInstances: Bool
    /// Updates the copy in one slice of the reader. Returns true if the slice changed.
    let update: @Sendable (inout Root, any BoundModule<Root>, SliceKey, ByteComparison?) -> Bool

    /// Makes a link without copies, for a reader whose slice has another type.
    init<Owner: SharingInterface>(_ owner: Owner.Type) {
        self.owner = Owner.name
        value = Owner.SharedValue.self
        hasInstances = false
        keys = { _ in [] }
        update = { _, _, _, _ in false }
    }

    init<State: ModuleState, Owner: SharingInterface>(
        _ owner: Owner.Type,
        at place: some SlicePlace<Root, State>,
        _ path: any WritableKeyPath<State, Shared<Owner.SharedValue>> & Sendable
    ) {
        self.owner = Owner.name
        value = Owner.SharedValue.self
        hasInstances = place.form == .instances
        keys = { place.keys($0) }
        update = { root, owner, key, comparison in
            guard var state = place.read(root, key) else { return false }
            let old = state[keyPath: path]
            state[keyPath: path].value = owner.shared(root, with: key) as? Owner.SharedValue
            let new = state[keyPath: path]
            guard !isIdentical(old, new) else { return false }
            place.write(state, &root, key)
            return differs(old, new, comparison)
        }
    }

    /// Returns the keys of the reader's slices that read from the owner's slice of this key: the
    /// slices of its session, or all slices.
    func keys(_ root: Root, readingFrom key: SliceKey) -> [SliceKey] {
        guard let session = key.session else { return keys(root) }
        // A session that has no slice of its own yet gets one with the copy.
        guard hasInstances else { return [SliceKey(session: session)] }
        return keys(root).filter { $0.session?.isSame(as: session) == true }
    }
}
