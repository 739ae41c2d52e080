/// A way to store slices in a value: the type of the value, and the access to each slice.
///
/// For a ``SharedPlace``, the value is the member of the root state. For an ``OwnedPlace``, the
/// value belongs to one owner, and the member has a table of these values.
package protocol SliceContainer: SendableMetatype {
    /// The type of a slice.
    associatedtype State: Codable & Equatable & Sendable
    /// The type of the value that contains the slices.
    associatedtype Value: Codable & Equatable & Sendable

    static var cardinality: SliceCardinality { get }

    /// Returns a slice, or `nil` if the slice does not exist. Consumes the value, so that a single
    /// slice is not copied once more.
    static func slice(at key: SliceKey, of value: consuming Value) -> State?

    /// Returns a value with `state` as the slice under `key`, or without this slice if `state` is
    /// `nil`. Returns `nil` if the value cannot contain a slice under `key`.
    ///
    /// `old` is evaluated only if the value may contain other slices.
    static func replacingSlice(
        at key: SliceKey,
        with state: consuming State?,
        in old: @autoclosure () -> Value
    ) -> Value?

    /// Returns the ids of the existing instances; a single slice has the id `nil`.
    static func instanceIDs(of value: Value) -> [String?]

    /// Returns the ids of the instances that have other bytes than in an earlier value.
    ///
    /// - Throws: ``Refusal`` if the id of a new instance is not valid.
    static func changedInstanceIDs(
        of value: Value,
        since old: Value,
        _ comparison: ByteComparison?
    ) throws(Refusal) -> [String?]

    /// True if a module whose slices this container stores may be a ``RestrictedModule``.
    static var canBeRestricted: Bool { get }

    /// Updates the index of readers in a value with instances, after the change of one slice.
    static func updateReaderIndex(
        of value: inout Value,
        at key: SliceKey,
        from old: State?,
        to new: State?,
        by rule: ReaderRule<State>
    )

    /// Copies the index of readers from an earlier value.
    static func copyReaderIndex(of old: Value, to value: inout Value)

    /// Returns the index of the readers; `nil` for a single slice.
    static func readerIndex(of value: Value) -> ReaderIndex?

    /// Returns a value with only the slices that a client may read. `client` is its ``ReaderName``.
    static func narrowed(_ value: Value, to client: String, by rule: ReaderRule<State>) -> Value

    /// Returns the value for an encoder; `nil` if its slice is not started.
    static func encodable(_ value: Value) -> (any Encodable & Sendable)?

    /// Reads the value in the form that a client gets.
    static func decode(
        from container: KeyedDecodingContainer<SliceName>,
        under name: SliceName
    ) throws -> Value
}

extension SliceContainer {
    package static func instanceIDs(of value: Value) -> [String?] { [nil] }

    package static func changedInstanceIDs(
        of value: Value,
        since old: Value,
        _ comparison: ByteComparison?
    ) -> [String?] { differs(old, value, comparison) ? [nil] : [] }

    package static var canBeRestricted: Bool { false }

    package static func updateReaderIndex(
        of value: inout Value,
        at key: SliceKey,
        from old: State?,
        to new: State?,
        by rule: ReaderRule<State>
    ) {}

    package static func copyReaderIndex(of old: Value, to value: inout Value) {}
    package static func readerIndex(of value: Value) -> ReaderIndex? { nil }

    package static func narrowed(
        _ value: Value,
        to client: String,
        by rule: ReaderRule<State>
    ) -> Value { value }

    package static func encodable(_ value: Value) -> (any Encodable & Sendable)? { value }

    package static func decode(
        from container: KeyedDecodingContainer<SliceName>,
        under name: SliceName
    ) throws -> Value { try container.decode(Value.self, forKey: name) }
}

/// A single slice that always exists.
package enum SingleContainer<State: Codable & Equatable & Sendable>: SliceContainer {
    package static var cardinality: SliceCardinality { .one }

    package static func slice(at key: SliceKey, of value: consuming State) -> State? { value }

    package static func replacingSlice(
        at key: SliceKey,
        with state: consuming State?,
        in old: @autoclosure () -> State
    ) -> State? { state }
}

/// A single slice that is absent until it is started.
package enum OptionalContainer<State: ModuleState>: SliceContainer {
    package static var cardinality: SliceCardinality { .optional }

    package static func slice(at key: SliceKey, of value: consuming State?) -> State? { value }

    package static func replacingSlice(
        at key: SliceKey,
        with state: consuming State?,
        in old: @autoclosure () -> State?
    ) -> State?? { .some(state) }

    package static var canBeRestricted: Bool { true }

    package static func narrowed(
        _ value: State?,
        to client: String,
        by rule: ReaderRule<State>
    ) -> State? { value.flatMap { rule($0).contains(client) ? $0 : nil } }

    package static func encodable(_ value: State?) -> (any Encodable & Sendable)? {
        // An absent slice is `nil`, and not an encodable value that contains `nil`.
        value.map { $0 }
    }

    package static func decode(
        from container: KeyedDecodingContainer<SliceName>,
        under name: SliceName
    ) throws -> State? { try container.decodeIfPresent(State.self, forKey: name) }
}

/// Any number of slices, each under an id of its own.
package enum InstancesContainer<State: ModuleState>: SliceContainer {
    package static var cardinality: SliceCardinality { .instances }

    package static func slice(at key: SliceKey, of value: consuming Instances<State>) -> State? {
        guard let instance = key.instance else { return nil }
        return value[instance]
    }

    package static func replacingSlice(
        at key: SliceKey,
        with state: consuming State?,
        in old: @autoclosure () -> Instances<State>
    ) -> Instances<State>? {
        guard let instance = key.instance else { return nil }
        var value = old()
        value[instance] = state
        return value
    }

    package static func instanceIDs(of value: Instances<State>) -> [String?] { value.ids }

    package static var canBeRestricted: Bool { true }

    package static func updateReaderIndex(
        of value: inout Instances<State>,
        at key: SliceKey,
        from old: State?,
        to new: State?,
        by rule: ReaderRule<State>
    ) {
        guard let id = key.instance else { return }
        var index = value.readerIndex ?? ReaderIndex()
        index.change(id, from: old.map(rule) ?? .none, to: new.map(rule) ?? .none)
        value.readerIndex = index
    }

    package static func copyReaderIndex(
        of old: Instances<State>,
        to value: inout Instances<State>
    ) { value.readerIndex = old.readerIndex }

    package static func readerIndex(of value: Instances<State>) -> ReaderIndex? {
        value.readerIndex ?? ReaderIndex()
    }

    package static func narrowed(
        _ value: Instances<State>,
        to client: String,
        by rule: ReaderRule<State>
    ) -> Instances<State> { value.narrowed(to: value.readerIndex?.ids(for: client) ?? []) }

    package static func changedInstanceIDs(
        of value: Instances<State>,
        since old: Instances<State>,
        _ comparison: ByteComparison?
    ) throws(Refusal) -> [String?] {
        let changed = value.ids(changedSince: old, comparison)
        for id in changed where old[id] == nil { try Instances<State>.check(id: id) }
        return changed
    }
}
