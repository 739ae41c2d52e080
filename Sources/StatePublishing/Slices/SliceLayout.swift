package import StoreCore
import Texts
import Wire

/// How the slices of modules make up the whole state: which member each is.
package struct SliceLayout: Sendable {
    /// The modules' names, in their order.
    let names: [String]
    /// What stands before each slice in the whole.
    private let keys: [Bytes]
    /// The modules of which sessions have slices, or parts of one.
    package let ofSessions: [Int]

    package init<Root: RootState>(_ modules: [Mount<Root>]) {
        self.init(
            modules.map(\.name),
            ofSessions: modules.indices.filter { modules[$0].slice.ownership != .everybody }
        )
    }

    init(_ names: [String], ofSessions: [Int] = []) {
        self.names = names
        self.ofSessions = ofSessions
        keys = names.enumerated().map { index, name in
            var key = JSONOutput(capacity: 32)
            key.raw(index == 0 ? "{" : ",")
            key.string(name)
            key.raw(":")
            return Bytes(key.array)
        }
    }

    /// The place of a module, by its name.
    func index(of name: String) -> Int? {
        names.firstIndex { $0.isSame(as: name) }
    }

    /// What stands for a slice that is absent.
    static let absent = Bytes(utf8: "null")

    /// What ends the whole.
    private static let end = Bytes(utf8: "}")

    /// The whole state; a large one is made of the slices, and copies none. `own` counts the bytes
    /// of the slices that no other version has.
    func joined(_ slices: [Bytes?], own: Int = .max) -> Bytes {
        guard !keys.isEmpty else { return Bytes(utf8: "{}") }
        let count = bytes(of: slices)
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
        zip(keys, slices).reduce(keys.isEmpty ? 2 : 1) {
            $0 + $1.0.count + ($1.1 ?? Self.absent).count
        }
    }
}
