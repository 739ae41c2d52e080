/// The values of a member of the root state, each under the name of its owner.
///
/// The table stores a value for an owner from the owner's first change until the owner ends. Before
/// the first change, an owner has the value that every owner begins with.
package struct OwnedTable<Value: Codable & Equatable & Sendable>: Sendable {
    private var firstValueEntry: ValueTable<Value>.Entry
    private var table = ValueTable<Value>()
    /// The reader on whose behalf the state is read; `nil` for a client without a session and a
    /// credential.
    package private(set) var reader: SliceReader?

    /// Makes a table without values; every owner begins with `first`.
    package init(_ first: Value) { firstValueEntry = ValueTable.Entry(first) }

    /// The value of an owner: the common first value, until the owner changes it.
    package subscript(owner: String) -> Value {
        get { table[owner, default: firstValueEntry.value] }
        set { table[owner] = newValue }
    }

    /// The value that every owner begins with.
    package var firstValue: Value { firstValueEntry.value }

    /// The owners that have stored values of their own, sorted.
    package var owners: [String] { table.names }

    /// The number of owners that have stored values of their own.
    var count: Int { table.count }

    func has(_ owner: String) -> Bool { table.has(owner) }

    /// Returns the value of an owner; for `nil`, the value that every owner begins with.
    func read(_ owner: String?) -> Value { owner.map { self[$0] } ?? firstValueEntry.value }

    /// Sets the value of an owner. If `value` is `nil`, the owner goes back to the first value. If
    /// `owner` is `nil`, sets the first value, with which every owner begins.
    mutating func set(_ value: Value?, for owner: String?) {
        guard let owner else {
            if let value { firstValueEntry = ValueTable.Entry(value) }
            return
        }
        table[owner] = value
    }

    /// Removes the value of an owner that ends. Returns true if the owner had a stored value.
    mutating func removeValue(of owner: String) -> Bool {
        defer { table[owner] = nil }
        return has(owner)
    }

    mutating func setReader(_ reader: SliceReader) { self.reader = reader }

    /// Replaces all values by the values of a snapshot.
    mutating func replaceValues(with values: [ExactText: Value]) { table = ValueTable(values) }

    /// Writes an object with a member for each owner that has changed its value.
    package func encode(to encoder: any Encoder) throws { try table.encode(to: encoder) }

    /// Returns the owners whose values were set or removed since an earlier version. `isFirst` is
    /// true if the first value was set since then.
    func changes(since old: OwnedTable) -> (owners: [String], changesFirstValue: Bool) {
        (table.names(changedSince: old.table), firstValueEntry !== old.firstValueEntry)
    }
}

extension OwnedTable: Equatable {
    /// Returns true if the first values are equal, and all owners have equal values. The comparison
    /// skips values that both tables share.
    package static func == (a: OwnedTable, b: OwnedTable) -> Bool {
        (a.firstValueEntry === b.firstValueEntry
            || a.firstValueEntry.value == b.firstValueEntry.value) && a.table == b.table
    }
}

extension OwnedTable {
    /// Restores the value that every owner begins with, after a function of the whole state ran.
    /// `given` has the values that the function got, and `initial` has the values before any
    /// action.
    ///
    /// - Throws: ``WholeStateError/changedFirstValue(_:)`` if the function set another value.
    mutating func restoreFirstValue(of given: OwnedTable, orOf initial: OwnedTable) throws {
        guard firstValueEntry !== given.firstValueEntry else { return }
        guard
            firstValueEntry.value == given.firstValueEntry.value
                || firstValueEntry.value == initial.firstValueEntry.value
        else {
            throw WholeStateError.changedFirstValue("\(Value.self)")
        }
        firstValueEntry = given.firstValueEntry
    }

    /// Returns true if the value that every owner begins with has other bytes than before.
    func isFirstValueChanged(since old: OwnedTable, _ comparison: ByteComparison?) -> Bool {
        firstValueEntry !== old.firstValueEntry
            && differs(old.firstValueEntry.value, firstValueEntry.value, comparison)
    }

    /// Normalizes the writes of a function of the whole state; `old` has the values before the
    /// action. Returns the owners whose values changed.
    ///
    /// If the function removed the value of an owner that has not ended, the owner gets the first
    /// value again. If the function removed the value of an ended owner, the owner counts as
    /// changed in any case. If the function wrote the first value for an owner without a stored
    /// value, this method removes the written value.
    mutating func normalizeWrites(
        after old: OwnedTable,
        _ comparison: ByteComparison?,
        hasEnded: (String) -> Bool
    ) -> [(owner: String, old: Value, new: Value)] {
        reader = old.reader
        var changed: [(owner: String, old: Value, new: Value)] = []
        for (owner, value) in table.differences(from: old.table) {
            let before = old[owner]
            let after = value ?? firstValueEntry.value
            let isGone = value == nil && hasEnded(owner)
            if value == nil, !isGone { self[owner] = after }
            if isGone || differs(before, after, comparison) {
                changed.append((owner, before, after))
            } else if !old.has(owner) {
                table[owner] = nil
            }
        }
        return changed
    }
}

/// A member of a root state with a value for each owner: ``PerSession`` or ``PerPrincipal``.
package protocol OwnedMember: OwnedValues, Equatable {
    associatedtype Value: Codable & Equatable & Sendable

    /// The owners of the values.
    static var ownership: SliceOwnership { get }

    var ownedTable: OwnedTable<Value> { get set }
}

/// An ``OwnedMember`` without the type of its values.
package protocol OwnedValues: Encodable, Sendable {
    /// Returns the value of an owner; for `nil`, the value that every owner begins with. For an
    /// absent slice, returns `nil`.
    func value(of owner: String?) -> (any Encodable & Sendable)?

    /// The owners that have values of their own.
    var owners: [String] { get }

    /// Returns true if an owner has a value of its own.
    func hasOwnValue(of owner: String) -> Bool

    /// Returns the owners whose values differ from an earlier version. `isFirst` is true if the
    /// value that every owner begins with differs. If `old` is not a version of these values,
    /// returns all owners, and `isFirst` is true.
    func changes(since old: (any OwnedValues)?) -> (owners: [String], changesFirstValue: Bool)
}

extension OwnedMember {
    package func value(of owner: String?) -> (any Encodable & Sendable)? {
        let value = ownedTable.read(owner)
        if let optional = value as? any PossiblyAbsent, optional.isAbsent { return nil }
        return value
    }

    package var owners: [String] { ownedTable.owners }

    package func hasOwnValue(of owner: String) -> Bool { ownedTable.has(owner) }

    package func changes(since old: (any OwnedValues)?) -> (
        owners: [String], changesFirstValue: Bool
    ) {
        guard let old = old as? Self else { return (owners, true) }
        return ownedTable.changes(since: old.ownedTable)
    }
}

/// A value that may be `nil`.
private protocol PossiblyAbsent {
    var isAbsent: Bool { get }
}

extension Optional: PossiblyAbsent {
    fileprivate var isAbsent: Bool {
        if case .none = self { true } else { false }
    }
}
