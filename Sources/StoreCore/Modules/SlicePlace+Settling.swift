// What a function of the whole state has made of slices: whatever it wrote is put in order, and
// what it changed is found by comparing, by reference first.

/// What a comparison of the state before and after a function of the whole state depends on.
package struct Settling<Root: Sendable>: Sendable {
    /// The state before any action, without what modules see of one another.
    let initial: Root
    /// Compares what `==` calls equal.
    let comparison: ByteComparison?
    /// The session that the action has ended, whose slices are gone for good.
    let endedSession: String?
    /// The state that the function was given: behind the reducer of the action's module, with the
    /// copies that follow from it.
    let given: Root
    /// Whether the store itself has changed the state since, so that what all sessions begin with
    /// may be another.
    var isCopied = false

    /// Whether the action has ended this session.
    func isOver(_ session: String) -> Bool { endedSession?.isSame(as: session) == true }
}

extension SlicePlace {
    /// Puts in order what was written, where `old` is the state before it. Returns the slices that
    /// are not as they were.
    ///
    /// - Throws: ``Refusal`` where an instance can't have its id, ``WholeStateError`` where it
    ///   changed what all sessions begin with.
    func settle(
        _ root: inout Root,
        after old: Root,
        _ settling: Settling<Root>
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
                // Its end takes all of them, also where there is none.
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
        _ settling: Settling<Root>
    ) throws -> [SliceKey] {
        let changed = new.ids(changedSince: old, settling.comparison)
        for id in changed where old[id] == nil { try check(SliceKey(instance: id)) }
        return changed.map { SliceKey(session: session, instance: $0) }
    }
}

extension RootMember where Value: Equatable & Encodable {
    /// Whether the value has other bytes than before.
    func isChanged(_ root: Root, after old: Root, _ settling: Settling<Root>) -> Bool {
        differs(read(old), read(root), settling.comparison)
    }
}

extension RootMember {
    /// Puts in order what was written to the values of sessions, and returns which are not as they
    /// were, and whether all begin with something else.
    func settle<Own>(
        _ root: inout Root,
        after old: Root,
        _ settling: Settling<Root>
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

    /// The same as keys, of slices that are there once.
    func keys<Own>(
        _ root: inout Root,
        after old: Root,
        _ settling: Settling<Root>
    ) throws -> [SliceKey] where Value == PerSession<Own> {
        let (isFirst, sessions) = try settle(&root, after: old, settling)
        return (isFirst ? [.only] : []) + sessions.map { SliceKey(session: $0.session) }
    }

    /// Reads the values of sessions; none where they are left out. What all sessions begin with is
    /// the program's.
    func decode<Own>(
        _ root: inout Root,
        from container: KeyedDecodingContainer<SliceName>,
        under name: SliceName
    ) throws where Value == PerSession<Own> {
        let values = try container.decodeIfPresent([ExactText: Own].self, forKey: name)
        change(&root) { $0.take(values ?? [:]) }
    }
}
