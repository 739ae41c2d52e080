/// A module that lets others see a part of its slice.
///
/// It stays the only one that changes it: a reader has a copy that the store keeps up to date, and
/// that no other module can write to.
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

    /// What of the slice others may see. Pure.
    func share(_ state: State) -> SharedValue
}

/// What a module sees of another one's slice; empty while that is not started.
///
/// It has no setter: the owner's actions are the only way to change it.
public struct Shared<Value: Codable & Equatable & Sendable>: ModuleState {
    /// The owner's value.
    public package(set) var value: Value?

    /// Begins empty; the store fills it in the same step in which the slice begins.
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
    /// The same module, which sees what another one shares.
    ///
    /// - Parameters:
    ///   - path: where in the module's slice it sees it.
    ///   - owner: the module that shares it, or its interface.
    /// - Returns: the module for the root state's list; the one that it was made of is as it was.
    public func reading<State: ModuleState, Owner: SharingInterface>(
        _ path: any WritableKeyPath<State, Shared<Owner.SharedValue>> & Sendable,
        of owner: Owner.Type
    ) -> Mount {
        var mount = self
        mount.sharedLinks.append(
            SharedLink(owner: Owner.name, value: Owner.SharedValue.self) { slice, root in
                (slice.place(of: State.self) as? SlicePlace<Root, State>)?.keys(root) ?? []
            } update: { root, reader, owner, key, comparison in
                guard let place = reader.place(of: State.self) as? SlicePlace<Root, State>,
                    var state = place.read(root, key)
                else { return false }
                let ownerKey = owner.ownership == .session ? SliceKey(session: key.session) : .only
                let value = owner.shared(root, ownerKey) as? Owner.SharedValue
                let old = state[keyPath: path]
                state[keyPath: path].value = value
                let new = state[keyPath: path]
                guard !isIdentical(old, new) else { return false }
                place.write(state, &root, key)
                return differs(old, new, comparison)
            }
        )
        return mount
    }
}

/// One module's sight of another.
struct SharedLink<Root: RootState>: Sendable {
    let owner: String
    /// The type of what is read.
    let value: any Any.Type
    /// All slices of the reader, given its module.
    let keys: @Sendable (any Slice<Root>, Root) -> [SliceKey]
    /// Brings the copy in one slice of the reader up to date; returns whether it changed.
    let update:
        @Sendable (
            inout Root, any Slice<Root>, _ owner: any Slice<Root>, SliceKey, ByteComparison?
        ) -> Bool

    func keys(of reader: any Slice<Root>, _ root: Root) -> [SliceKey] { keys(reader, root) }

    /// The slices of the reader that read from the owner's slice of this key: those of its session,
    /// or all.
    func keys(
        of reader: any Slice<Root>,
        _ root: Root,
        readingFrom key: SliceKey
    ) -> [SliceKey] {
        guard let session = key.session else { return keys(reader, root) }
        // A reader that has no slices of its own for this session yet is given one.
        guard reader.form == .instances else { return [SliceKey(session: session)] }
        return keys(reader, root).filter { $0.session?.isSame(as: session) == true }
    }
}
