/// The bytes of a credential, compared in constant time: the time of a comparison does not depend
/// on the bytes.
package struct SecretBytes: Sendable {
    private var bytes: [UInt8] = []

    /// Makes a value without bytes.
    package init() {}

    /// Replaces the bytes, in the same memory if they fit.
    package mutating func replace(by shown: UnsafeRawBufferPointer) {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: shown)
    }

    /// Returns true if the bytes are the same. Their count is no secret.
    ///
    /// Cost: one step for eight bytes.
    package func isSame(as shown: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == shown.count else { return false }
        return bytes.withUnsafeBytes { mine in
            var difference: UInt64 = 0
            var place = 0
            while place + 8 <= mine.count {
                difference |=
                    mine.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                    ^ shown.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                place += 8
            }
            while place < mine.count {
                difference |= UInt64(mine[place] ^ shown[place])
                place += 1
            }
            return difference == 0
        }
    }
}
