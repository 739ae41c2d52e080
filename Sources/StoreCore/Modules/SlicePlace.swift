/// Where in the root state a slice lies.
package enum SlicePlace<Root: RootState, State: ModuleState>: Sendable {
    case always(RootMember<Root, State>)
    case started(RootMember<Root, State?>)
    case instances(RootMember<Root, Instances<State>>)
    case sessions(RootMember<Root, PerSession<State>>)
    case startedSessions(RootMember<Root, PerSession<State?>>)
    case sessionInstances(RootMember<Root, PerSession<Instances<State>>>)

    /// The slice, where it is there.
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

    /// Puts a slice in its place; `nil` where it ends.
    package func write(_ state: State?, _ root: inout Root, _ key: SliceKey) {
        switch self {
        case .always(let member): if let state { member.write(state, &root) }
        case .started(let member): member.write(state, &root)
        case .instances(let member):
            if let instance = key.instance { member.change(&root) { $0[instance] = state } }
        case .sessions(let member):
            if let state { member.change(&root) { $0.set(state, for: key.session) } }
        case .startedSessions(let member):
            // That it has ended is kept, until the session ends: readers get the version of it.
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
    /// How often the slice is there, for all or for one session.
    var form: SliceForm {
        switch self {
        case .always, .sessions: .always
        case .started, .startedSessions: .started
        case .instances, .sessionInstances: .instances
        }
    }

    /// Whether each session has a slice of its own.
    var isPerSession: Bool {
        switch self {
        case .always, .started, .instances: false
        case .sessions, .startedSessions, .sessionInstances: true
        }
    }

    /// The member of the root state, as it is written down.
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

    /// All slices that are there, those of sessions with what every session begins with.
    ///
    /// Cost: one step for each.
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

    /// Takes out all that a session has. Returns whether there was something.
    func end(session: String, _ root: inout Root) -> Bool {
        switch self {
        case .always, .started, .instances: false
        case .sessions(let member): member.change(&root) { $0.end(session) }
        case .startedSessions(let member): member.change(&root) { $0.end(session) }
        case .sessionInstances(let member): member.change(&root) { $0.end(session) }
        }
    }

    /// Whether a slice is kept under its key, and is not only what every session begins with.
    func has(_ root: Root, _ key: SliceKey) -> Bool {
        guard let session = key.session else { return true }
        return switch self {
        case .always, .started, .instances: true
        case .sessions(let member): member.read(root).has(session)
        case .startedSessions(let member): member.read(root).has(session)
        case .sessionInstances(let member): member.read(root).has(session)
        }
    }

    /// Has the state read on behalf of a session.
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
/// A key path is walked at run time, at some 500 instructions a use; a stored member is read and
/// written where it lies instead.
package struct RootMember<Root: RootState, Value>: Sendable {
    let path: any WritableKeyPath<Root, Value> & Sendable
    /// Where in the root's memory the value lies; `nil` where the path computes or observes it.
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
