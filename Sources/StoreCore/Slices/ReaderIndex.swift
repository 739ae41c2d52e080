import StoreTexts

/// The ids of the instances that each reader may read. Versions of the index share their nodes.
///
/// Cost: a look-up takes log2(n) steps for n readers, and one step for each id of the result. A
/// change costs a few look-ups for each reader that gains or loses an instance.
package struct ReaderIndex: Sendable {
    private struct Mark: Sendable {}
    private typealias IDs = ValueTable<Mark>

    private var idsByReader = ValueTable<IDs>()

    package init() {}

    /// Returns the ids of the instances that a client may read, sorted. `client` is its
    /// ``ReaderName``.
    package func ids(for client: String) -> [String] {
        let lists = ReaderName.names(ofClient: client).compactMap { idsByReader[$0]?.names }
        guard lists.count > 1 else { return lists.first ?? [] }
        return Set(lists.joined().map { ExactText($0) }).sorted().map(\.text)
    }

    /// Updates the index for an instance whose readers change from `old` to `new`.
    mutating func change(_ id: String, from old: Readers, to new: Readers) {
        Readers.forEachDifference(from: old, to: new) { name, isAdded in
            var ids = idsByReader[name] ?? IDs()
            ids[id] = isAdded ? Mark() : nil
            idsByReader[name] = ids.count == 0 ? nil : ids
        }
    }
}

extension Readers {
    /// Calls `body` with each reader that only one of two values has.
    package static func forEachDifference(
        from old: Readers,
        to new: Readers,
        _ body: (_ name: String, _ isAdded: Bool) -> Void
    ) {
        guard old != new else { return }
        var (before, after) = (old.names[...], new.names[...])
        while true {
            switch (before.first, after.first) {
            case (nil, nil): return
            case (let name?, nil):
                body(name, false)
                before.removeFirst()
            case (nil, let name?):
                body(name, true)
                after.removeFirst()
            case (let mine?, let theirs?):
                let (left, right) = (ExactText(mine), ExactText(theirs))
                if left < right {
                    body(mine, false)
                    before.removeFirst()
                } else if right < left {
                    body(theirs, true)
                    after.removeFirst()
                } else {
                    before.removeFirst()
                    after.removeFirst()
                }
            }
        }
    }
}

/// A member of the root state whose slices are restricted, with the data for finding each reader's
/// slices.
package struct RestrictedValue: Encodable, Sendable {
    /// The value of the member: instances, or a single slice; `nil` if the single slice is not
    /// started.
    package let value: (any Encodable & Sendable)?
    /// The index of the instances; `nil` for a single slice.
    package let index: ReaderIndex?
    /// The function that returns the readers of an instance, or of the single slice if the id is
    /// `nil`. An absent slice has no readers.
    package let readers: @Sendable (_ id: String?) -> Readers

    init(
        value: (any Encodable & Sendable)?,
        index: ReaderIndex?,
        readers: @escaping @Sendable (_ id: String?) -> Readers
    ) {
        self.value = value
        self.index = index
        self.readers = readers
    }

    /// Makes a restricted value whose pieces no client reads.
    package init(hiding value: (any Encodable & Sendable)?) {
        self.init(value: value, index: ReaderIndex()) { _ in .none }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let value { try value.encode(to: encoder) } else { try container.encodeNil() }
    }
}
