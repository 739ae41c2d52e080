/// The place of a slice in the root state, with the type of the slice.
///
/// A place is an object, so that code without the type of the place stores only a reference.
package protocol SlicePlace<Root, State>: AnySlicePlace {
    associatedtype State: Codable & Equatable & Sendable
    /// The way in which all slices, or the slices of one owner, are stored in a single value.
    associatedtype Container: SliceContainer where Container.State == State
    /// The type of the member.
    associatedtype Value: Encodable & Equatable & Sendable

    var member: RootMember<Root, Value> { get }

    /// Returns the slice, or `nil` if the slice does not exist.
    func read(_ root: Root, _ key: SliceKey) -> State?
    /// Writes a slice to its place; if `state` is `nil`, removes the slice.
    func write(_ state: State?, _ root: inout Root, _ key: SliceKey)
    /// Returns the keys of all slices. If each owner has one slice, the keys include the key
    /// without an owner. This key stands for the value that every owner begins with.
    ///
    /// Cost: linear in the number of keys.
    func keys(_ root: Root) -> [SliceKey]
    /// Returns the keys of the slices that are stored for an owner; empty for a shared place.
    func keys(_ root: Root, of owner: String) -> [SliceKey]
    /// Returns true if a slice is stored under its key. Returns false for an owner that still has
    /// the value that every owner begins with.
    func hasStoredSlice(_ root: Root, _ key: SliceKey) -> Bool
}

extension SlicePlace {
    package var cardinality: SliceCardinality { Container.cardinality }
    package var wireType: any (Codable & Sendable).Type { Container.Value.self }
    package var path: any AnyKeyPath & Sendable { member.path }

    package func isSliceThere(_ root: Root, _ key: SliceKey) -> Bool { read(root, key) != nil }
    package func isEqual(_ a: Root, _ b: Root) -> Bool { member.read(a) == member.read(b) }

    package func encode(
        _ root: Root,
        to container: inout KeyedEncodingContainer<SliceName>,
        under name: SliceName
    ) throws { try container.encode(member.read(root), forKey: name) }

    package func readForSchema(
        from container: KeyedDecodingContainer<SliceName>,
        under name: SliceName
    ) throws { _ = try Container.decode(from: container, under: name) }
}

/// A place whose slices all clients share.
package final class SharedPlace<Root: RootState, Container: SliceContainer>: SlicePlace {
    package typealias State = Container.State

    package let member: RootMember<Root, Container.Value>
    /// The function that returns the readers of a slice; `nil` if all clients read the slices.
    private let readerRule: ReaderRule<State>?

    package init(
        _ path: any WritableKeyPath<Root, Container.Value> & Sendable,
        restrictedBy readerRule: ReaderRule<State>? = nil
    ) {
        member = RootMember(path)
        self.readerRule = Container.canBeRestricted ? readerRule : nil
    }

    package var isOwned: Bool { false }

    package var ownership: SliceOwnership {
        if readerRule != nil { return .readers }
        let pieces = State.self as? any PiecewiseState.Type
        return pieces?.pieceLayout == .objectBySession ? .keyedBySession : .everybody
    }

    package func read(_ root: Root, _ key: SliceKey) -> State? {
        Container.slice(at: key, of: member.read(root))
    }

    package func write(_ state: State?, _ root: inout Root, _ key: SliceKey) {
        member.change(&root) { value in
            let old = readerRule == nil ? nil : Container.slice(at: key, of: value)
            guard var new = Container.replacingSlice(at: key, with: state, in: value) else {
                return
            }
            if let readerRule {
                Container.updateReaderIndex(of: &new, at: key, from: old, to: state, by: readerRule)
            }
            value = new
        }
    }

    package func keys(_ root: Root) -> [SliceKey] {
        Container.instanceIDs(of: member.read(root)).map { SliceKey(instance: $0) }
    }

    package func keys(_ root: Root, of owner: String) -> [SliceKey] { [] }
    package func hasStoredSlice(_ root: Root, _ key: SliceKey) -> Bool { true }
    package func hasRoom(_ root: Root, for owner: String) -> Bool { true }
    package func removeSlices(of owner: String, _ root: inout Root) -> Bool { false }
    package func owners(_ root: Root) -> [String] { [] }
    package func setReader(of root: inout Root, to reader: SliceReader) {}

    package func memberValue(_ root: Root) -> (any Encodable & Sendable)? {
        let value = member.read(root)
        guard let readerRule else { return Container.encodable(value) }
        return RestrictedValue(
            value: Container.encodable(value),
            index: Container.readerIndex(of: value)
        ) { id in
            Container.slice(at: SliceKey(instance: id), of: value).map(readerRule) ?? .none
        }
    }

    package func readers(_ root: Root, _ key: SliceKey) -> Readers {
        guard let readerRule else { return .all }
        return read(root, key).map(readerRule) ?? .none
    }

    package func narrow(_ root: inout Root, to client: String) {
        guard let readerRule else { return }
        member.change(&root) { $0 = Container.narrowed($0, to: client, by: readerRule) }
    }

    package func normalizeWrites(
        _ root: inout Root,
        after old: Root,
        _ settling: WholeStateComparison<Root>
    ) throws -> [SliceKey] {
        let (old, new) = (member.read(old), member.read(root))
        let keys = try Container.changedInstanceIDs(of: new, since: old, settling.comparison)
            .map { SliceKey(instance: $0) }
        if let readerRule { updateReaderIndex(of: keys, after: old, in: &root, by: readerRule) }
        return keys
    }

    /// Updates the index of readers after a function of the whole state wrote slices. `old` has the
    /// slices and the index of the state before the action.
    private func updateReaderIndex(
        of keys: [SliceKey],
        after old: Container.Value,
        in root: inout Root,
        by rule: ReaderRule<State>
    ) {
        member.change(&root) { value in
            Container.copyReaderIndex(of: old, to: &value)
            for key in keys {
                let slices = (
                    Container.slice(at: key, of: old), Container.slice(at: key, of: value)
                )
                Container.updateReaderIndex(
                    of: &value,
                    at: key,
                    from: slices.0,
                    to: slices.1,
                    by: rule
                )
            }
        }
    }

    package func changedSessions(_ old: Root, _ new: Root) -> [String]? {
        guard cardinality == .one, let old = member.read(old) as? any PiecewiseState,
            let new = member.read(new) as? any PiecewiseState
        else { return nil }
        return new.changedPieces(since: old).map(\.key)
    }

    package func decode(
        _ root: inout Root,
        from container: KeyedDecodingContainer<SliceName>,
        under name: SliceName
    ) throws {
        var value = try Container.decode(from: container, under: name)
        if let readerRule {
            for id in Container.instanceIDs(of: value) {
                let key = SliceKey(instance: id)
                let slice = Container.slice(at: key, of: value)
                Container.updateReaderIndex(
                    of: &value,
                    at: key,
                    from: nil,
                    to: slice,
                    by: readerRule
                )
            }
        }
        member.write(value, &root)
    }
}

/// The place of a single slice that is shared and always exists. Most slices have such a place.
package typealias SinglePlace<Root: RootState, State: Codable & Equatable & Sendable> =
    SharedPlace<Root, SingleContainer<State>>

extension SharedPlace {
    package func read<Single>(_ root: Root) -> Single where Container == SingleContainer<Single> {
        member.read(root)
    }

    func write<Single>(_ state: Single, _ root: inout Root)
    where Container == SingleContainer<Single> { member.write(state, &root) }
}

/// The place of a ``PerSession``, with separate slices for each session.
package typealias SessionPlace<Root: RootState, Container: SliceContainer> =
    OwnedPlace<Root, Container, PerSession<Container.Value>>

/// The place of a ``PerPrincipal``, with separate slices for each user and visitor.
package typealias PrincipalPlace<Root: RootState, Container: SliceContainer> =
    OwnedPlace<Root, Container, PerPrincipal<Container.Value>>

/// A place with separate slices for each owner.
package final class OwnedPlace<Root: RootState, Container: SliceContainer, Value: OwnedMember>:
    SlicePlace
where Value.Value == Container.Value {
    package typealias State = Container.State

    package let member: RootMember<Root, Value>

    package init(_ path: any WritableKeyPath<Root, Value> & Sendable) {
        member = RootMember(path)
    }

    package var isOwned: Bool { true }
    package var ownership: SliceOwnership { Value.ownership }

    package func read(_ root: Root, _ key: SliceKey) -> State? {
        Container.slice(at: key, of: member.read(root).ownedTable.read(key.owner))
    }

    /// Writes a slice. The absence of a slice is stored, too, until its owner ends. So readers get
    /// the version that removed the slice.
    package func write(_ state: State?, _ root: inout Root, _ key: SliceKey) {
        member.change(&root) { values in
            let new = Container.replacingSlice(
                at: key,
                with: state,
                in: values.ownedTable.read(key.owner)
            )
            if let new { values.ownedTable.set(new, for: key.owner) }
        }
    }

    package func keys(_ root: Root) -> [SliceKey] {
        let values = member.read(root).ownedTable
        let keys = values.owners.flatMap { owner in
            Container.instanceIDs(of: values[owner]).map { SliceKey(owner: owner, instance: $0) }
        }
        return cardinality == .instances ? keys : [.only] + keys
    }

    package func keys(_ root: Root, of owner: String) -> [SliceKey] {
        let values = member.read(root).ownedTable
        guard values.has(owner) else { return [] }
        return Container.instanceIDs(of: values[owner]).map {
            SliceKey(owner: owner, instance: $0)
        }
    }

    package func hasRoom(_ root: Root, for owner: String) -> Bool {
        let values = member.read(root).ownedTable
        return values.count < OwnerName.usersMax || values.has(owner)
    }

    package func hasStoredSlice(_ root: Root, _ key: SliceKey) -> Bool {
        key.owner.map { member.read(root).ownedTable.has($0) } ?? true
    }

    package func removeSlices(of owner: String, _ root: inout Root) -> Bool {
        member.change(&root) { $0.ownedTable.removeValue(of: owner) }
    }

    package func owners(_ root: Root) -> [String] { member.read(root).owners }

    package func setReader(of root: inout Root, to reader: SliceReader) {
        member.change(&root) { $0.ownedTable.setReader(reader) }
    }

    package func memberValue(_ root: Root) -> (any Encodable & Sendable)? { member.read(root) }

    package func normalizeWrites(
        _ root: inout Root,
        after old: Root,
        _ settling: WholeStateComparison<Root>
    ) throws -> [SliceKey] {
        let old = member.read(old).ownedTable
        let comparison = settling.comparison
        let (isFirst, changes) = try member.change(&root) { values in
            if !settling.hasUpdatedCopies {
                let (given, initial) = (
                    member.read(settling.inputState).ownedTable,
                    member.read(settling.initialState).ownedTable
                )
                try values.ownedTable.restoreFirstValue(of: given, orOf: initial)
            }
            let changes = values.ownedTable.normalizeWrites(
                after: old,
                comparison,
                hasEnded: settling.isEnded
            )
            return (values.ownedTable.isFirstValueChanged(since: old, comparison), changes)
        }
        return try changes.reduce(into: isFirst ? [.only] : []) { keys, change in
            // The end of an owner removes all instances of the owner. A single key stands for all
            // instances, even if there are none.
            guard cardinality == .instances, !settling.isEnded(change.owner) else {
                return keys.append(SliceKey(owner: change.owner))
            }
            keys += try Container.changedInstanceIDs(of: change.new, since: change.old, comparison)
                .map { SliceKey(owner: change.owner, instance: $0) }
        }
    }

    package func changedSessions(_ old: Root, _ new: Root) -> [String]? { nil }
    package func readers(_ root: Root, _ key: SliceKey) -> Readers { .all }
    package func narrow(_ root: inout Root, to client: String) {}

    /// Reads the values of owners; the table is empty if the member is missing. The value that
    /// every owner begins with is a part of the program, and is not read.
    package func decode(
        _ root: inout Root,
        from container: KeyedDecodingContainer<SliceName>,
        under name: SliceName
    ) throws {
        let values = try container.decodeIfPresent([ExactText: Container.Value].self, forKey: name)
        member.change(&root) { $0.ownedTable.replaceValues(with: values ?? [:]) }
    }
}
