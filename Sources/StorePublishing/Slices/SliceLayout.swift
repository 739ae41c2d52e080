package import StoreCore
import StoreEventStream
import StorePlatform
import StoreTexts
import StoreWire
import Synchronization

/// How the slices of modules make up the whole state: which member each is.
///
/// An object, so that a version that is looked at copies one reference of it.
package final class SliceLayout: Sendable {
    /// The modules' names, in their order.
    let names: [String]
    /// What stands before each slice in the whole.
    private let keys: [Bytes]
    /// The modules of which sessions have slices, or parts of one.
    package let ofSessions: [Int]
    /// The places of the slices that are members of the whole; `nil` for all.
    private let shown: [Int]?
    /// What roles see of it.
    private let narrowed: NarrowedLayouts

    package convenience init<Root: RootState>(_ modules: [Mount<Root>]) {
        self.init(
            modules.map(\.name),
            ofSessions: modules.indices.filter { modules[$0].slice.ownership != .everybody }
        )
    }

    convenience init(_ names: [String], ofSessions: [Int] = []) {
        self.init(names, ofSessions: ofSessions, shown: nil, NarrowedLayouts())
    }

    private init(
        _ names: [String],
        ofSessions: [Int],
        shown: [Int]?,
        _ narrowed: NarrowedLayouts
    ) {
        self.names = names
        self.ofSessions = ofSessions
        self.shown = shown
        self.narrowed = narrowed
        let members = shown.map { $0.map { names[$0] } } ?? names
        keys = members.enumerated().map { index, name in
            var key = JSONOutput(capacity: 32)
            key.raw(index == 0 ? "{" : ",")
            key.string(name)
            key.raw(":")
            return Bytes(key.array)
        }
    }

    /// The layout of a state of which a role sees only some members: the others are not there.
    func seen(with sight: Sight) -> SliceLayout {
        narrowed.layout(with: sight) {
            SliceLayout(
                names,
                ofSessions: ofSessions,
                shown: names.indices.filter { sight.sees(module: names[$0]) },
                narrowed
            )
        }
    }

    /// Whether some slices are no members of the whole.
    var isNarrowed: Bool { shown != nil }

    /// Whether the slice at a place is a member of the whole.
    func shows(_ index: Int) -> Bool { shown?.contains(index) ?? true }

    /// The place of a module that is a member of the whole, by its name.
    func index(of name: String) -> Int? {
        names.firstIndex { $0.isSame(as: name) }.flatMap { shows($0) ? $0 : nil }
    }

    /// What stands for a slice that is absent.
    static let absent = Bytes(utf8: "null")

    /// What ends the whole.
    private static let end = Bytes(utf8: "}")

    /// The whole state; a large one is made of the slices, and copies none. `own` counts the bytes
    /// of the slices that no other version has.
    func joined(_ slices: [Bytes?], own: Int = .max) -> Bytes {
        guard !keys.isEmpty else { return Bytes(utf8: "{}") }
        let slices = shown.map { $0.map { slices[$0] } } ?? slices
        let count = count(of: slices)
        guard count < SSEFrame.pieceBytesMin else {
            let pieces = zip(keys, slices).flatMap { [$0, $1 ?? Self.absent] } + [Self.end]
            return Bytes(joining: pieces, shared: max(0, count - min(own, count)))
        }
        return Bytes(count: count) { buffer in
            var offset = 0
            for part in zip(keys, slices).flatMap({ [$0, $1 ?? Self.absent] }) {
                part.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyMemory(from: $0)
                }
                offset += part.count
            }
            buffer[offset] = UInt8(ascii: "}")
        }
    }

    /// How many bytes the whole state has.
    func bytes(of slices: [Bytes?]) -> Int {
        count(of: shown.map { $0.map { slices[$0] } } ?? slices)
    }

    private func count(of members: [Bytes?]) -> Int {
        zip(keys, members).reduce(keys.isEmpty ? 2 : 1) {
            $0 + $1.0.count + ($1.1 ?? Self.absent).count
        }
    }
}

/// What roles see of one layout, made once for each sight.
private final class NarrowedLayouts: Sendable {
    /// How many are kept; the policy that had more is an old one.
    private static let countMax = 1_000

    private let layouts = Locked<[Sight: SliceLayout]>([:])

    func layout(with sight: Sight, _ make: () -> SliceLayout) -> SliceLayout {
        if let known = layouts.withLock({ $0[sight] }) { return known }
        let made = make()
        layouts.withLock { layouts in
            if layouts.count >= Self.countMax { layouts = [:] }
            layouts[sight] = made
        }
        return made
    }
}
