/// A member of a root state, with fast access to its value.
///
/// A key path costs some 500 instructions at each use. A stored member is read and written at its
/// offset in memory instead.
package struct RootMember<Root: RootState, Value>: Sendable {
    let path: any WritableKeyPath<Root, Value> & Sendable
    /// The offset of the value in the root's memory, in bytes; `nil` if the member is computed or
    /// has property observers.
    private let byteOffset: Int?

    package init(_ path: any WritableKeyPath<Root, Value> & Sendable) {
        self.path = path
        byteOffset = MemoryLayout<Root>.offset(of: path)
    }

    @inline(__always)
    func read(_ root: Root) -> Value {
        guard let byteOffset else { return root[keyPath: path] }
        // Safety: the offset is from `MemoryLayout.offset(of:)`, so the memory at the offset has a
        // value of this type.
        return withUnsafePointer(to: root) {
            (UnsafeRawPointer($0) + byteOffset).assumingMemoryBound(to: Value.self).pointee
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
        guard let byteOffset else { return try change(&root[keyPath: path]) }
        return try withUnsafeMutablePointer(to: &root) {
            try change(
                &(UnsafeMutableRawPointer($0) + byteOffset).assumingMemoryBound(to: Value.self)
                    .pointee
            )
        }
    }
}
