// What a function of the whole state has made of slices: whatever it wrote is put in order, and
// what it changed is found by comparing, by reference first.

/// What a comparison of the state before and after a function of the whole state depends on.
package struct Settling: Sendable {
    /// Compares what `==` calls equal.
    let comparison: ByteComparison?
    /// The session that the action has ended, whose slices are gone for good.
    let endedSession: String?
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
        _ settling: Settling
    ) throws -> [SliceKey] {
        switch self {
        case .always(let member):
            member.isChanged(root, after: old, settling) ? [.only] : []
        case .started(let member):
            member.isChanged(root, after: old, settling) ? [.only] : []
        case .instances(let member):
            try changed(member.read(root), after: member.read(old), of: nil, settling)
        case .sessions(let member):
            try member.settle(&root, after: old, settling).map { SliceKey(session: $0.session) }
        case .startedSessions(let member):
            try member.settle(&root, after: old, settling).map { SliceKey(session: $0.session) }
        case .sessionInstances(let member):
            try member.settle(&root, after: old, settling).flatMap { session, old, new in
                try changed(new, after: old, of: session, settling)
            }
        }
    }

    private func changed(
        _ new: Instances<State>,
        after old: Instances<State>,
        of session: String?,
        _ settling: Settling
    ) throws -> [SliceKey] {
        let changed = new.ids(changedSince: old, settling.comparison)
        for id in changed where old[id] == nil { try check(SliceKey(instance: id)) }
        return changed.map { SliceKey(session: session, instance: $0) }
    }
}

extension RootMember where Value: Equatable & Encodable {
    /// Whether the value has other bytes than before.
    func isChanged(_ root: Root, after old: Root, _ settling: Settling) -> Bool {
        differs(read(old), read(root), settling.comparison)
    }
}

extension RootMember {
    /// Puts in order what was written to the values of sessions, and returns those that are not as
    /// they were.
    func settle<Own>(
        _ root: inout Root,
        after old: Root,
        _ settling: Settling
    ) throws -> [(session: String, old: Own, new: Own)] where Value == PerSession<Own> {
        try change(&root) {
            try $0.settle(
                after: read(old),
                ending: settling.endedSession,
                settling.comparison
            )
        }
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
