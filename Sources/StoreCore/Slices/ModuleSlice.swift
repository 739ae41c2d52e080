/// A mounted module with its types.
final class ModuleSlice<Root: RootState, M: Module>: Slice {
    let module: M
    let place: SlicePlace<Root, M.State>
    let lifecycle: [ActionHandler<Root>]
    /// The name of the module, stored because Swift builds the name of a type at each use.
    let name = M.Interface.name

    init(module: M, place: SlicePlace<Root, M.State>, lifecycle: [ActionHandler<Root>]) {
        self.module = module
        self.place = place
        self.lifecycle = lifecycle
    }

    var form: SliceForm { place.form }

    var ownership: SliceOwnership {
        if place.isPerSession { return .session }
        let pieces = M.State.self as? any KeyedState.Type
        return pieces?.pieceForm == .objectOfSessions ? .keyedBySession : .everybody
    }

    var wireType: any (Codable & Sendable).Type {
        switch place {
        case .always, .sessions: M.State.self
        case .started, .startedSessions: M.State?.self
        case .instances, .sessionInstances: Instances<M.State>.self
        }
    }

    var useCases: [BoundUseCase<Root>] {
        module.useCases.map { method in
            BoundUseCase(path: method.path, input: method.input) { [place] input, address in
                PendingEffect(try method.effect(input), at: address, in: place)
            }
        }
    }

    func check(_ root: Root, _ key: SliceKey) throws {
        _ = try place.present(root, key, name)
    }

    var hasDurableEffects: Bool {
        module is any KeepingModule
            || M.dispatchables.contains { $0.handling.maker.onRestart != .lost }
    }

    var anyModule: (any Module)? { module }

    func presentation(
        of modules: Root.Modules,
        _ dependencies: Dependencies
    ) -> (any RootPresentation<Root>)? {
        (module as? any PresentingModule<M.State>)?.presentation(
            of: modules,
            at: place,
            dependencies
        )
    }

    func effect(
        again work: KeptWork,
        at address: SliceAddress,
        _ codec: any WorkCodec
    ) throws -> PendingEffect? {
        let effect: Effect<M.State> = try work.effect { work in
            guard let type = work.type else {
                guard let keeping = module as? any KeepingModule<M.State> else {
                    throw UnknownWork(description: "the module keeps no work any more")
                }
                return try keeping.effect(again: work, codec)
            }
            guard let dispatchable = M.dispatchables.first(where: { "\($0)" == type }),
                let effect: Effect<M.State> =
                    try dispatchable.handling.maker.effect(again: work, codec)
            else {
                throw UnknownWork(description: "the module has no side effect \(type) any more")
            }
            return effect
        }
        return PendingEffect(effect, at: address, in: place)
    }

    func interrupted(after version: UInt64) -> (any Action)? {
        module.interrupted(after: version)
    }

    var foreignDispatchables: [any Dispatchable.Type] {
        M.dispatchables.filter { handler(of: $0) == nil }
    }

    var handlers: [ActionHandler<Root>] {
        var all = lifecycle
        if let effectful = module as? any EffectfulModule<M.State> {
            all += handlers(of: effectful)
        } else {
            all += plainHandlers
        }
        for type in M.dispatchables {
            if let handler = handler(of: type) { all.append(handler) }
        }
        return all
    }

    func place<State: ModuleState>(of state: State.Type) -> Any? {
        State.self == M.State.self ? place : nil
    }

    var sharedType: (any Any.Type)? {
        guard let sharing = module as? any SharingModule<M.State> else { return nil }
        return typeShared(by: sharing)
    }

    private func typeShared<S: SharingModule>(by module: S) -> any Any.Type { S.SharedValue.self }

    func shared(_ root: Root, _ key: SliceKey) -> (any Sendable)? {
        guard let sharing = module as? any SharingModule<M.State>,
            let state = place.read(root, key)
        else { return nil }
        return sharing.share(state)
    }

    func isEqual(_ a: Root, _ b: Root) -> Bool {
        switch place {
        case .always(let member): member.read(a) == member.read(b)
        case .started(let member): member.read(a) == member.read(b)
        case .instances(let member): member.read(a) == member.read(b)
        case .sessions(let member): member.read(a) == member.read(b)
        case .startedSessions(let member): member.read(a) == member.read(b)
        case .sessionInstances(let member): member.read(a) == member.read(b)
        }
    }

    func value(_ root: Root) -> (any Encodable & Sendable)? {
        switch place {
        case .always(let member): member.read(root)
        case .started(let member): member.read(root)
        case .instances(let member): member.read(root)
        case .sessions(let member): member.read(root)
        case .startedSessions(let member): member.read(root)
        case .sessionInstances(let member): member.read(root)
        }
    }

    func isThere(_ root: Root, _ key: SliceKey) -> Bool { place.read(root, key) != nil }

    func end(session: String, _ root: inout Root) -> Bool { place.end(session: session, &root) }

    func show(_ root: inout Root, to reader: SessionReader) { place.show(&root, to: reader) }

    func watch(
        _ changes: SliceChanges<Root>,
        _ core: Core<Root>,
        _ seen: @escaping @Sendable (SliceKey, _ isThere: Bool) -> Void
    ) {
        _ = changes.observe(name, nil, place, core, seesAll: true) { change in
            guard (change.old == nil) != (change.new == nil) else { return }
            seen(change.key, change.new != nil)
        }
    }

    func settle(
        _ root: inout Root,
        after old: Root,
        _ settling: WholeStateDiff<Root>
    ) throws -> [SliceKey] {
        try place.settle(&root, after: old, settling)
    }

    func changedSessions(_ old: Root, _ new: Root) -> [String]? {
        guard case .always(let member) = place, let old = member.read(old) as? any KeyedState,
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
        case .always(let member): try container.encode(member.read(root), forKey: name)
        case .started(let member): try container.encode(member.read(root), forKey: name)
        case .instances(let member): try container.encode(member.read(root), forKey: name)
        case .sessions(let member): try container.encode(member.read(root), forKey: name)
        case .startedSessions(let member): try container.encode(member.read(root), forKey: name)
        case .sessionInstances(let member): try container.encode(member.read(root), forKey: name)
        }
    }

    func readVisible(
        from container: KeyedDecodingContainer<SliceName>,
        under name: SliceName
    ) throws {
        switch form {
        case .always: _ = try container.decode(M.State.self, forKey: name)
        case .started: _ = try container.decodeIfPresent(M.State.self, forKey: name)
        case .instances: _ = try container.decode(Instances<M.State>.self, forKey: name)
        }
    }

    func decode(
        _ root: inout Root,
        from container: KeyedDecodingContainer<SliceName>,
        under name: SliceName
    ) throws {
        switch place {
        case .always(let member):
            member.write(try container.decode(M.State.self, forKey: name), &root)
        case .started(let member):
            member.write(try container.decodeIfPresent(M.State.self, forKey: name), &root)
        case .instances(let member):
            member.write(try container.decode(Instances<M.State>.self, forKey: name), &root)
        case .sessions(let member):
            try member.decode(&root, from: container, under: name)
        case .startedSessions(let member):
            try member.decode(&root, from: container, under: name)
        case .sessionInstances(let member):
            try member.decode(&root, from: container, under: name)
        }
    }
}

extension ModuleSlice {
    /// The handlers of the module's enums, if the module has no effects.
    private var plainHandlers: [ActionHandler<Root>] {
        [
            handler(.action, M.Interface.Action.self) { [module] in try module.reduce(&$0, $1) },
            handler(.ui, M.UI.self) { [module] in try module.reduce(&$0, ui: $1) },
            handler(.internal, M.Internal.self) { [module] in
                try module.reduce(&$0, internal: $1)
            },
        ].compactMap(\.self)
    }

    /// Returns the handlers of the module's enums, if effects may follow.
    private func handlers<E: EffectfulModule>(of module: E) -> [ActionHandler<Root>]
    where E.State == M.State {
        [
            handler(.action, E.Interface.Action.self, withEffect: { try module.reduce(&$0, $1) }),
            handler(.ui, E.UI.self, withEffect: { try module.reduce(&$0, ui: $1) }),
            handler(
                .internal,
                E.Internal.self,
                withEffect: { try module.reduce(&$0, internal: $1) }
            ),
        ].compactMap(\.self)
    }

    /// Makes the handler of an enum; `nil` if the module has no such actions.
    private func handler<A: ModuleAction>(
        _ kind: ActionHandler<Root>.Kind,
        _ type: A.Type,
        reduce: @escaping @Sendable (inout M.State, A) throws -> Void
    ) -> ActionHandler<Root>? {
        guard A.self != Never.self else { return nil }
        return ActionHandler(A.self, kind, wire: A.self, reduce: place.reducing(name, reduce))
    }

    /// Makes the handler of an enum whose actions may have effects; `nil` if the module has no such
    /// actions.
    private func handler<A: ModuleAction>(
        _ kind: ActionHandler<Root>.Kind,
        _ type: A.Type,
        withEffect reduce: @escaping @Sendable (inout M.State, A) throws -> Effect<M.State>
    ) -> ActionHandler<Root>? {
        guard A.self != Never.self else { return nil }
        let reducer = place.reducing(name, withEffect: reduce)
        return ActionHandler(A.self, kind, wire: A.self, reduce: reducer)
    }

    /// Makes the handler of a dispatchable; `nil` if the type is for another slice. Such a type
    /// prevents the start of a store.
    private func handler(of type: any Dispatchable.Type) -> ActionHandler<Root>? {
        type.handling.maker.handler(of: name, at: place)
    }
}
