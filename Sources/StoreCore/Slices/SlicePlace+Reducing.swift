// Reducers that change a slice at its place, each for one type of action.

extension SlicePlace where State: ModuleState {
    /// Returns the slice, or throws a ``Refusal`` if the slice does not exist.
    package func requiredSlice(_ root: Root, _ key: SliceKey, _ module: String) throws(Refusal)
        -> State
    {
        if let state = read(root, key) { return state }
        if cardinality == .instances, key.instance == nil {
            throw Refusal(
                reason: "The module '\(module)' has instances; the action has to name one, as in "
                    + "\(module)/<id>/…."
            )
        }
        let path = SliceAddress(module: module, key).path
        throw .ofAbsentSlice(path)
    }

    /// Throws a ``Refusal`` if an instance cannot have the id in this key, because the path would
    /// be ambiguous or too long.
    func checkInstanceID(_ key: SliceKey) throws(Refusal) {
        if cardinality == .instances { try Instances<State>.check(id: key.instance ?? "") }
    }

    /// Returns a reducer that changes the slice with `reduce`, for actions of the type `A`.
    package func reducer<A: Action>(
        _ module: String,
        _ reduce: @escaping @Sendable (inout State, A) throws -> Void
    ) -> SliceReducer<Root> {
        if let single = self as? SinglePlace<Root, State> {
            return single.reducerOfSingleSlice(reduce)
        }
        return { root, action, key, _, comparison in
            guard type(of: action) == A.self else { return .unchanged }
            let action: A = uncheckedCast(action)
            return try self.changeSlice(&root, key, module, comparison) { try reduce(&$0, action) }
        }
    }

    /// Returns a reducer that changes the slice with `reduce`, for actions of the type `A`.
    /// `reduce` also returns an effect.
    func reducer<A: Action>(
        _ module: String,
        withEffect reduce: @escaping @Sendable (inout State, A) throws -> Effect<State>
    ) -> SliceReducer<Root> {
        if let single = self as? SinglePlace<Root, State> {
            return single.reducerOfSingleSlice(module, withEffect: reduce)
        }
        return { root, action, key, _, comparison in
            guard type(of: action) == A.self else { return .unchanged }
            let action: A = uncheckedCast(action)
            var effect = Effect<State>.none
            var result = try self.changeSlice(&root, key, module, comparison) {
                effect = try reduce(&$0, action)
            }
            result.effect = self.addressedEffect(effect, module, key)
            return result
        }
    }

    /// Returns a reducer that changes the slice with `reduce`, for actions of the type `A`.
    /// `reduce` gets a context.
    package func reducer<A: Action>(
        _ module: String,
        inContext reduce: @escaping @Sendable (inout State, A, ReducerContext) throws -> Void
    ) -> SliceReducer<Root> {
        if let single = self as? SinglePlace<Root, State> {
            return single.reducerOfSingleSlice(inContext: reduce)
        }
        return { root, action, key, origin, comparison in
            guard type(of: action) == A.self else { return .unchanged }
            let action: A = uncheckedCast(action)
            let context = origin.context(of: key.instance)
            return try self.changeSlice(&root, key, module, comparison) {
                try reduce(&$0, action, context)
            }
        }
    }

    /// Returns a reducer that changes the slice with `reduce`, for actions of the type `A`.
    /// `reduce` gets a context, and returns an effect.
    package func reducer<A: Action>(
        _ module: String,
        inContext reduce:
            @escaping @Sendable (inout State, A, ReducerContext) throws -> Effect<State>
    ) -> SliceReducer<Root> {
        if let single = self as? SinglePlace<Root, State> {
            return single.reducerOfSingleSlice(module, inContext: reduce)
        }
        return { root, action, key, origin, comparison in
            guard type(of: action) == A.self else { return .unchanged }
            let action: A = uncheckedCast(action)
            let context = origin.context(of: key.instance)
            var effect = Effect<State>.none
            var result = try self.changeSlice(&root, key, module, comparison) {
                effect = try reduce(&$0, action, context)
            }
            result.effect = self.addressedEffect(effect, module, key)
            return result
        }
    }

    /// Returns the reducer for actions of the type `A`, which have an effect and do not change the
    /// slice. The reducer refuses the action if the slice does not exist.
    package func effectReducer<A: Action>(
        _ module: String,
        _ effect: @escaping @Sendable (A) -> Effect<State>
    ) -> SliceReducer<Root> {
        { root, action, key, _, _ in
            guard type(of: action) == A.self else { return .unchanged }
            _ = try self.requiredSlice(root, key, module)
            var result = SliceResult.unchanged
            result.effect = self.addressedEffect(effect(uncheckedCast(action)), module, key)
            return result
        }
    }

    /// Returns the effect with its address, for the runner; `nil` if there is no effect.
    private func addressedEffect(
        _ effect: Effect<State>,
        _ module: String,
        _ key: SliceKey
    ) -> AnyEffect? {
        if effect.isNone { return nil }
        return AnyEffect(effect, at: SliceAddress(module: module, key), in: self)
    }

    /// Changes a copy of the slice, and writes the copy to the place of the slice unless `change`
    /// throws.
    ///
    /// A new value is stored even if `==` returns true for the old and the new value. The
    /// exception: the Core compares bytes, the owner has no stored value yet, and the action
    /// changes no byte. In this case, the new value is not stored. Storing the value would cause no
    /// event, so no reader would get it.
    private func changeSlice(
        _ root: inout Root,
        _ key: SliceKey,
        _ module: String,
        _ comparison: ByteComparison?,
        _ change: (inout State) throws -> Void
    ) throws -> SliceResult {
        let old = try requiredSlice(root, key, module)
        var new = old
        try change(&new)
        guard !isIdentical(old, new) else { return .unchanged }
        let isChange = differs(old, new, comparison)
        if !isChange, comparison != nil, !hasStoredSlice(root, key) { return .unchanged }
        write(new, &root, key)
        return SliceResult(changesSlice: isChange)
    }
}

// The forms of `reducer` for a single slice that is shared and always exists. These reducers look
// up no types at run time.
extension SharedPlace {
    fileprivate func reducerOfSingleSlice<State: ModuleState, A: Action>(
        _ reduce: @escaping @Sendable (inout State, A) throws -> Void
    ) -> SliceReducer<Root> where Container == SingleContainer<State> {
        { [member] root, action, _, _, comparison in
            guard type(of: action) == A.self else { return .unchanged }
            let action: A = uncheckedCast(action)
            return try member.replace(&root, comparison) { try reduce(&$0, action) }
        }
    }

    fileprivate func reducerOfSingleSlice<State: ModuleState, A: Action>(
        _ module: String,
        withEffect reduce: @escaping @Sendable (inout State, A) throws -> Effect<State>
    ) -> SliceReducer<Root> where Container == SingleContainer<State> {
        { [member] root, action, key, _, comparison in
            guard type(of: action) == A.self else { return .unchanged }
            let action: A = uncheckedCast(action)
            return try Self.replaceSlice(of: member, in: &root, module, key, comparison) {
                try reduce(&$0, action)
            }
        }
    }

    fileprivate func reducerOfSingleSlice<State: ModuleState, A: Action>(
        inContext reduce: @escaping @Sendable (inout State, A, ReducerContext) throws -> Void
    ) -> SliceReducer<Root> where Container == SingleContainer<State> {
        { [member] root, action, _, origin, comparison in
            guard type(of: action) == A.self else { return .unchanged }
            let action: A = uncheckedCast(action)
            return try member.replace(&root, comparison) {
                try reduce(&$0, action, origin.context(of: nil))
            }
        }
    }

    fileprivate func reducerOfSingleSlice<State: ModuleState, A: Action>(
        _ module: String,
        inContext reduce:
            @escaping @Sendable (inout State, A, ReducerContext) throws -> Effect<State>
    ) -> SliceReducer<Root> where Container == SingleContainer<State> {
        { [member] root, action, key, origin, comparison in
            guard type(of: action) == A.self else { return .unchanged }
            let action: A = uncheckedCast(action)
            return try Self.replaceSlice(of: member, in: &root, module, key, comparison) {
                try reduce(&$0, action, origin.context(of: nil))
            }
        }
    }

    /// Changes the slice by a reducer that returns an effect.
    @inline(__always)
    private static func replaceSlice<State: ModuleState>(
        of member: RootMember<Root, State>,
        in root: inout Root,
        _ module: String,
        _ key: SliceKey,
        _ comparison: ByteComparison?,
        _ reduce: (inout State) throws -> Effect<State>
    ) throws -> SliceResult where Container == SingleContainer<State> {
        var effect = Effect<State>.none
        var result = try member.replace(&root, comparison) { effect = try reduce(&$0) }
        if effect.isNone { return result }
        result.effect = AnyEffect(effect, at: SliceAddress(module: module, key)) { root in
            (root as? Root).map { member.read($0) }
        }
        return result
    }
}

extension RootMember where Value: Equatable & Encodable {
    /// Changes a copy of the value, and writes the copy to the member unless `change` throws.
    ///
    /// A new value is stored even if `==` returns true for the old and the new value.
    @inline(__always)
    func replace(
        _ root: inout Root,
        _ comparison: ByteComparison?,
        _ change: (inout Value) throws -> Void
    ) throws -> SliceResult {
        try self.change(&root) { value in
            var new = value
            try change(&new)
            guard value == new else {
                value = new
                return SliceResult(changesSlice: true)
            }
            if isIdentical(&value, &new) { return .unchanged }
            let isChange = comparison.map { !$0(value, new) } ?? false
            value = new
            return SliceResult(changesSlice: isChange)
        }
    }
}

/// Casts an action to its own type without a check: the caller has compared the types. A cast that
/// may fail costs ten times as much.
@inline(__always)
func uncheckedCast<A: Action, Type>(_ action: A) -> Type {
    // Safety: the caller has compared the types.
    withUnsafePointer(to: action) {
        UnsafeRawPointer($0).assumingMemoryBound(to: Type.self).pointee
    }
}
