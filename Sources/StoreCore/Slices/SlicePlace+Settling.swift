// The work after a function of the whole state. The store normalizes the writes of the function to
// slices, and finds its changes by a comparison, by reference first.

/// The input of the comparison of the state before and after a function of the whole state.
package struct WholeStateDiff<Root: Sendable>: Sendable {
    /// The state before any action, without the copies of shared values.
    let initial: Root
    /// Compares the bytes of values that `==` calls equal.
    let comparison: ByteComparison?
    /// The session that the action has ended; its slices never come back.
    let endedSession: String?
    /// The state that the function got: the state after the module's reducer, with updated copies
    /// of shared values.
    let given: Root
    /// True after the store itself has updated copies. These may be in the value that every session
    /// begins with.
    var isCopied = false

    /// True if the action has ended this session.
    func isOver(_ session: String) -> Bool { endedSession?.isSame(as: session) == true }
}

extension SlicePlace {
    /// Normalizes the writes to the slices; `old` is the state before the action. Returns the keys
    /// of the slices that changed.
    ///
    /// - Throws: ``Refusal`` if an instance cannot have its id, ``WholeStateError`` if the function
    ///   changed the value that every session begins with.
    func settle(
        _ root: inout Root,
        after old: Root,
        _ settling: WholeStateDiff<Root>
    ) throws -> [SliceKey] {
        switch self {
        case .always(let member):
            return member.isChanged(root, after: old, settling) ? [.only] : []
        case .started(let member):
            return member.isChanged(root, after: old, settling) ? [.only] : []
        case .instances(let member):
            return try changed(member.read(root), after: member.read(old), of: nil, settling)
        case .sessions(let member): return try member.keys(&root, after: old, settling)
        case .startedSessions(let member): return try member.keys(&root, after: old, settling)
        case .sessionInstances(let member):
            let (isFirst, sessions) = try member.settle(&root, after: old, settling)
            return try sessions.reduce(into: isFirst ? [.only] : []) { keys, change in
                // The end of a session removes all of its instances. A single key stands for them,
                // even if there are none.
                guard !settling.isOver(change.session) else {
                    return keys.append(SliceKey(session: change.session))
                }
                keys += try changed(change.new, after: change.old, of: change.session, settling)
            }
        }
    }

    private func changed(
        _ new: Instances<State>,
        after old: Instances<State>,
        of session: String?,
        _ settling: WholeStateDiff<Root>
    ) throws -> [SliceKey] {
        let changed = new.ids(changedSince: old, settling.comparison)
        for id in changed where old[id] == nil { try check(SliceKey(instance: id)) }
        return changed.map { SliceKey(session: session, instance: $0) }
    }
}

extension RootMember where Value: Equatable & Encodable {
    /// True if the value has other bytes than before.
    func isChanged(_ root: Root, after old: Root, _ settling: WholeStateDiff<Root>) -> Bool {
        differs(read(old), read(root), settling.comparison)
    }
}

extension RootMember {
    /// Normalizes the writes to the values of sessions. Returns the sessions whose values changed.
    /// `isFirst` is true if the value that every session begins with has changed.
    func settle<Own>(
        _ root: inout Root,
        after old: Root,
        _ settling: WholeStateDiff<Root>
    ) throws -> (isFirst: Bool, sessions: [(session: String, old: Own, new: Own)])
    where Value == PerSession<Own> {
        try change(&root) { values in
            let old = read(old)
            if !settling.isCopied {
                let (given, initial) = (read(settling.given), read(settling.initial))
                try values.keepFirst(of: given, orOf: initial)
            }
            let sessions = values.settle(
                after: old,
                settling.comparison,
                isOver: settling.isOver
            )
            return (values.isFirstChanged(since: old, settling.comparison), sessions)
        }
    }

    /// Does the same, and returns keys. The slices have no instances.
    func keys<Own>(
        _ root: inout Root,
        after old: Root,
        _ settling: WholeStateDiff<Root>
    ) throws -> [SliceKey] where Value == PerSession<Own> {
        let (isFirst, sessions) = try settle(&root, after: old, settling)
        return (isFirst ? [.only] : []) + sessions.map { SliceKey(session: $0.session) }
    }

    /// Reads the values of sessions; there are none if the member is missing. The value that every
    /// session begins with is a part of the program, and is not read.
    func decode<Own>(
        _ root: inout Root,
        from container: KeyedDecodingContainer<SliceName>,
        under name: SliceName
    ) throws where Value == PerSession<Own> {
        let values = try container.decodeIfPresent([ExactText: Own].self, forKey: name)
        change(&root) { $0.take(values ?? [:]) }
    }
}
