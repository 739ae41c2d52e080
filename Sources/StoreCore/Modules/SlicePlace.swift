/// Where in the root state a slice lies.
package enum SlicePlace<Root: RootState, State: ModuleState>: Sendable {
    case always(RootMember<Root, State>)
    case started(RootMember<Root, State?>)
    case instances(RootMember<Root, Instances<State>>)

    /// The slice, where it is there.
    package func read(_ root: Root, _ instance: String?) -> State? {
        switch self {
        case .always(let member): member.read(root)
        case .started(let member): member.read(root)
        case .instances(let member): instance.flatMap { member.read(root)[$0] }
        }
    }

    /// Puts a slice in its place; `nil` where it ends.
    func write(_ state: State?, _ root: inout Root, _ instance: String?) {
        switch self {
        case .always(let member): if let state { member.write(state, &root) }
        case .started(let member): member.write(state, &root)
        case .instances(let member):
            if let instance { member.change(&root) { $0[instance] = state } }
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
