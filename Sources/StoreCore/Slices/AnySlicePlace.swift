/// A member of the root state, for callers that do not have the type of the slice. The member has
/// the slices of a module, or is a field.
package protocol AnySlicePlace<Root>: AnyObject, Sendable {
    associatedtype Root: RootState

    /// The number of slices: one, at most one, or many. If the slices have owners, this is the
    /// number for one owner.
    var cardinality: SliceCardinality { get }
    /// True if each owner, a session or a user, has slices of its own.
    var isOwned: Bool { get }
    /// The owners of the slices: all clients, sessions or users.
    var ownership: SliceOwnership { get }
    /// The type of the slice as a client gets it, for schemas.
    var wireType: any (Codable & Sendable).Type { get }
    /// The key path of the member, as the program wrote it.
    var path: any AnyKeyPath & Sendable { get }

    func isEqual(_ a: Root, _ b: Root) -> Bool
    /// Returns the member of the root; `nil` if its slice is not started.
    func memberValue(_ root: Root) -> (any Encodable & Sendable)?
    func isSliceThere(_ root: Root, _ key: SliceKey) -> Bool
    /// Removes all slices of an owner. Returns true if there were any.
    func removeSlices(of owner: String, _ root: inout Root) -> Bool
    /// Makes ``PerSession/value`` or ``PerPrincipal/value`` return the value of this reader.
    func setReader(of root: inout Root, to reader: SliceReader)
    /// Returns true if the owner has stored slices, or may store its first slice.
    func hasRoom(_ root: Root, for owner: String) -> Bool
    /// Returns the owners that have stored slices of their own; empty for a shared place.
    func owners(_ root: Root) -> [String]
    /// Normalizes the values that a function of the whole state has written; `old` is the state
    /// before the action. Returns the keys of the slices that changed.
    ///
    /// - Throws: ``Refusal`` if an instance cannot have its id, ``WholeStateError`` if the function
    ///   changed the value that every owner begins with.
    func normalizeWrites(
        _ root: inout Root,
        after old: Root,
        _ settling: WholeStateComparison<Root>
    ) throws -> [SliceKey]
    /// Returns the readers of a slice. An absent slice of a ``RestrictedModule`` has no readers.
    func readers(_ root: Root, _ key: SliceKey) -> Readers
    /// Removes the slices that a client may not read. `root` is a copy of the state, from which the
    /// client's views are made. `client` is its ``ReaderName``.
    func narrow(_ root: inout Root, to client: String)
    /// Returns the sessions whose parts of the slice differ, if the slice has a part for each
    /// session. Returns `nil` for any other slice.
    func changedSessions(_ old: Root, _ new: Root) -> [String]?
    func encode(
        _ root: Root,
        to container: inout KeyedEncodingContainer<SliceName>,
        under name: SliceName
    ) throws
    /// Reads the slice in the form that a client gets, and drops the value. The decoder records
    /// these reads to make a schema.
    func readForSchema(
        from container: KeyedDecodingContainer<SliceName>,
        under name: SliceName
    ) throws
    func decode(
        _ root: inout Root,
        from container: KeyedDecodingContainer<SliceName>,
        under name: SliceName
    ) throws
}

/// The number of slices that a module has, in the shared state or for one owner.
package enum SliceCardinality: Sendable { case one, optional, instances }

/// The owner of a module's slices.
package enum SliceOwnership: Sendable {
    /// The slices are shared.
    case everybody
    /// The slices are shared, and the data of each slice determines the slice's readers:
    /// ``RestrictedModule``.
    case readers
    /// Each session has its own slices: ``PerSession``.
    case session
    /// Each user has its own slices: ``PerPrincipal``.
    case principal
    /// A single slice has a part for each session, under the session's name.
    case keyedBySession

    /// True if each owner has slices of its own.
    package var isOwned: Bool { self == .session || self == .principal }

    /// True if different clients may read different slices.
    package var dependsOnReader: Bool { self != .everybody }
}
