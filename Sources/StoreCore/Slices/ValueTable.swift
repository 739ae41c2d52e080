/// A ``SortedTable`` of values. Each value is in an object, which several versions of the table may
/// share.
package struct ValueTable<Value: Sendable>: Sendable {
    final class Entry: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var entries = SortedTable<Entry>()

    package init() {}

    init(_ values: [ExactText: Value]) {
        entries = SortedTable(
            sorted: values.sorted { $0.key < $1.key }.map { ($0.key.text, Entry($0.value)) }
        )
    }

    /// Returns a table with only these names, which have to be sorted. Both tables share the
    /// values.
    func narrowed(to names: [String]) -> ValueTable {
        var narrowed = ValueTable()
        narrowed.entries = SortedTable(
            sorted: names.compactMap { name in entries[name].map { (name, $0) } }
        )
        return narrowed
    }

    package var count: Int { entries.count }

    package var names: [String] { entries.map(\.key) }

    package var members: [(key: String, value: Value)] { entries.map { ($0.key, $0.value.value) } }

    /// The value of a name; the assignment of `nil` removes the value.
    package subscript(name: String) -> Value? {
        get { entries[name]?.value }
        set { entries[name] = newValue.map { Entry($0) } }
    }

    /// The value of a name, or the default value if the name has no value.
    subscript(name: String, default value: @autoclosure () -> Value) -> Value {
        entries[name]?.value ?? value()
    }

    /// Returns the names with this prefix, sorted. Cost: log2(count) steps, and a step for each of
    /// these names.
    func names(withPrefix prefix: String) -> [String] { entries.keys(withPrefix: prefix) }

    func has(_ name: String) -> Bool { entries[name] != nil }

    /// Returns the names, sorted, whose values were set or removed since an earlier version. Each
    /// name comes with its value in this version, or with `nil` if the value was removed. Subtrees
    /// that both versions share are skipped.
    func differences(from old: ValueTable) -> [(key: String, value: Value?)] {
        entries.differences(from: old.entries).map { ($0.key, $0.value?.value) }
    }

    /// Returns the names, sorted, whose values were set or removed since an earlier version.
    func names(changedSince old: ValueTable) -> [String] {
        entries.differences(from: old.entries).map(\.key)
    }

    /// Calls `body` with each name whose value was set or removed since an earlier version, until
    /// `body` returns `false`.
    func forEachDifference(
        from old: ValueTable,
        _ body: (_ name: String, _ new: Entry?, _ old: Entry?) -> Bool
    ) { entries.forEachDifference(from: old.entries, body) }
}

extension ValueTable: Equatable where Value: Equatable {
    /// Returns true if both tables have equal values under the same names. Subtrees that both
    /// tables share are skipped.
    package static func == (a: ValueTable, b: ValueTable) -> Bool {
        var isEqual = a.count == b.count
        guard isEqual else { return false }
        a.forEachDifference(from: b) { _, mine, theirs in
            isEqual = mine != nil && mine?.value == theirs?.value
            return isEqual
        }
        return isEqual
    }
}

extension ValueTable: Codable where Value: Codable {
    package init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode([ExactText: Value].self))
    }

    package func encode(to encoder: any Encoder) throws {
        var values: [ExactText: Value] = Dictionary(minimumCapacity: count)
        for (name, entry) in entries { values[ExactText(name)] = entry.value }
        var container = encoder.singleValueContainer()
        try container.encode(values)
    }
}
