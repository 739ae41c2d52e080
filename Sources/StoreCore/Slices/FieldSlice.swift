/// A member of the root state that belongs to no module: a value with a name on the wire, and
/// without actions.
final class FieldSlice<Root: RootState, Value: Codable & Equatable & Sendable>: Slice {
    /// The member, which is shared or has a value for each session.
    enum Place: Sendable {
        case shared(RootMember<Root, Value>)
        case sessions(RootMember<Root, PerSession<Value>>)
    }

    let name: String
    let place: Place

    init(_ name: String, _ place: Place) {
        self.name = name
        self.place = place
    }

    var form: SliceForm { .always }

    var ownership: SliceOwnership {
        if case .sessions = place { return .session }
        let pieces = Value.self as? any KeyedState.Type
        return pieces?.pieceForm == .objectOfSessions ? .keyedBySession : .everybody
    }

    var wireType: any (Codable & Sendable).Type { Value.self }

    // A field has no module.
    var handlers: [ActionHandler<Root>] { [] }
    var useCases: [BoundUseCase<Root>] { [] }
    var hasDurableEffects: Bool { false }

    func effect(
        again work: KeptWork,
        at address: SliceAddress,
        _ codec: any WorkCodec
    ) -> PendingEffect? { nil }
    var anyModule: (any Module)? { nil }
    var foreignDispatchables: [any Dispatchable.Type] { [] }
    func interrupted(after version: UInt64) -> (any Action)? { nil }
    func place<State: ModuleState>(of state: State.Type) -> Any? { nil }
    var sharedType: (any Any.Type)? { nil }
    func shared(_ root: Root, _ key: SliceKey) -> (any Sendable)? { nil }
    func presentation(
        of modules: Root.Modules,
        _ dependencies: Dependencies
    ) -> (any RootPresentation<Root>)? { nil }

    // A field is always there.
    func watch(
        _ changes: SliceChanges<Root>,
        _ core: Core<Root>,
        _ seen: @escaping @Sendable (SliceKey, _ isThere: Bool) -> Void
    ) {}

    func isThere(_ root: Root, _ key: SliceKey) -> Bool { true }
    func check(_ root: Root, _ key: SliceKey) throws {}

    func isEqual(_ a: Root, _ b: Root) -> Bool {
        switch place {
        case .shared(let member): member.read(a) == member.read(b)
        case .sessions(let member): member.read(a) == member.read(b)
        }
    }

    func value(_ root: Root) -> (any Encodable & Sendable)? {
        switch place {
        case .shared(let member): member.read(root)
        case .sessions(let member): member.read(root)
        }
    }

    func end(session: String, _ root: inout Root) -> Bool {
        guard case .sessions(let member) = place else { return false }
        return member.change(&root) { $0.end(session) }
    }

    func show(_ root: inout Root, to reader: SessionReader) {
        guard case .sessions(let member) = place else { return }
        member.change(&root) { $0.show(to: reader) }
    }

    func settle(
        _ root: inout Root,
        after old: Root,
        _ settling: WholeStateDiff<Root>
    ) throws -> [SliceKey] {
        switch place {
        case .shared(let member): member.isChanged(root, after: old, settling) ? [.only] : []
        case .sessions(let member): try member.keys(&root, after: old, settling)
        }
    }

    func changedSessions(_ old: Root, _ new: Root) -> [String]? {
        guard case .shared(let member) = place, let old = member.read(old) as? any KeyedState,
            let new = member.read(new) as? any KeyedState
        else { return nil }
        return new.pieces(since: old).map(\.key)
    }

    func encode(
        _ root: Root,
        to container: inout KeyedEncodingContainer<SliceName>,
        under name: SliceName
    ) throws {
        switch place {
        case .shared(let member): try container.encode(member.read(root), forKey: name)
        case .sessions(let member): try container.encode(member.read(root), forKey: name)
        }
    }

    func readVisible(
        from container: KeyedDecodingContainer<SliceName>,
        under name: SliceName
    ) throws {
        _ = try container.decode(Value.self, forKey: name)
    }

    func decode(
        _ root: inout Root,
        from container: KeyedDecodingContainer<SliceName>,
        under name: SliceName
    ) throws {
        switch place {
        case .shared(let member):
            member.write(try container.decode(Value.self, forKey: name), &root)
        case .sessions(let member):
            try member.decode(&root, from: container, under: name)
        }
    }
}

extension Mount {
    /// A member of the root state that is no module's slice: a value under a name of its own.
    ///
    /// ```swift
    /// var title = "Shop"
    /// var theme = PerSession("light")
    ///
    /// static let modules: Modules = [
    ///     .field("title", \.title), .field("theme", \.theme), Cart().at(\.cart),
    /// ]
    /// ```
    ///
    /// A field is encoded, streamed and kept like a slice, and has no actions. Only
    /// ``RootState/dispatchables`` and ``RootState/reducer`` change it. A change of the field
    /// remakes each view that may depend on it.
    ///
    /// - Parameters:
    ///   - name: the name on the wire, which no module may have.
    ///   - path: the member of the root state.
    /// - Returns: an element for ``RootState/modules``.
    public static func field<Value: Codable & Equatable & Sendable>(
        _ name: String,
        _ path: any WritableKeyPath<Root, Value> & Sendable
    ) -> Mount {
        Mount(FieldSlice(name, .shared(RootMember(path))), at: path)
    }

    /// Makes a field with a value for each session.
    public static func field<Value: Codable & Equatable & Sendable>(
        _ name: String,
        _ path: any WritableKeyPath<Root, PerSession<Value>> & Sendable
    ) -> Mount {
        Mount(FieldSlice(name, .sessions(RootMember(path))), at: path)
    }
}
