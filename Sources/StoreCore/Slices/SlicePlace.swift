/// The place of a slice in the root state.
package enum SlicePlace<Root: RootState, State: ModuleState>: Sendable {
    case always(RootMember<Root, State>)
    case started(RootMember<Root, State?>)
    case instances(RootMember<Root, Instances<State>>)
    case sessions(RootMember<Root, PerSession<State>>)
    case startedSessions(RootMember<Root, PerSession<State?>>)
    case sessionInstances(RootMember<Root, PerSession<Instances<State>>>)

    /// Returns the slice, or `nil` if it is not there.
    package func read(_ root: Root, _ key: SliceKey) -> State? {
        switch self {
        case .always(let member): member.read(root)
        case .started(let member): member.read(root)
        case .instances(let member): key.instance.flatMap { member.read(root)[$0] }
        case .sessions(let member): member.read(root).read(key.session)
        case .startedSessions(let member): member.read(root).read(key.session)
        case .sessionInstances(let member):
            key.instance.flatMap { member.read(root).read(key.session)[$0] }
        }
    }

    /// Writes a slice to its place; `nil` removes it.
    package func write(_ state: State?, _ root: inout Root, _ key: SliceKey) {
        switch self {
        case .always(let member): if let state { member.write(state, &root) }
        case .started(let member): member.write(state, &root)
        case .instances(let member):
            if let instance = key.instance { member.change(&root) { $0[instance] = state } }
        case .sessions(let member):
            if let state { member.change(&root) { $0.set(state, for: key.session) } }
        case .startedSessions(let member):
            // The absence is stored until the session ends, so that readers get its version.
            member.change(&root) { $0.set(.some(state), for: key.session) }
        case .sessionInstances(let member):
            guard let instance = key.instance else { return }
            member.change(&root) {
                var all = $0.read(key.session)
                all[instance] = state
                $0.set(all, for: key.session)
            }
        }
    }
}

extension SlicePlace {
    /// The number of slices that the module has, in the shared state or for one session.
    var form: SliceForm {
        switch self {
        case .always, .sessions: .always
        case .started, .startedSessions: .started
        case .instances, .sessionInstances: .instances
        }
    }

    /// True if each session has a slice of its own.
    var isPerSession: Bool {
        switch self {
        case .always, .started, .instances: false
        case .sessions, .startedSessions, .sessionInstances: true
        }
    }

    /// The key path of the member, as the program wrote it.
    var path: any AnyKeyPath & Sendable {
        switch self {
        case .always(let member): member.path
        case .started(let member): member.path
        case .instances(let member): member.path
        case .sessions(let member): member.path
        case .startedSessions(let member): member.path
        case .sessionInstances(let member): member.path
        }
    }

    /// Returns the keys of all slices. If each session has one slice, the key without a session is
    /// among them: it stands for the value that every session begins with.
    ///
    /// Cost: one step for each key.
    func keys(_ root: Root) -> [SliceKey] {
        switch self {
        case .always, .started: return [.only]
        case .instances(let member): return member.read(root).ids.map { SliceKey(instance: $0) }
        case .sessions(let member): return Self.keys(member.read(root).sessions)
        case .startedSessions(let member): return Self.keys(member.read(root).sessions)
        case .sessionInstances(let member):
            let all = member.read(root)
            return all.sessions.flatMap { session in
                all[session].ids.map { SliceKey(session: session, instance: $0) }
            }
        }
    }

    private static func keys(_ sessions: [String]) -> [SliceKey] {
        [.only] + sessions.map { SliceKey(session: $0) }
    }

    /// Removes all slices of a session. Returns true if there were any.
    func end(session: String, _ root: inout Root) -> Bool {
        switch self {
        case .always, .started, .instances: false
        case .sessions(let member): member.change(&root) { $0.end(session) }
        case .startedSessions(let member): member.change(&root) { $0.end(session) }
        case .sessionInstances(let member): member.change(&root) { $0.end(session) }
        }
    }

    /// True if a slice is stored under its key. False for a session that still has the value that
    /// every session begins with.
    func has(_ root: Root, _ key: SliceKey) -> Bool {
        guard let session = key.session else { return true }
        return switch self {
        case .always, .started, .instances: true
        case .sessions(let member): member.read(root).has(session)
        case .startedSessions(let member): member.read(root).has(session)
        case .sessionInstances(let member): member.read(root).has(session)
        }
    }

    /// Makes ``PerSession/value`` the value of the reader's session.
    func show(_ root: inout Root, to reader: SessionReader) {
        switch self {
        case .always, .started, .instances: break
        case .sessions(let member): member.change(&root) { $0.show(to: reader) }
        case .startedSessions(let member): member.change(&root) { $0.show(to: reader) }
        case .sessionInstances(let member): member.change(&root) { $0.show(to: reader) }
        }
    }
}

/// A member of a root state.
///
/// A key path costs some 500 instructions at each use. A stored member is read and written at its
/// offset in memory instead.
package struct RootMember<Root: RootState, Value>: Sendable {
    let path: any WritableKeyPath<Root, Value> & Sendable
    /// The offset of the value in the root's memory, in bytes; `nil` if the path is computed or
    /// observed.
    private let offset: Int?

    package init(_ path: any WritableKeyPath<Root, Value> & Sendable) {
        self.path = path
        offset = MemoryLayout<Root>.offset(of: path)
    }

    @inline(__always)
    func read(_ root: Root) -> Value {
        guard let offset else { return root[keyPath: path] }
        // Safety: `MemoryLayout.offset(of:)` gave the offset, so a value of this type is there.
        return withUnsafePointer(to: root) {
            (UnsafeRawPointer($0) + offset).assumingMemoryBound(to: Value.self).pointee
        }
    }

    @inline(__always)
    func write(_ value: Value, _ root: inout Root) {
        change(&root) { $0 = value }
    }

    @inline(__always)
    func change<Result>(
        _ root: inout Root,
        _ change: (inout Value) throws -> Result
    ) rethrows -> Result {
        guard let offset else { return try change(&root[keyPath: path]) }
        return try withUnsafeMutablePointer(to: &root) {
            try change(
                &(UnsafeMutableRawPointer($0) + offset).assumingMemoryBound(to: Value.self).pointee
            )
        }
    }
}
